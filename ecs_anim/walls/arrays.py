"""The numbers of walls, as kernels take them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class WallArrays(NamedTuple):
    """Wall segments, and a grid that says for each cell which of them count there.

    All in plan coordinates: x east, y north [m]. A cell's segments are all that can be the nearest wall of any point in
    it, so those that cross it are among them.
    """

    segments: NDArray[np.float32]  # [segment_count, 2, 2] f32, [m], from end to end; who may be there is to the left
    is_open: bool  # whether people may be outside the grid
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m]
    spacing: float  # [m], size of a cell
    columns: int  # cells along x
    rows: int  # cells along y
    starts: NDArray[np.int32]  # [rows * columns + 1] i32, first entry of each cell
    entries: NDArray[np.int32]  # [entry_count] i32, segments
    is_free: NDArray[np.bool_]  # [rows * columns], whether people may be in the middle of the cell
