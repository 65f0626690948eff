"""Packing what the GPU poses actors from: 64 bytes each, of all that they play the two clips that show most."""

import numpy as np

from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.motion import fade_progress, is_clip, member_weights, plays_clips
from ecs_anim.kernels.types import BAKED_COLUMNS, BAKED_ROWS, FLOATS_2D, MOTIONS, PLACEMENT, QUEUE, void
from ecs_anim.runtime.motion import MAX_MEMBERS
from ecs_anim.runtime.records import FadeQueue, Placement
from ecs_anim.simd import borrow
from ecs_anim.view.instances import BAKED_ACTOR

ONE = np.float32(1)
ZERO = np.float32(0)
HALF = np.float32(0.5)
STEPS = np.float32(65535)  # of a 16-bit share of 1
NOTHING = (ZERO, ZERO, np.int32(0), np.int32(0), ZERO, ZERO)  # so far


def _column(name, width):
    """Which column of that many bytes each a field of the row begins at."""
    return dict(BAKED_ACTOR.fields or {})[name][1] // width


TRANSLATION, ROTATION = _column("translation", 4), _column("rotation", 4)  # the size comes after the position
PHASE, FADE, NEAR = _column("phase", 4), _column("fade", 4), _column("near", 4)
TINT, CLIP, VARIANT, SHARE = _column("tint", 2), _column("clip", 2), _column("variant", 2), _column("share", 2)


@inlined
def _steps(share):
    """A share as 16 bits."""
    return np.uint16(min(max(share, ZERO), ONE) * STEPS + HALF)


@inlined
def _write_4(out, actor, column, a, b, c, d):
    out[actor, column], out[actor, column + 1], out[actor, column + 2], out[actor, column + 3] = a, b, c, d


@inlined
def _taken(two, weight, clip, phase):
    """The two heaviest clips once another, older than both, is considered: (weights, clips, phases), older first."""
    older, newer, clip_0, clip_1, phase_0, phase_1 = two
    if weight <= min(older, newer):
        return two
    if older > newer:
        return weight, older, clip, clip_0, phase, phase_0
    return weight, newer, clip, clip_1, phase, phase_1


@helper
def _of_clips(motions, actor, queue):
    """`_of_blends` of an actor that plays plain clips alone."""
    table, members = motions.motion, motions.member
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    two, remaining = NOTHING, ONE
    for slot in range(slot_count[actor] - 1, -1, -1):
        weight = remaining * fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
        remaining -= weight
        clip = members[table[motion[actor, slot]]["first_member"]]["clip"]
        two = _taken(two, weight, clip, phase[actor, slot])
    return two


@helper
def _of_blends(motions, parameters, actor, queue, weights):
    """The two clips that contribute most: (weights, clips, phases), the older one first."""
    table, members = motions.motion, motions.member
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    two, remaining = NOTHING, ONE
    for slot in range(slot_count[actor] - 1, -1, -1):
        number = motion[actor, slot]
        share = remaining * fade_progress(queue.fade_time, queue.fade_duration, actor, slot)
        remaining -= share
        member_weights(table, members, number, parameters, actor, weights)
        for member in range(table[number]["member_count"]):
            clip = members[table[number]["first_member"] + member]["clip"]
            two = _taken(two, share * weights[member], clip, phase[actor, slot])
    return two


@kernel(void(MOTIONS, FLOATS_2D, QUEUE, PLACEMENT, BAKED_COLUMNS, BAKED_ROWS))
def pack_baked_actors(motions, parameters, queue, placement, columns, out_rows):
    """Write a `BAKED_ACTOR` for each actor, into the `BakedRows`; parameters [actor, parameter]."""
    queue, placement = FadeQueue(*borrow(queue)), Placement(*borrow(placement))
    slot_count, motion, phase = queue.slot_count, queue.motion, queue.phase
    translation, rotation, scale = placement.translation, placement.rotation, placement.scale
    tint, variant, share, near = columns.tint, columns.variant, columns.share, columns.near
    out_floats, out_shorts, out_ints = out_rows.floats, out_rows.shorts, out_rows.ints
    table, members = motions.motion, motions.member
    weights = np.empty(MAX_MEMBERS, np.float32)
    clip_of = np.empty(table.shape[0], np.int32)  # -1 = a blend space
    for number in range(table.shape[0]):
        clip_of[number] = members[table[number]["first_member"]]["clip"] if is_clip(table, number) else -1
    has_variants, has_near = variant.shape[0] > 0, share.shape[0] > 0
    for actor in range(out_floats.shape[0]):
        # All is read before it is written: rows might overlap, for all that the compiler knows.
        x, y, z, size = translation[actor, 0], translation[actor, 1], translation[actor, 2], scale[actor]
        qx, qy, qz, qw = rotation[actor, 0], rotation[actor, 1], rotation[actor, 2], rotation[actor, 3]
        red, green, blue = _steps(tint[actor, 0]), _steps(tint[actor, 1]), _steps(tint[actor, 2])
        amount = _steps(tint[actor, 3])
        _write_4(out_floats, actor, TRANSLATION, x, y, z, size)
        _write_4(out_floats, actor, ROTATION, qx, qy, qz, qw)
        _write_4(out_shorts, actor, TINT, red, green, blue, amount)
        out_shorts[actor, VARIANT] = variant[actor] if has_variants else 0
        out_shorts[actor, SHARE] = _steps(share[actor]) if has_near else 0
        out_ints[actor, NEAR] = near[actor] if has_near else -1
        # Most actors play one clip: these lines spare them the arrays' reference counts, which cost more than the rest.
        clip = clip_of[motion[actor, 0]]
        if slot_count[actor] == 1 and clip >= 0:
            out_shorts[actor, CLIP], out_shorts[actor, CLIP + 1] = clip, clip
            out_floats[actor, PHASE], out_floats[actor, PHASE + 1] = phase[actor, 0], phase[actor, 0]
            out_floats[actor, FADE] = ZERO
            continue
        if plays_clips(table, slot_count[actor], motion, actor):
            two = _of_clips(motions, actor, queue)
        else:
            two = _of_blends(motions, parameters, actor, queue, weights)
        older, newer, clip_0, clip_1, phase_0, phase_1 = two
        if newer == ZERO:
            clip_1, phase_1 = clip_0, phase_0
        out_shorts[actor, CLIP], out_shorts[actor, CLIP + 1] = clip_0, clip_1
        out_floats[actor, PHASE], out_floats[actor, PHASE + 1] = phase_0, phase_1
        out_floats[actor, FADE] = newer / (newer + older)
