"""The built-in props, and the street furniture: a bench, a street lamp and a market stall. Fronts face +Z."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

import numpy as np

from ecs_anim.assets.mesh import Material
from ecs_anim.assets.rig import Rig
from ecs_anim.rigs.prop_carriage import carriage_rig
from ecs_anim.rigs.prop_furniture import FURNITURE
from ecs_anim.rigs.prop_shapes import Shape, cloth, colored_mesh, joined, lump, prop_rig, rod, rounded_box, turned
from ecs_anim.rigs.prop_tree import TREES, tree_rig

WOOD, WORN, IRON, CREAM = "#a8743f", "#96653a", "#3c4247", "#f2ead8"
FRUIT = ("#d9482b", "#e9a227", "#7fae3b", "#8c2f4f")


def bench_rig() -> Rig:
    """Return a park bench of wooden slats on iron frames. The bench is 1.9 m wide, and its seat is 0.45 m high."""
    slats = [
        rounded_box((-0.95, 0.41, z - 0.045), (0.95, 0.45, z + 0.045), WOOD if number % 2 else WORN, 0.012)
        for number, z in enumerate(np.arange(4) * 0.108 - 0.13)
    ]
    slats += [
        rounded_box((-0.95, y - 0.05, z - 0.018), (0.95, y + 0.05, z + 0.018), WOOD if number % 2 else WORN, 0.012)
        for number, (y, z) in enumerate(((0.56, -0.20), (0.69, -0.235), (0.82, -0.27)))
    ]
    frames = [frame for x in (-0.72, 0.72) for frame in _bench_frame(x)]
    return prop_rig("bench", colored_mesh(Material("bench"), joined([*slats, *frames]).shaded(0.0, 0.5, 0.75)))


def _bench_frame(x: float) -> list[Shape]:
    points = ((0.03, 0.24), (0.40, 0.21), (0.40, -0.17), (0.88, -0.31)), ((0.40, -0.15), (0.03, -0.27))
    arm = ((0.40, 0.21), (0.63, 0.19), (0.64, -0.22))
    lines = [((x, *a), (x, *b)) for line in (*points, arm) for a, b in pairwise(line)]
    return [rod(start, end, 0.024, IRON) for start, end in lines]


def lamp_rig() -> Rig:
    """Return a street lamp with a lantern. The lamp is 3.9 m high."""
    pole = [(0.0, 0.0), (0.17, 0.0), (0.17, 0.12), (0.12, 0.18), (0.11, 0.55), (0.075, 0.68), (0.085, 0.72)]
    pole += [
        (0.06, 0.80),
        (0.045, 2.95),
        (0.08, 3.02),
        (0.05, 3.08),
        (0.10, 3.16),
        (0.15, 3.20),
        (0.135, 3.21),
        (0.0, 3.21),
    ]
    roof = [(0.0, 3.59), (0.25, 3.59), (0.27, 3.60), (0.265, 3.63), (0.25, 3.65), (0.15, 3.74), (0.07, 3.80)]
    roof += [(0.04, 3.84), (0.035, 3.88), (0.0, 3.9)]
    glass = [(0.0, 3.20), (0.13, 3.20), (0.20, 3.45), (0.22, 3.60), (0.0, 3.60)]
    iron = joined([turned(pole, IRON), turned(roof, IRON)]).shaded(0.0, 0.8, 0.7)
    shining = Material("glass", emissive=(0.55, 0.5, 0.38))
    return prop_rig("lamp", colored_mesh(Material("iron"), iron), colored_mesh(shining, turned(glass, "#fff3d0")))


def stall_rig() -> Rig:
    """Return a market stall with a striped awning. The stall is 2.9 m wide, and its counter is 0.9 m high."""
    posts = [rod((x, 0.02, z), (x, 2.2 if z > 0 else 2.55, z), 0.035, WORN) for x in (-1.25, 1.25) for z in (-0.7, 0.7)]
    counter = [rounded_box((-1.25, 0.82, -0.05), (1.25, 0.9, 0.75), WOOD, 0.02)]
    counter += [rounded_box((-1.2, 0.04, 0.05), (1.2, 0.82, 0.68), "#7d9a83", 0.02)]
    counter += [rounded_box((-1.25, 0.5, -0.85), (1.25, 0.56, -0.45), WOOD, 0.02)]
    parts = joined([*posts, *counter, *_goods()]).shaded(0.0, 0.9, 0.7)
    return prop_rig("stall", colored_mesh(Material("stall"), joined([parts, *_awning()])))


def _awning() -> list[Shape]:
    """Return a sloped awning of striped cloth, with a valance at its front."""
    stripes, width = 8, 2.9
    profile = ((2.62, -0.85), (2.20, 0.95), (1.98, 0.97))  # y and z [m] of the back, the front edge and the valance
    found = []
    for number in range(stripes):
        left = width * (number / stripes - 0.5)
        right, color = left + width / stripes, "#c8472f" if number % 2 else CREAM
        found += [
            cloth((left, *back), (left, *front), (right, *front), (right, *back), color)
            for back, front in pairwise(profile)
        ]
    return found


def _goods() -> list[Shape]:
    """Return crates of fruit on the counter."""
    rng, found = np.random.default_rng(3), list[Shape]()
    for number, color in enumerate(FRUIT):
        x = 0.6 * (number - 1.5)
        found.append(rounded_box((x - 0.27, 0.9, 0.16), (x + 0.27, 1.02, 0.64), WORN, 0.015))
        for row, column in np.ndindex(2, 3):
            middle = x + 0.165 * (column - 1) + rng.uniform(-0.01, 0.01), 1.03, 0.30 + 0.2 * row
            found.append(lump(middle, (0.085, 0.085, 0.1), color, rng, 0.05, rings=4, segments=7))
    return found


# Functions that return the built-in models.
PROP_MODELS: Mapping[str, Callable[[], Rig]] = {
    **{name: partial(tree_rig, name) for name in TREES},
    "bench": bench_rig,
    "carriage": carriage_rig,
    "lamp": lamp_rig,
    "stall": stall_rig,
    **FURNITURE,
}
