"""Frames of eight actors side by side, as `traversal.follow` leaves them: helpers to read and to move them."""

from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.matrices import turned_rows
from ecs_anim.kernels.traversal import FRAME
from ecs_anim.kernels.vectors import subtract, turned
from ecs_anim.simd import load, store


@inlined
def _row(frames, at):
    """A row of eight matrices."""
    return load(frames, at), load(frames, at + 8), load(frames, at + 16), load(frames, at + 24)


@inlined
def _put_row(frames, at, row, further):
    """Write a row of eight matrices whose joints go that much further."""
    store(frames, at, row[0])
    store(frames, at + 8, row[1])
    store(frames, at + 16, row[2])
    store(frames, at + 24, row[3] + further)


@inlined
def read_frame(frames, joint):
    """A joint's matrix: three rows of four numbers."""
    at = FRAME * joint
    return _row(frames, at), _row(frames, at + 32), _row(frames, at + 64)


@inlined
def put_frame(frames, joint, matrix):
    """Write a joint's matrix."""
    at, (x, y, z) = FRAME * joint, matrix
    for number in range(4):
        store(frames, at + 8 * number, x[number])
        store(frames, at + 32 + 8 * number, y[number])
        store(frames, at + 64 + 8 * number, z[number])


@inlined
def frame_origin(frames, joint):
    """Where a joint is."""
    at = FRAME * joint
    return load(frames, at + 24), load(frames, at + 56), load(frames, at + 88)


@inlined
def move_frames(frames, joints, first, last, rotation, pivot, goal):
    """Turn joints about a point, and carry that point to `goal`."""
    further = subtract(goal, turned(rotation, pivot))
    for i in range(first, last):
        joint = joints[uint64(i)]
        at, (x, y, z) = FRAME * joint, read_frame(frames, joint)
        _put_row(frames, at, turned_rows(rotation[0], rotation[1], rotation[2], x, y, z), further[0])
        _put_row(frames, at + 32, turned_rows(rotation[3], rotation[4], rotation[5], x, y, z), further[1])
        _put_row(frames, at + 64, turned_rows(rotation[6], rotation[7], rotation[8], x, y, z), further[2])


@inlined
def raise_frames(frames, joints, count, by):
    """Move so many joints upwards."""
    for i in range(count):
        at = FRAME * joints[uint64(i)] + 56
        store(frames, at, load(frames, at) + by)
