"""Lengths of shortest paths around walls."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.arrays import FREE, RouteCells, no_fields
from ecs_anim.routing.grid import grid_over
from ecs_anim.routing.lattice import Goal, Lattice
from ecs_anim.systems.route_fields import add_fields, arrivals_at, make_cells
from ecs_anim.walls.walls import Walls

Reals = NDArray[np.float64]
FINEST, SIDE = 0.05, 500  # [m], smallest cells; most cells along a side of the grid


def shortest_path(walls: Walls, radius: float, start: Reals, goal: Reals) -> float:
    """Return the length [m] of the shortest path of a disc with a radius [m] between two plan points [2].

    The length is the arrival time at 1 m/s, as in the routes of people. If the disc touches a wall at the start, at the
    goal, or in each gap, the path leads through narrower places. Without a path, the length is inf.
    """
    points = np.concatenate([walls.arrays.segments.reshape(-1, 2).astype(np.float64), [start, goal]])
    grid = grid_over(points, max(FINEST, float(np.ptp(points, axis=0).max()) / SIDE))
    even = np.ones(grid.cell_count, np.float32)
    narrow = make_cells(grid, even, walls.arrays, radius)
    wide = make_cells(grid, even, walls.arrays, radius, narrow.kinds != FREE)
    length = _arrival(walls, wide, start, goal)
    return length if np.isfinite(length) else _arrival(walls, narrow, start, goal)


def _arrival(walls: Walls, cells: RouteCells, start: Reals, goal: Reals) -> float:
    even = np.ones_like(cells.slowness)  # paths along walls cost no more
    lattice = Lattice(walls.arrays, cells._replace(slowness=even), no_fields(len(even)))
    end = Goal(*goal.tolist())
    add_fields(lattice, (end,))
    return float(arrivals_at(lattice, end, start[None].astype(np.float32))[0])
