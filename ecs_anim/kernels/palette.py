"""Model-space matrices and skin palettes for a chunk of actors, eight actors at a time.

Eight pose rows are turned round, so that a vector holds one number of eight actors; with that all is plain arithmetic,
joint by joint, and only the finished matrices are turned back. Indices are cast to unsigned where they come from
arrays: numba then leaves out its test for negative indices.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels.lanes import eight, four, one, put, splat_eight, transposed, transposed_four
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, WALK, void
from ecs_anim.walk import CHANNELS

ONE, TWO = np.float32(1), np.float32(2)
LAST = np.array([0, 0, 0, 1], np.float32)  # the row that affine matrices leave out
CHANNEL, FRAME = 8 * CHANNELS, 8 * 12  # floats that a joint's channels and its matrices take
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def _eight_rows(first, count, width, rows):
    """Where eight actors' rows begin; behind the last actor he himself is taken again."""
    for k in range(8):
        rows[k] = min(first + k, count - 1) * width


@njit(inline="always")
def _read_eight(pose, rows, at):
    """Eight numbers of eight rows, turned round: a vector a number."""
    return transposed(
        eight(pose, rows[0] + at),
        eight(pose, rows[1] + at),
        eight(pose, rows[2] + at),
        eight(pose, rows[3] + at),
        eight(pose, rows[4] + at),
        eight(pose, rows[5] + at),
        eight(pose, rows[6] + at),
        eight(pose, rows[7] + at),
    )


@njit(inline="always")
def _read_channels(pose, rows, places, channels):
    """Put what eight pose rows say to where the joints' channels are."""
    width = places.shape[0]
    if width < 8:
        for number in range(width):
            for k in range(8):
                put(channels, places[number] + k, one(pose, rows[k] + number))
        return
    for number in range(0, width, 8):
        at = min(number, width - 8)
        a, b, c, d, e, f, g, h = _read_eight(pose, rows, at)
        n = uint64(at)
        put(channels, places[n], a)
        put(channels, places[n + uint64(1)], b)
        put(channels, places[n + uint64(2)], c)
        put(channels, places[n + uint64(3)], d)
        put(channels, places[n + uint64(4)], e)
        put(channels, places[n + uint64(5)], f)
        put(channels, places[n + uint64(6)], g)
        put(channels, places[n + uint64(7)], h)


@njit(inline="always")
def _rotation(channels, at):
    """The columns of eight rotations, scaled: nine vectors."""
    x, y, z, w = eight(channels, at), eight(channels, at + 8), eight(channels, at + 16), eight(channels, at + 24)
    x2, y2, z2, ones = x * TWO, y * TWO, z * TWO, splat_eight(ONE)
    s0, s1, s2 = eight(channels, at + 56), eight(channels, at + 64), eight(channels, at + 72)
    return (
        ((ones - y * y2 - z * z2) * s0, (x * y2 + w * z2) * s0, (x * z2 - w * y2) * s0),
        ((x * y2 - w * z2) * s1, (ones - x * x2 - z * z2) * s1, (y * z2 + w * x2) * s1),
        ((x * z2 + w * y2) * s2, (y * z2 - w * x2) * s2, (ones - x * x2 - y * y2) * s2),
    )


@njit(inline="always")
def _walk(steps, channels, frames):
    """Frames of joints, parents first: twelve vectors each, three rows of four."""
    for step in range(steps.shape[0]):
        s = uint64(step)
        joint, parent, at = FRAME * steps[s, 0], FRAME * steps[s, 1], CHANNEL * steps[s, 0]
        c0, c1, c2 = _rotation(channels, at)
        t0, t1, t2 = eight(channels, at + 32), eight(channels, at + 40), eight(channels, at + 48)
        for row in range(0, FRAME, 32):
            a, b, c = eight(frames, parent + row), eight(frames, parent + row + 8), eight(frames, parent + row + 16)
            put(frames, joint + row, a * c0[0] + b * c0[1] + c * c0[2])
            put(frames, joint + row + 8, a * c1[0] + b * c1[1] + c * c1[2])
            put(frames, joint + row + 16, a * c2[0] + b * c2[1] + c * c2[2])
            put(frames, joint + row + 24, a * t0 + b * t1 + c * t2 + eight(frames, parent + row + 24))


@njit(inline="always")
def _first_frames(joint_count, fixed, channels):
    """Frames of all joints, of which those that never move are done, and the space that roots are in."""
    frames = np.zeros(FRAME * (joint_count + 1), np.float32)
    for axis in range(3):
        put(frames, FRAME * joint_count + 40 * axis, splat_eight(ONE))
    _walk(fixed, channels, frames)
    return frames


@njit(inline="always")
def _skin_row(frames, at, inverse_bind, entry):
    """A row of eight frames times an inverse bind matrix."""
    a, b, c, d = eight(frames, at), eight(frames, at + 8), eight(frames, at + 16), eight(frames, at + 24)
    return (
        a * one(inverse_bind, entry) + b * one(inverse_bind, entry + 4) + c * one(inverse_bind, entry + 8),
        a * one(inverse_bind, entry + 1) + b * one(inverse_bind, entry + 5) + c * one(inverse_bind, entry + 9),
        a * one(inverse_bind, entry + 2) + b * one(inverse_bind, entry + 6) + c * one(inverse_bind, entry + 10),
        a * one(inverse_bind, entry + 3) + b * one(inverse_bind, entry + 7) + c * one(inverse_bind, entry + 11) + d,
    )


@njit(inline="always")
def _frame_row(frames, at):
    """A row of eight frames."""
    return eight(frames, at), eight(frames, at + 8), eight(frames, at + 16), eight(frames, at + 24)


@njit(inline="always")
def _put_matrices(out, rows, at, x, y, z):
    """Write eight matrices, given by rows of vectors, turned back: twelve numbers an actor."""
    a, b, c, d, e, f, g, h = transposed(x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3])
    put(out, rows[0] + at, a)
    put(out, rows[1] + at, b)
    put(out, rows[2] + at, c)
    put(out, rows[3] + at, d)
    put(out, rows[4] + at, e)
    put(out, rows[5] + at, f)
    put(out, rows[6] + at, g)
    put(out, rows[7] + at, h)
    a, b, c, d, e, f, g, h = transposed_four(z[0], z[1], z[2], z[3])
    put(out, rows[0] + at + 8, a)
    put(out, rows[1] + at + 8, b)
    put(out, rows[2] + at + 8, c)
    put(out, rows[3] + at + 8, d)
    put(out, rows[4] + at + 8, e)
    put(out, rows[5] + at + 8, f)
    put(out, rows[6] + at + 8, g)
    put(out, rows[7] + at + 8, h)


@njit(inline="always")
def multiply_affine(a, i, b, j, out, k):
    """out[k] = a[i] b[j], affine matrices of twelve floats, three rows of four."""
    x, y, z, last = four(b, 12 * j), four(b, 12 * j + 4), four(b, 12 * j + 8), four(LAST, 0)
    for row in range(3):
        c = uint64(4 * row)
        a0, a1, a2, a3 = a[i, c], a[i, c + uint64(1)], a[i, c + uint64(2)], a[i, c + uint64(3)]
        put(out, 12 * k + 4 * row, x * a0 + y * a1 + z * a2 + last * a3)


@njit(void(WALK, COUNT, FLOATS_2D, OUT_3D), cache=True, nogil=True, fastmath=FASTMATH)
def model_matrices(walk, actor_count, pose, out_model):
    """Model-space matrices of a chunk of pose rows.

    walk: the `WalkArrays` of all joints; pose [>= actor_count, row_width]; out_model [>= actor_count, joint_count, 12].
    """
    moving, places, joint_count = walk.moving, walk.places, out_model.shape[1]
    channels = walk.rest.copy()
    frames = _first_frames(joint_count, walk.fixed, channels)
    rows, out_rows = np.empty(8, np.int64), np.empty(8, np.int64)
    for first in range(0, actor_count, 8):
        _eight_rows(first, actor_count, pose.shape[1], rows)
        _eight_rows(first, actor_count, 12 * joint_count, out_rows)
        _read_channels(pose, rows, places, channels)
        _walk(moving, channels, frames)
        for joint in range(joint_count):
            at = FRAME * joint
            x, y, z = _frame_row(frames, at), _frame_row(frames, at + 32), _frame_row(frames, at + 64)
            _put_matrices(out_model, out_rows, 12 * joint, x, y, z)


@njit(void(INTS, FLOATS_2D, FLOATS_3D, OUT_3D), cache=True, nogil=True, fastmath=FASTMATH)
def skin_palettes(skin_joints, inverse_bind, model, out_palette):
    """Skin matrices of a chunk: each palette entry's joint matrix times its inverse bind matrix.

    skin_joints [palette_count]; inverse_bind [palette_count, 12]; model [>= chunk, joint_count, 12];
    out_palette [chunk, palette_count, 12] f32.
    """
    for actor in range(out_palette.shape[0]):
        source, out = model[actor], out_palette[actor]
        for entry in range(skin_joints.shape[0]):
            e = uint64(entry)
            multiply_affine(source, uint64(skin_joints[e]), inverse_bind, e, out, e)


@njit(void(WALK, INTS, FLOATS_2D, COUNT, FLOATS_2D, OUT_3D), cache=True, nogil=True, fastmath=FASTMATH)
def pose_palettes(walk, joints, inverse_bind, joint_count, pose, out_palette):
    """Skin matrices of a chunk of pose rows, without model matrices: what nothing corrects in between needs no more.

    walk, joints [palette_count], inverse_bind [palette_count, 12] of a `SkinWalk`; pose [>= chunk, row_width];
    out_palette [chunk, palette_count, 12] f32.
    """
    moving, places, actor_count = walk.moving, walk.places, out_palette.shape[0]
    channels = walk.rest.copy()
    frames = _first_frames(joint_count, walk.fixed, channels)
    rows, out_rows = np.empty(8, np.int64), np.empty(8, np.int64)
    for first in range(0, actor_count, 8):
        _eight_rows(first, actor_count, pose.shape[1], rows)
        _eight_rows(first, actor_count, 12 * joints.shape[0], out_rows)
        _read_channels(pose, rows, places, channels)
        _walk(moving, channels, frames)
        for entry in range(joints.shape[0]):
            at, e = FRAME * joints[uint64(entry)], 12 * entry
            x, y = _skin_row(frames, at, inverse_bind, e), _skin_row(frames, at + 32, inverse_bind, e)
            _put_matrices(out_palette, out_rows, e, x, y, _skin_row(frames, at + 64, inverse_bind, e))
