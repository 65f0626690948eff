"""The grid for routes: its position, its size, and the walking speeds in its cells."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.routing.areas import SpeedArea
from ecs_anim.support.reuse import reusable

Reals = NDArray[np.float64]
MARGIN = 1.0  # [m], margin around all points
CROWDING = 2.0  # additional cost of a way along a wall, relative to the usual cost, for bodies that touch the wall
ABOUT, MOST_DELAY = 0.6, 10.0  # [m], distance up to which people count for a cell; largest congestion factor
PARTS = 2.0**30  # measured ratios are multiples of 1 / PARTS
KEPT_CLEAR = 0.3  # [m], distance from a body to a wall; at this distance, CROWDING has no effect


class Grid(NamedTuple):
    """The position and the size of a grid on the plan."""

    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # number of cells along x
    rows: int  # number of cells along y

    @property
    def cell_count(self) -> int:
        """Return the number of cells."""
        return self.columns * self.rows

    @property
    def middles(self) -> Reals:
        """Return the centres of all cells [cell, 2] [m], row by row."""
        x, y = (np.arange(count) + 0.5 for count in (self.columns, self.rows))
        grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
        return np.array([self.origin_x, self.origin_y]) + self.spacing * grid


def grid_over(points: Reals, spacing: float) -> Grid:
    """Return a grid of cells with the size `spacing` [m]. The grid contains all points [n, 2] [m] and a margin."""
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    columns, rows = (max(2, math.ceil(length / spacing)) for length in (high - low).tolist())
    return Grid(float(low[0]), float(low[1]), spacing, columns, rows)


@reusable
def speed_factors(grid: Grid, areas: Sequence[SpeedArea]) -> NDArray[np.float32]:
    """Return the speed factor of each cell [cell]. If areas overlap, the smallest factor applies."""
    speed_factor = np.full(grid.cell_count, np.inf, np.float32)
    middles = grid.middles if areas else np.zeros((0, 2))
    for own in areas:
        inside = own.area.contains(middles)
        speed_factor[inside] = np.minimum(speed_factor[inside], np.float32(own.speed_factor))
    speed_factor[np.isinf(speed_factor)] = 1
    return speed_factor


def ease_about(grid: Grid, points: NDArray[np.float32], ease: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the ratio of actual speed to desired speed near each cell [cell], 0 to 1.

    `ease` [n] contains the ratio of each person. The ratio of a cell is the mean of `ease` over the people within
    `ABOUT` of the cell. The mean includes one additional, imaginary person with the ratio 1. `points` [n, 2] [m]
    contains the positions of the people on the plan.
    """
    reach, count = max(1, round(ABOUT / grid.spacing)), grid.cell_count
    cells = np.floor((points - np.array([grid.origin_x, grid.origin_y])) / grid.spacing).astype(int)
    # sums of whole numbers are exact, so that people far away change no bits
    parts = np.rint(ease.astype(np.float64) * PARTS)
    column, row = (np.clip(cells[:, axis], 0, most - 1) for axis, most in enumerate((grid.columns, grid.rows)))
    people, total = (
        _about(np.bincount(row * grid.columns + column, weights, count).reshape(grid.rows, grid.columns), reach)
        for weights in (None, parts)
    )
    return ((1 + total / PARTS) / (1 + people)).astype(np.float32).ravel()


def _about(values: NDArray[Any], reach: int) -> Reals:
    """For each cell, return the sum of `values` in a square of cells around the cell. The square extends `reach` cells
    to each side.
    """
    total = np.pad(values, ((reach + 1, reach), (reach + 1, reach))).cumsum(axis=0).cumsum(axis=1)
    size = 2 * reach + 1
    found: Reals = total[size:, size:] - total[:-size, size:] - total[size:, :-size] + total[:-size, :-size]
    return found


def delays(ease: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the congestion factor of each cell [cell], at most `MOST_DELAY`. `ease` [cell] is actual speed / desired
    speed.

    The congestion factor is the travel time divided by the free-flow travel time.
    """
    return (1 / np.maximum(ease, np.float32(1 / MOST_DELAY))).astype(np.float32)


def slowness(speed_factor: NDArray[np.float32], room: NDArray[np.float32], radius: float) -> NDArray[np.float32]:
    """Return the cost of one metre [s/m] in each cell. The cost is the walking time of an actor with a speed of 1 m/s,
    plus an extra cost near walls.

    `room` [m] contains the distance from each cell to the nearest wall.
    """
    near = np.clip(1 - (room.astype(np.float64) - radius) / KEPT_CLEAR, 0, 1)
    return ((1 + CROWDING * near) / speed_factor).astype(np.float32)
