"""Skin palettes straight from pose rows, for a chunk of actors."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.traversal import FRAME, first_frames, follow, put_matrices, read_channels, stream_rows
from ecs_anim.kernels.types import COUNT, FLAG, FLOATS_2D, INTS, OUT_3D, TRAVERSAL, void
from ecs_anim.simd import fence, fma, load, load1, rows_at, rows_from


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
def put_palettes(frames, joints, inverse_bind, target, rows):
    """Write the palettes of eight actors to where their rows begin."""
    for entry in range(joints.shape[0]):
        at, e = FRAME * joints[uint64(entry)], 12 * entry
        x, y = _skin_row(frames, at, inverse_bind, e), _skin_row(frames, at + 32, inverse_bind, e)
        put_matrices(target, rows, e, x, y, _skin_row(frames, at + 64, inverse_bind, e))


@kernel(void(TRAVERSAL, INTS, FLOATS_2D, COUNT, FLOATS_2D, INTS, FLAG, OUT_3D))
def pose_palettes(traversal, joints, inverse_bind, joint_count, pose, palette_rows, streamed, out_palette):
    """Skin matrices of a chunk of pose rows, without model matrices: what nothing corrects in between needs no more.

    traversal, joints [palette_count], inverse_bind [palette_count, 12] of a `SkinTraversal`;
    pose [>= chunk, row_width]; palette_rows [chunk], the rows of out_palette [actor_count, palette_count, 12] f32 that
    are written, on request past the caches, where it begins at a multiple of 16 bytes.
    """
    moving, channel_rows, actor_count = traversal.moving, traversal.channel_rows, palette_rows.shape[0]
    channels = traversal.rest.copy()
    frames = first_frames(joint_count, traversal.fixed, channels)
    out_rows, width = np.empty(8, np.int64), 12 * joints.shape[0]
    palette = out_palette.reshape(-1)
    target, target_rows = palette, out_rows
    if streamed:
        target, target_rows = np.empty(8 * width, np.float32), np.arange(8) * width
    for first in range(0, actor_count, 8):
        for k in range(8):
            out_rows[k] = palette_rows[min(first + k, actor_count - 1)] * width
        read_channels(pose, rows_from(first, actor_count) * pose.shape[1], channel_rows, channels)
        follow(moving, channels, frames)
        put_palettes(frames, joints, inverse_bind, target, rows_at(target_rows, 0))
        if streamed:
            stream_rows(target, width, palette, out_rows, min(8, actor_count - first))
    fence()
