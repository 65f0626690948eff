"""Playback: the phases of the motions that a chunk of actors plays."""

import numpy as np

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels import motion as mixing
from ecs_anim.kernels.spaces import list_alike, plays_alone
from ecs_anim.kernels.types import COUNT, FLAG, FLOATS, FLOATS_2D, MOTIONS, OUT, QUEUE, REAL, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.simd import borrow, gather, keep_alive, pointer, rows_at, store, view_lanes

ZERO, ONE = np.float32(0), np.float32(1)
NOBODY, ONCE = np.int64(0), np.int64(1)  # typed constants, because numba would compile a helper for each literal
CYCLE = 2.0**24  # ticks of a cycle
WITHIN = np.int64(2**24 - 1)  # mask that wraps a number of ticks to one cycle


@inlined
def advanced_phase(phase, rate, dt, steps, loops):
    """Return the phase after `steps` steps of dt seconds, wrapped to [0, 1) for a loop, or limited to [0, 1]. Phases
    and steps are whole ticks of 2^-24 cycles, which float32 represents exactly. So one call with many steps gives the
    same bits as many calls with one step. Rounding changes a step by at most 3e-8 cycles.
    """
    step = np.rint(np.float64(rate) * (dt * CYCLE))  # rounded only once, so that all callers get the same bits
    if step == 0.0:
        return phase
    ticks = np.rint(np.float64(phase) * CYCLE)
    if not loops:
        ticks = min(max(ticks, 0.0), CYCLE)
        return np.float32(min(max(ticks + steps * step, 0.0), CYCLE) / CYCLE)
    ahead = np.int64(ticks) + steps * np.int64(step)  # an integer overflow also wraps at a whole cycle
    return np.float32(ahead & WITHIN) * np.float32(1 / CYCLE)


@helper  # not inlined: calls are rare, and the stores would slow down the loop of the caller
def _drop_fade_slots(queue, actor, count):
    """Remove an actor's `count` oldest fade slots."""
    queue.slot_count[actor] -= count
    for slot in range(queue.slot_count[actor]):
        mixing.copy_fade_slot(queue, actor, slot + count, slot)


@helper  # not inlined, so that the loop beside the call runs faster
def _advance_alike(motions, parameters, scale, dt, steps, queue):
    """Advance phases of actors that play only the common blend space, if there is one. Return this space."""
    table, members, strides = motions.motion, motions.member, pointer(motions.stride)
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    speeds, values, sizes = pointer(queue.speed), pointer(parameters), pointer(scale)
    listed, scratch = np.empty(slot_count.shape[0] + 7, np.int64), np.empty(8 * MAX_MEMBERS, np.float32)
    rates, rows, weights = np.empty(8, np.float32), borrow(listed), view_lanes(scratch)
    rate_lanes = pointer(rates)
    number, count = list_alike(table, slot_count, motion, rows)
    for first in range(0, count, 8):
        own = rows_at(rows, first)
        x, y = mixing.parameters_of(table, number, values, own * parameters.shape[1])
        mixing.weigh(table, members, number, x, y, weights)
        now = x, y, gather(speeds, own * motion.shape[1], 0), gather(sizes, own, 0)
        store(rate_lanes, 0, mixing.pace(table, members, strides, number, now, weights)[0])
        for lane in range(min(8, count - first)):
            actor = rows[first + lane]
            phase[actor, 0] = advanced_phase(phase[actor, 0], rate_lanes[lane], dt, steps, table[number]["loops"])
    keep_alive(listed, scratch, rates)
    return number


@helper  # not inlined: few actors need the function, and the loop before the call runs faster
def _advance_others(motions, clips, parameters, scale, dt, steps, queue):
    """Advance the phases of all other actors. Then, remove each motion that a newer motion has replaced completely."""
    alike = _advance_alike(motions, parameters, scale, dt, steps, queue)
    table, members, stride = motions.motion, motions.member, motions.stride
    slot_count, motion, phase, speed = queue.slot_count, queue.motion, queue.phase, queue.speed
    duration, loops, scratch = clips.duration, clips.loops, np.empty(MAX_MEMBERS, np.float32)
    weights = borrow(scratch)
    for actor in range(slot_count.shape[0]):
        if (slot_count[actor] == 1 and duration[motion[actor, 0]] >= ZERO) or plays_alone(
            slot_count, motion, actor, alike
        ):
            continue
        done = NOBODY
        for slot in range(slot_count[actor]):
            m, own = motion[actor, slot], speed[actor, slot]
            if duration[m] >= ZERO:
                rate = mixing.clip_rate(duration[m], own)
            elif own == ZERO and not table[m]["keeps_pace"]:  # the body of a walking actor sets this phase
                rate = ZERO
            else:
                mixing.member_weights(table, members, m, parameters, actor, weights)
                rate = mixing.phase_rate(table, members, stride, m, own, parameters, actor, scale[actor], weights)
            phase[actor, slot] = advanced_phase(phase[actor, slot], rate, dt, steps, loops[m])
            if slot == 0:
                continue
            queue.fade_time[actor, slot] = np.float32(queue.fade_time[actor, slot] + dt)
            if mixing.fade_progress(queue.fade_time, queue.fade_duration, actor, slot) >= ONE:
                done = np.int64(slot)
        if done > 0:
            _drop_fade_slots(queue, actor, done)
    keep_alive(scratch)


@kernel(void(MOTIONS, FLOATS_2D, FLOATS, REAL, COUNT, QUEUE))
def advance_playback(motions, parameters, scale, dt, steps, queue):
    """Advance the motions in all fade slots by `steps` steps of dt seconds, and remove the slots that are faded out.
    `steps` can be more than 1 only if no actor fades and no parameter changes. `parameters` has the shape [chunk,
    parameter], and `scale` [m] has the shape [chunk]. The kernel writes the `FadeQueue`.
    """
    clips = mixing.clip_columns(motions.motion, motions.member)
    slot_count, motion, phase, speed = queue.slot_count, queue.motion, queue.phase, queue.speed
    duration, loops = clips.duration, clips.loops
    others = False
    for actor in range(slot_count.shape[0]):
        m = motion[actor, 0]
        if slot_count[actor] == 1 and duration[m] >= ZERO:
            rate = mixing.clip_rate(duration[m], speed[actor, 0])
            phase[actor, 0] = advanced_phase(phase[actor, 0], rate, dt, steps, loops[m])
        else:
            others = True
    if others:
        _advance_others(motions, borrow(clips), parameters, scale, dt, steps, queue)
    keep_alive(clips)


@kernel(void(REAL, REAL, COUNT, FLAG, OUT))
def advance_phases(rate, dt, steps, loops, out_phase):
    """Advance phases [chunk] by `rate` cycles per second, for `steps` steps of dt seconds."""
    for actor in range(out_phase.shape[0]):
        out_phase[actor] = advanced_phase(out_phase[actor], rate, dt, steps, loops)
