"""From pose rows to model space, eight actors at a time: helpers, inlined into the kernels that use them.

Eight pose rows are turned round, so that a vector holds one number of eight actors; with that all is plain arithmetic,
joint by joint, and only the finished matrices are turned back. Indices are cast to unsigned where they come from
arrays: numba then leaves out its test for negative indices.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels import inlined, maker
from ecs_anim.kernels.lanes import eight, fma, fnma, four, one, put, splat_eight, stream, transposed, transposed_four
from ecs_anim.runtime.traversal import CHANNELS

ONE, TWO = np.float32(1), np.float32(2)
CHANNEL, FRAME = 8 * CHANNELS, 8 * 12  # floats that a joint's channels and its matrices take


@inlined
def eight_rows(first, count, width, rows):
    """Where eight actors' rows begin; behind the last actor that one is taken again."""
    for k in range(8):
        rows[k] = min(first + k, count - 1) * width


@njit(inline="always")
def read_eight(pose, rows, at):
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


@inlined
def read_channels(pose, rows, channel_rows, channels):
    """Put what eight pose rows say to where the joints' channels are."""
    width = channel_rows.shape[0]
    if width < 8:
        for number in range(width):
            for k in range(8):
                put(channels, channel_rows[number] + k, one(pose, rows[k] + number))
        return
    for number in range(0, width, 8):
        at = min(number, width - 8)
        a, b, c, d, e, f, g, h = read_eight(pose, rows, at)
        n = uint64(at)
        put(channels, channel_rows[n], a)
        put(channels, channel_rows[n + uint64(1)], b)
        put(channels, channel_rows[n + uint64(2)], c)
        put(channels, channel_rows[n + uint64(3)], d)
        put(channels, channel_rows[n + uint64(4)], e)
        put(channels, channel_rows[n + uint64(5)], f)
        put(channels, channel_rows[n + uint64(6)], g)
        put(channels, channel_rows[n + uint64(7)], h)


@inlined
def _rotation(channels, at):
    """The columns of eight rotations, scaled: nine vectors."""
    x, y, z, w = eight(channels, at), eight(channels, at + 8), eight(channels, at + 16), eight(channels, at + 24)
    x2, y2, z2, ones = x * TWO, y * TWO, z * TWO, splat_eight(ONE)
    s0, s1, s2 = eight(channels, at + 56), eight(channels, at + 64), eight(channels, at + 72)
    return (
        (fnma(z, z2, fnma(y, y2, ones)) * s0, fma(w, z2, x * y2) * s0, fnma(w, y2, x * z2) * s0),
        (fnma(w, z2, x * y2) * s1, fnma(z, z2, fnma(x, x2, ones)) * s1, fma(w, x2, y * z2) * s1),
        (fma(w, y2, x * z2) * s2, fnma(w, x2, y * z2) * s2, fnma(y, y2, fnma(x, x2, ones)) * s2),
    )


@inlined
def follow(steps, channels, frames):
    """Frames of joints, parents first: twelve vectors each, three rows of four."""
    for step in range(steps.shape[0]):
        s = uint64(step)
        joint, parent, at = FRAME * steps[s, 0], FRAME * steps[s, 1], CHANNEL * steps[s, 0]
        c0, c1, c2 = _rotation(channels, at)
        t0, t1, t2 = eight(channels, at + 32), eight(channels, at + 40), eight(channels, at + 48)
        for row in range(0, FRAME, 32):
            a, b, c = eight(frames, parent + row), eight(frames, parent + row + 8), eight(frames, parent + row + 16)
            put(frames, joint + row, fma(c, c0[2], fma(b, c0[1], a * c0[0])))
            put(frames, joint + row + 8, fma(c, c1[2], fma(b, c1[1], a * c1[0])))
            put(frames, joint + row + 16, fma(c, c2[2], fma(b, c2[1], a * c2[0])))
            put(frames, joint + row + 24, fma(c, t2, fma(b, t1, fma(a, t0, eight(frames, parent + row + 24)))))


@maker
def first_frames(joint_count, fixed, channels):
    """Frames of all joints, of which those that never move are done, and the space that roots are in."""
    frames = np.zeros(FRAME * (joint_count + 1), np.float32)
    for axis in range(3):
        put(frames, FRAME * joint_count + 40 * axis, splat_eight(ONE))
    follow(fixed, channels, frames)
    return frames


@inlined
def put_matrices(out, rows, at, x, y, z):
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


@inlined
def stream_rows(source, width, out, rows, count):
    """Write rows [count, width] of `source`, one after the other, to where they begin in `out`, past the caches.

    Writing matrices of eight actors in turn, as `put_matrices` does, would take three times as long past the caches.
    """
    for k in range(count):
        at, to = k * width, rows[k]
        for i in range(0, width, 12):
            stream(out, to + i, four(source, at + i))
            stream(out, to + i + 4, four(source, at + i + 4))
            stream(out, to + i + 8, four(source, at + i + 8))
