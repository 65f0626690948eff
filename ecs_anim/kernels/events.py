"""Events in clips: kernels that find the events that the playback of a chunk of actors passes in a time step."""

import numpy as np
from numba import njit

from ecs_anim.kernels import kernel
from ecs_anim.kernels.motion import member_weights, phase_rate
from ecs_anim.kernels.playback import ONCE, advanced_phase
from ecs_anim.kernels.types import COUNT, EVENTS, FLOATS, FLOATS_2D, MOTIONS, OUT_INTS_2D, QUEUE, REAL
from ecs_anim.runtime.motion import MAX_MEMBERS

ZERO, ONE = np.float32(0), np.float32(1)


@njit(inline="always")
def _heaviest_member(table, motion, weights):
    best = 0
    for member in range(1, table[motion]["member_count"]):
        if weights[member] > weights[best]:
            best = member
    return table[motion]["first_member"] + best


@njit(inline="always")
def _passed(before, after, cycles, backwards, event, loops):
    """Return how often playback passes an event between two phases and in `cycles` whole cycles. A step includes its
    end but not its start, so consecutive steps count each event once. In a clip that does not loop, an event at the
    first phase counts when playback leaves this phase. The function compares phases, because a difference of phases
    could be rounded.
    """
    if loops:
        at = event if event < ONE else ZERO
        if backwards:
            return int(at < before) - int(at < after) - cycles
        return int(at <= after) - int(at <= before) + cycles
    if after > before:
        return int(before < event <= after or before == event == ZERO)
    if after < before:
        return int(after <= event < before or before == event == ONE)
    return 0


@kernel(COUNT(MOTIONS, FLOATS_2D, FLOATS, REAL, QUEUE, EVENTS, COUNT, OUT_INTS_2D))
def find_events(motions, parameters, scale, dt, queue, events, first_actor, out_found):
    """Write the pairs (event, actor) of the events that playback passes in the next step to `out_found` [capacity, 2].
    Return the number of all such pairs. For each actor, the kernel uses the heaviest member of its newest motion.
    `first_actor` is the number of the chunk's first actor.
    """
    table, members, stride = motions.motion, motions.member, motions.stride
    slot_count, motion, phase, speed = queue.slot_count, queue.motion, queue.phase, queue.speed
    first_event, event_phase = events.first_event, events.event_phase
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
        loops = table[number]["loops"]
        before, after = phase[actor, slot], advanced_phase(phase[actor, slot], rate, dt, ONCE, loops)
        if loops and before >= ONE:  # in a loop, the phase 1 is the phase 0
            before = ZERO
        # whole cycles, in addition to the way from `before` to `after`
        cycles = int(np.rint(np.float64(before) + np.float64(rate) * dt - np.float64(after))) if loops else 0
        for event in range(first_event[clip], first_event[clip + 1]):
            for _ in range(_passed(before, after, cycles, rate < ZERO, event_phase[event], loops)):
                if found < out_found.shape[0]:
                    out_found[found, 0], out_found[found, 1] = event, first_actor + actor
                found += 1
    return found
