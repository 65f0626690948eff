"""Frames: joint matrices of eight actors in model space, side by side. A joint has `FRAME` numbers: three rows of four
vectors. Each lane of a vector belongs to one actor.
"""

from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.traversal import FRAME, ROW
from ecs_anim.simd import load, load_each, store

Y = ROW + 24  # offset of a joint's y coordinate


@inlined
def read_frame(frames, joint):
    """Return the matrix of a joint: three rows of four vectors."""
    at = FRAME * joint
    return load_each(frames, at, 4), load_each(frames, at + ROW, 4), load_each(frames, at + 2 * ROW, 4)


@inlined
def put_row(frames, at, row, further):
    """Write a row of a matrix. Add `further` to its last number, which is a coordinate of the joint."""
    store(frames, at, (row[0], row[1], row[2], row[3] + further))


@inlined
def put_frame(frames, joint, matrix):
    """Write the matrix of a joint."""
    at, (x, y, z) = FRAME * joint, matrix
    store(frames, at, (*x, *y, *z))


@inlined
def frame_origin(frames, joint):
    """Return the position of a joint: x, y, z."""
    at = FRAME * joint + 24
    return load(frames, at), load(frames, at + ROW), load(frames, at + 2 * ROW)


@inlined
def raise_frames(frames, joints, count, by):
    """Move the first `count` joints in the list `joints` up by the distance `by`."""
    for number in range(count):
        at = FRAME * joints[uint64(number)] + Y
        store(frames, at, load(frames, at) + by)
