"""Advancing the motions that a chunk of actors plays."""

import numpy as np

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.motion import clip_columns, clip_rate, copy_slot, fade_progress, member_weights, phase_rate
from ecs_anim.kernels.types import (
    COUNT,
    FLAG,
    FLOATS,
    FLOATS_2D,
    MOTIONS,
    OUT,
    OUT_2D,
    OUT_INTS,
    OUT_INTS_2D,
    REAL,
    void,
)
from ecs_anim.runtime.motion import MAX_MEMBERS

ZERO = np.float32(0)
ONE = np.float32(1)
NOBODY, ONCE = np.int64(0), np.int64(1)  # as literals they would be compiled apart
CYCLE = 2.0**24  # ticks
WITHIN = np.int64(2**24 - 1)  # bits of a tick's place in its cycle


@inlined
def advanced_phase(phase, rate, dt, steps, loops):
    """Phase after `steps` steps of dt seconds: wrapped into [0, 1) or clamped to [0, 1].

    Phases are whole ticks, 2^-24 of a cycle, which float32 holds exactly, and so are steps. Sums of ticks are exact, so
    many steps at once give the bits of one after the other. Rounding a step adds or takes 3e-8 cycles at most; a step
    of less than that moves nobody. A phase between two ticks is rounded as it first moves.
    """
    step = np.rint(np.float64(rate) * (dt * CYCLE))  # one rounding, so that all who call agree to the bit
    if step == 0.0:
        return phase
    ticks = np.rint(np.float64(phase) * CYCLE)
    if not loops:
        ticks = min(max(ticks, 0.0), CYCLE)
        return np.float32(min(max(ticks + steps * step, 0.0), CYCLE) / CYCLE)
    ahead = np.int64(ticks) + steps * np.int64(step)  # even an overflow wraps at a whole cycle
    return np.float32(ahead & WITHIN) * np.float32(1 / CYCLE)


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
    done = NOBODY
    for slot in range(slot_count[actor]):
        number = motion[actor, slot]
        if duration[number] >= ZERO:
            rate = clip_rate(duration[number], speed[actor, slot])
        else:
            member_weights(table, members, number, parameters, actor, weights)
            rate = phase_rate(table, members, stride, number, speed[actor, slot], parameters, actor, scale, weights)
        phase[actor, slot] = advanced_phase(phase[actor, slot], rate, dt, ONCE, loops[number])
        if slot == 0:
            continue
        fade_time[actor, slot] = np.float32(fade_time[actor, slot] + dt)
        if fade_progress(fade_time, fade_duration, actor, slot) >= ONE:
            done = np.int64(slot)
    if done > 0:
        _drop_slots(done, actor, slot_count, motion, phase, speed, fade_time, fade_duration)


@kernel(void(MOTIONS, FLOATS_2D, FLOATS, REAL, COUNT, OUT_INTS, OUT_INTS_2D, OUT_2D, OUT_2D, OUT_2D, OUT_2D))
def advance_playback(
    motions,
    parameters,
    scale,
    dt,
    steps,
    out_slot_count,
    out_motion,
    out_phase,
    out_speed,
    out_fade_time,
    out_fade_duration,
):
    """Advance every slot's phase and fade by dt seconds, then forget what is faded over; the oldest slot fades no more.

    Of `steps` more than one are taken at once, where nobody fades and no parameter changes meanwhile.
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
            out_phase[actor, 0] = advanced_phase(out_phase[actor, 0], rate, dt, steps, loops[first])
        elif out_slot_count[actor] == 1:
            if out_speed[actor, 0] == ZERO and not table[first]["keeps_pace"]:
                continue
            speed = out_speed[actor, 0]
            member_weights(table, members, first, parameters, actor, weights)
            rate = phase_rate(table, members, stride, first, speed, parameters, actor, scale[actor], weights)
            out_phase[actor, 0] = advanced_phase(out_phase[actor, 0], rate, dt, steps, loops[first])
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


@kernel(void(REAL, REAL, COUNT, FLAG, OUT))
def advance_phases(rate, dt, steps, loops, out_phase):
    """Advance phases [chunk] by `rate` cycles a second for so many steps of dt seconds."""
    for actor in range(out_phase.shape[0]):
        out_phase[actor] = advanced_phase(out_phase[actor], rate, dt, steps, loops)
