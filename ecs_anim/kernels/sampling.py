"""Sampling the motions that a chunk of actors plays: all clips in flight, mixed into one pose row each."""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.lanes import borrowed, eight, fma, keep, one, put, reciprocal_root, splat_eight, turned_over
from ecs_anim.kernels.motion import fade_progress, member_weights
from ecs_anim.kernels.types import CLIPS, FLOATS_2D, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.runtime.motion import MAX_MEMBERS

ONE = np.float32(1)
ZERO = np.float32(0)


@inlined
def table_row(phase, count):
    """Row before a phase, and how far the phase is from it to the next row."""
    at = phase * np.float32(count)
    row = min(max(int(at), 0), max(count - 1, 0))
    return row, min(max(at - np.float32(row), ZERO), ONE)


@inlined
def mixed_eight(rows, a, b, fraction, at):
    """Eight lanes between two rows that begin at a and b."""
    before = eight(rows, a + at)
    return fma(eight(rows, b + at) - before, fraction, before)


@inlined
def mixed_one(rows, a, b, fraction, at):
    """One number between two rows that begin at a and b."""
    before = one(rows, a + at)
    return before + (one(rows, b + at) - before) * fraction


@inlined
def inner(x, y, z, w, a, b, c, d):
    """Inner products of eight quaternions with eight others."""
    return fma(w, d, fma(z, c, fma(y, b, x * a)))


@njit(inline="always")
def _mix_rotations(rows, begins, ends, fractions, weights, count, width, out, to):
    """Write the weighted sum of rows between the table's, each rotation in the half-space of those before, as units."""
    for lane in range(0, width, 8):
        x = y = z = w = splat_eight(ZERO)
        for clip in range(count):
            c = uint64(clip)
            a, b, fraction = begins[c] + lane, ends[c] + lane, fractions[c]
            qx, qy = mixed_eight(rows, a, b, fraction, 0), mixed_eight(rows, a, b, fraction, width)
            qz, qw = mixed_eight(rows, a, b, fraction, 2 * width), mixed_eight(rows, a, b, fraction, 3 * width)
            share = turned_over(splat_eight(weights[c]), inner(x, y, z, w, qx, qy, qz, qw))
            x, y, z, w = fma(qx, share, x), fma(qy, share, y), fma(qz, share, z), fma(qw, share, w)
        factor, at = reciprocal_root(inner(x, y, z, w, x, y, z, w)), to + lane
        put(out, at, x * factor)
        put(out, at + width, y * factor)
        put(out, at + 2 * width, z * factor)
        put(out, at + 3 * width, w * factor)


@njit(inline="always")
def _mix_vectors(rows, begins, ends, fractions, weights, count, first, last, out, to):
    """Write the weighted sum of the same rows, for the numbers of a row from first to last."""
    at = first
    while at + 8 <= last:
        total = splat_eight(ZERO)
        for clip in range(count):
            c = uint64(clip)
            total = fma(mixed_eight(rows, begins[c], ends[c], fractions[c], at), weights[c], total)
        put(out, to + at, total)
        at += 8
    for rest in range(at, last):
        single = ZERO
        for clip in range(count):
            c = uint64(clip)
            single += mixed_one(rows, begins[c], ends[c], fractions[c], rest) * weights[c]
        put(out, to + rest, single)


@kernel(void(CLIPS, MOTIONS, FLOATS_2D, QUEUE, OUT_2D))
def sample_motions(clips, motions, parameters, queue, out_pose):
    """Pose rows of a chunk of actors: every fade slot's motion, every member's clip, by their weights.

    parameters [chunk, parameter]; out_pose [>= chunk, row_width].
    A fade slot covers the ones before it as far as it has faded in. Newest first; nothing more is sampled once one
    covers the rest. What is in flight is listed first, so that each lane is summed up in registers.
    """
    rows, first_row, interval_count, rotation_width = clips
    slot_count, motion, phase = borrowed(queue[0]), borrowed(queue[1]), borrowed(queue[2])
    fade_time, fade_duration, parameters = borrowed(queue[4]), borrowed(queue[5]), borrowed(parameters)
    table, members, row_width = borrowed(motions.motion), borrowed(motions.member), out_pose.shape[1]
    scratch = np.empty(MAX_MEMBERS, np.float32)
    member_weight = borrowed(scratch)
    most = motion.shape[1] * MAX_MEMBERS
    begins, ends = np.empty(most, np.int64), np.empty(most, np.int64)
    fractions, weights = np.empty(most, np.float32), np.empty(most, np.float32)
    for actor in range(slot_count.shape[0]):
        remaining, count = ONE, uint64(0)
        for slot in range(slot_count[actor] - 1, -1, -1):
            progress = fade_progress(fade_time, fade_duration, actor, slot)
            number = motion[actor, slot]
            member_weights(table, members, number, parameters, actor, member_weight)
            for member in range(table[number]["member_count"]):
                weight = remaining * progress * member_weight[member]
                if weight <= ZERO:
                    continue
                clip = members[table[number]["first_member"] + member]["clip"]
                row, fraction = table_row(phase[actor, slot], interval_count[clip])
                begins[count] = (first_row[clip] + row) * row_width
                ends[count] = (first_row[clip] + min(row + 1, interval_count[clip])) * row_width
                fractions[count], weights[count] = fraction, weight
                count += uint64(1)
            remaining *= ONE - progress
            if remaining <= ZERO:
                break
        to, n = actor * row_width, np.int64(count)
        _mix_rotations(rows, begins, ends, fractions, weights, n, rotation_width, out_pose, to)
        _mix_vectors(rows, begins, ends, fractions, weights, n, 4 * rotation_width, row_width, out_pose, to)
    keep(scratch)
