"""Frames: joint matrices of eight actors in model space, stored side by side as `traversal.follow` writes them.

A joint takes `FRAME` numbers: three rows of four vectors. Each lane of a vector belongs to one actor. `frame_pairs`
moves joints of sixteen actors.
"""

from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.traversal import FRAME, ROW
from ecs_anim.simd import load, load_each, store

Y = ROW + 24  # offset of the y coordinate of a joint's origin


@inlined
def read_frame(frames, joint):
    """Return a joint's matrix: three rows of four vectors."""
    at = FRAME * joint
    return load_each(frames, at, 4), load_each(frames, at + ROW, 4), load_each(frames, at + 2 * ROW, 4)


@inlined
def put_row(frames, at, row, further):
    """Write a row of a matrix. Add `further` to the last number of the row, the origin's coordinate."""
    store(frames, at, (row[0], row[1], row[2], row[3] + further))


@inlined
def put_frame(frames, joint, matrix):
    """Write a joint's matrix."""
    at, (x, y, z) = FRAME * joint, matrix
    store(frames, at, (*x, *y, *z))


@inlined
def frame_origin(frames, joint):
    """Return the position of a joint: x, y, z."""
    at = FRAME * joint + 24
    return load(frames, at), load(frames, at + ROW), load(frames, at + 2 * ROW)


@inlined
def raise_frames(frames, joints, count, by):
    """Move the first `count` joints of the list `joints` upwards by the distance `by`."""
    for number in range(count):
        at = FRAME * joints[uint64(number)] + Y
        store(frames, at, load(frames, at) + by)
