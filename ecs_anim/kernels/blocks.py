"""Helpers of stages that read and write the data of a block: up to 128 actors in `rows[first:end]` of `Blocks`. Each
row of the array `frames` contains the model matrices of eight actors.
"""

from numba import uint64

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.frames import put_frame, read_frame
from ecs_anim.kernels.matrices import read_matrix
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, LONGS, OUT_2D, OUT_3D, void
from ecs_anim.simd import pointer, rows_at, scatter


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
