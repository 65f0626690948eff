"""The arrays in which kernels read walls."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed

SIGHT = 3.0  # [m], the distance up to which people see each other
NEAREST, CROSSING, ABOUT = range(3)  # lists of a cell


class WallArrays(NamedTuple):
    """Wall segments, and a grid. For each cell, the grid lists the relevant segments.

    Coordinates are on the plan: x east, y north [m]. Each cell has three lists. `NEAREST` has all segments that can be
    the nearest wall of a point in the cell. `CROSSING` has all segments that can cross the cell. `ABOUT` has all
    segments within `SIGHT` of a point in the cell. If the `ABOUT` lists would take too much memory, all `ABOUT` lists
    are empty.
    """

    # [m], both ends; the walkable side is to the left
    segments: Annotated[NDArray[np.float32], Shape("segment", 2, 2)]
    is_open: bool  # whether the plane outside the grid is walkable
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # cells along x
    rows: int  # cells along y
    starts: Annotated[NDArray[np.int32], Shape(3, "cell + 1")]  # by list: first entry of each of rows * columns cells
    entries: Annotated[NDArray[np.int32], Shape("entry")]  # segments, one list after the other
    is_free: Annotated[NDArray[np.bool_], Shape("cell")]  # whether the middle of the cell is walkable


def no_walls() -> WallArrays:
    """Return arrays without walls."""
    none = np.zeros(0, np.int32)
    grid = (np.zeros((3, 1), np.int32), none, none.astype(np.bool_))
    return sealed(WallArrays(np.zeros((0, 2, 2), np.float32), True, 0.0, 0.0, 1.0, 0, 0, *grid))
