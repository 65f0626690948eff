"""From pose rows to model space, eight actors at a time: helpers, inlined into the kernels that use them.

Eight pose rows are turned round, so that a vector holds one number of eight actors; with that all is plain arithmetic,
joint by joint, and only the finished matrices are turned back. Indices are cast to unsigned where they come from
arrays: numba then leaves out its test for negative indices.
"""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.runtime.traversal import CHANNELS
from ecs_anim.simd import broadcast, fma, gather, gather8, load, load4, scatter4, scatter8, store, store_nontemporal

ONE, TWO = np.float32(1), np.float32(2)
CHANNEL, FRAME = 8 * CHANNELS, 8 * 12  # floats that a joint's channels and its matrices take


@inlined
def read_channels(pose, rows, channel_rows, channels):
    """Put what eight pose rows say to where the joints' channels are."""
    width = channel_rows.shape[0]
    if width < 8:
        for number in range(width):
            store(channels, channel_rows[number], gather(pose, rows, number))
        return
    for number in range(0, width, 8):
        at = min(number, width - 8)
        a, b, c, d, e, f, g, h = gather8(pose, rows, at)
        n = uint64(at)
        store(channels, channel_rows[n], a)
        store(channels, channel_rows[n + uint64(1)], b)
        store(channels, channel_rows[n + uint64(2)], c)
        store(channels, channel_rows[n + uint64(3)], d)
        store(channels, channel_rows[n + uint64(4)], e)
        store(channels, channel_rows[n + uint64(5)], f)
        store(channels, channel_rows[n + uint64(6)], g)
        store(channels, channel_rows[n + uint64(7)], h)


@inlined
def _rotation(channels, at):
    """The columns of eight rotations, scaled: nine vectors."""
    x, y, z, w = load(channels, at), load(channels, at + 8), load(channels, at + 16), load(channels, at + 24)
    x2, y2, z2, ones = x * TWO, y * TWO, z * TWO, broadcast(ONE)
    s0, s1, s2 = load(channels, at + 56), load(channels, at + 64), load(channels, at + 72)
    return (
        (fma(-z, z2, fma(-y, y2, ones)) * s0, fma(w, z2, x * y2) * s0, fma(-w, y2, x * z2) * s0),
        (fma(-w, z2, x * y2) * s1, fma(-z, z2, fma(-x, x2, ones)) * s1, fma(w, x2, y * z2) * s1),
        (fma(w, y2, x * z2) * s2, fma(-w, x2, y * z2) * s2, fma(-y, y2, fma(-x, x2, ones)) * s2),
    )


@inlined
def follow(steps, channels, frames):
    """Frames of joints, parents first: twelve vectors each, three rows of four."""
    for step in range(steps.shape[0]):
        s = uint64(step)
        joint, parent, at = FRAME * steps[s, 0], FRAME * steps[s, 1], CHANNEL * steps[s, 0]
        c0, c1, c2 = _rotation(channels, at)
        t0, t1, t2 = load(channels, at + 32), load(channels, at + 40), load(channels, at + 48)
        for row in range(0, FRAME, 32):
            a, b, c = load(frames, parent + row), load(frames, parent + row + 8), load(frames, parent + row + 16)
            store(frames, joint + row, fma(c, c0[2], fma(b, c0[1], a * c0[0])))
            store(frames, joint + row + 8, fma(c, c1[2], fma(b, c1[1], a * c1[0])))
            store(frames, joint + row + 16, fma(c, c2[2], fma(b, c2[1], a * c2[0])))
            store(frames, joint + row + 24, fma(c, t2, fma(b, t1, fma(a, t0, load(frames, parent + row + 24)))))


@inlined
def put_matrices(out, rows, at, x, y, z):
    """Write eight matrices, given by rows of vectors, turned back: twelve numbers an actor."""
    scatter8(out, rows, at, x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3])
    scatter4(out, rows, at + 8, z[0], z[1], z[2], z[3])


@inlined
def stream_rows(source, width, out, rows, count):
    """Write rows [count, width] of `source`, one after the other, to where they begin in `out`, past the caches.

    Writing matrices of eight actors in turn, as `put_matrices` does, would take three times as long past the caches.
    """
    for k in range(count):
        at, to = k * width, rows[k]
        for i in range(0, width, 12):
            store_nontemporal(out, to + i, load4(source, at + i))
            store_nontemporal(out, to + i + 4, load4(source, at + i + 4))
            store_nontemporal(out, to + i + 8, load4(source, at + i + 8))
