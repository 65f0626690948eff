"""Lines of sight: eight neighbours at a time, against the wall segments near an agent.

A bar is a segment that can hide neighbours of one agent. The formulas are those of `walls.sees` in double precision, so
that both give the same answer.
"""

import numpy as np
from llvmlite import ir
from numba import config, types, uint64
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.doubles import DOUBLES, doubles_at, splat, wholes_at
from ecs_anim.kernels.eights import eight_of, starts_of
from ecs_anim.kernels.lanes import Lanes, data_of, eight, flat
from ecs_anim.kernels.masks import Mask, gathered, list_lanes, most
from ecs_anim.kernels.neighbours import LANE, MOST, NOWHERE, WITH_EY, pad_rows
from ecs_anim.kernels.walls import cell_of, sees, side_of
from ecs_anim.walls.arrays import ABOUT, SIGHT

BITS = ir.VectorType(ir.IntType(64), 8)
# Columns of a bar: one end, the vector to the other end, both ends relative to the agent, and the agent's side.
AX, AY, ALONG_X, ALONG_Y, TO_AX, TO_AY, TO_BX, TO_BY, SIDE, BAR = range(10)
BEYOND = SIGHT + 0.01  # [m] from an agent along x or y, beyond which a segment hides no neighbour
# Bars use the memory of columns of neighbours that are written later: five columns, and a sixth for visible neighbours.
MOST_BARS = 5 * MOST // (2 * BAR)
SEEN = WITH_EY


def _is_left(builder, a, b, c, d):
    """Emit a b - c d >= 0 as all bits of each lane."""
    side = builder.fsub(builder.fmul(a, b), builder.fmul(c, d))
    return builder.sext(builder.fcmp_ordered(">=", side, DOUBLES(None)), BITS)


@intrinsic
def barred(typing, bars, count, x, y, to_x, to_y):
    """Return which of eight neighbours, at offsets from an agent at x, y, one of the first `count` bars hides."""

    def generate(context, builder, sig, arguments):
        data = data_of(context, builder, sig.args[0], arguments[0])
        own_x, own_y = (splat(builder, value, DOUBLES) for value in arguments[2:4])
        at_x = builder.fadd(own_x, builder.fpext(arguments[4], DOUBLES))
        at_y = builder.fadd(own_y, builder.fpext(arguments[5], DOUBLES))
        aside, ahead = builder.fsub(at_x, own_x), builder.fsub(at_y, own_y)
        found = cgutils.alloca_once_value(builder, BITS(None))
        with cgutils.for_range(builder, arguments[1]) as loop:
            first = builder.mul(loop.index, loop.index.type(BAR))
            places = [
                builder.gep(data, [builder.add(first, first.type(number))], inbounds=True) for number in range(BAR)
            ]
            bar = [splat(builder, builder.load(place), DOUBLES) for place in places]
            one = _is_left(builder, aside, bar[TO_AY], ahead, bar[TO_AX])
            other = _is_left(builder, aside, bar[TO_BY], ahead, bar[TO_BX])
            to_ax, to_ay = builder.fsub(at_x, bar[AX]), builder.fsub(at_y, bar[AY])
            theirs = _is_left(builder, bar[ALONG_X], to_ay, bar[ALONG_Y], to_ax)
            own = builder.sext(builder.fcmp_ordered(">=", bar[SIDE], DOUBLES(None)), BITS)
            crossed = builder.and_(builder.xor(one, other), builder.xor(own, theirs))
            builder.store(builder.or_(builder.load(found), crossed), found)
        return builder.icmp_signed("!=", builder.load(found), BITS(None))

    return signature(Mask(8), bars, types.int64, types.float64, types.float64, Lanes(8), Lanes(8)), generate


@inlined
def _note_bars(walls, cell, x, y, bars):
    """Write the bars of an agent at x, y in a cell. Returns their number, or -1 if they are too many or not listed."""
    first, end = walls.starts[ABOUT, uint64(cell)], walls.starts[ABOUT, uint64(cell + 1)]
    if first == end:  # a wall is near, so an empty list is no list
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
    """Do what `seen_of` does without bars, one neighbour at a time."""
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
    """Keep the rows of neighbours of the agent at `at` that no wall hides. Returns their number.

    far [m], distance to the nearest wall; rows [found]; near [NEAR]: memory.
    """
    seen, bars = wholes_at(near, SEEN), doubles_at(near, 0)
    x, y, all_places, lane = places[0, uint64(at)], places[1, uint64(at)], flat(places), eight(LANE, 0)
    own_x, own_y = np.float64(x), np.float64(y)
    cell, kept = cell_of(walls, own_x, own_y), 0
    count = _note_bars(walls, cell, own_x, own_y, bars) if cell >= 0 else -1
    if count < 0:
        return _seen_one_by_one(walls, places, at, far, rows, found)
    pad_rows(rows, found, at)
    for number in range(0, found, 8):
        others = starts_of(eight_of(rows, number), np.int64(1))
        to_x, to_y = gathered(all_places, others, 0) - x, gathered(all_places, others, places.shape[1]) - y
        size = most(np.sqrt(to_x * to_x + to_y * to_y), NOWHERE)
        is_seen = (size < far) | ~barred(bars, count, own_x, own_y, to_x, to_y)
        kept += list_lanes(seen, kept, number, is_seen & (lane < np.float32(found - number)))
    if kept < found:
        for number in range(kept):
            rows[uint64(number)] = rows[uint64(seen[uint64(number)])]
    return kept


def _plain_barred(bars, count, x, y, to_x, to_y):
    bar = np.reshape(bars[: count * BAR], (count, BAR, 1))
    at_x, at_y = x + to_x.astype(np.float64), y + to_y.astype(np.float64)
    one = (at_x - x) * bar[:, TO_AY] - (at_y - y) * bar[:, TO_AX] >= 0
    other = (at_x - x) * bar[:, TO_BY] - (at_y - y) * bar[:, TO_BX] >= 0
    theirs = bar[:, ALONG_X] * (at_y - bar[:, AY]) - bar[:, ALONG_Y] * (at_x - bar[:, AX]) >= 0
    return np.any((one != other) & ((bar[:, SIDE] >= 0) != theirs), axis=0)


if config.DISABLE_JIT:
    barred = _plain_barred
