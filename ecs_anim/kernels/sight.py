"""Lines of sight from an agent to eight neighbours at a time. A bar is a wall segment that can hide neighbours. The
float64 formulas of `walls.sees` give equal results.
"""

import numpy as np
from numba import uint64

from ecs_anim import simd
from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.neighbours import LANE, MOST, NOWHERE, WITH_EY, pad_rows
from ecs_anim.kernels.walls import cell_of, sees, side_of
from ecs_anim.walls.arrays import ABOUT, SIGHT

# Columns of a bar: one end; the vector to the other end; both ends relative to the agent; the side of the agent.
AX, AY, ALONG_X, ALONG_Y, TO_AX, TO_AY, TO_BX, TO_BY, SIDE, BAR = range(10)
BEYOND = SIGHT + 0.01  # [m] along x or y from an agent; farther segments hide no neighbour
# Bars use the memory of five columns that are written later. The sixth column stores visible neighbours.
MOST_BARS = 5 * MOST // (2 * BAR)
SEEN = WITH_EY


@inlined
def _are_barred(bars, count, x, y, to_x, to_y):
    """Return a mask of the eight neighbours at the offsets `to_x`, `to_y` that at least one of `count` bars hides."""
    at_x, at_y, found = simd.widen(to_x) + x, simd.widen(to_y) + y, simd.widen(simd.broadcast(np.float32(0)))
    aside, ahead = at_x - x, at_y - y
    for number in range(count):
        bar = uint64(number * BAR)
        one = aside * bars[bar + uint64(TO_AY)] - ahead * bars[bar + uint64(TO_AX)] >= 0.0
        other = aside * bars[bar + uint64(TO_BY)] - ahead * bars[bar + uint64(TO_BX)] >= 0.0
        to_ax, to_ay = at_x - bars[bar + uint64(AX)], at_y - bars[bar + uint64(AY)]
        theirs = to_ay * bars[bar + uint64(ALONG_X)] - to_ax * bars[bar + uint64(ALONG_Y)] >= 0.0
        is_between = (one ^ other) & simd.select(bars[bar + uint64(SIDE)] >= 0.0, ~theirs, theirs)
        found = simd.select(is_between, 1.0, found)
    return found > 0.0


@inlined
def _note_bars(walls, cell, x, y, bars):
    """Write the walls that can hide neighbours to `bars`. Return their number, or -1 without a list or enough room."""
    first, end = walls.starts[ABOUT, uint64(cell)], walls.starts[ABOUT, uint64(cell + 1)]
    if first == end:  # a wall is near, so a list would not be empty: the cell has no list
        return -1
    count = 0
    for number in range(first, end):
        segment = walls.segments[uint64(walls.entries[uint64(number)])]
        ax, ay = np.float64(segment[0, 0]), np.float64(segment[0, 1])
        bx, by = np.float64(segment[1, 0]), np.float64(segment[1, 1])
        to_ax, to_ay, to_bx, to_by = ax - x, ay - y, bx - x, by - y
        if min(to_ax, to_bx) > BEYOND or max(to_ax, to_bx) < -BEYOND:
            continue
        if min(to_ay, to_by) > BEYOND or max(to_ay, to_by) < -BEYOND:
            continue
        if count == MOST_BARS:
            return -1
        at = count * BAR
        bars[uint64(at + AX)], bars[uint64(at + AY)] = ax, ay
        bars[uint64(at + ALONG_X)], bars[uint64(at + ALONG_Y)] = bx - ax, by - ay
        bars[uint64(at + TO_AX)], bars[uint64(at + TO_AY)] = to_ax, to_ay
        bars[uint64(at + TO_BX)], bars[uint64(at + TO_BY)] = to_bx, to_by
        bars[uint64(at + SIDE)] = side_of(ax, ay, bx, by, x, y)
        count += 1
    return count


@inlined
def _seen_one_by_one(walls, places, at, far, rows, found):
    """Filter neighbours as `seen_of` does, but test each neighbour separately against all walls."""
    x, y, kept = places[0, uint64(at)], places[1, uint64(at)], 0
    own_x, own_y = np.float64(x), np.float64(y)
    for number in range(found):
        row = uint64(rows[uint64(number)])
        to_x, to_y = places[0, row] - x, places[1, row] - y
        size = np.sqrt(to_x * to_x + to_y * to_y)
        if max(size, NOWHERE) < far or sees(walls, own_x, own_y, own_x + to_x, own_y + to_y):
            rows[uint64(kept)] = rows[uint64(number)]
            kept += 1
    return kept


@helper
def seen_of(walls, places, at, far, rows, near, found):
    """Keep the rows of the neighbours that no wall hides from the agent at `at`. Return their number. `far` [m] is the
    distance to the nearest wall. `rows` [found] are the neighbours, and `near` [NEAR] is memory.
    """
    seen, bars = simd.reinterpret(near, SEEN, np.int32), simd.reinterpret(near, 0, np.float64)
    x, y, all_places, lane = places[0, uint64(at)], places[1, uint64(at)], simd.pointer(places), simd.load(LANE, 0)
    own_x, own_y = np.float64(x), np.float64(y)
    cell, kept = cell_of(walls, own_x, own_y), 0
    count = _note_bars(walls, cell, own_x, own_y, bars) if cell >= 0 else -1
    if count < 0:
        return _seen_one_by_one(walls, places, at, far, rows, found)
    pad_rows(rows, found, at)
    for number in range(0, found, 8):
        others = simd.rows_at(rows, number) * np.int64(1)
        to_x, to_y = simd.gather(all_places, others, 0) - x, simd.gather(all_places, others, places.shape[1]) - y
        size = simd.maximum(np.sqrt(to_x * to_x + to_y * to_y), NOWHERE)
        is_seen = (size < far) | ~_are_barred(bars, count, own_x, own_y, to_x, to_y)
        kept += simd.compress_indices(seen, kept, number, is_seen & (lane < np.float32(found - number)))
    if kept < found:
        for number in range(kept):
            rows[uint64(number)] = rows[uint64(seen[uint64(number)])]
    return kept
