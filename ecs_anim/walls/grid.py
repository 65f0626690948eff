"""The grid over wall segments: which of them count in which cell."""

import math

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.walls.arrays import WallArrays

FEWEST_CELLS, MOST_CELLS, FINER = 64, 1 << 14, 4
MOST_ENTRIES = 1 << 22
CELLS_A_SEGMENT = 4
FINEST = 0.25  # [m]
MARGIN = 1.4142  # cells round the walls; no whole number, so that middles of cells do not lie on them
ROUNDING = 1e-5  # share by which a distance that decides may be off


def wall_arrays(segments: NDArray[np.float32], *, is_open: bool) -> WallArrays:
    """Segments [segment_count, 2, 2] [m] with their grid; one at least.

    Finer and finer, as long as the lists do not grow too long: round an open middle, many segments are about as near
    as each other.
    """
    cells, most = FEWEST_CELLS, min(MOST_CELLS, CELLS_A_SEGMENT * len(segments))
    arrays = _gridded(segments, is_open, cells)
    while cells < most and FINER * len(arrays.entries) <= MOST_ENTRIES:
        cells *= FINER
        arrays = _gridded(segments, is_open, cells)
    return arrays


def _gridded(segments: NDArray[np.float32], is_open: bool, cells: int) -> WallArrays:
    ends = segments.reshape(-1, 2).astype(np.float64)
    low, size = ends.min(axis=0), np.ptp(ends, axis=0)
    spacing = max(FINEST, float(np.sqrt(size[0] * size[1] / cells)), float(size.max()) / cells)
    x, y = (low - MARGIN * spacing).tolist()
    columns, rows = (max(1, math.ceil(length / spacing + 2 * MARGIN)) for length in size)
    middle_x, middle_y = x + (np.arange(columns) + 0.5) * spacing, y + (np.arange(rows) + 0.5) * spacing
    starts, entries = _nearest_lists(segments, middle_x, middle_y, spacing)
    is_free = _free(segments, middle_x, middle_y) ^ is_open
    return WallArrays(segments, is_open, x, y, spacing, columns, rows, starts, entries, is_free.ravel())


def _nearest_lists(
    segments: NDArray[np.float32], middle_x: NDArray[np.float64], middle_y: NDArray[np.float64], spacing: float
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each cell the segments that are the nearest to some point in it.

    The nearest to a point that is r from the middle is at most 2 r further from the middle than the nearest to that.
    """
    lines = shapely.linestrings(segments.astype(np.float64))
    tree = shapely.STRtree(lines)
    y, x = (grid.ravel() for grid in np.meshgrid(middle_y, middle_x, indexing="ij"))
    middles = shapely.points(x, y)
    (_, _), least = tree.query_nearest(middles, return_distance=True, all_matches=False)
    reach = least * (1 + ROUNDING) + math.sqrt(2) * spacing * (1 + ROUNDING)
    cell, segment = tree.query(middles, predicate="dwithin", distance=reach)
    order = np.lexsort((segment, cell))
    starts = np.searchsorted(cell[order], np.arange(len(middles) + 1))
    return starts.astype(np.int32), segment[order].astype(np.int32)


def _free(
    segments: NDArray[np.float32], middle_x: NDArray[np.float64], middle_y: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether an odd number of segments lies to the left of each middle, [rows, columns]."""
    (ax, ay), (bx, by) = segments.astype(np.float64).transpose(1, 2, 0)
    inside = np.empty((len(middle_y), len(middle_x)), bool)
    for row, y in enumerate(middle_y):
        crossed = (ay <= y) != (by <= y)
        share = (y - ay[crossed]) / (by[crossed] - ay[crossed])
        crossings = np.sort(ax[crossed] + share * (bx[crossed] - ax[crossed]))
        inside[row] = np.searchsorted(crossings, middle_x) % 2 == 1
    return inside
