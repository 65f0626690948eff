"""The first and the last stage of the pose pipeline: pose rows to model matrices, and model matrices to palettes."""

from typing import NamedTuple

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.frames import lanes_of, read_frame
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.traversal import FRAME, follow, read_channels, stream_rows
from ecs_anim.kernels.types import FLAG, FLOATS_2D, INTS, OUT, OUT_4D, OUT_INTS, TRAVERSAL
from ecs_anim.simd import broadcast, fma, gather, load, load1, pointer, rows_at, rows_from, scatter, store, to_integers

ZERO, ONE = np.float32(0), np.float32(1)


class ModelMatrices(NamedTuple):
    """Arguments of the stage `build_model_matrices`."""

    blocks: BLOCKS
    traversal: TRAVERSAL
    pose: FLOATS_2D  # [>= chunk, row_width], pose rows
    channels: OUT  # memory for the channels of eight actors
    begun: OUT_INTS  # [1], number of rows of `frames` whose matrices of unmoved joints are complete; 0 at first


class SkinPalettes(NamedTuple):
    """Arguments of the stage `write_palettes`."""

    blocks: BLOCKS
    joints: INTS  # [entry], the joint of each palette entry
    inverse_bind: FLOATS_2D  # [entry, 12]
    palette_rows: INTS  # [chunk], the palette row of each actor
    streamed: FLAG  # whether writes bypass the CPU caches; then palettes must be aligned to 16 bytes
    palettes: OUT_4D  # [actor, entry, 3, 4]
    piece: OUT  # [8 x entry x 12], memory


@inlined
def _begin(traversal, channels, frames):
    """Write the matrix of the space that contains the root joint, and the matrices of the joints that no clip moves."""
    root = FRAME * (traversal.rest.shape[0] - 1)
    for at in range(root, root + FRAME, 8):
        store(frames, at, broadcast(ZERO))
    for axis in range(3):
        store(frames, root + 40 * axis, broadcast(ONE))
    follow(traversal.fixed, channels, frames)


@stage(ModelMatrices)
def build_model_matrices(own, first, end, frame):
    """Compute model matrices from pose rows. The matrix of a parent is computed before the matrices of its children."""
    rows, channels, pose, width = own.blocks.rows, pointer(own.channels), pointer(own.pose), own.pose.shape[1]
    if not own.begun[0]:
        for at in range(0, own.channels.shape[0], 8):
            store(channels, at, load(pointer(own.traversal.rest), at))
    for begin in range(first, end, 8):
        number = frame + (begin - first) // 8
        lanes = lanes_of(own.blocks.frames, number)
        read_channels(pose, rows_at(rows, begin) * width, own.traversal.channel_rows, channels)
        if own.blocks.anew or number >= own.begun[0]:
            _begin(own.traversal, channels, lanes)
            own.begun[0] = number + 1
        follow(own.traversal.moving, channels, lanes)


@inlined
def _column(row, inverse_bind, at):
    """Multiply one row of the joint matrices of eight actors by a column of an inverse bind matrix."""
    first = row[0] * load1(inverse_bind, at)
    return fma(row[2], load1(inverse_bind, at + 8), fma(row[1], load1(inverse_bind, at + 4), first))


@inlined
def skin_row(row, inverse_bind, at):
    """Return a row of eight actors' joint matrices times the inverse bind matrix at `at`: four vectors."""
    return (
        _column(row, inverse_bind, at),
        _column(row, inverse_bind, at + 1),
        _column(row, inverse_bind, at + 2),
        _column(row, inverse_bind, at + 3) + row[3],
    )


@inlined
def skin_matrices(frames, joint, inverse_bind, entry):
    """Return one palette entry of eight actors as three rows: the joint's matrices times the inverse bind matrix."""
    (x, y, z), at = read_frame(frames, joint), 12 * entry
    return skin_row(x, inverse_bind, at), skin_row(y, inverse_bind, at), skin_row(z, inverse_bind, at)


@inlined
def _put_palettes(frames, joints, inverse_bind, target, rows):
    """Write the palettes of eight actors to `target`. `rows` contains the offset of each actor's palette."""
    for entry in range(joints.shape[0]):
        x, y, z = skin_matrices(frames, joints[np.uint64(entry)], inverse_bind, entry)
        scatter(target, rows, 12 * entry, (*x, *y, *z))


@stage(SkinPalettes)
def write_palettes(own, first, end, frame):
    """Multiply model matrices by inverse bind matrices. All meshes of a rig use these palettes."""
    rows, width, inverse_bind = own.blocks.rows, 12 * own.joints.shape[0], pointer(own.inverse_bind)
    palettes, piece = pointer(own.palettes), pointer(own.piece)
    for begin in range(first, end, 8):
        lanes, actors = lanes_of(own.blocks.frames, frame + (begin - first) // 8), rows_at(rows, begin)
        out = to_integers(gather(own.palette_rows, actors, 0)) * width
        if own.streamed:
            _put_palettes(lanes, own.joints, inverse_bind, piece, rows_from(0, 8) * width)
            stream_rows(piece, width, palettes, out, min(8, end - begin))
        else:
            _put_palettes(lanes, own.joints, inverse_bind, palettes, out)
