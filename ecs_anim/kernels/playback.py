"""Advancing the motions that a chunk of actors plays."""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper
from ecs_anim.kernels.motion import clip_columns, clip_rate, copy_slot, fade_progress, member_weights, phase_rate
from ecs_anim.kernels.types import FLAG, FLOATS, FLOATS_2D, MOTIONS, OUT, OUT_2D, OUT_INTS, OUT_INTS_2D, REAL, void
from ecs_anim.motion import MAX_MEMBERS

ZERO = np.float32(0)
ONE = np.float32(1)


@njit(inline="always")
def advanced_phase(phase, rate, dt, loops):
    """Phase after dt seconds: wrapped into [0, 1) or clamped to [0, 1].

    Computed in float64, so that a huge step wraps exactly.
    """
    ahead = np.float64(phase) + np.float64(rate) * dt
    if not loops:
        return np.float32(min(max(ahead, 0.0), 1.0))
    wrapped = np.float32(ahead - np.floor(ahead))
    return wrapped if wrapped < ONE else ZERO


@helper  # not inlined: it is rare, and its stores keep the loop that calls it from being fast
def _drop_slots(count, actor, slot_count, motion, phase, speed, fade_time, fade_duration):
    """Forget an actor's `count` oldest slots."""
    slot_count[actor] -= count
    for slot in range(slot_count[actor]):
        copy_slot(actor, slot + count, slot, motion, phase, speed, fade_time, fade_duration)


@helper  # not inlined: few need it, and the loop that calls it runs faster
def _advance_slots(
    table,
    members,
    stride,
    clips,
    parameters,
    actor,
    scale,
    dt,
    slot_count,
    motion,
    phase,
    speed,
    fade_time,
    fade_duration,
    weights,
):
    """Advance all that an actor plays and fades; then forget what is faded over."""
    duration, loops = clips
    done = 0
    for slot in range(slot_count[actor]):
        number = motion[actor, slot]
        if duration[number] >= ZERO:
            rate = clip_rate(duration[number], speed[actor, slot])
        else:
            member_weights(table, members, number, parameters, actor, weights)
            rate = phase_rate(table, members, stride, number, speed[actor, slot], parameters, actor, scale, weights)
        phase[actor, slot] = advanced_phase(phase[actor, slot], rate, dt, loops[number])
        if slot == 0:
            continue
        fade_time[actor, slot] = np.float32(fade_time[actor, slot] + dt)
        if fade_progress(fade_time, fade_duration, actor, slot) >= ONE:
            done = slot
    if done > 0:
        _drop_slots(done, actor, slot_count, motion, phase, speed, fade_time, fade_duration)


@njit(
    void(MOTIONS, FLOATS_2D, FLOATS, REAL, OUT_INTS, OUT_INTS_2D, OUT_2D, OUT_2D, OUT_2D, OUT_2D),
    cache=True,
    nogil=True,
)
def advance_playback(
    motions, parameters, scale, dt, out_slot_count, out_motion, out_phase, out_speed, out_fade_time, out_fade_duration
):
    """Advance every slot's phase and fade by dt seconds, then forget what is faded over; the oldest slot fades no more.

    parameters [chunk, parameter]; scale [chunk] [m]; out_slot_count [chunk]; the other columns
    [chunk, slot], oldest slot first.
    """
    weights = np.empty(MAX_MEMBERS, np.float32)
    duration, _, _, loops = clip_columns(motions.motion, motions.member)
    clips = duration, loops
    table, members, stride = motions.motion, motions.member, motions.stride
    for actor in range(out_slot_count.shape[0]):
        first = out_motion[actor, 0]
        if out_slot_count[actor] == 1 and duration[first] >= ZERO:
            rate = clip_rate(duration[first], out_speed[actor, 0])
            out_phase[actor, 0] = advanced_phase(out_phase[actor, 0], rate, dt, loops[first])
        elif out_slot_count[actor] == 1:
            speed = out_speed[actor, 0]
            member_weights(table, members, first, parameters, actor, weights)
            rate = phase_rate(table, members, stride, first, speed, parameters, actor, scale[actor], weights)
            out_phase[actor, 0] = advanced_phase(out_phase[actor, 0], rate, dt, loops[first])
        else:
            _advance_slots(
                table,
                members,
                stride,
                clips,
                parameters,
                actor,
                scale[actor],
                dt,
                out_slot_count,
                out_motion,
                out_phase,
                out_speed,
                out_fade_time,
                out_fade_duration,
                weights,
            )


@njit(void(REAL, REAL, FLAG, OUT), cache=True, nogil=True)
def advance_phases(rate, dt, loops, out_phase):
    """Advance phases [chunk] by `rate` cycles a second for dt seconds."""
    for actor in range(out_phase.shape[0]):
        out_phase[actor] = advanced_phase(out_phase[actor], rate, dt, loops)
