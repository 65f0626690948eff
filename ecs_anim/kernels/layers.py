"""Layers that change the poses of a chunk of actors.

An additive layer is added to the pose. An override layer replaces a share of the pose. A mask selects the joints.
"""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.sampling import flipped, inner, mixed_one, mixed_rotations, put_units, table_row
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, OUT_2D, void
from ecs_anim.simd import broadcast, fma, load, load1, store

ZERO, ONE = np.float32(0), np.float32(1)


@inlined
def _read_rotations(pose, at, width):
    return load(pose, at), load(pose, at + width), load(pose, at + 2 * width), load(pose, at + 3 * width)


@kernel(void(FLOATS_2D, COUNT, FLOATS, FLOATS, FLOATS, OUT_2D))
def add_layer(rows, rotation_width, phase, weight, mask, out_pose):
    """Add a clip of differences to pose rows. A rotation of the clip is the rotation of an additive clip x the inverse
    rotation of its reference pose. The kernel takes the share weight x mask of this rotation, and multiplies the pose's
    rotation from the left by the result. `rows` [interval_count + 1, row_width] contains the clip. `phase` and `weight`
    have the shape [chunk]. `mask` [row_width] is 0 to 1. `out_pose` has the shape [>= chunk, row_width].
    """
    width, last, row_width = rotation_width, rows.shape[0] - 1, rows.shape[1]
    for actor in range(phase.shape[0]):
        if weight[actor] == ZERO:
            continue
        row, fraction = table_row(phase[actor], last)
        begin, end, to = row * row_width, min(row + 1, last) * row_width, actor * row_width
        for lane in range(0, width, 8):
            q = mixed_rotations(rows, begin, end, fraction, lane, width)
            px, py, pz, pw = _read_rotations(out_pose, to + lane, width)
            share = load(mask, lane) * weight[actor]
            part = flipped(share * (ONE / np.sqrt(inner(q, q))), q[3])
            x, y, z, w = q[0] * part, q[1] * part, q[2] * part, fma(q[3], part, broadcast(ONE) - share)
            added = (
                fma(-z, py, fma(y, pz, fma(x, pw, w * px))),
                fma(z, px, fma(y, pw, fma(-x, pz, w * py))),
                fma(z, pw, fma(-y, px, fma(x, py, w * pz))),
                fma(-z, pz, fma(-y, py, fma(-x, px, w * pw))),
            )
            put_units(added, out_pose, to + lane, width)
        for lane in range(4 * width, row_width):
            difference = mixed_one(rows, begin, end, fraction, lane)
            store(out_pose, to + lane, load1(out_pose, to + lane) + weight[actor] * mask[lane] * difference)


@kernel(void(FLOATS_2D, COUNT, FLOATS, FLOATS, FLOATS, OUT_2D))
def override_layer(rows, rotation_width, phase, weight, mask, out_pose):
    """Replace the share weight x mask of each pose row by the row of a clip. See `add_layer` for the arguments."""
    width, last, row_width = rotation_width, rows.shape[0] - 1, rows.shape[1]
    for actor in range(phase.shape[0]):
        if weight[actor] == ZERO:
            continue
        row, fraction = table_row(phase[actor], last)
        begin, end, to = row * row_width, min(row + 1, last) * row_width, actor * row_width
        for lane in range(0, width, 8):
            q = mixed_rotations(rows, begin, end, fraction, lane, width)
            p = _read_rotations(out_pose, to + lane, width)
            share = load(mask, lane) * weight[actor]
            part, rest = flipped(share * (ONE / np.sqrt(inner(q, q))), inner(q, p)), broadcast(ONE) - share
            x, y = fma(q[0], part, p[0] * rest), fma(q[1], part, p[1] * rest)
            z, w = fma(q[2], part, p[2] * rest), fma(q[3], part, p[3] * rest)
            put_units((x, y, z, w), out_pose, to + lane, width)
        for lane in range(4 * width, row_width):
            value, posed = mixed_one(rows, begin, end, fraction, lane), load1(out_pose, to + lane)
            store(out_pose, to + lane, posed + weight[actor] * mask[lane] * (value - posed))
