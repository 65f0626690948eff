"""What the kernels ask of a motion: its members' weights, its rate, its speed over the ground.

Helpers, inlined into the kernels that use them. `parameters` [actor, parameter] are the crowd's; `weights` is
scratch for the members of one motion.
"""

import numpy as np
from numba import njit

from ecs_anim.motion import STRIDE_POINTS

ZERO = np.float32(0)
ONE = np.float32(1)
STILL = np.float32(1e-4)  # [rig units] a cycle; who covers less stands


@njit(inline="always")
def _weights_1d(motions, first, count, x, weights):
    for member in range(count):
        weights[member] = ZERO
    above = 0
    while above < count and motions.member_x[first + above] < x:
        above += 1
    if above == 0:
        weights[0] = ONE
    elif above == count:
        weights[count - 1] = ONE
    else:
        low, high = motions.member_x[first + above - 1], motions.member_x[first + above]
        weights[above] = (x - low) / (high - low)
        weights[above - 1] = ONE - weights[above]


@njit(inline="always")
def _weights_2d(motions, first, count, x, y, weights):
    total = ZERO
    for member in range(count):
        own_x, own_y = motions.member_x[first + member], motions.member_y[first + member]
        influence = ONE
        for other in range(count):
            if other != member:
                to_x = motions.member_x[first + other] - own_x
                to_y = motions.member_y[first + other] - own_y
                along = ((x - own_x) * to_x + (y - own_y) * to_y) / (to_x * to_x + to_y * to_y)
                influence = min(influence, min(max(ONE - along, ZERO), ONE))
        weights[member] = influence
        total += influence
    for member in range(count):
        weights[member] /= total


@njit(inline="always")
def member_weights(motions, motion, parameters, actor, weights):
    """Write the members' weights, which sum to 1."""
    first, count = motions.first_member[motion], motions.member_count[motion]
    if motions.parameter_x[motion] < 0:
        weights[0] = ONE
    elif motions.parameter_y[motion] < 0:
        _weights_1d(motions, first, count, parameters[actor, motions.parameter_x[motion]], weights)
    else:
        x, y = parameters[actor, motions.parameter_x[motion]], parameters[actor, motions.parameter_y[motion]]
        _weights_2d(motions, first, count, x, y, weights)


@njit(inline="always")
def _duration(motions, motion, weights):
    """Length of a cycle at natural speed [s]."""
    duration = ZERO
    for member in range(motions.member_count[motion]):
        duration += weights[member] * motions.member_duration[motions.first_member[motion] + member]
    return duration


@njit(inline="always")
def _strides(motions, motion, parameters, actor, weights):
    """How far a cycle carries to the left and ahead [rig units]."""
    first, count = motions.first_member[motion], motions.member_count[motion]
    if motions.parameter_x[motion] >= 0 and motions.parameter_y[motion] < 0:
        low, high = motions.member_x[first], motions.member_x[first + count - 1]
        if high > low:
            x = parameters[actor, motions.parameter_x[motion]]
            place = min(max((x - low) / (high - low), ZERO), ONE) * np.float32(STRIDE_POINTS - 1)
            index = min(int(place), STRIDE_POINTS - 2)
            a, b = motions.stride[motion, index], motions.stride[motion, index + 1]
            return ZERO, a + (b - a) * (place - np.float32(index))
    side, ahead = ZERO, ZERO
    for member in range(count):
        length = weights[member] * motions.member_duration[first + member]
        side += length * motions.member_side[first + member]
        ahead += length * motions.member_ahead[first + member]
    return side, ahead


@njit(inline="always")
def phase_rate(motions, motion, speed, parameters, actor, scale, weights):
    """Cycles a second, after `member_weights`. `scale` [m] is the actor's size of a rig unit.

    A motion that keeps pace advances as its parameters, speeds over the ground, ask of its stride.
    """
    duration = _duration(motions, motion, weights)
    natural = speed / duration if duration > ZERO else ZERO
    if not motions.keeps_pace[motion]:
        return natural
    side, ahead = _strides(motions, motion, parameters, actor, weights)
    square = (side * side + ahead * ahead) * scale
    if square < STILL * STILL:
        return natural
    x = parameters[actor, motions.parameter_x[motion]]
    if motions.parameter_y[motion] < 0:
        return x * ahead / square
    return (x * side + parameters[actor, motions.parameter_y[motion]] * ahead) / square


@njit(inline="always")
def ground_velocity(motions, motion, speed, parameters, actor, scale, weights):
    """Speed over the ground [m/s] to the actor's left and ahead, after `member_weights`."""
    if motions.keeps_pace[motion]:
        x = parameters[actor, motions.parameter_x[motion]]
        if motions.parameter_y[motion] < 0:
            return ZERO, x
        return x, parameters[actor, motions.parameter_y[motion]]
    side, ahead = _strides(motions, motion, parameters, actor, weights)
    rate = phase_rate(motions, motion, speed, parameters, actor, scale, weights)
    return side * rate * scale, ahead * rate * scale


@njit(inline="always")
def fade_progress(fade_time, fade_duration, actor, slot):
    """How far a slot has faded in over the slots before it, 0 to 1; the first is always there."""
    if slot == 0 or fade_time[actor, slot] >= fade_duration[actor, slot]:
        return ONE
    return fade_time[actor, slot] / fade_duration[actor, slot]
