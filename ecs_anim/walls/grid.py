"""The grid over wall segments. The module builds the lists of segments for each cell."""

import math

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.walls.arrays import SIGHT, WallArrays

FEWEST_CELLS, MOST_CELLS, COARSER = 64, 1 << 14, 4
CELLS_A_SEGMENT = 4
MOST_ENTRIES = 1 << 20  # approximate limit of the number of list entries, which is estimated from a sample of cells
LOOKED_AT = 64
FINEST = 0.25  # [m], smallest size of a cell
MARGIN = 1.4142  # [cells], margin around the walls; not an integer, so that centres of cells do not lie on walls
ROUNDING = 1e-5  # tolerance of comparisons between distances, as a share of the distance
TO_CORNER = math.sqrt(0.5)  # [cells], distance from the centre of a cell to its corner
BESIDE = 0.04  # [cells], extra distance within which a segment counts as crossing a cell

Reals = NDArray[np.float64]
Lists = tuple[NDArray[np.int32], NDArray[np.int32]]


def wall_arrays(
    segments: NDArray[np.float32], *, is_open: bool, cells_per_segment: int = CELLS_A_SEGMENT
) -> WallArrays:
    """Return the segments [segment_count, 2, 2] [m] and a grid over the segments.

    `segments` must contain at least one segment. A larger number of cells per segment is better for plans in which the
    density of walls varies.

    If the lists of segments would be too long, the function makes a coarser grid. For example, a cell in the middle of
    an open area has a long list, because many segments have almost equal distances from the cell.
    """
    tree = shapely.STRtree(shapely.linestrings(segments.astype(np.float64)))
    cells = max(FEWEST_CELLS, min(MOST_CELLS, cells_per_segment * len(segments)))
    while True:
        corner, spacing, x, y = _middles(segments, cells)
        every = max(1, len(x) * len(y) // LOOKED_AT)
        while math.gcd(every, len(x)) > 1:  # otherwise, the sample would contain the same columns in each row
            every += 1
        _, some = _nearest_lists(tree, x, y, spacing, every)
        if every * len(some) <= MOST_ENTRIES or cells <= FEWEST_CELLS:
            break
        cells //= COARSER
    starts, entries = _all_lists(tree, x, y, spacing)
    is_free = _free(segments, x, y) ^ is_open
    return WallArrays(segments, is_open, *corner, spacing, len(x), len(y), starts, entries, is_free.ravel())


def _all_lists(tree: shapely.STRtree, x: Reals, y: Reals, spacing: float) -> Lists:
    """Return the lists `NEAREST`, `CROSSING` and `ABOUT` of all cells, one list after the other."""
    to_corner = (TO_CORNER + BESIDE) * spacing
    nearest, crossing = _nearest_lists(tree, x, y, spacing), _lists_within(tree, x, y, to_corner)
    every = max(1, len(x) * len(y) // LOOKED_AT)
    _, some = _lists_within(tree, x, y, SIGHT + to_corner, every)
    about = (
        _lists_within(tree, x, y, SIGHT + to_corner)
        if every * len(some) <= MOST_ENTRIES
        else (np.zeros_like(crossing[0]), np.zeros(0, np.int32))
    )
    starts, entries = zip(nearest, crossing, about, strict=True)
    before = np.cumsum([0, *map(len, entries[:-1])])
    return (np.stack(starts) + before[:, None]).astype(np.int32), np.concatenate(entries)


def _middles(segments: NDArray[np.float32], cells: int) -> tuple[tuple[float, float], float, Reals, Reals]:
    """Return four values of a grid with about `cells` cells, all in metres: its corner, its spacing, the x coordinates
    of the column centres, and the y coordinates of the row centres.
    """
    ends = segments.reshape(-1, 2).astype(np.float64)
    low, size = ends.min(axis=0), np.ptp(ends, axis=0)
    spacing = max(FINEST, float(np.sqrt(size[0] * size[1] / cells)), float(size.max()) / cells)
    left, bottom = (low - MARGIN * spacing).tolist()
    columns, rows = (max(1, math.ceil(length / spacing + 2 * MARGIN)) for length in size)
    x, y = (start + (np.arange(count) + 0.5) * spacing for start, count in ((left, columns), (bottom, rows)))
    return (left, bottom), spacing, x, y


def _nearest_lists(tree: shapely.STRtree, middle_x: Reals, middle_y: Reals, spacing: float, every: int = 1) -> Lists:
    """For every `every`-th cell, return all segments that can be the nearest segment of a point in the cell.

    Let r be the distance of a point in the cell from the cell's centre. The nearest segment of the point is at most 2 r
    farther from the centre than the nearest segment of the centre.
    """
    middles = _points(middle_x, middle_y, every)
    _, least = tree.query_nearest(middles, return_distance=True, all_matches=False)
    return _within(tree, middles, (least + math.sqrt(2) * spacing) * (1 + ROUNDING))


def _lists_within(tree: shapely.STRtree, middle_x: Reals, middle_y: Reals, reach: float, every: int = 1) -> Lists:
    """For every `every`-th cell, return the segments within `reach` [m] of the centre of the cell."""
    middles = _points(middle_x, middle_y, every)
    return _within(tree, middles, np.full(len(middles), reach * (1 + ROUNDING)))


def _points(middle_x: Reals, middle_y: Reals, every: int) -> NDArray[np.object_]:
    """Return the centre of every `every`-th cell."""
    y, x = (grid.ravel()[::every] for grid in np.meshgrid(middle_y, middle_x, indexing="ij"))
    points: NDArray[np.object_] = shapely.points(x, y)
    return points


def _within(tree: shapely.STRtree, middles: NDArray[np.object_], reach: Reals) -> Lists:
    """Return the segments within `reach` [m] of each of the points `middles`.

    The segments of a point are in ascending order.
    """
    cell, segment = tree.query(middles, predicate="dwithin", distance=reach)
    order = np.lexsort((segment, cell))
    starts = np.searchsorted(cell[order], np.arange(len(middles) + 1))
    return starts.astype(np.int32), segment[order].astype(np.int32)


def _free(segments: NDArray[np.float32], middle_x: Reals, middle_y: Reals) -> NDArray[np.bool_]:
    """Return a mask [rows, columns]: true if segments enclose the centre of the cell. The segments enclose a point if
    an odd number of segments is to the left of the point.
    """
    (ax, ay), (bx, by) = segments.astype(np.float64).transpose(1, 2, 0)
    inside = np.empty((len(middle_y), len(middle_x)), bool)
    for row, y in enumerate(middle_y):
        crossed = (ay <= y) != (by <= y)
        share = (y - ay[crossed]) / (by[crossed] - ay[crossed])
        crossings = np.sort(ax[crossed] + share * (bx[crossed] - ax[crossed]))
        inside[row] = np.searchsorted(crossings, middle_x) % 2 == 1
    return inside
