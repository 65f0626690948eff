"""Joint matrices of sixteen actors: two `frames`. With `combine`, one square root instruction processes all sixteen
actors, with the bits of eight. The two `frames` can be the same memory, because each helper reads before it writes.
"""

import numpy as np

from ecs_anim.kernels import inlined
from ecs_anim.kernels.frames import Y, frame_origin, put_row, read_frame
from ecs_anim.kernels.matrices import turned_rows
from ecs_anim.kernels.traversal import FRAME, ROW
from ecs_anim.kernels.vectors import subtract, turned
from ecs_anim.simd import combine, load, split, store


@inlined
def read_frames(pair, joint):
    """Return the matrix of a joint: three rows of four vectors."""
    return combine(read_frame(pair[0], joint), read_frame(pair[1], joint))


@inlined
def origin_of_both(pair, joint):
    """Return the position of a joint: x, y, z."""
    return combine(frame_origin(pair[0], joint), frame_origin(pair[1], joint))


@inlined
def _put_rows(pair, at, row, further):
    one, other = split((row, further))
    put_row(pair[0], at, *one)
    put_row(pair[1], at, *other)


@inlined
def move_both(pair, joints, first, last, rotation, pivot, goal):
    """Rotate the joints in joints[first:last] about the point `pivot`. Then move these joints by `goal` - `pivot`."""
    further = subtract(goal, turned(rotation, pivot))
    for number in range(first, last):
        joint = joints[np.uint64(number)]
        at, (x, y, z) = FRAME * joint, read_frames(pair, joint)
        _put_rows(pair, at, turned_rows(rotation[0], rotation[1], rotation[2], x, y, z), further[0])
        _put_rows(pair, at + ROW, turned_rows(rotation[3], rotation[4], rotation[5], x, y, z), further[1])
        _put_rows(pair, at + 2 * ROW, turned_rows(rotation[6], rotation[7], rotation[8], x, y, z), further[2])


@inlined
def raise_both(pair, joints, count, by):
    """Move the first `count` joints in the list `joints` up by the distance `by`."""
    one, other = split(by)
    for number in range(count):
        at = FRAME * joints[np.uint64(number)] + Y
        raised = load(pair[0], at) + one, load(pair[1], at) + other
        store(pair[0], at, raised[0])
        store(pair[1], at, raised[1])
