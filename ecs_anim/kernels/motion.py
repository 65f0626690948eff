"""Member weights, phase rates and ground speeds of motions, for one actor (float32 numbers) or eight actors (lanes).
`table`, `members`, `stride` and `travel` are arrays of a `MotionArrays`. `parameters` has the shape [actor, parameter].
`weights` is memory for the weights of one motion's members: [MAX_MEMBERS], or `view_lanes` of an array [MAX_MEMBERS,
8].
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined
from ecs_anim.runtime.motion import MAX_MEMBERS, PACE_POINTS, PACE_ROWS, PACE_STEPS
from ecs_anim.simd import broadcast_like, gather, maximum, minimum, narrow, select, to_integers, widen

ZERO, ONE = np.float32(0), np.float32(1)
STEPS, LAST_ROW = np.float32(PACE_STEPS), np.float32(PACE_ROWS - 1)
POINTS, LAST_POINT = np.float32(PACE_POINTS), np.float32(PACE_POINTS - 1)
STILL = np.float32(1e-4)  # [rig units] per cycle; an actor with a shorter movement stands


@inlined
def _line_weights(table, members, number, x, weights):
    """Write the weights of a 1D blend space, linear in x between two members, and 1 beyond the last members."""
    first, count = table[number]["first_member"], table[number]["member_count"]
    share = select(members[first]["x"] < x, ZERO, ONE)
    for member in range(1, count):
        low, high = members[first + member - 1]["x"], members[first + member]["x"]
        ahead, within = (x - low) / (high - low), (x > low) & (x <= high)
        weights[member - 1] = select(within, ONE - ahead, share)
        share = select(within, ahead, ZERO)
    weights[count - 1] = select(x > members[first + count - 1]["x"], ONE, share)


@inlined
def _plane_weights(table, members, number, x, y, weights):
    """Write the weights of a 2D blend space by gradient band interpolation (Johansen, Automated Semi-Procedural
    Animation for Character Locomotion, 2009, section 6.3). At the parameters of a member, all other weights are 0.
    """
    first, count, total = table[number]["first_member"], table[number]["member_count"], broadcast_like(ZERO, x)
    for member in range(count):
        own_x, own_y = members[first + member]["x"], members[first + member]["y"]
        from_x, from_y, influence = x - own_x, y - own_y, broadcast_like(ONE, x)
        for other in range(count):
            if other != member:
                to_x, to_y = members[first + other]["x"] - own_x, members[first + other]["y"] - own_y
                along = (from_x * to_x + from_y * to_y) / (to_x * to_x + to_y * to_y)
                influence = minimum(influence, ONE - along)
        weights[member] = maximum(influence, ZERO)
        total = total + weights[member]
    for member in range(count):
        weights[member] = weights[member] / total


@inlined
def weigh(table, members, number, x, y, weights):
    """Write the weights of a motion's members at the parameters x and y. The sum of the weights is 1."""
    if table[number]["parameter_x"] < 0:
        weights[0] = broadcast_like(ONE, x)
    elif table[number]["parameter_y"] < 0:
        _line_weights(table, members, number, x, weights)
    else:
        _plane_weights(table, members, number, x, y, weights)


@inlined
def is_clip(table, number):
    """Return whether a motion in `table` [motion] is a single clip: it has no parameters."""
    return table[number]["parameter_x"] < 0


@inlined
def parameters_of(table, number, values, row):
    """Return the two parameters of a motion from a flat array, at an actor's offset. Missing ones are arbitrary."""
    x, y = max(table[number]["parameter_x"], 0), max(table[number]["parameter_y"], 0)
    return gather(values, row, x), gather(values, row, y)


@inlined
def actors_parameters(table, number, parameters, actor):
    """Return an actor's two parameters of a motion. For a clip, return 0, because the crowd can have no parameters."""
    if is_clip(table, number):
        return ZERO, ZERO
    return parameters_of(table, number, parameters, actor * parameters.shape[1])


@inlined
def member_weights(table, members, motion, parameters, actor, weights):
    """Write the weights of the members of an actor's motion. The sum of the weights is 1."""
    x, y = actors_parameters(table, motion, parameters, actor)
    weigh(table, members, motion, x, y, weights)


@inlined
def _cycle(table, members, number, weights):
    """Return a cycle's duration [s] at playback speed 1, and its movement to the left and ahead [rig units]."""
    duration = side = ahead = weights[0] * ZERO
    for member in range(table[number]["member_count"]):
        own = members[table[number]["first_member"] + member]
        length = weights[member] * own["duration"]
        duration, side, ahead = duration + length, side + length * own["side"], ahead + length * own["ahead"]
    return duration, side, ahead


@inlined
def _pace_index(count, weights):
    """Return the position, a row and a fraction, in the stride tables for the weights of a 1D blend space."""
    at = broadcast_like(np.float32(count - 1) * STEPS, weights[0])
    for back in range(count - 1):
        lower = count - 2 - back
        at = select(weights[lower] == ZERO, at, (np.float32(lower) + weights[lower + 1]) * STEPS)
    return at


@inlined
def _stride_ahead(stride, number, at):
    """Return the movement ahead in a cycle [rig units], for a 1D blend space with `keeps_pace`."""
    row, begin = np.floor(at), number * PACE_ROWS
    a = gather(stride, to_integers(row), begin)
    b = gather(stride, to_integers(minimum(row + ONE, LAST_ROW)), begin)
    return a + (b - a) * (at - row)


@inlined
def pace(table, members, stride, number, now, weights):
    """Return four values of a motion: cycles per second, the movement in a cycle to the left and ahead [rig units], and
    the row in the pace tables. `now` contains the two parameters, the playback speed, and the size [m] of a rig unit.
    Call `weigh` first. With `keeps_pace`, the parameters are the ground speed, and the rate is this speed divided by
    the stride.
    """
    x, y, speed, scale = now
    duration, side, ahead = _cycle(table, members, number, weights)
    rate, at = select(duration > ZERO, speed / duration, ZERO), broadcast_like(ZERO, x)
    if table[number]["keeps_pace"]:
        asked = x * side + y * ahead
        if table[number]["parameter_y"] < 0:
            at = _pace_index(table[number]["member_count"], weights)
            side, ahead = broadcast_like(ZERO, x), _stride_ahead(stride, number, at)
            asked = x * ahead
        square = (side * side + ahead * ahead) * scale
        rate = select(square < STILL * STILL, rate, asked / square)
    return rate, side, ahead, at


@inlined
def phase_rate(table, members, stride, motion, speed, parameters, actor, scale, weights):
    """Return an actor's cycles per second, after `member_weights`. `scale` [m] is the size of a rig unit."""
    x, y = actors_parameters(table, motion, parameters, actor)
    return pace(table, members, stride, motion, (x, y, speed, scale), weights)[0]


class ClipColumns(NamedTuple):
    """Columns of motions, which make loops over many actors much faster than records."""

    duration: Any  # [motion] [s]; -1 marks a blend space
    side: Any  # [motion], speed to the left [rig units/s]
    ahead: Any  # [motion], speed ahead [rig units/s]
    loops: Any  # [motion]


@helper
def clip_columns(table, members):
    """Return the `ClipColumns` of all motions."""
    duration = np.empty(table.shape[0], np.float32)
    side, ahead = np.empty_like(duration), np.empty_like(duration)
    loops = np.empty(table.shape[0], np.bool_)
    for motion in range(table.shape[0]):
        member = members[table[motion]["first_member"]]
        duration[motion] = member["duration"] if is_clip(table, motion) else np.float32(-1)
        side[motion], ahead[motion] = member["side"], member["ahead"]
        loops[motion] = table[motion]["loops"]
    return ClipColumns(duration, side, ahead, loops)


@inlined
def clip_rate(duration, speed):
    """Return the cycles per second of a single clip. The result has the same bits as the result of `phase_rate`."""
    return speed / duration if duration > ZERO else ZERO


@inlined
def clip_velocity(duration, side, ahead, speed, scale):
    """Return the ground velocity [m/s] of a single clip, with the same bits as `ground_velocity`."""
    rate = clip_rate(duration, speed)
    return duration * side * rate * scale, duration * ahead * rate * scale


@inlined
def cycles_before(phase, rate, seconds):
    """Return `phase` - `rate` x `seconds`, computed in float64, as whole cycles and a fraction."""
    before = widen(phase) - widen(rate) * seconds
    whole = np.floor(before)
    return narrow(whole), narrow(before - whole)


@inlined
def _travelled(travel, number, at, cycles):
    """Return the distance [strides] from the start of the first cycle after whole cycles and a fraction of a cycle."""
    whole, part = cycles
    point = part * LAST_POINT
    p, q = np.floor(point), np.floor(at)
    p1, low_row, high_row = minimum(p + ONE, LAST_POINT), q * POINTS, minimum(q + ONE, LAST_ROW) * POINTS
    begin, along, across = number * (PACE_ROWS * PACE_POINTS), point - p, at - q
    a, b = gather(travel, to_integers(low_row + p), begin), gather(travel, to_integers(low_row + p1), begin)
    c, d = gather(travel, to_integers(high_row + p), begin), gather(travel, to_integers(high_row + p1), begin)
    low, high = a + (b - a) * along, c + (d - c) * along
    return whole + low + (high - low) * across


@inlined
def ground_velocity(table, members, stride, travel, number, phase, now, dt, weights):
    """Return the mean ground velocity [m/s] to the left and ahead in the last time step. `pace` describes `now`. Call
    `weigh` first. In a 1D blend space with `keeps_pace`, the actor moves exactly at the speed of its feet. Over a whole
    cycle, the mean velocity is equal to the speed parameter.
    """
    x, y, _, scale = now
    rate, side, ahead, at = pace(table, members, stride, number, now, weights)
    if not table[number]["keeps_pace"]:
        return side * rate * scale, ahead * rate * scale
    if table[number]["parameter_y"] >= 0:
        return x, y
    none = broadcast_like(ZERO, x)
    if dt <= 0.0:
        return none, x
    before = _travelled(travel, number, at, cycles_before(phase, rate, dt))
    share = _travelled(travel, number, at, cycles_before(phase, none, dt)) - before
    return none, select(abs(ahead) * scale < STILL, x, narrow(widen(share * ahead * scale) / dt))


@helper
def turns(members):
    """Return whether at least one clip in `members` turns its actor."""
    found = False
    for member in range(members.shape[0]):
        found = found or members[member]["turn"] != ZERO
    return found


@njit(inline="always")
def ground_turn(table, members, stride, motion, speed, parameters, actor, scale, weights):
    """Return the turn rate of a motion [rad/s] to the left. Call `member_weights` before this function."""
    first, turn = table[motion]["first_member"], ZERO
    for member in range(table[motion]["member_count"]):
        turn += weights[member] * members[first + member]["duration"] * members[first + member]["turn"]
    return turn * phase_rate(table, members, stride, motion, speed, parameters, actor, scale, weights)


@inlined
def fade_progress(fade_time, fade_duration, actor, slot):
    """Return the weight, 0 to 1, with which a fade slot covers all older slots. The weight of the first slot is 1."""
    if slot == 0 or fade_time[actor, slot] >= fade_duration[actor, slot]:
        return ONE
    return fade_time[actor, slot] / fade_duration[actor, slot]


@inlined
def copy_fade_slot(queue, actor, source, target):
    """Copy an actor's fade slot `source` to the slot `target`."""
    queue.motion[actor, target] = queue.motion[actor, source]
    queue.phase[actor, target] = queue.phase[actor, source]
    queue.speed[actor, target] = queue.speed[actor, source]
    queue.fade_time[actor, target] = queue.fade_time[actor, source]
    queue.fade_duration[actor, target] = queue.fade_duration[actor, source]


class Played(NamedTuple):
    """The list of the clips that an actor plays."""

    clip: Any  # [most]
    weight: Any  # [most]
    phase: Any  # [most]
    members: Any  # [MAX_MEMBERS], weights of a motion's members


@helper
def new_played(queue):
    """Return a list with memory for the largest number of clips that an actor can play."""
    most = queue.motion.shape[1] * MAX_MEMBERS
    weight, phase = np.empty(most, np.float32), np.empty(most, np.float32)
    return Played(np.empty(most, np.int32), weight, phase, np.empty(MAX_MEMBERS, np.float32))


@inlined
def list_members(motions, number, share, phase, weights, count, out):
    """Append the clips of a motion with the weight `share` and the weights of its members. Return the new count."""
    first = motions.motion[number]["first_member"]
    for member in range(motions.motion[number]["member_count"]):
        out.clip[count], out.phase[count] = motions.member[first + member]["clip"], phase
        out.weight[count] = share * weights[member]
        count += 1
    return count


@inlined
def list_played(motions, queue, parameters, actor, out):
    """List the clips that an actor plays, weighted by fade progress, newest motion first. Return their number."""
    count, remaining = 0, ONE
    for slot in range(queue.slot_count[actor] - 1, -1, -1):
        share = remaining * fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
        remaining, number = remaining - share, queue.motion[actor, slot]
        member_weights(motions.motion, motions.member, number, parameters, actor, out.members)
        count = list_members(motions, number, share, queue.phase[actor, slot], out.members, count, out)
    return count
