"""Triangles in a grid of square cells in the x-z plane, for vertical rays.

The grid is uniform (Fujimoto, Tanaka and Iwata 1986). The grid is two-dimensional, because all rays are vertical.
Access to memory takes more time than arithmetic. Therefore, the grid stores each triangle once, and neighbouring
triangles are near each other in memory. The list of a cell begins with the triangles that rays most likely hit. The
grid is efficient for triangles of similar size. If thousands of triangles share a cell, a ray in this cell tests all
triangles of the cell.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.arrays import CORNERS, HEIGHT, SLOPE_X, SLOPE_Z, TRIANGLE_WIDTH
from ecs_anim.maths import elementary

STEEPEST = 1e3  # largest slope of a triangle that actors can stand on; a steeper triangle is a wall
TRIANGLES_PER_CELL = 0.5  # a smaller number gives more cells: a ray then tests fewer triangles, but reads more memory
MOST_COLUMNS = 1 << 13  # limit of columns and of rows; in larger grids, float32 positions are not precise enough
MOST_ENTRIES = 16  # if the mean number of entries per triangle is larger, the cells are too small and become larger
MOST_COMPARED = 24  # each triangle is compared with at most this number of later triangles in the list of its cell
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TriangleGrid:
    """Triangles, and a list of triangles for each cell. `GroundArrays` describes the fields."""

    origin: tuple[float, float, float]  # [m]
    spacing: float  # [m], size of a cell
    columns: int
    rows: int
    starts: NDArray[np.int32]  # [rows * columns + 1]
    entries: NDArray[np.int32]  # [entry_count]
    triangles: NDArray[np.float32]  # [triangle_count, TRIANGLE_WIDTH]

    @classmethod
    def of(cls, triangles: Floats, double_sided: NDArray[np.bool_]) -> Self:
        """Return the grid of triangles [triangle_count, 3, 3] [m]. Raises ValueError if no triangle faces up."""
        kept = facing_up(triangles, double_sided)
        origin = kept.min(axis=(0, 1), initial=np.inf)
        # rounding can make a thin triangle degenerate, so test again
        local = facing_up((kept - origin).astype(np.float32).astype(np.float64))
        if not len(local):
            raise ValueError(
                "the model must have at least one triangle that faces up. Use a model of a floor or a terrain."
            )
        spacing = cell_size(local)
        local = local[_morton_order(local, spacing)]
        plan = local[..., [0, 2]]
        per_metre = np.float32(1 / spacing)  # factor from a position to a cell, rounded as in the kernel
        columns, rows = (int(last) + 1 for last in plan.astype(np.float32).max(axis=(0, 1)) * per_metre)
        starts, entries = _by_cell(plan, spacing, columns, rows)
        x, y, z = (float(value) for value in origin)
        return cls((x, y, z), spacing, columns, rows, starts, entries, _numbers(local))


def facing_up(triangles: Floats, double_sided: NDArray[np.bool_] | bool = False) -> Floats:
    """Return the triangles that actors can stand on. Flip each double-sided triangle that faces down."""
    triangles = triangles[np.isfinite(triangles).all(axis=(1, 2))]
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    turned = (normal[:, 1] < 0) & double_sided
    up = np.where(turned, -normal[:, 1], normal[:, 1])
    level = elementary.hypot(normal[:, 0], normal[:, 2]) <= STEEPEST * up
    found: Floats = np.where(turned[:, None, None], triangles[:, ::-1], triangles)[level & (up > 0)]
    return found


def cell_size(triangles: Floats) -> float:
    """Return the cell size [m] that gives `TRIANGLES_PER_CELL` triangles per cell.

    If large triangles fill many cells, the cell size is larger.
    """
    extent = np.ptp(triangles[..., [0, 2]], axis=1)
    width, depth = triangles[..., [0, 2]].max(axis=(0, 1))
    size: float = max(
        float(np.sqrt(TRIANGLES_PER_CELL * width * depth / len(triangles))), max(width, depth) / MOST_COLUMNS
    )
    while np.prod(extent / size + 1, axis=1).sum() > MOST_ENTRIES * len(triangles):
        size *= 1.2
    return size


def _morton_order(triangles: Floats, spacing: float) -> Ints:
    """Return the indices of triangles along a Z-curve (Morton 1966) through cells.

    In this order, triangles that are near each other in space are also near each other in memory.
    """
    column, row = (triangles[..., [0, 2]].mean(axis=1) / spacing).astype(np.uint64).T
    code = np.zeros_like(column)
    for bit in np.arange(24, dtype=np.uint64):
        one = np.uint64(1)
        code |= ((column >> bit) & one) << (2 * bit) | ((row >> bit) & one) << (2 * bit + one)
    return np.argsort(code, kind="stable")


def _numbers(triangles: Floats) -> NDArray[np.float32]:
    """Return the triangles in the format of `GroundArrays.triangles`."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    numbers = np.empty((len(triangles), TRIANGLE_WIDTH), np.float32)
    numbers[:, CORNERS] = triangles[..., [0, 2]].reshape(-1, 6)
    numbers[:, HEIGHT] = triangles[:, 0, 1]
    numbers[:, [SLOPE_X, SLOPE_Z]] = -normal[:, [0, 2]] / normal[:, 1:2]
    return numbers


def _by_cell(plan: Floats, spacing: float, columns: int, rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the arrays `starts` and `entries` of `GroundArrays`: the list of triangles for each cell.

    `plan` contains the corners [n, 3, 2] [m] of the triangles in x and z.
    """
    triangle, column, row = _boxes(plan / spacing, columns, rows)
    nearest, middle = _depths(plan / spacing, triangle, column, row)
    touched = nearest >= -_margin(columns, rows)
    triangle, middle, number = triangle[touched], middle[touched], (row * columns + column)[touched]
    order = np.lexsort((-middle, number))  # the triangle that contains the middle of the cell most deeply is first
    triangle, number = triangle[order], number[order]
    starts = np.searchsorted(number, np.arange(columns * rows + 1)).astype(np.int32)
    entries = 2 * triangle + _alone(plan, triangle, number)
    return starts, np.append(entries, 0).astype(np.int32)  # a ray can prefetch one entry past the end


def _margin(columns: int, rows: int) -> float:
    """Return the largest rounding error [cells] of the ray positions that the kernel computes in float32."""
    return 4 * float(np.finfo(np.float32).eps) * max(columns, rows)


def _boxes(plan: Floats, columns: int, rows: int) -> tuple[Ints, Ints, Ints]:
    """Return all pairs of a triangle and a cell in its bounding box: triangle, column and row [n].

    `plan` contains corners in units of cells.
    """
    last, margin = np.array([columns - 1, rows - 1]), _margin(columns, rows)
    low = np.clip(np.floor(plan.min(axis=1) - margin), 0, last).astype(np.int64)
    span = np.clip(np.floor(plan.max(axis=1) + margin), 0, last).astype(np.int64) - low + 1
    counts = span[:, 0] * span[:, 1]
    triangle = np.repeat(np.arange(len(plan)), counts)
    rank = np.arange(len(triangle)) - np.repeat(np.cumsum(counts) - counts, counts)
    row, column = np.divmod(rank, span[triangle, 0])
    return triangle, low[triangle, 0] + column, low[triangle, 1] + row


def _depths(plan: Floats, triangle: Ints, column: Ints, row: Ints) -> tuple[Floats, Floats]:
    """Return two depths for each pair of a cell and a triangle [n].

    The first depth is the distance by which the cell reaches into the triangle. The second depth is the distance from
    the middle of the cell to the border of the triangle. The unit is the size of a cell. If the first depth is
    negative, the cell is outside of the triangle. If the second depth is negative, the middle of the cell is outside.
    """
    along = np.roll(plan, -1, axis=1) - plan
    inward = np.stack([along[..., 1], -along[..., 0]], axis=-1) / np.linalg.norm(along, axis=-1, keepdims=True)
    nearest, middle = np.full(len(triangle), np.inf), np.full(len(triangle), np.inf)
    for edge in range(3):  # a loop over contiguous arrays takes a third of the time of one operation on all edges
        (x, z), (begin_x, begin_z) = inward[:, edge].T.copy(), plan[:, edge].T.copy()
        corner = x[triangle] * (column - begin_x[triangle]) + z[triangle] * (row - begin_z[triangle])
        np.minimum(nearest, corner + (np.maximum(x, 0) + np.maximum(z, 0))[triangle], out=nearest)
        np.minimum(middle, corner + ((x + z) / 2)[triangle], out=middle)
    return nearest, middle


def _alone(plan: Floats, triangle: Ints, number: Ints) -> NDArray[np.bool_]:
    """For each entry, return true if no later triangle in the list of the cell overlaps the triangle of this entry.

    In this case, a ray inside the triangle does not test later triangles of the cell.
    """
    corners = plan.reshape(-1, 6).T.copy()
    after = np.searchsorted(number, number, side="right") - np.arange(1, len(number) + 1)
    alone = after <= MOST_COMPARED
    for later in range(1, MOST_COMPARED + 1):
        entry = np.flatnonzero(alone & (after >= later))
        alone[entry] = _apart(corners[:, triangle[entry]], corners[:, triangle[entry + later]])
    return alone


def _apart(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Return whether triangles `a` and `b` share no area. The function uses the separating axis test.

    `a` and `b` [6, n] contain x and z of each corner. The result is exact, because float64 represents products of
    float32 numbers exactly.
    """
    apart = _outside(a, b)
    left = np.flatnonzero(~apart)
    apart[left] = _outside(b[:, left], a[:, left])
    return apart


def _outside(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Return whether the triangle `b` is on the outer side of an edge of `a`."""
    found = np.zeros(a.shape[1], bool)
    for x in range(0, 6, 2):
        begin_x, begin_z = a[x], a[x + 1]
        along_x, along_z = a[(x + 2) % 6] - begin_x, a[(x + 3) % 6] - begin_z
        sides = [along_z * (b[k] - begin_x) <= along_x * (b[k + 1] - begin_z) for k in range(0, 6, 2)]
        found |= sides[0] & sides[1] & sides[2]
    return found
