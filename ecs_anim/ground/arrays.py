"""The numbers of a ground, as kernels take them."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

FLAT, HEIGHTS, TRIANGLES = 0, 1, 2
NOWHERE = -np.inf  # height where there is no ground
TOUCH = 1e-4  # [m], a point this little below a surface still stands on it: rounding must not let it fall through

# Columns of a triangle: x and z of its three corners, counter-clockwise seen from above, then its plane.
CORNERS, HEIGHT, SLOPE_X, SLOPE_Z, TRIANGLE_WIDTH = slice(0, 6), 6, 7, 8, 9


class GroundArrays(NamedTuple):
    """One form for all kinds, so that one kernel serves them: an endless floor, and a grid of cells in x and z.

    Places and heights in the arrays start from the grid's origin: numbers stay small and keep their precision however
    far from the world's origin the ground lies. Arrays that a kind has no use for have one element.
    """

    kind: int  # FLAT, HEIGHTS or TRIANGLES
    floor: float  # [m], height of an endless horizontal floor, -inf = none
    origin_x: float  # [m], corner of the grid
    origin_y: float  # [m], what heights in the arrays start from
    origin_z: float  # [m]
    spacing_x: float  # [m], size of a cell
    spacing_z: float  # [m], as spacing_x for triangles
    columns: int  # cells along x
    rows: int  # cells along z
    # [m], at the corners of cells, rows + 1 and columns + 1; NaN = no ground there
    heights: Annotated[NDArray[np.float32], Shape("corner along z", "corner along x")]
    starts: Annotated[NDArray[np.int32], Shape("cell + 1")]  # first entry of each of rows * columns cells
    # 2 x triangle, + 1 where no later one of the cell overlaps it in plan
    entries: Annotated[NDArray[np.int32], Shape("entry")]
    triangles: Annotated[NDArray[np.float32], Shape("triangle", TRIANGLE_WIDTH)]  # [m]


def no_heights() -> NDArray[np.float32]:
    """The heights of a ground that is no height field."""
    return np.zeros((1, 1), np.float32)


def no_triangles() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """The starts, entries and triangles of a ground without triangles."""
    return np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros((1, TRIANGLE_WIDTH), np.float32)
