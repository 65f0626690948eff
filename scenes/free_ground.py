"""Search for free ground: plan points where additional actors of a crowd can stand."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.ground import Ground
from ecs_anim.maths.plan import space_from_plan
from ecs_anim.walls.walls import Walls

CLEAR = 0.3  # [m], least distance from walls
ROOF = 1.0  # [m], least height of a roof or tree crown over the surface below

Points = NDArray[np.float64]
IsFree = Callable[[Points], NDArray[np.bool_]]


def free_ground(walls: Walls, terrain: Ground, middle: tuple[float, float]) -> IsFree:
    """Return a function that tests whether plan points [n, 2] are free.

    A free point is walkable, not close to a wall, and not on a roof. `middle` is the middle of the layout on the plan.
    If `middle` is on a roof, such as a bridge, points on roofs are also free.
    """
    has_roofs = bool(_is_roof(terrain, np.array([middle]))[0])

    def is_free(points: Points) -> NDArray[np.bool_]:
        clear = _is_clear(walls, points)
        return clear if has_roofs else clear & ~_is_roof(terrain, points)

    return is_free


def _is_clear(walls: Walls, points: Points) -> NDArray[np.bool_]:
    """Return a mask [n] of the points that are walkable and not close to a wall."""
    from ecs_anim.kernels.walls import may_be_at, nearest_walls  # these kernels are compiled only for scenes with walls

    count, single = len(points), np.ascontiguousarray(points, np.float32)
    may_be, nearest, segment = np.ones(count, np.bool_), np.zeros((count, 3), np.float32), np.zeros(count, np.int32)
    may_be_at(walls.arrays, single, count, may_be)
    nearest_walls(walls.arrays, single, count, nearest, segment)
    found: NDArray[np.bool_] = may_be & (nearest[:, 2] >= CLEAR)
    return found


def _is_roof(terrain: Ground, points: Points) -> NDArray[np.bool_]:
    """Return a mask [n] of the points on a roof. At a point on a roof, another surface is below the highest surface."""
    below_top = space_from_plan(points, terrain.height_at(space_from_plan(points)[:, ::2]) - ROOF)
    lower, _ = terrain.below(below_top)
    found: NDArray[np.bool_] = np.isfinite(lower)
    return found
