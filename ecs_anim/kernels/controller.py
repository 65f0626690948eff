"""State machines that select the motion of each actor in a chunk of actors."""

import numpy as np
from numba import njit

from ecs_anim.kernels import kernel
from ecs_anim.kernels.fading import request_fade
from ecs_anim.kernels.types import MACHINE, MOTIONS, OUT, OUT_INTS, PARAMETERS, QUEUE, REAL, void
from ecs_anim.runtime.records import FadeRequest
from ecs_anim.runtime.state_machine import ELAPSED, FINISHED, PHASE

ZERO, ONE = np.float32(0), np.float32(1)


@njit(inline="always")
def _compare(value, operator, threshold):
    if operator == 0:
        return value < threshold
    if operator == 1:
        return value <= threshold
    if operator == 2:
        return value > threshold
    if operator == 3:
        return value >= threshold
    if operator == 4:
        return value == threshold
    return value != threshold


@njit(inline="always")
def _value(subject, actor, elapsed, phase, finished, parameters):
    if subject == ELAPSED:
        return elapsed
    if subject == PHASE:
        return phase
    if subject == FINISHED:
        return ONE if finished else ZERO
    return parameters[actor, subject]


@njit(inline="always")
def _holds(machine, transition, actor, elapsed, phase, finished, parameters):
    for condition in range(machine.first_condition[transition], machine.first_condition[transition + 1]):
        value = _value(machine.subject[condition], actor, elapsed, phase, finished, parameters)
        if not _compare(value, machine.operator[condition], machine.threshold[condition]):
            return False
    return True


@njit(inline="always")
def _consume_triggers(machine, transition, actor, parameters, targets):
    for condition in range(machine.first_condition[transition], machine.first_condition[transition + 1]):
        if machine.is_trigger[condition]:
            parameters[actor, machine.subject[condition]] = ZERO
            targets[actor, machine.subject[condition]] = ZERO


@kernel(void(MACHINE, MOTIONS, REAL, OUT_INTS, OUT, PARAMETERS, QUEUE))
def run_machines(machine, motions, dt, out_state, out_elapsed, parameters, queue):
    """Make at most one transition for each actor, and fade the actor to the motion of its new state. The kernel writes
    the states `out_state` [chunk], the times [s] since the last transitions `out_elapsed` [chunk], and the `FadeQueue`.
    A transition resets its triggers in the `ParameterColumns`.
    """
    table = motions.motion
    for actor in range(out_state.shape[0]):
        out_elapsed[actor] = np.float32(out_elapsed[actor] + dt)
        newest = queue.slot_count[actor] - 1
        phase = queue.phase[actor, newest]
        finished = phase >= ONE and not table[queue.motion[actor, newest]]["loops"]
        state = out_state[actor]
        for transition in range(machine.first_transition[state], machine.first_transition[state + 1]):
            if _holds(machine, transition, actor, out_elapsed[actor], phase, finished, parameters.value):
                _consume_triggers(machine, transition, actor, parameters.value, parameters.target)
                target = machine.to_state[transition]
                out_state[actor] = target
                out_elapsed[actor] = ZERO
                start = -1.0 if machine.keeps_phase[transition] else 0.0
                request = FadeRequest(start, 1.0, machine.fade[transition], False)
                request_fade(actor, machine.state_motion[target], request, queue)
                break
