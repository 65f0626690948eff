"""Sampling of motions: the kernel mixes all clips that an actor of a chunk plays into one pose row. In a sum, each
addition waits for the previous one, so the kernel processes two actors at a time. `flight` lists the clips of the first
actor, and from the index `other` onwards those of the second actor.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, uint64

from ecs_anim import simd
from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.motion import fade_progress, is_clip, member_weights
from ecs_anim.kernels.spaces import NOBODY, plays_alone, weigh_alike
from ecs_anim.kernels.types import CLIPS, FLOATS_2D, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.runtime.motion import MAX_MEMBERS

ZERO, ONE = np.float32(0), np.float32(1)
# An entry of `flight`: offsets of the rows before and after a clip's phase, the fraction between both, and the weight.
FLIGHT = np.dtype([("begin", np.int64), ("end", np.int64), ("fraction", np.float32), ("weight", np.float32)])


@inlined
def table_row(phase, count):
    """Return the row before a phase in a table with `count` intervals, and the fraction of the way to the next row."""
    at = phase * np.float32(count)
    row = min(max(int(at), 0), max(count - 1, 0))
    return row, min(max(at - np.float32(row), ZERO), ONE)


@inlined
def mixed_eight(rows, a, b, fraction, at):
    """Return eight numbers from `at` onwards, interpolated between rows at the offsets `a` and `b`."""
    before = simd.load(rows, a + at)
    return simd.fma(simd.load(rows, b + at) - before, fraction, before)


@inlined
def mixed_rotations(rows, a, b, fraction, at, width):
    """Return eight quaternions at `at`, mixed from two rows at `a` and `b`. Components are `width` apart."""
    x, y = mixed_eight(rows, a, b, fraction, at), mixed_eight(rows, a, b, fraction, at + width)
    return x, y, mixed_eight(rows, a, b, fraction, at + 2 * width), mixed_eight(rows, a, b, fraction, at + 3 * width)


@inlined
def mixed_one(rows, a, b, fraction, at):
    """Return the number at position `at`, interpolated between two rows. `a` and `b` are the offsets of the rows."""
    before = simd.load1(rows, a + at)
    return before + (simd.load1(rows, b + at) - before) * fraction


@inlined
def inner(p, q):
    """Return the inner product of each quaternion in p with the quaternion in q."""
    return simd.fma(p[3], q[3], simd.fma(p[2], q[2], simd.fma(p[1], q[1], p[0] * q[0])))


@inlined
def flipped(values, by):
    """Return `values`, with the opposite sign in the lanes where `by` is negative."""
    return simd.select(by < ZERO, ZERO - values, values)


@inlined
def put_units(q, out, at, width):
    """Scale eight quaternions to length 1, and write them to `out`. Components x, y, z, w are `width` numbers apart."""
    factor = ONE / np.sqrt(inner(q, q))
    simd.store(out, at, q[0] * factor)
    simd.store(out, at + width, q[1] * factor)
    simd.store(out, at + 2 * width, q[2] * factor)
    simd.store(out, at + 3 * width, q[3] * factor)


class Alike(NamedTuple):
    """Data and memory for actors that play only the common blend space (see `spaces`)."""

    weights: Any  # [chunk, MAX_MEMBERS], weights of the members
    intervals: Any  # [MAX_MEMBERS], numbers of intervals in the members' clips, as floats
    rows: Any  # [MAX_MEMBERS], memory for `table_row`
    fractions: Any  # [MAX_MEMBERS]
    members: Any  # [MAX_MEMBERS], memory for the numbers of members


@inlined
def _add_clip(clips, clip, row, fraction, weight, flight, at):
    """Write the rows and the weight of a clip to the entry `at` of `flight`."""
    own, row_width = uint64(at), clips.rows.shape[1]
    begin = (clips.first_row[clip] + row) * row_width
    flight[own]["begin"] = begin
    flight[own]["end"] = begin + (row_width if row < clips.interval_count[clip] else 0)
    flight[own]["fraction"], flight[own]["weight"] = fraction, weight


@inlined
def _write_intervals(clips, motions, number, out_intervals):
    """Write the number of intervals in the clip of each member of the motion `number`."""
    for member in range(motions.motion[number]["member_count"]):
        clip = motions.member[motions.motion[number]["first_member"] + member]["clip"]
        out_intervals[member] = clips.interval_count[clip]


@inlined
def _list_alike(clips, motions, actor, queue, alike, flight, begin):
    """List the clips of an actor in the common blend space at `flight[begin]`. Return the number of clips."""
    first, own = motions.motion[queue.motion[actor, 0]]["first_member"], MAX_MEMBERS * actor
    intervals = simd.load(alike.intervals, 0)
    at = intervals * queue.phase[actor, 0]
    rows = simd.minimum(simd.maximum(ZERO, np.floor(at)), simd.maximum(intervals - ONE, ZERO))
    simd.store(alike.rows, 0, rows)
    simd.store(alike.fractions, 0, simd.minimum(simd.maximum(at - rows, ZERO), ONE))
    count = simd.compress_indices(alike.members, 0, 0, ~(simd.load(alike.weights, own) <= ZERO))
    for c in range(count):
        member = alike.members[uint64(c)]
        row, fraction = np.int64(simd.load1(alike.rows, member)), simd.load1(alike.fractions, member)
        clip, weight = motions.member[first + member]["clip"], simd.load1(alike.weights, own + member)
        _add_clip(clips, clip, row, fraction, weight, flight, begin + c)
    return count


@inlined
def _add_member(clips, members, member, phase, weight, flight, at):
    """Write the clip of a motion's member to the entry `at` of `flight`."""
    clip = members[member]["clip"]
    row, fraction = table_row(phase, clips.interval_count[clip])
    _add_clip(clips, clip, row, fraction, weight, flight, at)


@inlined
def _list_all(clips, motions, actor, queue, parameters, weights, flight, begin):
    """List the clips of all motions of an actor at `flight[begin]`, newest first. Return the number of clips."""
    table, members, remaining, count = motions.motion, motions.member, ONE, 0
    for slot in range(queue.slot_count[actor] - 1, -1, -1):
        progress, phase = fade_progress(queue.fade_time, queue.fade_duration, actor, slot), queue.phase[actor, slot]
        number = queue.motion[actor, slot]
        first, share = np.int64(table[number]["first_member"]), remaining * progress
        if is_clip(table, number):  # also with weight 0, because a test of the weight would delay the next offset
            _add_member(clips, members, first, phase, share, flight, begin + count)
            count += 1
        else:
            member_weights(table, members, number, parameters, actor, weights)
            for member in range(table[number]["member_count"]):
                weight = share * weights[member]
                if not weight <= ZERO:
                    _add_member(clips, members, first + member, phase, weight, flight, begin + count)
                    count += 1
        remaining *= ONE - progress
        if remaining <= ZERO:
            break
    return count


@njit(inline="always")
def _lengthen(flight, begin, count, wanted):
    """Append clips with weight 0 until a list has `wanted` clips."""
    first = uint64(begin)
    for c in range(count, wanted):
        own = uint64(begin + c)
        flight[own]["begin"], flight[own]["end"] = flight[first]["begin"], flight[first]["end"]
        flight[own]["fraction"], flight[own]["weight"] = ZERO, ZERO


@inlined
def _rotations_of(rows, clip, lane, width):
    """Return eight rotations of a clip in `flight`, interpolated between its two rows."""
    return mixed_rotations(rows, clip["begin"], clip["end"], clip["fraction"], lane, width)


@inlined
def _begun(rows, clip, lane, width):
    """Return eight rotations of an actor's first clip times its weight: the first value of the sums."""
    (x, y, z, w), share, zero = _rotations_of(rows, clip, lane, width), clip["weight"], simd.broadcast(ZERO)
    return simd.fma(x, share, zero), simd.fma(y, share, zero), simd.fma(z, share, zero), simd.fma(w, share, zero)


@inlined
def _joined(rows, clip, lane, width, sums):
    """Add eight rotations of a clip times its weight to `sums`. A quaternion opposite to the sum changes its sign."""
    q = _rotations_of(rows, clip, lane, width)
    share = flipped(simd.broadcast(clip["weight"]), inner(sums, q))
    x, y, z, w = sums
    return simd.fma(q[0], share, x), simd.fma(q[1], share, y), simd.fma(q[2], share, z), simd.fma(q[3], share, w)


@njit(inline="always")
def _mix_rotations(rows, flight, other, count, width, out, to, other_to):
    """Mix the rotations of two actors' clips into their pose rows at the offsets `to` and `other_to` of `out`: the
    weighted sum of the quaternions, scaled to length 1. Each actor has `count` clips. The second actor's clips begin at
    `flight[other]`.
    """
    for lane in range(0, width, 8):
        a, b = _begun(rows, flight[0], lane, width), _begun(rows, flight[other], lane, width)
        for c in range(1, count):
            a = _joined(rows, flight[uint64(c)], lane, width, a)
            b = _joined(rows, flight[uint64(other + c)], lane, width, b)
        put_units(a, out, to + lane, width)
        put_units(b, out, other_to + lane, width)


@njit(inline="always")
def _mix_vectors(rows, flight, begin, count, first, last, out, to):
    """Write the weighted sums of the numbers from `first` to `last` in the rows of all clips. First the last eight
    numbers of the row, then full groups of eight, which overwrite some of them.
    """
    whole = last - (last - first) % 8
    if whole < last and last >= 8:
        total = simd.broadcast(ZERO)
        for c in range(begin, begin + count):
            clip = flight[uint64(c)]
            before = simd.load(rows, clip["begin"] + last - 8)
            # the same formula as in `mixed_one`
            between = before + (simd.load(rows, clip["end"] + last - 8) - before) * clip["fraction"]
            total = total + between * clip["weight"]
        simd.store(out, to + last - 8, total)
    elif last < 8:
        for at in range(last):
            single = ZERO
            for c in range(begin, begin + count):
                clip = flight[uint64(c)]
                single += mixed_one(rows, clip["begin"], clip["end"], clip["fraction"], at) * clip["weight"]
            simd.store(out, to + at, single)
    for at in range(first, whole, 8):
        total = simd.broadcast(ZERO)
        for c in range(begin, begin + count):
            clip = flight[uint64(c)]
            mixed = mixed_eight(rows, clip["begin"], clip["end"], clip["fraction"], at)
            total = simd.fma(mixed, clip["weight"], total)
        simd.store(out, to + at, total)


@kernel(void(CLIPS, MOTIONS, FLOATS_2D, QUEUE, OUT_2D))
def sample_motions(clips, motions, parameters, queue, out_pose):
    """Write the pose row of each actor to `out_pose` [>= chunk, row_width]: the weighted mean of all clips that the
    actor plays. `parameters` has the shape [chunk, parameter].
    """
    rows, out = simd.pointer(clips.rows), simd.pointer(out_pose)
    width, row_width, actors = clips.rotation_width, out_pose.shape[1], queue.slot_count.shape[0]
    other = queue.motion.shape[1] * MAX_MEMBERS
    memory, own_weights = np.zeros((3, MAX_MEMBERS), np.float32), np.empty(MAX_MEMBERS, np.float32)
    all_weights, members = np.empty((actors, MAX_MEMBERS), np.float32), np.empty(MAX_MEMBERS, np.int32)
    clips_in_flight = np.zeros(2 * other, FLIGHT)
    flight, weights = simd.borrow(clips_in_flight), simd.borrow(own_weights)
    alike = simd.pointer(Alike(all_weights, memory[0], memory[1], memory[2], members))
    number = weigh_alike(
        motions.motion, motions.member, queue.slot_count, queue.motion, parameters, simd.borrow(all_weights)
    )
    if number != NOBODY:
        _write_intervals(clips, motions, number, alike.intervals)
    for actor in range(0, actors, 2):
        before, count = 0, 0
        for own in range(2):  # if the number of actors is odd, the last actor forms a pair with itself
            row, begin = min(actor + own, actors - 1), own * other
            before = count
            if plays_alone(queue.slot_count, queue.motion, row, number):
                count = _list_alike(clips, motions, row, queue, alike, flight, begin)
            else:
                count = _list_all(clips, motions, row, queue, parameters, weights, flight, begin)
            _mix_vectors(rows, flight, begin, count, 4 * width, row_width, out, row * row_width)
        shorter, longer = min(before, count), max(before, count)
        _lengthen(flight, 0 if before < count else other, shorter, longer)
        to, other_to = actor * row_width, min(actor + 1, actors - 1) * row_width
        _mix_rotations(rows, flight, other, longer, width, out, to, other_to)
    simd.keep_alive(memory, own_weights, all_weights, members, clips_in_flight)
