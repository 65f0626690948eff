"""The numbers of a ground, as kernels take them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

FLAT, HEIGHTS, TRIANGLES = 0, 1, 2
NOWHERE = -np.inf  # height where there is no ground
TOUCH = 1e-4  # [m], a point this little below a surface still stands on it: rounding must not let it fall through

# Columns of a triangle record: three edges (x, z, offset), each zero on its line and positive inside, then the plane.
EDGES, SLOPE_X, SLOPE_Z, OFFSET, RECORD_WIDTH = slice(0, 9), 9, 10, 11, 12


class GroundArrays(NamedTuple):
    """One form for all kinds, so that one kernel serves them: an endless floor, and a grid of cells in x and z.

    Inside a cell, places run from 0 to 1 in x and z and heights start from `origin_y`: numbers stay small and keep
    their precision however far from the world's origin the ground lies. Arrays that a kind has no use for have one
    element.
    """

    kind: int  # FLAT, HEIGHTS or TRIANGLES
    floor: float  # [m], height of an endless horizontal floor, -inf = none
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m], what heights in the arrays start from
    origin_z: float  # [m]
    spacing_x: float  # [m], size of a cell
    spacing_z: float  # [m]
    columns: int  # cells along x
    rows: int  # cells along z
    heights: NDArray[np.float32]  # [rows + 1, columns + 1] f32, [m], at the corners of cells; NaN = no ground there
    starts: NDArray[np.int32]  # [rows * columns + 1] i32, first record of each cell
    records: NDArray[np.float32]  # [record_count, RECORD_WIDTH] f32, [cell sizes; m], by cell


def no_heights() -> NDArray[np.float32]:
    """The heights of a ground that is no height field."""
    return np.zeros((1, 1), np.float32)


def no_triangles() -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The starts and records of a ground without triangles."""
    return np.zeros(1, np.int32), np.zeros((1, RECORD_WIDTH), np.float32)
