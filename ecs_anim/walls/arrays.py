"""The arrays that kernels read for walls."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed

SIGHT = 3.0  # [m], largest distance at which actors see each other
NEAREST, CROSSING, ABOUT = range(3)  # numbers of the three lists that each cell has


class WallArrays(NamedTuple):
    """Wall segments, and a grid over these segments. For each cell, the grid has three lists of segments.

    Coordinates are on the plan: x east, y north [m]. The list `NEAREST` contains all segments that can be the nearest
    wall of a point in the cell. `CROSSING` contains all segments that can cross the cell. `ABOUT` contains all segments
    within the distance `SIGHT` of a point in the cell. If the `ABOUT` lists of all cells would take too much memory,
    all `ABOUT` lists are empty.
    """

    # [m], both ends of a segment; the walkable side is to the left
    segments: Annotated[NDArray[np.float32], Shape("segment", 2, 2)]
    is_open: bool  # true = the plane outside the grid is walkable
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # cells along x
    rows: int  # cells along y
    # For each list and cell, the index of the list's first entry in `entries`. The grid has rows * columns cells.
    starts: Annotated[NDArray[np.int32], Shape(3, "cell + 1")]
    entries: Annotated[NDArray[np.int32], Shape("entry")]  # segment numbers of all lists, one list after the other
    is_free: Annotated[NDArray[np.bool_], Shape("cell")]  # whether the middle of the cell is walkable


def no_walls() -> WallArrays:
    """Return arrays without walls."""
    none = np.zeros(0, np.int32)
    grid = (np.zeros((3, 1), np.int32), none, none.astype(np.bool_))
    return sealed(WallArrays(np.zeros((0, 2, 2), np.float32), True, 0.0, 0.0, 1.0, 0, 0, *grid))
