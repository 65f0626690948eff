"""The arrays in which kernels read a ground."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

FLAT, HEIGHTS, TRIANGLES = 0, 1, 2
NOWHERE = -np.inf  # height where there is no ground
# [m], a point this little below a surface is still on it, so that rounding errors do not let actors fall through
TOUCH = 1e-4

# Columns of a triangle: x and z of its three corners, counter-clockwise seen from above, then its plane.
CORNERS, HEIGHT, SLOPE_X, SLOPE_Z, TRIANGLE_WIDTH = slice(0, 6), 6, 7, 8, 9


class GroundArrays(NamedTuple):
    """The common format of all kinds of ground: an endless floor, and a grid of cells in x and z.

    One kernel works for all kinds of ground. Positions and heights in the arrays are relative to the grid's origin. So
    numbers stay small and precise, even if the ground is far from the world's origin. An array that a kind of ground
    does not use has one element.
    """

    kind: int  # FLAT, HEIGHTS or TRIANGLES
    floor: float  # [m], height of an endless horizontal floor; -inf = no floor
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m], origin of heights in the arrays
    origin_z: float  # [m]
    spacing_x: float  # [m], size of a cell
    spacing_z: float  # [m]; for triangles, equal to spacing_x
    columns: int  # cells along x
    rows: int  # cells along z
    # [m], at the corners of cells, rows + 1 and columns + 1; NaN = no ground
    heights: Annotated[NDArray[np.float32], Shape("corner along z", "corner along x")]
    starts: Annotated[NDArray[np.int32], Shape("cell + 1")]  # first entry of each of rows * columns cells
    # 2 x triangle; + 1 if no later triangle of the cell overlaps it in plan
    entries: Annotated[NDArray[np.int32], Shape("entry")]
    triangles: Annotated[NDArray[np.float32], Shape("triangle", TRIANGLE_WIDTH)]  # [m]


def no_heights() -> NDArray[np.float32]:
    """Return the heights of a ground that is not a height field."""
    return np.zeros((1, 1), np.float32)


def no_triangles() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Return the starts, entries and triangles of a ground without triangles."""
    return np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros((1, TRIANGLE_WIDTH), np.float32)
