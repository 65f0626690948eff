"""Street furniture: a litter bin, a bollard, a planter, a kiosk and a parked bicycle. Fronts face +Z."""

import math
from itertools import pairwise

import numpy as np

from ecs_anim.assets.mesh import Material
from ecs_anim.assets.rig import Rig
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.rigs.prop_shapes import Shape, colored_mesh, joined, lump, prop_rig, rod, rounded_box, turned

IRON, STEEL, RUBBER, STONE, LEAVES = "#3c4247", "#9aa1a6", "#26282a", "#b3aca1", "#5f8a48"
GREEN, GLASS, PAPER, RED = "#3f5d4c", "#8fa9b5", "#efe8d8", "#a8322a"
WHEEL, HUBS = 0.33, (-0.52, 0.52)  # [m], radius of a wheel, and x of both hubs
LANE = 0.1  # [m], z of the plane of the bicycle
Line = tuple[tuple[float, float], ...]


def bin_rig() -> Rig:
    """Return a litter bin with a lid. The bin is 1.0 m high."""
    body = [(0.0, 0.02), (0.17, 0.02), (0.19, 0.05), (0.21, 0.74), (0.23, 0.75), (0.23, 0.78), (0.0, 0.78)]
    lid = [(0.0, 0.90), (0.23, 0.90), (0.24, 0.92), (0.18, 0.97), (0.06, 1.0), (0.0, 1.0)]
    posts = [rod((x, 0.76, z), (x, 0.92, z), 0.018, IRON) for x in (-0.14, 0.14) for z in (-0.14, 0.14)]
    return _rig("bin", [turned(body, GREEN), turned(lid, IRON), *posts], 0.5)


def bollard_rig() -> Rig:
    """Return an iron bollard, 0.95 m high."""
    post = [(0.0, 0.0), (0.12, 0.0), (0.12, 0.05), (0.09, 0.10), (0.075, 0.72), (0.095, 0.75), (0.095, 0.80)]
    return _rig("bollard", [turned([*post, (0.08, 0.84), (0.085, 0.90), (0.05, 0.94), (0.0, 0.95)], IRON)], 0.4)


def planter_rig() -> Rig:
    """Return a stone planter with shrubs. The planter is 1.6 m wide and 1.1 m high."""
    rng = np.random.default_rng(9)
    box = [rounded_box((-0.75, 0.0, -0.32), (0.75, 0.5, 0.32), STONE, 0.03)]
    box += [rounded_box((-0.67, 0.46, -0.25), (0.67, 0.53, 0.25), "#54432f", 0.01)]
    shrubs = [
        lump((x, 0.74, z), (0.32, 0.34, 0.28), LEAVES, rng, 0.28, rings=6, segments=9)
        for x, z in ((-0.36, -0.02), (0.0, 0.03), (0.36, -0.03))
    ]
    return _rig("planter", [*box, *shrubs], 0.8)


def kiosk_rig() -> Rig:
    """Return a kiosk with a window, a counter and magazines. The kiosk is 2.4 m wide and 2.7 m high."""
    parts = [rounded_box((-1.1, 0.0, -0.8), (1.1, 2.45, 0.6), GREEN, 0.03)]
    parts += [rounded_box((-1.2, 2.45, -0.9), (1.2, 2.6, 1.0), IRON, 0.04)]
    parts += [rounded_box((-0.9, 2.58, -0.5), (0.9, 2.72, 0.7), RED, 0.04)]
    parts += [rounded_box((-0.8, 1.1, 0.58), (0.8, 2.1, 0.63), GLASS, 0.015)]
    parts += [rounded_box((-0.95, 0.98, 0.5), (0.95, 1.04, 0.9), STONE, 0.015)]
    papers = [(x, y, color) for y in (0.3, 0.62) for x, color in zip((-0.7, -0.23, 0.23, 0.7), COVERS, strict=True)]
    parts += [rounded_box((x - 0.17, y, 0.58), (x + 0.17, y + 0.26, 0.64), color, 0.01) for x, y, color in papers]
    return _rig("kiosk", parts, 0.9)


def bicycle_rig() -> Rig:
    """Return a bicycle at a stand. The bicycle is 1.7 m long and 1.0 m high."""
    stand: Line = ((0.0, -0.35), (0.8, -0.35), (0.8, 0.4), (0.0, 0.4))
    hoop = [rod((x, a, -0.12), (x2, b, -0.12), 0.025, STEEL) for (a, x), (b, x2) in pairwise(stand)]
    return _rig("bicycle", [*hoop, *_bicycle("#2f5d8a")], 0.4)


def _bicycle(color: str) -> list[Shape]:
    """Return a bicycle in the plane z = 0.1 m. The front of the bicycle is at +X."""
    (back, front), crank, seat, head = HUBS, (-0.07, 0.28), (-0.2, 0.82), (0.36, 0.80)
    triangles: Line = ((back, WHEEL), crank, head, seat, (back, WHEEL))
    frame: tuple[Line, ...] = (triangles, (crank, seat, (-0.23, 0.93)), ((front, WHEEL), head, (0.33, 0.97)))
    tubes = [rod((*start, LANE), (*end, LANE), 0.018, color) for line in frame for start, end in pairwise(line)]
    bar = rod((0.33, 0.97, LANE - 0.27), (0.33, 0.97, LANE + 0.27), 0.016, IRON)
    saddle = rounded_box((-0.37, 0.92, LANE - 0.06), (-0.11, 0.97, LANE + 0.06), RUBBER, 0.02)
    return [*tubes, bar, saddle, *_wheel(back), *_wheel(front)]


def _wheel(x: float) -> list[Shape]:
    angles = np.arange(17) * (math.tau / 16)
    rim = np.stack([x + WHEEL * sin(angles), WHEEL + 0.97 * WHEEL * cos(angles), 0 * angles + LANE], axis=-1)
    spokes = [rod(rim[number], rim[number + 8], 0.006, STEEL) for number in (0, 2, 4, 6)]
    return [*(rod(start, end, 0.02, RUBBER) for start, end in pairwise(rim)), *spokes]


def _rig(name: str, shapes: list[Shape], high: float) -> Rig:
    """Return a rig of shapes that are darker near the ground, up to the height `high` [m]."""
    return prop_rig(name, colored_mesh(Material(name), joined(shapes).shaded(0.0, high, 0.7)))


COVERS = (PAPER, RED, "#e0a93b", "#4f7ea8")  # colours of magazines
FURNITURE = {
    "bin": bin_rig,
    "bollard": bollard_rig,
    "planter": planter_rig,
    "kiosk": kiosk_rig,
    "bicycle": bicycle_rig,
}
