"""Frames: joint matrices of actors in model space.

A joint of eight actors has `FRAME` numbers in `frames`: three rows of four vectors. Each lane belongs to one actor. For
sixteen actors, a pair of `frames` gives the same bits. The two `frames` can be the same memory, because each helper of
pairs reads before it writes. The actors of a block are `rows[first:end]` of `Blocks`.
"""

from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.traversal import FRAME, ROW
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, LONGS, OUT_2D, OUT_3D, void
from ecs_anim.kernels.vectors import dot, subtract, turned
from ecs_anim.simd import combine, gather_each, load, load_each, pointer, rows_at, scatter, split, store

Y = ROW + 24  # offset of a joint's y coordinate


@inlined
def read_matrix(model, starts, joint):
    """Return a joint's matrices for eight actors at the offsets `starts` in `model` [actor, joint, 12]."""
    x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3 = gather_each(model, starts, 12 * joint, 12)
    return (x0, x1, x2, x3), (y0, y1, y2, y3), (z0, z1, z2, z3)


@inlined
def origin_in(matrix):
    """Return the position of the joint whose matrix is `matrix`."""
    x, y, z = matrix
    return x[3], y[3], z[3]


@inlined
def placed_in(matrix, point):
    """Transform a point [3] from a joint's coordinate frame to model space. `matrix` is the joint's matrix."""
    x, y, z = matrix
    return dot(x, point) + x[3], dot(y, point) + y[3], dot(z, point) + z[3]


@inlined
def _moved_row(factors, matrix, further):
    """Return a row of a rotation, `factors`, times a matrix. Add `further` to its last number, a coordinate."""
    (a, b, c), (x, y, z) = factors, matrix
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
        a * x[3] + b * y[3] + c * z[3] + further,
    )


@inlined
def read_frame(frames, joint):
    """Return the matrix of a joint: three rows of four vectors."""
    at = FRAME * joint
    return load_each(frames, at, 4), load_each(frames, at + ROW, 4), load_each(frames, at + 2 * ROW, 4)


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


@inlined
def read_frames(pair, joint):
    """Return the matrix of a joint: three rows of four vectors."""
    return combine(read_frame(pair[0], joint), read_frame(pair[1], joint))


@inlined
def origin_of_both(pair, joint):
    """Return the position of a joint: x, y, z."""
    return combine(frame_origin(pair[0], joint), frame_origin(pair[1], joint))


@inlined
def move_both(pair, joints, first, last, rotation, pivot, goal):
    """Rotate the joints in joints[first:last] about the point `pivot`. Then move these joints by `goal` - `pivot`."""
    further = subtract(goal, turned(rotation, pivot))
    for number in range(first, last):
        joint = joints[uint64(number)]
        matrix = read_frames(pair, joint)
        x, y = _moved_row(rotation[0:3], matrix, further[0]), _moved_row(rotation[3:6], matrix, further[1])
        one, other = split((x, y, _moved_row(rotation[6:9], matrix, further[2])))
        put_frame(pair[0], joint, one)
        put_frame(pair[1], joint, other)


@inlined
def raise_both(pair, joints, count, by):
    """Move the first `count` joints in the list `joints` up by the distance `by`."""
    one, other = split(by)
    for number in range(count):
        at = FRAME * joints[uint64(number)] + Y
        raised = load(pair[0], at) + one, load(pair[1], at) + other
        store(pair[0], at, raised[0])
        store(pair[1], at, raised[1])


@inlined
def lanes_of(arrays, number):
    """Return a pointer to the row `number` of an array [eight, ...]. Each row belongs to eight actors."""
    return pointer(arrays[uint64(number)])


@inlined
def last_eight(first, end):
    """Return the position in the block of the first actor of the last group of eight actors."""
    return (end - first - 1) // 8 * 8


@inlined
def pair_of(arrays, begin, number, last):
    """Return pointers to two rows of an array [eight, ...] for the sixteen actors at the position `number` of a block,
    which begins at the row `begin`. If only eight actors remain (see `last_eight`), both pointers are equal.
    """
    return lanes_of(arrays, begin + number // 8), lanes_of(arrays, begin + min(number + 8, last) // 8)


@inlined
def rows_of(rows, first, number, last):
    """Return the rows of sixteen actors of the block that begins at `first`. See `pair_of` for `number` and `last`."""
    return rows_at(rows, first + number), rows_at(rows, first + min(number + 8, last))


@inlined
def put_model(frames, joint_count, model, starts):
    """Write joint matrices of eight actors from `frames` to `model`, at the offsets `starts`."""
    for joint in range(joint_count):
        x, y, z = read_frame(frames, joint)
        scatter(model, starts, 12 * joint, (*x, *y, *z))


@inlined
def read_model(model, starts, joint_count, frames):
    """Read joint matrices of eight actors from `model`, at the offsets `starts`, into `frames`."""
    for joint in range(joint_count):
        put_frame(frames, joint, read_matrix(model, starts, joint))


@kernel(void(FLOATS_2D, LONGS, OUT_3D))
def write_models(frames, rows, out_model):
    """Write the model matrices in `frames` [>= slot / 8, (joint + 1) x 12 x 8] to `out_model` [>= chunk, joint, 12].
    `rows` [slot] contains the actors' rows in the chunk, in the order of slots.
    """
    for slot in range(0, rows.shape[0], 8):
        starts = rows_at(rows, slot) * (12 * out_model.shape[1])
        put_model(lanes_of(frames, slot // 8), out_model.shape[1], pointer(out_model), starts)


@kernel(void(FLOATS_3D, LONGS, OUT_2D))
def read_models(model, rows, out_frames):
    """Read the model matrices of a chunk's actors from `model` into `out_frames`. See `write_models`."""
    for slot in range(0, rows.shape[0], 8):
        starts = rows_at(rows, slot) * (12 * model.shape[1])
        read_model(pointer(model), starts, model.shape[1], lanes_of(out_frames, slot // 8))
