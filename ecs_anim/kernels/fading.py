"""Kernels that carry out requests for motions. A request adds a new motion to the fade queue of an actor."""

import numpy as np
from numba import njit

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.motion import copy_fade_slot, fade_progress
from ecs_anim.kernels.types import INTS, QUEUE, REQUEST, void

ZERO, ONE = np.float32(0), np.float32(1)


@njit(inline="always")
def _least_fade_slot(actor, count, fade_time, fade_duration):
    """Return the number of the fade slot whose motion has the smallest weight in the actor's pose."""
    least, least_weight, remaining = 0, np.float32(2), ONE
    for slot in range(count - 1, -1, -1):
        progress = fade_progress(fade_time, fade_duration, actor, slot)
        if remaining * progress < least_weight:
            least, least_weight = slot, remaining * progress
        remaining *= ONE - progress
    return least


@inlined
def request_fade(actor, target, request, queue):
    """Start a fade of one actor to the motion `target`. See `fade_actors`."""
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    last = slot_count[actor] - 1
    if motion[actor, last] == target and not request.restart:
        return
    start_phase = request.phase
    if start_phase < 0:
        start_phase = phase[actor, last]
    if request.duration <= 0:
        slot_count[actor] = 0
    elif slot_count[actor] == motion.shape[1]:
        slot_count[actor] -= 1
        for slot in range(_least_fade_slot(actor, last + 1, queue.fade_time, queue.fade_duration), last):
            copy_fade_slot(queue, actor, slot + 1, slot)
    new = slot_count[actor]
    motion[actor, new] = target
    phase[actor, new] = np.float32(start_phase)
    queue.speed[actor, new] = np.float32(request.speed)
    queue.fade_time[actor, new] = ZERO
    queue.fade_duration[actor, new] = np.float32(request.duration)
    slot_count[actor] += 1


@kernel(void(INTS, INTS, REQUEST, QUEUE))
def fade_actors(actors, targets, request, queue):
    """Start a fade of each actor in `actors` [n] to its motion in `targets` [n]. `request` is a `FadeRequest`. If all
    fade slots of an actor are in use, the kernel first removes the slot with the smallest weight in the pose.
    """
    for index in range(actors.shape[0]):
        request_fade(actors[index], targets[index], request, queue)
