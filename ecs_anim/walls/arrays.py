"""The numbers of walls, as kernels take them."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape, sealed

SIGHT = 3.0  # [m], as far as people see each other
NEAREST, CROSSING, ABOUT = range(3)  # lists of a cell


class WallArrays(NamedTuple):
    """Wall segments, and a grid that says for each cell which of them count there.

    All in plan coordinates: x east, y north [m]. Each cell has three lists: `NEAREST` of all segments that can be the
    nearest wall of any point in it, `CROSSING` of those that may cross it, and `ABOUT` of those within `SIGHT` of any
    point in it. Where the last ones would take too much memory, all of them are empty.
    """

    # [m], from end to end; the walkable side is to the left
    segments: Annotated[NDArray[np.float32], Shape("segment", 2, 2)]
    is_open: bool  # whether people may be outside the grid
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # cells along x
    rows: int  # cells along y
    starts: Annotated[NDArray[np.int32], Shape(3, "cell + 1")]  # first entry of each of rows * columns cells, by list
    entries: Annotated[NDArray[np.int32], Shape("entry")]  # segments, of one list after the other
    is_free: Annotated[NDArray[np.bool_], Shape("cell")]  # whether people may be in the middle of the cell


def no_walls() -> WallArrays:
    """Nothing that bounds anybody."""
    none = np.zeros(0, np.int32)
    grid = (np.zeros((3, 1), np.int32), none, none.astype(np.bool_))
    return sealed(WallArrays(np.zeros((0, 2, 2), np.float32), True, 0.0, 0.0, 1.0, 0, 0, *grid))
