"""The arrays that kernels read for a ground."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape

FLAT, HEIGHTS, TRIANGLES = 0, 1, 2
NOWHERE = -np.inf  # height at a point without ground
# [m]. A point that is this depth below a surface still counts as on the surface. Otherwise, actors could fall through
# the ground because of rounding errors.
TOUCH = 1e-4

# Columns of a triangle: x and z of its three corners (counter-clockwise seen from above), then its plane.
CORNERS, HEIGHT, SLOPE_X, SLOPE_Z, TRIANGLE_WIDTH = slice(0, 6), 6, 7, 8, 9


class GroundArrays(NamedTuple):
    """A ground of any type in the format for kernels: an endless floor, and a grid of cells in x and z.

    One kernel works for all types of ground. Positions and heights in the arrays are relative to the origin of the
    grid. Therefore, positions and heights stay small and precise, even if the ground is far from the origin of the
    world. If a type of ground does not use an array, this array has one element.
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
    # Index in `entries` of each cell's first entry, for rows * columns cells.
    starts: Annotated[NDArray[np.int32], Shape("cell + 1")]
    # An entry is 2 * triangle number, plus 1 if no later triangle in the list of the cell overlaps this triangle in x
    # and z
    entries: Annotated[NDArray[np.int32], Shape("entry")]
    triangles: Annotated[NDArray[np.float32], Shape("triangle", TRIANGLE_WIDTH)]  # [m]


def no_heights() -> NDArray[np.float32]:
    """Return the array `heights` of a ground that is not a height field."""
    return np.zeros((1, 1), np.float32)


def no_triangles() -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Return the arrays `starts`, `entries` and `triangles` of a ground without triangles."""
    return np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros((1, TRIANGLE_WIDTH), np.float32)
