"""Pacing: the kernel selects the gait clip for the speed of each actor, and the playback speed of this clip."""

import numpy as np

from ecs_anim.body.movers import CLIP, PATH
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.fading import request_fade
from ecs_anim.kernels.types import FLOATS, GAIT_CLIPS, MOVERS, QUEUE, REQUEST, void

ZERO, ONE = np.float32(0), np.float32(1)
STANDS_BELOW = np.float32(0.2)  # speed limit between standing and the slowest gait, as a share of the gait's speed
STICKS = np.float32(0.1)  # hysteresis at the speed limit between two gaits, as a share of the limit
FASTEST = np.float32(2.0)  # largest playback speed of a clip


@inlined
def _between(speeds, gait):
    """Return the speed limit between two gaits: the geometric mean of their speeds."""
    slow, fast = speeds[gait], speeds[gait + 1]
    return np.sqrt(slow * fast) if slow > ZERO else STANDS_BELOW * fast


@inlined
def _gait_of(motions, motion):
    for gait in range(len(motions)):
        if motions[gait] == motion:
            return gait
    return -1


@kernel(void(GAIT_CLIPS, REQUEST, FLOATS, MOVERS, QUEUE))
def pace_clips(clips, request, scale, movers, queue):
    """Fade actors to the gait clips for their speeds, with the fitting playback speeds. Writes the `FadeQueue`.
    `request` is the `FadeRequest` for fades. Actors that a clip or a path moves, or whose newest motion is no gait, do
    not change.
    """
    motions, speeds = clips.motion, clips.speed
    kind, velocity, slot_count, motion = movers.kind, movers.velocity, queue.slot_count, queue.motion
    last = len(speeds) - 1
    for actor in range(kind.shape[0]):
        gait = _gait_of(motions, motion[actor, slot_count[actor] - 1])
        if kind[actor] == CLIP or kind[actor] == PATH or gait < 0:
            continue
        x, z = velocity[actor, 0], velocity[actor, 1]
        speed, own = np.sqrt(x * x + z * z) / scale[actor], gait
        while gait < last and speed > _between(speeds, gait) * (ONE + STICKS):
            gait += 1
        while gait > 0 and speed < _between(speeds, gait - 1) * (ONE - STICKS):
            gait -= 1
        if gait != own:
            request_fade(actor, motions[gait], request, queue)
        for slot in range(slot_count[actor]):
            played = _gait_of(motions, motion[actor, slot])
            if played >= 0 and speeds[played] > ZERO:
                queue.speed[actor, slot] = min(speed / speeds[played], FASTEST)
