"""Blend spaces, eight actors at a time, as `motion` has them one by one, to the bit.

Of a chunk's actors these are those who play one such motion and nothing else, as most do who walk and run: the motion
of the first of them is taken for all who share it, and others are left to be asked one by one. `weights` is memory for
the members' weights [MAX_MEMBERS, 8]; all arrays are `pointer` or `borrow`.
"""

import numpy as np

from ecs_anim.kernels import inlined, maker
from ecs_anim.kernels.motion import STILL
from ecs_anim.kernels.planes import WAYS, measure_ways, plane_weights
from ecs_anim.runtime.motion import MAX_MEMBERS, PACE_POINTS, PACE_ROWS, PACE_STEPS
from ecs_anim.simd import (
    borrow,
    broadcast,
    gather,
    keep_alive,
    load,
    minimum,
    narrow,
    pad_rows,
    pointer,
    rows_at,
    scatter8,
    select,
    store,
    to_integers,
    widen,
)

ZERO, ONE = np.float32(0), np.float32(1)
STEPS, LAST_ROW = np.float32(PACE_STEPS), np.float32(PACE_ROWS - 1)
POINTS, LAST_POINT = np.float32(PACE_POINTS), np.float32(PACE_POINTS - 1)
NOBODY = np.int64(-1)


@inlined
def plays_alone(slot_count, motion, actor, number):
    """Whether an actor plays this motion and nothing else."""
    return slot_count[actor] == 1 and motion[actor, 0] == number


@inlined
def _list_players(fits, slot_count, motion, rows):
    """As `list_alike`, of motions that fit [motion]."""
    number, count = NOBODY, 0
    for actor in range(slot_count.shape[0]):
        if number == NOBODY and slot_count[actor] == 1 and fits[motion[actor, 0]]:
            number = np.int64(motion[actor, 0])
        if plays_alone(slot_count, motion, actor, number):
            rows[count] = actor
            count += 1
    pad_rows(rows, count)
    return number, count


@maker
def list_alike(table, slot_count, motion, rows):
    """The motion of the first actor who plays a space alone that keeps pace, or `NOBODY`, and how many play it.

    Their rows are listed for blocks of eight; rows [chunk + 7].
    """
    fits = np.empty(table.shape[0], np.bool_)
    for number in range(table.shape[0]):
        fits[number] = table[number]["parameter_x"] >= 0 and table[number]["keeps_pace"]
    return _list_players(fits, slot_count, motion, rows)


@inlined
def _all_of(weights):
    """Lanes of all members."""
    return (
        load(weights, 0),
        load(weights, 8),
        load(weights, 16),
        load(weights, 24),
        load(weights, 32),
        load(weights, 40),
        load(weights, 48),
        load(weights, 56),
    )


@maker  # not inlined: the loops beside it run faster
def weigh_alike(table, members, slot_count, motion, parameters, out_weights):
    """Write the members' weights of those who play one and the same space and nothing else; returns which, or `NOBODY`.

    parameters [chunk, parameter], out_weights [chunk, MAX_MEMBERS], of which others' rows stay.
    """
    listed, scratch = np.empty(slot_count.shape[0] + 7, np.int64), np.zeros(8 * MAX_MEMBERS, np.float32)
    between, rows, weights = np.empty(WAYS, np.float32), borrow(listed), pointer(scratch)
    ways, values, out = pointer(between), pointer(parameters), pointer(out_weights)
    fits = np.empty(table.shape[0], np.bool_)
    for number in range(table.shape[0]):
        fits[number] = table[number]["parameter_x"] >= 0
    number, count = _list_players(borrow(fits), slot_count, motion, rows)
    if count > 0:
        column, other = table[number]["parameter_x"], table[number]["parameter_y"]
        if other >= 0:
            measure_ways(table, members, number, ways)
        for first in range(0, count, 8):
            own = rows_at(rows, first)
            starts = own * parameters.shape[1]
            x = gather(values, starts, column)
            if other < 0:
                line_weights(table, members, number, x, weights)
            else:
                plane_weights(table, members, number, ways, x, gather(values, starts, other), weights)
            scatter8(out, own * MAX_MEMBERS, 0, *_all_of(weights))
    keep_alive(listed, scratch, between, fits)
    return number


@inlined
def line_weights(table, members, number, x, weights):
    """Write the members' weights where the parameter is x: linear between neighbours, beyond the ends the end alone."""
    first, count = table[number]["first_member"], table[number]["member_count"]
    share = select(members[first]["x"] < x, ZERO, broadcast(ONE))
    for member in range(1, count):
        low, high = members[first + member - 1]["x"], members[first + member]["x"]
        ahead = (x - low) / (high - low)
        within = (x > low) & ~(x > high)
        store(weights, 8 * (member - 1), select(within, ONE - ahead, share))
        share = select(within, ahead, broadcast(ZERO))
    last = members[first + count - 1]["x"]
    store(weights, 8 * (count - 1), select(x > last, ONE, share))


@inlined
def _pace_index(count, weights):
    """Where between the members the weights are, in steps of the pace tables."""
    at = broadcast(np.float32(count - 1) * STEPS)
    for back in range(count - 1):
        lower = count - 2 - back
        own, above = load(weights, 8 * lower), load(weights, 8 * lower + 8)
        at = select(own == ZERO, at, (np.float32(lower) + above) * STEPS)
    return at


@inlined
def line_pace(table, members, strides, number, now, weights):
    """Cycles a second, how far a cycle carries ahead [rig units], and where in the pace tables that is.

    strides: `stride` of `MotionArrays`; now: parameter, speed and scale [m]. After `line_weights`.
    """
    x, speed, scale = now
    first, count = table[number]["first_member"], table[number]["member_count"]
    duration = broadcast(ZERO)
    for member in range(count):
        duration = duration + load(weights, 8 * member) * members[first + member]["duration"]
    natural = select(duration > ZERO, speed / duration, ZERO)
    at = _pace_index(count, weights)
    row = np.floor(at)
    begin = number * PACE_ROWS
    a, b = gather(strides, to_integers(row), begin), gather(strides, to_integers(minimum(row + ONE, LAST_ROW)), begin)
    ahead = a + (b - a) * (at - row)
    square = ahead * ahead * scale
    return select(square < STILL * STILL, natural, x * ahead / square), ahead, at


@inlined
def _travelled(travels, number, at, cycles):
    """Share of the stride that phases have carried: whole cycles, and a part of another."""
    whole, part = cycles
    point = part * LAST_POINT
    p, q = np.floor(point), np.floor(at)
    p1, low_row, high_row = minimum(p + ONE, LAST_POINT), q * POINTS, minimum(q + ONE, LAST_ROW) * POINTS
    begin, along, across = number * (PACE_ROWS * PACE_POINTS), point - p, at - q
    a, b = gather(travels, to_integers(low_row + p), begin), gather(travels, to_integers(low_row + p1), begin)
    c, d = gather(travels, to_integers(high_row + p), begin), gather(travels, to_integers(high_row + p1), begin)
    low, high = a + (b - a) * along, c + (d - c) * along
    return whole + low + (high - low) * across


@inlined
def _cycles_before(phase, rate, seconds):
    """Phases less `rate` cycles a second for so many seconds: whole cycles, and the rest of one, in float64."""
    before = widen(phase) - widen(rate) * seconds
    whole = np.floor(before)
    return narrow(whole), narrow(before - whole)


@inlined
def line_speed(travels, number, phase, now, pace, dt):
    """Mean velocity ahead over the ground [m/s] during the step that has just ended; `pace` is of `line_pace`."""
    (x, _, scale), (rate, ahead, at) = now, pace
    before = _travelled(travels, number, at, _cycles_before(phase, rate, dt))
    share = _travelled(travels, number, at, _cycles_before(phase, broadcast(ZERO), dt)) - before
    moved = narrow(widen(share * ahead * scale) / dt)
    return select(abs(ahead) * scale < STILL, x, moved)
