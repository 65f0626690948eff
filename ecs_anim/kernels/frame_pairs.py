"""Frames of sixteen actors, as two blocks of eight side by side: helpers that read and move them as `frames` does one.

Formulas are those of eight actors, and give the same bits: `combine` makes sixteen lanes, so each root serves all.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.frames import frame_origin, read_frame
from ecs_anim.kernels.matrices import turned_rows
from ecs_anim.kernels.traversal import FRAME
from ecs_anim.kernels.vectors import subtract, turned
from ecs_anim.simd import combine, load, split, store


@inlined
def read_frames(pair, joint):
    """A joint's matrix, as `read_frame` has it, of two eights of frames."""
    return combine(read_frame(pair[0], joint), read_frame(pair[1], joint))


@inlined
def origin_of_both(pair, joint):
    """Where a joint is."""
    return combine(frame_origin(pair[0], joint), frame_origin(pair[1], joint))


@inlined
def _put_rows(pair, at, row, further):
    u, v, w, p = split(row[0]), split(row[1]), split(row[2]), split(row[3] + further)
    for number in range(2):
        store(pair[number], at, u[number])
        store(pair[number], at + 8, v[number])
        store(pair[number], at + 16, w[number])
        store(pair[number], at + 24, p[number])


@inlined
def move_both(pair, joints, first, last, rotation, pivot, goal):
    """Turn joints about a point, and carry that point to `goal`."""
    further = subtract(goal, turned(rotation, pivot))
    for i in range(first, last):
        joint = joints[np.uint64(i)]
        at, (x, y, z) = FRAME * joint, read_frames(pair, joint)
        _put_rows(pair, at, turned_rows(rotation[0], rotation[1], rotation[2], x, y, z), further[0])
        _put_rows(pair, at + 32, turned_rows(rotation[3], rotation[4], rotation[5], x, y, z), further[1])
        _put_rows(pair, at + 64, turned_rows(rotation[6], rotation[7], rotation[8], x, y, z), further[2])


@inlined
def raise_both(pair, joints, count, by):
    """Move so many joints upwards."""
    first, second = split(by)
    for i in range(count):
        at = FRAME * joints[np.uint64(i)] + 56
        ups = load(pair[0], at) + first, load(pair[1], at) + second
        store(pair[0], at, ups[0])
        store(pair[1], at, ups[1])
