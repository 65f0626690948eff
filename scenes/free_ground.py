"""Search for free ground. Free ground consists of the plan points at which additional actors of a crowd can stand."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.ground import Ground
from ecs_anim.maths.plan import space_from_plan
from ecs_anim.walls.walls import Walls

CLEAR = 0.3  # [m], least distance from walls
APART = 0.5  # [m], least distance from actors of other crowds
CLOSE = 0.5  # [m], distance between actors if free ground is scarce
WIDER = tuple(1.25**step for step in range(0, 16))  # factors for the radius of the searched disc
ROW = 1 << 31  # difference between the numbers of cells in neighbouring rows
ROOF = 1.0  # [m], least height of a roof or tree crown over the surface below

Points = NDArray[np.float64]
IsFree = Callable[[Points], NDArray[np.bool_]]


def free_ground(
    walls: Walls | None, terrain: Ground, middle: tuple[float, float], occupied: Points | None = None
) -> IsFree:
    """Return a function that tests whether plan points [n, 2] are free.

    A free point is walkable, not close to a wall, not on a roof, and not close to a point of `occupied` [m, 2].
    `middle` is the middle of the layout on the plan. If `middle` is on a roof, such as a bridge, points on roofs are
    also free.
    """
    has_roofs = bool(_is_roof(terrain, np.array([middle]))[0])

    def is_free(points: Points) -> NDArray[np.bool_]:
        free = np.ones(len(points), np.bool_)
        if walls is not None:
            free &= is_clear(walls, points)
        if not has_roofs:
            free &= ~_is_roof(terrain, points)
        return free if occupied is None else free & ~near_any(points, occupied, APART)

    return is_free


def free_level(walls: Walls | None, offset: Points, occupied: Points | None = None) -> IsFree:
    """Return a function that tests whether plan points [n, 2] on a level are free.

    `offset` [2] [m] is the translation of the level from the building's plan to the unfolded plan, on which all levels
    lie side by side. `occupied` [m, 2] contains plan points of actors on any level.
    """

    def is_free(points: Points) -> NDArray[np.bool_]:
        free = np.ones(len(points), np.bool_) if walls is None else is_clear(walls, points + offset)
        return free if occupied is None else free & ~near_any(points, occupied, APART)

    return is_free


def is_clear(walls: Walls, points: Points, least: float | Points = CLEAR) -> NDArray[np.bool_]:
    """Return a mask [n] of the points that are walkable and at least `least` [m] (one number or [n]) from all walls."""
    from ecs_anim.kernels.walls import may_be_at, nearest_walls  # these kernels are compiled only for scenes with walls

    count, single = len(points), np.ascontiguousarray(points, np.float32)
    may_be, nearest, segment = np.ones(count, np.bool_), np.zeros((count, 3), np.float32), np.zeros(count, np.int32)
    may_be_at(walls.arrays, single, count, may_be)
    nearest_walls(walls.arrays, single, count, nearest, segment)
    found: NDArray[np.bool_] = may_be & (nearest[:, 2] >= least)
    return found


def _is_roof(terrain: Ground, points: Points) -> NDArray[np.bool_]:
    """Return a mask [n] of the points on a roof. A point is on a roof if another surface is below the highest surface
    at this point.
    """
    below_top = space_from_plan(points, terrain.height_at(space_from_plan(points)[:, ::2]) - ROOF)
    lower, _ = terrain.below(below_top)
    found: NDArray[np.bool_] = np.isfinite(lower)
    return found


def nearest_free(middle: Sequence[float], count: int, is_free: IsFree) -> Points | None:
    """Return the `count` free points [count, 2] of a hexagonal grid that are nearest to a plan point.

    All calls use points of the same grid. Crowds that are placed one after another therefore leave no gaps. If a large
    disc around the point has too few free points, return None.
    """
    least = math.sqrt(count / math.pi) * CLOSE
    for grown in WIDER:
        found = _hexagonal_grid(np.array(middle), grown * least)
        free = found[is_free(found)]
        if len(free) >= count:
            distances = np.sum(np.square(free - middle), axis=1)
            nearest: Points = free[np.argsort(distances, kind="stable")[:count]]
            return nearest
    return None


def _hexagonal_grid(middle: Points, radius: float) -> Points:
    """Return the points [n, 2] of a hexagonal grid in a square around a plan point.

    Half the side of the square is `radius` [m].
    """
    steps = np.array([CLOSE, CLOSE * math.sqrt(3) / 2])
    (west, south), (east, north) = (np.floor((middle + side * radius) / steps).astype(int) for side in (-1, 1))
    column, row = np.meshgrid(np.arange(west, east + 2), np.arange(south, north + 2))
    return np.stack([(column + 0.5 * (row % 2)) * steps[0], row * steps[1]], axis=-1).reshape(-1, 2)


def near_any(points: Points, others: Points, distance: float) -> NDArray[np.bool_]:
    """Return a mask [n] of the points [n, 2] that are nearer than `distance` [m] to a point of `others` [m, 2]."""
    others = np.unique(others.round(2), axis=0)  # no dense crowd has thousands of points in a cell
    numbers = _numbers(*_cells(others, distance))
    order = np.argsort(numbers, kind="stable")
    others, numbers = others[order], numbers[order]
    column, row = _cells(points, distance)
    near = np.zeros(len(points), np.bool_)
    for step in (-1, 0, 1):  # the three neighbouring cells of a row have consecutive numbers
        first = np.searchsorted(numbers, _numbers(column - 1, row + step))
        last = np.searchsorted(numbers, _numbers(column + 1, row + step), side="right")
        for place in range(int((last - first).max(initial=0))):
            rows = np.flatnonzero(first + place < last)
            way = points[rows] - others[first[rows] + place]
            near[rows] |= np.sum(way * way, axis=1) < distance * distance
    return near


def _cells(points: Points, size: float) -> NDArray[np.int64]:
    """Return the columns and the rows [2, n] of the square cells that contain the points."""
    return np.floor(points.T / size).astype(np.int64)


def _numbers(column: NDArray[np.int64], row: NDArray[np.int64]) -> NDArray[np.int64]:
    return row * ROW + column
