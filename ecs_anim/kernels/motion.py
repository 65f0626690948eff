"""What the kernels ask of a motion: its members' weights, its rate, its speed over the ground.

Helpers, mostly inlined into the kernels that use them. `table`, `members`, `stride` and `travel` are the arrays of
`MotionArrays`, which are `motions`; `parameters` [actor, parameter] are the crowd's; `weights` is scratch for the
members of one motion.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined, maker
from ecs_anim.runtime.motion import PACE_POINTS, PACE_ROWS, PACE_STEPS

ZERO = np.float32(0)
ONE = np.float32(1)
STILL = np.float32(1e-4)  # [rig units] a cycle; who covers less stands


@njit(inline="always")
def _weights_1d(members, first, count, x, weights):
    """Linear between neighbours; beyond the ends the end member alone."""
    for member in range(count):
        weights[member] = ZERO
    above = 0
    while above < count and members[first + above]["x"] < x:
        above += 1
    if above == 0:
        weights[0] = ONE
    elif above == count:
        weights[count - 1] = ONE
    else:
        low, high = members[first + above - 1]["x"], members[first + above]["x"]
        weights[above] = (x - low) / (high - low)
        weights[above - 1] = ONE - weights[above]


@njit(inline="always")
def _weights_2d(members, first, count, x, y, weights):
    """Gradient band interpolation (R. S. Johansen, Automated Semi-Procedural Animation for Character Locomotion,
    2009, section 6.3): each member's influence falls to nothing at every other member.
    """
    total = ZERO
    for member in range(count):
        own_x, own_y = members[first + member]["x"], members[first + member]["y"]
        influence = ONE
        for other in range(count):
            if other != member:
                to_x = members[first + other]["x"] - own_x
                to_y = members[first + other]["y"] - own_y
                along = ((x - own_x) * to_x + (y - own_y) * to_y) / (to_x * to_x + to_y * to_y)
                influence = min(influence, min(max(ONE - along, ZERO), ONE))
        weights[member] = influence
        total += influence
    for member in range(count):
        weights[member] /= total


@inlined
def member_weights(table, members, motion, parameters, actor, weights):
    """Write the members' weights, which sum to 1."""
    first, count = table[motion]["first_member"], table[motion]["member_count"]
    if table[motion]["parameter_x"] < 0:
        weights[0] = ONE
    elif table[motion]["parameter_y"] < 0:
        _weights_1d(members, first, count, parameters[actor, table[motion]["parameter_x"]], weights)
    else:
        x, y = parameters[actor, table[motion]["parameter_x"]], parameters[actor, table[motion]["parameter_y"]]
        _weights_2d(members, first, count, x, y, weights)


@njit(inline="always")
def _duration(table, members, motion, weights):
    """Length of a cycle at natural speed [s]."""
    duration = ZERO
    for member in range(table[motion]["member_count"]):
        duration += weights[member] * members[table[motion]["first_member"] + member]["duration"]
    return duration


@inlined
def _pace_index(table, motion, weights):
    """Where between the members of a 1D space the weights are, in steps of the pace tables."""
    lower = 0
    while lower < table[motion]["member_count"] - 1 and weights[lower] == ZERO:
        lower += 1
    if lower == table[motion]["member_count"] - 1:
        return np.float32(lower * PACE_STEPS)
    return (np.float32(lower) + weights[lower + 1]) * np.float32(PACE_STEPS)


@inlined
def _strides(table, members, stride, motion, weights):
    """How far a cycle carries to the left and ahead [rig units]."""
    first = table[motion]["first_member"]
    if table[motion]["keeps_pace"] and table[motion]["parameter_y"] < 0:
        at = _pace_index(table, motion, weights)
        index = int(at)
        a = stride[motion, index]
        b = stride[motion, min(index + 1, PACE_ROWS - 1)]
        return ZERO, a + (b - a) * (at - np.float32(index))
    side, ahead = ZERO, ZERO
    for member in range(table[motion]["member_count"]):
        length = weights[member] * members[first + member]["duration"]
        side += length * members[first + member]["side"]
        ahead += length * members[first + member]["ahead"]
    return side, ahead


@inlined
def _natural_rate(table, members, motion, speed, weights):
    """Cycles a second of a motion that keeps no pace."""
    duration = _duration(table, members, motion, weights)
    return speed / duration if duration > ZERO else ZERO


@inlined
def _pace_rate(table, motion, natural, side, ahead, parameters, actor, scale):
    """Cycles a second of a motion that keeps pace and covers `side`, `ahead` [rig units] in each."""
    square = (side * side + ahead * ahead) * scale
    if square < STILL * STILL:
        return natural
    x = parameters[actor, table[motion]["parameter_x"]]
    if table[motion]["parameter_y"] < 0:
        return x * ahead / square
    return (x * side + parameters[actor, table[motion]["parameter_y"]] * ahead) / square


@inlined
def phase_rate(table, members, stride, motion, speed, parameters, actor, scale, weights):
    """Cycles a second, after `member_weights`. `scale` [m] is the actor's size of a rig unit.

    A motion that keeps pace advances as its parameters, speeds over the ground, ask of its stride.
    """
    natural = _natural_rate(table, members, motion, speed, weights)
    if not table[motion]["keeps_pace"]:
        return natural
    side, ahead = _strides(table, members, stride, motion, weights)
    return _pace_rate(table, motion, natural, side, ahead, parameters, actor, scale)


@inlined
def is_clip(table, motion):
    """Whether a motion is one plain clip, as most are: it needs no weights and no parameters."""
    return table[motion]["parameter_x"] < 0


@maker
def clip_columns(table, members):
    """Of each motion: duration [s], velocity [rig units/s] to the left and ahead, looping; -1 s marks a blend space.

    For loops over many actors: looking a motion up in records takes longer than all the rest.
    """
    duration = np.empty(table.shape[0], np.float32)
    side, ahead = np.empty_like(duration), np.empty_like(duration)
    loops = np.empty(table.shape[0], np.bool_)
    for motion in range(table.shape[0]):
        member = members[table[motion]["first_member"]]
        duration[motion] = member["duration"] if is_clip(table, motion) else np.float32(-1)
        side[motion], ahead[motion] = member["side"], member["ahead"]
        loops[motion] = table[motion]["loops"]
    return duration, side, ahead, loops


@inlined
def plays_clips(table, slot_count, motion, actor):
    """Whether all that an actor plays are plain clips."""
    plain = True
    for slot in range(slot_count):
        plain = plain and is_clip(table, motion[actor, slot])
    return plain


@inlined
def clip_rate(duration, speed):
    """`phase_rate` of a plain clip, to the bit."""
    return speed / duration if duration > ZERO else ZERO


@inlined
def clip_velocity(duration, side, ahead, speed, scale):
    """`ground_velocity` of a plain clip, to the bit."""
    rate = clip_rate(duration, speed)
    return duration * side * rate * scale, duration * ahead * rate * scale


@helper
def _travelled(travel, motion, at, phase):
    """Share of the stride that an unwrapped phase has carried."""
    whole = np.floor(phase)
    point = np.float32(phase - whole) * np.float32(PACE_POINTS - 1)
    p, q = int(point), int(at)
    p1, q1 = min(p + 1, PACE_POINTS - 1), min(q + 1, PACE_ROWS - 1)
    along, across = point - np.float32(p), at - np.float32(q)
    low = travel[motion, q, p] + (travel[motion, q, p1] - travel[motion, q, p]) * along
    high = travel[motion, q1, p] + (travel[motion, q1, p1] - travel[motion, q1, p]) * along
    return np.float32(whole) + low + (high - low) * across


@njit(inline="always")
def ground_velocity(table, members, stride, travel, motion, now, parameters, actor, dt, weights):
    """Mean velocity over the ground [m/s] to the actor's left and ahead during the step that has just ended.

    `now`: the motion's phase and speed, and the actor's scale. Call it after `member_weights`. A 1D space that keeps
    pace goes exactly as fast as its feet do, which over a cycle is the speed that its parameter asks for.
    """
    phase, speed, scale = now
    side, ahead = _strides(table, members, stride, motion, weights)
    natural = _natural_rate(table, members, motion, speed, weights)
    if not table[motion]["keeps_pace"]:
        return side * natural * scale, ahead * natural * scale
    x = parameters[actor, table[motion]["parameter_x"]]
    if table[motion]["parameter_y"] >= 0:
        return x, parameters[actor, table[motion]["parameter_y"]]
    if dt <= 0.0 or abs(ahead) * scale < STILL:
        return ZERO, x
    rate = _pace_rate(table, motion, natural, side, ahead, parameters, actor, scale)
    at = _pace_index(table, motion, weights)
    before = _travelled(travel, motion, at, np.float64(phase) - np.float64(rate) * dt)
    share = _travelled(travel, motion, at, np.float64(phase)) - before
    return ZERO, np.float32(share * ahead * scale / dt)


@helper
def turns(members):
    """Whether who plays any of these clips turns."""
    found = False
    for member in range(members.shape[0]):
        found = found or members[member]["turn"] != ZERO
    return found


@njit(inline="always")
def ground_turn(table, members, stride, motion, speed, parameters, actor, scale, weights):
    """How fast who plays a motion turns [rad/s], to the left, after `member_weights`."""
    first, turn = table[motion]["first_member"], ZERO
    for member in range(table[motion]["member_count"]):
        turn += weights[member] * members[first + member]["duration"] * members[first + member]["turn"]
    return turn * phase_rate(table, members, stride, motion, speed, parameters, actor, scale, weights)


@inlined
def fade_progress(fade_time, fade_duration, actor, slot):
    """How far a fade slot has faded in over those before it, 0 to 1; the first is always there."""
    if slot == 0 or fade_time[actor, slot] >= fade_duration[actor, slot]:
        return ONE
    return fade_time[actor, slot] / fade_duration[actor, slot]


@inlined
def copy_fade_slot(queue, actor, source, target):
    """Copy one of an actor's fade slots over another."""
    _, motion, phase, speed, fade_time, fade_duration = queue
    motion[actor, target] = motion[actor, source]
    phase[actor, target] = phase[actor, source]
    speed[actor, target] = speed[actor, source]
    fade_time[actor, target] = fade_time[actor, source]
    fade_duration[actor, target] = fade_duration[actor, source]
