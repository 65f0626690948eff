"""The first and the last stage of poses: from pose rows to model matrices, and from these to skin palettes."""

from typing import NamedTuple

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.blocks import lanes_of
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.traversal import FRAME, follow, put_matrices, read_channels, stream_rows
from ecs_anim.kernels.types import FLAG, FLOATS_2D, INTS, OUT, OUT_3D, OUT_INTS, TRAVERSAL
from ecs_anim.simd import broadcast, fma, load, load1, pointer, rows_among, rows_at, rows_from, store

ZERO, ONE = np.float32(0), np.float32(1)


class ModelMatrices(NamedTuple):
    """Arguments of the stage `build_model_matrices`."""

    blocks: BLOCKS
    traversal: TRAVERSAL
    pose: FLOATS_2D  # [>= chunk, row_width], pose rows
    channels: OUT  # room for the channels of eight actors
    begun: OUT_INTS  # [1], of frames, how many eights have the matrices of joints that no clip moves; at first 0


class SkinPalettes(NamedTuple):
    """Arguments of the stage `write_palettes`."""

    blocks: BLOCKS
    joints: INTS  # [entry], the joint of each palette entry
    inverse_bind: FLOATS_2D  # [entry, 12]
    palette_rows: INTS  # [chunk], the rows of palettes that are written
    streamed: FLAG  # past the caches, where palettes begin at a multiple of 16 bytes
    palettes: OUT_3D  # [actor, entry, 12]
    piece: OUT  # [8 x entry x 12], room


@inlined
def _begin(traversal, channels, frames):
    """Write the space that roots are in, and the matrices of joints that no clip moves."""
    root = FRAME * (traversal.rest.shape[0] - 1)
    for at in range(root, root + FRAME, 8):
        store(frames, at, broadcast(ZERO))
    for axis in range(3):
        store(frames, root + 40 * axis, broadcast(ONE))
    follow(traversal.fixed, channels, frames)


@inlined
def _copy(source, size, out):
    """Copy so many numbers, a multiple of eight."""
    for at in range(0, size, 8):
        store(out, at, load(source, at))


@stage(ModelMatrices)
def build_model_matrices(own, first, end, frame):
    """Compose local poses into model space, parents first."""
    if not own.begun[0]:
        _copy(pointer(own.traversal.rest), own.channels.shape[0], pointer(own.channels))
    rows, channels, pose, width = own.blocks.rows, pointer(own.channels), pointer(own.pose), own.pose.shape[1]
    for begin in range(first, end, 8):
        number = frame + (begin - first) // 8
        lanes = lanes_of(own.blocks.frames, number)
        read_channels(pose, rows_at(rows, begin) * width, own.traversal.channel_rows, channels)
        if own.blocks.anew or number >= own.begun[0]:
            _begin(own.traversal, channels, lanes)
            own.begun[0] = number + 1
        follow(own.traversal.moving, channels, lanes)


@inlined
def _skinned(a, b, c, inverse_bind, at):
    """A row of eight frames times a column of an inverse bind matrix."""
    column = load1(inverse_bind, at), load1(inverse_bind, at + 4), load1(inverse_bind, at + 8)
    return fma(c, column[2], fma(b, column[1], a * column[0]))


@inlined
def _skin_row(frames, at, inverse_bind, entry):
    """A row of eight frames times an inverse bind matrix."""
    a, b, c, d = load(frames, at), load(frames, at + 8), load(frames, at + 16), load(frames, at + 24)
    return (
        _skinned(a, b, c, inverse_bind, entry),
        _skinned(a, b, c, inverse_bind, entry + 1),
        _skinned(a, b, c, inverse_bind, entry + 2),
        _skinned(a, b, c, inverse_bind, entry + 3) + d,
    )


@inlined
def _put_palettes(frames, joints, inverse_bind, target, rows):
    """Write the palettes of eight actors to where their rows begin."""
    for entry in range(joints.shape[0]):
        at, e = FRAME * joints[np.uint64(entry)], 12 * entry
        x, y = _skin_row(frames, at, inverse_bind, e), _skin_row(frames, at + 32, inverse_bind, e)
        put_matrices(target, rows, e, x, y, _skin_row(frames, at + 64, inverse_bind, e))


@stage(SkinPalettes)
def write_palettes(own, first, end, frame):
    """Multiply model matrices by inverse bind matrices, once for all meshes of the rig."""
    rows, width, inverse_bind = own.blocks.rows, 12 * own.joints.shape[0], pointer(own.inverse_bind)
    palettes, piece = pointer(own.palettes), pointer(own.piece)
    for begin in range(first, end, 8):
        lanes, actors = lanes_of(own.blocks.frames, frame + (begin - first) // 8), rows_at(rows, begin)
        out = rows_among(own.palette_rows, actors) * width
        if own.streamed:
            _put_palettes(lanes, own.joints, inverse_bind, piece, rows_from(0, 8) * width)
            stream_rows(piece, width, palettes, out, min(8, end - begin))
        else:
            _put_palettes(lanes, own.joints, inverse_bind, palettes, out)
