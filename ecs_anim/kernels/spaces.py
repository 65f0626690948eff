"""Blend spaces, eight actors at a time, as `motion` has them one by one, to the bit.

Of a chunk's actors these are those who play one such motion and nothing else, as most do who walk and run: the motion
of the first of them is taken for all who share it, and others are left to be asked one by one. `weights` is memory for
the members' weights [MAX_MEMBERS, 8]; all arrays are `flat` or `borrowed`.
"""

import numpy as np

from ecs_anim.kernels import inlined, maker
from ecs_anim.kernels.doubles import cycles_before, quotient_with, wholes
from ecs_anim.kernels.eights import eight_of, pad_rows, put_eight, starts_of
from ecs_anim.kernels.lanes import borrowed, eight, flat, keep, put, splat_eight
from ecs_anim.kernels.masks import chosen, gathered, least
from ecs_anim.kernels.motion import STILL
from ecs_anim.kernels.planes import WAYS, measure_ways, plane_weights
from ecs_anim.runtime.motion import MAX_MEMBERS, PACE_POINTS, PACE_ROWS, PACE_STEPS

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
        eight(weights, 0),
        eight(weights, 8),
        eight(weights, 16),
        eight(weights, 24),
        eight(weights, 32),
        eight(weights, 40),
        eight(weights, 48),
        eight(weights, 56),
    )


@maker  # not inlined: the loops beside it run faster
def weigh_alike(table, members, slot_count, motion, parameters, out_weights):
    """Write the members' weights of those who play one and the same space and nothing else; returns which, or `NOBODY`.

    parameters [chunk, parameter], out_weights [chunk, MAX_MEMBERS], of which others' rows stay.
    """
    listed, scratch = np.empty(slot_count.shape[0] + 7, np.int64), np.zeros(8 * MAX_MEMBERS, np.float32)
    between, rows, weights = np.empty(WAYS, np.float32), borrowed(listed), flat(scratch)
    ways, values, out = flat(between), flat(parameters), flat(out_weights)
    fits = np.empty(table.shape[0], np.bool_)
    for number in range(table.shape[0]):
        fits[number] = table[number]["parameter_x"] >= 0
    number, count = _list_players(borrowed(fits), slot_count, motion, rows)
    if count > 0:
        column, other = table[number]["parameter_x"], table[number]["parameter_y"]
        if other >= 0:
            measure_ways(table, members, number, ways)
        for first in range(0, count, 8):
            own = eight_of(rows, first)
            starts = starts_of(own, parameters.shape[1])
            x = gathered(values, starts, column)
            if other < 0:
                line_weights(table, members, number, x, weights)
            else:
                plane_weights(table, members, number, ways, x, gathered(values, starts, other), weights)
            put_eight(out, starts_of(own, MAX_MEMBERS), 0, _all_of(weights))
    keep(listed)
    keep(scratch)
    keep(between)
    keep(fits)
    return number


@inlined
def line_weights(table, members, number, x, weights):
    """Write the members' weights where the parameter is x: linear between neighbours, beyond the ends the end alone."""
    first, count = table[number]["first_member"], table[number]["member_count"]
    share = chosen(members[first]["x"] < x, ZERO, splat_eight(ONE))
    for member in range(1, count):
        low, high = members[first + member - 1]["x"], members[first + member]["x"]
        ahead = (x - low) / (high - low)
        within = (x > low) & ~(x > high)
        put(weights, 8 * (member - 1), chosen(within, ONE - ahead, share))
        share = chosen(within, ahead, splat_eight(ZERO))
    last = members[first + count - 1]["x"]
    put(weights, 8 * (count - 1), chosen(x > last, ONE, share))


@inlined
def _pace_index(count, weights):
    """Where between the members the weights are, in steps of the pace tables."""
    at = splat_eight(np.float32(count - 1) * STEPS)
    for back in range(count - 1):
        lower = count - 2 - back
        own, above = eight(weights, 8 * lower), eight(weights, 8 * lower + 8)
        at = chosen(own == ZERO, at, (np.float32(lower) + above) * STEPS)
    return at


@inlined
def line_pace(table, members, strides, number, now, weights):
    """Cycles a second, how far a cycle carries ahead [rig units], and where in the pace tables that is.

    strides: `stride` of `MotionArrays`; now: parameter, speed and scale [m]. After `line_weights`.
    """
    x, speed, scale = now
    first, count = table[number]["first_member"], table[number]["member_count"]
    duration = splat_eight(ZERO)
    for member in range(count):
        duration = duration + eight(weights, 8 * member) * members[first + member]["duration"]
    natural = chosen(duration > ZERO, speed / duration, ZERO)
    at = _pace_index(count, weights)
    row = np.floor(at)
    begin = number * PACE_ROWS
    a, b = gathered(strides, wholes(row), begin), gathered(strides, wholes(least(row + ONE, LAST_ROW)), begin)
    ahead = a + (b - a) * (at - row)
    square = ahead * ahead * scale
    return chosen(square < STILL * STILL, natural, x * ahead / square), ahead, at


@inlined
def _travelled(travels, number, at, cycles):
    """Share of the stride that phases have carried: whole cycles, and a part of another."""
    whole, part = cycles
    point = part * LAST_POINT
    p, q = np.floor(point), np.floor(at)
    p1, low_row, high_row = least(p + ONE, LAST_POINT), q * POINTS, least(q + ONE, LAST_ROW) * POINTS
    begin, along, across = number * (PACE_ROWS * PACE_POINTS), point - p, at - q
    a, b = gathered(travels, wholes(low_row + p), begin), gathered(travels, wholes(low_row + p1), begin)
    c, d = gathered(travels, wholes(high_row + p), begin), gathered(travels, wholes(high_row + p1), begin)
    low, high = a + (b - a) * along, c + (d - c) * along
    return whole + low + (high - low) * across


@inlined
def line_speed(travels, number, phase, now, pace, dt):
    """Mean velocity ahead over the ground [m/s] during the step that has just ended; `pace` is of `line_pace`."""
    (x, _, scale), (rate, ahead, at) = now, pace
    before = _travelled(travels, number, at, cycles_before(phase, rate, dt))
    share = _travelled(travels, number, at, cycles_before(phase, splat_eight(ZERO), dt)) - before
    moved = quotient_with(share * ahead * scale, dt)
    return chosen(abs(ahead) * scale < STILL, x, moved)
