"""Sampling the motions that a chunk of actors plays: all clips in flight, mixed into one pose row each.

What is in flight is listed first, for two actors side by side: `flight` has so many clips of the one, and from `other`
on those of the other.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.motion import fade_progress, is_clip, member_weights
from ecs_anim.kernels.spaces import NOBODY, plays_alone, weigh_alike
from ecs_anim.kernels.types import CLIPS, FLOATS_2D, MOTIONS, OUT_2D, QUEUE, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.simd import (
    borrow,
    broadcast,
    compress_indices,
    flipsign,
    fma,
    keep_alive,
    load,
    load1,
    maximum,
    minimum,
    pointer,
    store,
)

ONE = np.float32(1)
ZERO = np.float32(0)
# Where the rows before and after a phase begin, how far the phase is between them, and how much the clip weighs.
FLIGHT = np.dtype([("begin", np.int64), ("end", np.int64), ("fraction", np.float32), ("weight", np.float32)])


@inlined
def table_row(phase, count):
    """Row before a phase, and how far the phase is from it to the next row."""
    at = phase * np.float32(count)
    row = min(max(int(at), 0), max(count - 1, 0))
    return row, min(max(at - np.float32(row), ZERO), ONE)


@inlined
def mixed_eight(rows, a, b, fraction, at):
    """Eight lanes between two rows that begin at a and b."""
    before = load(rows, a + at)
    return fma(load(rows, b + at) - before, fraction, before)


@inlined
def mixed_one(rows, a, b, fraction, at):
    """One number between two rows that begin at a and b."""
    before = load1(rows, a + at)
    return before + (load1(rows, b + at) - before) * fraction


@inlined
def inner(x, y, z, w, a, b, c, d):
    """Inner products of eight quaternions with eight others."""
    return fma(w, d, fma(z, c, fma(y, b, x * a)))


@inlined
def _add_clip(clips, clip, row, fraction, weight, row_width, flight, at):
    """Write a clip in flight."""
    _, first_row, interval_count, _ = clips
    own, begin = uint64(at), (first_row[clip] + row) * row_width
    flight[own]["begin"], flight[own]["end"] = begin, begin + (row_width if row < interval_count[clip] else 0)
    flight[own]["fraction"], flight[own]["weight"] = fraction, weight


@njit(inline="always")
def _write_intervals(clips, motions, number, intervals):
    """Write how many intervals the clips of a motion's members have, as floats [MAX_MEMBERS]."""
    for member in range(motions[0][number]["member_count"]):
        clip = motions[1][motions[0][number]["first_member"] + member]["clip"]
        intervals[member] = clips[2][clip]


@njit(inline="always")
def _list_known(clips, motions, actor, queue, known, row_width, flight, begin):
    """List the clips of an actor who plays one motion alone; returns how many there are.

    known: the members' weights [chunk, MAX_MEMBERS], memory for numbers of members, and three rows of numbers: of each
    member its clip's intervals, and memory for `table_row`.
    """
    (table, members), (weights, listed, numbers) = motions, known
    first, own, intervals = table[queue[1][actor, 0]]["first_member"], MAX_MEMBERS * actor, load(numbers, 0)
    at = intervals * queue[2][actor, 0]
    row = minimum(maximum(ZERO, np.floor(at)), maximum(intervals - ONE, ZERO))
    store(numbers, MAX_MEMBERS, row)
    store(numbers, 2 * MAX_MEMBERS, minimum(maximum(at - row, ZERO), ONE))
    count = compress_indices(listed, 0, 0, ~(load(weights, own) <= ZERO))
    for c in range(count):
        member = listed[uint64(c)]
        before, fraction = np.int64(load1(numbers, MAX_MEMBERS + member)), load1(numbers, 2 * MAX_MEMBERS + member)
        clip, weight = members[first + member]["clip"], load1(weights, own + member)
        _add_clip(clips, clip, before, fraction, weight, row_width, flight, begin + c)
    return count


@inlined
def _add_member(clips, members, member, phase, weight, row_width, flight, at):
    """Write the clip of a motion's member."""
    clip = members[member]["clip"]
    row, fraction = table_row(phase, clips[2][clip])
    _add_clip(clips, clip, row, fraction, weight, row_width, flight, at)


@njit(inline="always")
def _list_all(clips, motions, actor, queue, parameters, weights, row_width, flight, begin):
    """List the clips of all motions that an actor plays, the newest first; returns how many there are."""
    slot_count, motion, phase, _, fade_time, fade_duration = queue
    (table, members), remaining, count = motions, ONE, 0
    for slot in range(slot_count[actor] - 1, -1, -1):
        progress = fade_progress(fade_time, fade_duration, actor, slot)
        number = motion[actor, slot]
        first, share = np.int64(table[number]["first_member"]), remaining * progress
        if is_clip(table, number):  # weighed or not: where the next one is written must not wait for a weight
            _add_member(clips, members, first, phase[actor, slot], share, row_width, flight, begin + count)
            count += 1
        else:
            member_weights(table, members, number, parameters, actor, weights)
            for member in range(table[number]["member_count"]):
                weight = share * weights[member]
                if not weight <= ZERO:
                    own = first + member
                    _add_member(clips, members, own, phase[actor, slot], weight, row_width, flight, begin + count)
                    count += 1
        remaining *= ONE - progress
        if remaining <= ZERO:
            break
    return count


@njit(inline="always")
def _lengthen(flight, begin, count, wanted):
    """Add clips to a list that weigh nothing."""
    first = uint64(begin)
    for c in range(count, wanted):
        own = uint64(begin + c)
        flight[own]["begin"], flight[own]["end"] = flight[first]["begin"], flight[first]["end"]
        flight[own]["fraction"], flight[own]["weight"] = ZERO, ZERO


@inlined
def _of_clip(rows, clip, at):
    """Eight lanes of a clip in flight."""
    return mixed_eight(rows, clip["begin"], clip["end"], clip["fraction"], at)


@inlined
def _eight_of_clip(rows, clip, lane, width):
    """Eight rotations of a clip in flight."""
    return (
        _of_clip(rows, clip, lane),
        _of_clip(rows, clip, lane + width),
        _of_clip(rows, clip, lane + 2 * width),
        _of_clip(rows, clip, lane + 3 * width),
    )


@inlined
def _begun(rows, clip, lane, width):
    """Weighted rotations of the first clip."""
    (x, y, z, w), share, zero = _eight_of_clip(rows, clip, lane, width), clip["weight"], broadcast(ZERO)
    return fma(x, share, zero), fma(y, share, zero), fma(z, share, zero), fma(w, share, zero)


@inlined
def _joined(rows, clip, lane, width, sums):
    """Sums of rotations with those of another clip, each in the half-space of those before."""
    (x, y, z, w), (qx, qy, qz, qw) = sums, _eight_of_clip(rows, clip, lane, width)
    share = flipsign(broadcast(clip["weight"]), inner(x, y, z, w, qx, qy, qz, qw))
    return fma(qx, share, x), fma(qy, share, y), fma(qz, share, z), fma(qw, share, w)


@inlined
def _put_units(sums, width, out, at):
    """Write rotations as units."""
    x, y, z, w = sums
    factor = ONE / np.sqrt(inner(x, y, z, w, x, y, z, w))
    store(out, at, x * factor)
    store(out, at + width, y * factor)
    store(out, at + 2 * width, z * factor)
    store(out, at + 3 * width, w * factor)


@njit(inline="always")
def _mix_rotations(rows, flight, other, count, width, out, to, other_to):
    """Write the weighted sums of rows between the table's, as units, each rotation in the half-space of those before.

    Of two actors, as each sum waits for the one before.
    """
    for lane in range(0, width, 8):
        a, b = _begun(rows, flight[0], lane, width), _begun(rows, flight[other], lane, width)
        for c in range(1, count):
            a = _joined(rows, flight[uint64(c)], lane, width, a)
            b = _joined(rows, flight[uint64(other + c)], lane, width, b)
        _put_units(a, width, out, to + lane)
        _put_units(b, width, out, other_to + lane)


@njit(inline="always")
def _mix_vectors(rows, flight, begin, count, first, last, out, to):
    """Write the weighted sum of the same rows, for the numbers of a row from first to last.

    The last ones of them, fewer than eight, go with numbers in front of them, which are written afterwards.
    """
    whole = last - (last - first) % 8
    if whole < last and last >= 8:
        total = broadcast(ZERO)
        for c in range(begin, begin + count):
            clip = flight[uint64(c)]
            before = load(rows, clip["begin"] + last - 8)
            between = before + (load(rows, clip["end"] + last - 8) - before) * clip["fraction"]  # as `mixed_one`
            total = total + between * clip["weight"]
        store(out, to + last - 8, total)
    elif last < 8:
        for at in range(last):
            single = ZERO
            for c in range(begin, begin + count):
                clip = flight[uint64(c)]
                single += mixed_one(rows, clip["begin"], clip["end"], clip["fraction"], at) * clip["weight"]
            store(out, to + at, single)
    for at in range(first, whole, 8):
        total = broadcast(ZERO)
        for c in range(begin, begin + count):
            clip = flight[uint64(c)]
            total = fma(_of_clip(rows, clip, at), clip["weight"], total)
        store(out, to + at, total)


@kernel(void(CLIPS, MOTIONS, FLOATS_2D, QUEUE, OUT_2D))
def sample_motions(clips, motions, parameters, queue, out_pose):
    """Pose rows of a chunk of actors: every fade slot's motion, every member's clip, by their weights.

    parameters [chunk, parameter]; out_pose [>= chunk, row_width].
    A fade slot covers the ones before it as far as it has faded in. Newest first; nothing more is sampled once one
    covers the rest. What is in flight is listed first, so that each lane is summed up in registers.
    """
    rows, width, row_width, out = pointer(clips[0]), clips[3], out_pose.shape[1], pointer(out_pose)
    tables, queues, values = borrow(clips), borrow(queue), borrow(parameters)
    played = borrow((motions.motion, motions.member))
    actors, other = queue[0].shape[0], queue[1].shape[1] * MAX_MEMBERS
    all_weights, single = np.empty((actors, MAX_MEMBERS), np.float32), np.empty(MAX_MEMBERS, np.float32)
    members, clips_in_flight = np.empty(MAX_MEMBERS, np.int32), np.zeros(2 * other, FLIGHT)
    numbers = np.zeros(3 * MAX_MEMBERS, np.float32)
    known = pointer(all_weights), pointer(members), pointer(numbers)
    flight, weights = borrow(clips_in_flight), borrow(single)
    alike = weigh_alike(played[0], played[1], queues[0], queues[1], values, borrow(all_weights))
    if alike != NOBODY:
        _write_intervals(tables, played, alike, pointer(numbers))
    for actor in range(0, actors, 2):
        before, count = 0, 0
        for own in range(2):  # of an odd number of actors the last one goes with itself
            row, begin = min(actor + own, actors - 1), own * other
            before = count
            if plays_alone(queues[0], queues[1], row, alike):
                count = _list_known(tables, played, row, queues, known, row_width, flight, begin)
            else:
                count = _list_all(tables, played, row, queues, values, weights, row_width, flight, begin)
            _mix_vectors(rows, flight, begin, count, 4 * width, row_width, out, row * row_width)
        shorter, longer = min(before, count), max(before, count)
        _lengthen(flight, 0 if before < count else other, shorter, longer)
        to = actor * row_width
        _mix_rotations(rows, flight, other, longer, width, out, to, min(actor + 1, actors - 1) * row_width)
    keep_alive(all_weights, single, members, numbers, clips_in_flight)
