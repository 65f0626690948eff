"""Events that the clips of a chunk of actors pass during a step."""

import numpy as np
from numba import njit

from ecs_anim.kernels.motion import member_weights, phase_rate
from ecs_anim.kernels.playback import advanced_phase
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, INTS, INTS_2D, MOTIONS, OUT_INTS_2D, REAL
from ecs_anim.motion import MAX_MEMBERS


@njit(inline="always")
def _heaviest_member(table, motion, weights):
    best = 0
    for member in range(1, table[motion]["member_count"]):
        if weights[member] > weights[best]:
            best = member
    return table[motion]["first_member"] + best


@njit(inline="always")
def _phase_after(phase, rate, dt, loops):
    """The phase that playback will store, to the bit, with the whole cycles on top."""
    stored = np.float64(advanced_phase(phase, rate, dt, loops))
    if not loops:
        return stored
    ahead = np.float64(phase) + np.float64(rate) * dt
    return stored + np.rint(ahead - stored)


@njit(inline="always")
def _passed(before, after, event, loops):
    """How often a step from one unwrapped phase to another passes an event.

    Forwards the start is left out and the end taken in, backwards likewise, so that steps that join count
    nothing twice and leave nothing out.
    """
    if not loops:
        if after >= before:
            return 1 if before < event <= after else 0
        return 1 if after <= event < before else 0
    if after >= before:
        return int(np.floor(after - event) - np.floor(before - event))
    return int(np.ceil(before - event) - np.ceil(after - event))


@njit(
    COUNT(MOTIONS, FLOATS_2D, FLOATS, REAL, INTS, INTS_2D, FLOATS_2D, FLOATS_2D, INTS, FLOATS, COUNT, OUT_INTS_2D),
    cache=True,
    nogil=True,
)
def find_events(
    motions, parameters, scale, dt, slot_count, motion, phase, speed, first_event, event_phase, first_actor, out_found
):
    """Write (event, actor) for every event that the coming step passes; returns how many there are.

    Of each actor the motion that was asked for last counts, of a blend space its heaviest member. Events are
    numbered over all clips, clip by clip: first_event [clip_count + 1], event_phase [event_count]. Actors are
    numbered from `first_actor`. out_found [capacity, 2]; what exceeds the capacity is counted, not written.
    """
    table, members, stride = motions.motion, motions.member, motions.stride
    weights = np.empty(MAX_MEMBERS, np.float32)
    found = 0
    for actor in range(slot_count.shape[0]):
        slot = slot_count[actor] - 1
        number = motion[actor, slot]
        member_weights(table, members, number, parameters, actor, weights)
        clip = members[_heaviest_member(table, number, weights)]["clip"]
        if first_event[clip] == first_event[clip + 1]:
            continue
        rate = phase_rate(table, members, stride, number, speed[actor, slot], parameters, actor, scale[actor], weights)
        before = np.float64(phase[actor, slot])
        after = _phase_after(phase[actor, slot], rate, dt, table[number]["loops"])
        for event in range(first_event[clip], first_event[clip + 1]):
            for _ in range(_passed(before, after, np.float64(event_phase[event]), table[number]["loops"])):
                if found < out_found.shape[0]:
                    out_found[found, 0], out_found[found, 1] = event, first_actor + actor
                found += 1
    return found
