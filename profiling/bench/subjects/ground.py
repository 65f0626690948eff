"""Times of rays onto the ground, relative to the time steps of a crowd. The crowd needs four rays per actor.

The benchmark measures several types of ground, with rays at random points and with rays near the feet of a crowd. The
crowd is the crowd of the benchmark `pose`. Times are CPU times of one thread.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time_ns

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.arrays import TOUCH
from ecs_anim.ground.field_surface import field_triangles
from ecs_anim.ground.ground import Ground, flat, height_field, triangle_mesh
from ecs_anim.kernels.ground import cast_down
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.bench.subjects.pose import MIXED, Posing

SIDE = 120.0  # side length of the ground [m]; the area is about right for 10,000 people
RAYS_PER_ACTOR = 4
CHECKED = 200  # number of rays that the check compares with a search through all triangles
Floats = NDArray[np.float32]


@contextmanager
def case(*, actors: int = 10_000, model: str = "mannequin", clips: tuple[str, str] = ("walk", "run")) -> Iterator[Case]:
    """Yield the benchmark with rays and poses of `actors` actors."""
    rng = np.random.default_rng(0)
    anywhere = rng.uniform(-0.49, 0.49, (actors * RAYS_PER_ACTOR, 2)) * SIDE
    places = {"random places": anywhere, "feet": _feet(rng, actors)}
    works = {"poses": Work(Posing(model, MIXED.format(*clips), actors, 1).step)}
    for name, (ground, triangles) in _grounds(rng).items():
        for where, plan in places.items():
            points = np.insert(plan, 1, 3.0, axis=-1).astype(np.float32)
            works[f"{name}, {where}"] = Work(_rays(name, ground, triangles, points))
    yield Case(works, facts=lambda: {"rays": actors * RAYS_PER_ACTOR}, clock=thread_time_ns)


def _grounds(rng: np.random.Generator) -> dict[str, tuple[Ground, NDArray[np.float64]]]:
    plane = np.array([[[-1, 0, -1], [-1, 0, 1], [1, 0, 1]], [[-1, 0, -1], [1, 0, 1], [1, 0, -1]]]) * SIDE
    grounds = {"flat": (flat(), plane)}
    corners = _corners(rng, 224, 0.0)
    spacing = SIDE / 224
    field = height_field(corners[..., 1], (-SIDE / 2, -SIDE / 2), (spacing, spacing))
    grounds["height field"] = (field, _split(corners))
    for cells in (22, 71, 224):
        triangles = _split(_corners(rng, cells, 0.25))
        shuffled = triangles[rng.permutation(len(triangles))]
        grounds[f"{len(triangles):,} triangles"] = (triangle_mesh(shuffled), triangles)
    return grounds


def _corners(rng: np.random.Generator, cells: int, uneven: float) -> NDArray[np.float64]:
    """Return the grid corners [cells + 1, cells + 1, 3] [m] of hilly ground.

    The function moves each corner on the plan by up to `uneven` cells.
    """
    x, z = np.meshgrid(*[np.linspace(-SIDE / 2, SIDE / 2, cells + 1)] * 2)
    moved = rng.uniform(-uneven, uneven, (2, *x.shape)) * SIDE / cells
    height = np.sin(x / 5) * np.cos(z / 7) + rng.uniform(-0.02, 0.02, x.shape)
    return np.stack([x + moved[0], height, z + moved[1]], axis=-1)


def _split(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    return corners.astype(np.float32).astype(np.float64).reshape(-1, 3)[field_triangles(*corners.shape[:2])]


def _feet(rng: np.random.Generator, actors: int) -> NDArray[np.float64]:
    """Return points [ray, 2] near the feet of actors at random positions."""
    middle = rng.uniform(-0.48, 0.48, (actors, 1, 2)) * SIDE
    return (middle + rng.uniform(-0.3, 0.3, (actors, RAYS_PER_ACTOR, 2))).reshape(-1, 2)


def _rays(name: str, ground: Ground, triangles: NDArray[np.float64], points: Floats) -> Callable[[], None]:
    hits = np.empty((len(points), 4), np.float32)
    cast_down(ground.arrays, points, len(points), hits)
    wrong = np.abs(hits[:CHECKED, 0] - highest_below(triangles, points[:CHECKED])) > 2 * TOUCH
    require(not wrong.any(), f"{name}: {wrong.sum()} of {len(wrong)} rays hit at a wrong height")
    return lambda: cast_down(ground.arrays, points, len(points), hits)


def highest_below(triangles: NDArray[np.float64], points: Floats) -> NDArray[np.float64]:
    """Return the height of the highest triangle below each point, or -inf if no triangle is below the point."""
    a, b, c = (triangles[:, corner] for corner in range(3))
    u, v = (b - a)[:, [0, 2]], (c - a)[:, [0, 2]]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    found = np.full(len(points), -np.inf)
    for ray, point in enumerate(points.astype(np.float64)):
        w = point[[0, 2]] - a[:, [0, 2]]
        s, t = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area, (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
        height = a[:, 1] + s * (b - a)[:, 1] + t * (c - a)[:, 1]
        inside = (np.minimum(s, t) >= -1e-9) & (s + t <= 1 + 1e-9) & (height <= point[1])
        found[ray] = np.max(height[inside], initial=-np.inf)
    return found
