"""Conversion of pose rows to joint matrices in model space, eight actors at a time. Eight pose rows are transposed, so
that each vector contains one number of each of eight actors. All following steps are plain arithmetic, joint by joint.
"""

import numpy as np
from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.runtime.traversal import CHANNELS
from ecs_anim.simd import broadcast, fma, gather, gather_each, load4, load_each, store, store_nontemporal

ONE, TWO = np.float32(1), np.float32(2)
CHANNEL, FRAME = 8 * CHANNELS, 8 * 12  # number of floats of a joint in `channels` and in `frames`
ROW = 8 * 4  # number of floats in a row of a joint's matrix
TRANSLATION, SCALE = 8 * 4, 8 * 7  # offsets in a joint's channels; the rotation has offset 0


@inlined
def read_channels(pose, rows, channel_rows, channels):
    """Write eight pose rows to the channels of joints. `channel_rows` [number] contains the channel of each number."""
    width = channel_rows.shape[0]
    if width < 8:
        for number in range(width):
            store(channels, channel_rows[number], gather(pose, rows, number))
        return
    for number in range(0, width, 8):
        first = min(number, width - 8)
        numbers = gather_each(pose, rows, first, 8)
        for place in range(8):
            store(channels, channel_rows[uint64(first + place)], numbers[place])


@inlined
def _rotation(channels, at):
    """Return the columns of eight rotation matrices, multiplied by the scale, as nine vectors."""
    x, y, z, w = load_each(channels, at, 4)
    x2, y2, z2, ones = x * TWO, y * TWO, z * TWO, broadcast(ONE)
    s0, s1, s2 = load_each(channels, at + SCALE, 3)
    return (
        (fma(-z, z2, fma(-y, y2, ones)) * s0, fma(w, z2, x * y2) * s0, fma(-w, y2, x * z2) * s0),
        (fma(-w, z2, x * y2) * s1, fma(-z, z2, fma(-x, x2, ones)) * s1, fma(w, x2, y * z2) * s1),
        (fma(w, y2, x * z2) * s2, fma(-w, x2, y * z2) * s2, fma(-y, y2, fma(-x, x2, ones)) * s2),
    )


@inlined
def follow(steps, channels, frames):
    """Compute joint frames from channels, in the order of `steps` [n, 2]: joints and their parents, parents first."""
    for step in range(steps.shape[0]):
        s = uint64(step)
        joint, parent, at = FRAME * steps[s, 0], FRAME * steps[s, 1], CHANNEL * steps[s, 0]
        c0, c1, c2 = _rotation(channels, at)
        t0, t1, t2 = load_each(channels, at + TRANSLATION, 3)
        for row in range(0, FRAME, ROW):
            a, b, c, origin = load_each(frames, parent + row, 4)
            store(frames, joint + row, fma(c, c0[2], fma(b, c0[1], a * c0[0])))
            store(frames, joint + row + 8, fma(c, c1[2], fma(b, c1[1], a * c1[0])))
            store(frames, joint + row + 16, fma(c, c2[2], fma(b, c2[1], a * c2[0])))
            store(frames, joint + row + 24, fma(c, t2, fma(b, t1, fma(a, t0, origin))))


@inlined
def stream_rows(source, width, out, rows, count):
    """Write the rows of `source` [count, width] to `out`, at the offsets `rows`, with stores that bypass the CPU
    caches. A loop that alternates between eight rows would take three times as long.
    """
    for k in range(count):
        at, to = k * width, rows[k]
        for i in range(0, width, 12):
            for four in range(i, i + 12, 4):
                store_nontemporal(out, to + four, load4(source, at + four))
