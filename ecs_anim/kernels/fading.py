"""Asking actors for another motion: the cross-fade queue."""

import numpy as np
from numba import njit

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.motion import copy_slot, fade_progress
from ecs_anim.kernels.types import FLAG, INTS, OUT_2D, OUT_INTS, OUT_INTS_2D, REAL, void

ZERO = np.float32(0)
ONE = np.float32(1)


@njit(inline="always")
def _least_slot(actor, count, fade_time, fade_duration):
    """The slot that contributes least to the pose."""
    least, least_weight, remaining = 0, np.float32(2), ONE
    for slot in range(count - 1, -1, -1):
        progress = fade_progress(fade_time, fade_duration, actor, slot)
        if remaining * progress < least_weight:
            least, least_weight = slot, remaining * progress
        remaining *= ONE - progress
    return least


@inlined
def request_fade(
    actor, target, start_phase, rate, duration, restart, slot_count, motion, phase, speed, fade_time, fade_duration
):
    """Fade one actor to a motion; see `fade_actors`."""
    last = slot_count[actor] - 1
    if motion[actor, last] == target and not restart:
        return
    if start_phase < 0:
        start_phase = phase[actor, last]
    if duration <= 0:
        slot_count[actor] = 0
    elif slot_count[actor] == motion.shape[1]:
        slot_count[actor] -= 1
        for slot in range(_least_slot(actor, last + 1, fade_time, fade_duration), last):
            copy_slot(actor, slot + 1, slot, motion, phase, speed, fade_time, fade_duration)
    new = slot_count[actor]
    motion[actor, new] = target
    phase[actor, new] = np.float32(start_phase)
    speed[actor, new] = np.float32(rate)
    fade_time[actor, new] = ZERO
    fade_duration[actor, new] = np.float32(duration)
    slot_count[actor] += 1


@kernel(void(INTS, INTS, REAL, REAL, REAL, FLAG, OUT_INTS, OUT_INTS_2D, OUT_2D, OUT_2D, OUT_2D, OUT_2D))
def fade_actors(
    actors,
    targets,
    start_phase,
    rate,
    duration,
    restart,
    out_slot_count,
    out_motion,
    out_phase,
    out_speed,
    out_fade_time,
    out_fade_duration,
):
    """Fade actors [n] to motions `targets` [n], over `duration` seconds.

    `start_phase` is where the motion begins; negative takes over the phase of what plays, which keeps gaits in
    step. `rate` is its playback speed. Asking for what was asked for last changes nothing, unless `restart`.
    A duration of zero is a cut. When all slots are taken, the one that contributes least is forgotten first.
    """
    for index in range(actors.shape[0]):
        request_fade(
            actors[index],
            targets[index],
            start_phase,
            rate,
            duration,
            restart,
            out_slot_count,
            out_motion,
            out_phase,
            out_speed,
            out_fade_time,
            out_fade_duration,
        )
