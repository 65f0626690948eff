"""Pack the data of actors for the GPU: 64 bytes for each actor, with the two clips that have the largest weights."""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.motion import is_clip, list_played, new_played
from ecs_anim.kernels.types import BAKED_COLUMNS, BAKED_ROWS, FLOATS_2D, MOTIONS, PLACEMENT, QUEUE, void
from ecs_anim.simd import borrow, keep_alive
from ecs_anim.view.instances import BAKED_ACTOR

ZERO, ONE = np.float32(0), np.float32(1)
HALF = np.float32(0.5)
STEPS = np.float32(65535)  # steps of a 16-bit number for the range 0 to 1
NOTHING = (ZERO, ZERO, np.int32(0), np.int32(0), ZERO, ZERO)  # two clips with weight 0


def _column(name, width):
    """Return the column of the field `name` in a `BAKED_ACTOR` row. `width` is the number of bytes of each column."""
    return dict(BAKED_ACTOR.fields or {})[name][1] // width


TRANSLATION, ROTATION = _column("translation", 4), _column("rotation", 4)  # the scale follows the translation
PHASE, FADE, NEAR = _column("phase", 4), _column("fade", 4), _column("near", 4)
TINT, CLIP, VARIANT, SHARE = _column("tint", 2), _column("clip", 2), _column("variant", 2), _column("share", 2)


@inlined
def _steps(share):
    """Convert a share, 0 to 1, to a 16-bit integer, 0 to 65535."""
    return np.uint16(min(max(share, ZERO), ONE) * STEPS + HALF)


@inlined
def _write_4(out, actor, column, a, b, c, d):
    out[actor, column], out[actor, column + 1], out[actor, column + 2], out[actor, column + 3] = a, b, c, d


@inlined
def _keep_heaviest_two(two, weight, clip, phase):
    """Insert a clip into `two`: weights, clips, phases, older first. Return the two clips with the largest weights.
    Clips come newest first, so the inserted clip is the older one.
    """
    older, newer, clip_0, clip_1, phase_0, phase_1 = two
    if weight <= min(older, newer):
        return two
    if older > newer:
        return weight, older, clip, clip_0, phase, phase_0
    return weight, newer, clip, clip_1, phase, phase_1


@inlined
def _write_clips(out, actor, two):
    """Write the two clips of `two` to an actor's row. If only one clip has a weight, write this clip twice."""
    older, newer, clip_0, clip_1, phase_0, phase_1 = two
    if newer == ZERO:
        clip_1, phase_1 = clip_0, phase_0
    out.shorts[actor, CLIP], out.shorts[actor, CLIP + 1] = clip_0, clip_1
    out.floats[actor, PHASE], out.floats[actor, PHASE + 1] = phase_0, phase_1
    out.floats[actor, FADE] = newer / (newer + older)


@kernel(void(MOTIONS, FLOATS_2D, QUEUE, PLACEMENT, BAKED_COLUMNS, BAKED_ROWS))
def pack_baked_actors(motions, parameters, queue, placement, columns, out_rows):
    """Write a `BAKED_ACTOR` row for each actor to `out_rows`. `parameters` has the shape [actor, parameter]."""
    table, memory, out = motions.motion, new_played(queue), out_rows
    played, clips = borrow(memory), np.empty(table.shape[0], np.int32)  # the clip of each motion, -1 = a blend space
    for number in range(table.shape[0]):
        clips[number] = motions.member[table[number]["first_member"]]["clip"] if is_clip(table, number) else -1
    clip_of, has_variants, has_near = borrow(clips), columns.variant.shape[0] > 0, columns.share.shape[0] > 0
    for actor in range(out.floats.shape[0]):
        # Reads before the first write are faster, because the compiler must assume that the arrays overlap.
        x, y, z = placement.translation[actor, 0], placement.translation[actor, 1], placement.translation[actor, 2]
        size, rotation, tint = placement.scale[actor], placement.rotation, columns.tint
        qx, qy, qz, qw = rotation[actor, 0], rotation[actor, 1], rotation[actor, 2], rotation[actor, 3]
        red, green, blue = _steps(tint[actor, 0]), _steps(tint[actor, 1]), _steps(tint[actor, 2])
        amount = _steps(tint[actor, 3])
        _write_4(out.floats, actor, TRANSLATION, x, y, z, size)
        _write_4(out.floats, actor, ROTATION, qx, qy, qz, qw)
        _write_4(out.shorts, actor, TINT, red, green, blue, amount)
        out.shorts[actor, VARIANT] = columns.variant[actor] if has_variants else 0
        out.shorts[actor, SHARE] = _steps(columns.share[actor]) if has_near else 0
        out.ints[actor, NEAR] = columns.near[actor] if has_near else -1
        clip, two = clip_of[queue.motion[actor, 0]], NOTHING
        if queue.slot_count[actor] == 1 and clip >= 0:  # true for most actors
            two = ONE, ZERO, clip, clip, queue.phase[actor, 0], queue.phase[actor, 0]
        else:
            for number in range(list_played(motions, queue, parameters, actor, played)):
                two = _keep_heaviest_two(two, played.weight[number], played.clip[number], played.phase[number])
        _write_clips(out, actor, two)
    keep_alive(memory, clips)
