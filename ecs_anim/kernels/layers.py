"""Layers on top of a chunk's poses: additive ones, and ones that replace what their mask says."""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.sampling import inner, mixed_eight, mixed_one, table_row
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, OUT_2D, void
from ecs_anim.simd import broadcast, flipsign, fma, load, load1, store

ONE = np.float32(1)
ZERO = np.float32(0)


@inlined
def _mixed_unit(rows, a, b, fraction, width):
    """Eight rotations between two rows, and what scales them to unit length."""
    x, y = mixed_eight(rows, a, b, fraction, 0), mixed_eight(rows, a, b, fraction, width)
    z, w = mixed_eight(rows, a, b, fraction, 2 * width), mixed_eight(rows, a, b, fraction, 3 * width)
    return x, y, z, w, ONE / np.sqrt(inner(x, y, z, w, x, y, z, w))


@inlined
def _read_rotations(pose, at, width):
    return load(pose, at), load(pose, at + width), load(pose, at + 2 * width), load(pose, at + 3 * width)


@inlined
def _put_units(pose, at, width, x, y, z, w):
    """Write eight rotations, scaled to unit length."""
    factor = ONE / np.sqrt(inner(x, y, z, w, x, y, z, w))
    store(pose, at, x * factor)
    store(pose, at + width, y * factor)
    store(pose, at + 2 * width, z * factor)
    store(pose, at + 3 * width, w * factor)


@kernel(void(FLOATS_2D, COUNT, FLOATS, FLOATS, FLOATS, OUT_2D))
def add_layer(rows, rotation_width, phase, weight, mask, out_pose):
    """Add a clip of differences to pose rows.

    rows [interval_count + 1, row_width], rotations as additive x reference^-1, the rest as differences;
    phase, weight [chunk]; mask [row_width], a share for each lane; out_pose [>= chunk, row_width].
    Each rotation is (identity to difference, by weight x share) x pose.
    """
    width, last, row_width = rotation_width, rows.shape[0] - 1, rows.shape[1]
    for actor in range(phase.shape[0]):
        if weight[actor] == ZERO:
            continue
        row, fraction = table_row(phase[actor], last)
        begin, end, to = row * row_width, min(row + 1, last) * row_width, actor * row_width
        for lane in range(0, width, 8):
            x, y, z, w, length = _mixed_unit(rows, begin + lane, end + lane, fraction, width)
            px, py, pz, pw = _read_rotations(out_pose, to + lane, width)
            share = load(mask, lane) * weight[actor]
            part = flipsign(share * length, w)
            x, y, z, w = x * part, y * part, z * part, fma(w, part, broadcast(ONE) - share)
            _put_units(
                out_pose,
                to + lane,
                width,
                fma(-z, py, fma(y, pz, fma(x, pw, w * px))),
                fma(z, px, fma(y, pw, fma(-x, pz, w * py))),
                fma(z, pw, fma(-y, px, fma(x, py, w * pz))),
                fma(-z, pz, fma(-y, py, fma(-x, px, w * pw))),
            )
        for lane in range(4 * width, row_width):
            difference = mixed_one(rows, begin, end, fraction, lane)
            store(out_pose, to + lane, load1(out_pose, to + lane) + weight[actor] * mask[lane] * difference)


@kernel(void(FLOATS_2D, COUNT, FLOATS, FLOATS, FLOATS, OUT_2D))
def override_layer(rows, rotation_width, phase, weight, mask, out_pose):
    """Blend a clip over pose rows, as far as weight x mask say; arguments as for `add_layer`."""
    width, last, row_width = rotation_width, rows.shape[0] - 1, rows.shape[1]
    for actor in range(phase.shape[0]):
        if weight[actor] == ZERO:
            continue
        row, fraction = table_row(phase[actor], last)
        begin, end, to = row * row_width, min(row + 1, last) * row_width, actor * row_width
        for lane in range(0, width, 8):
            x, y, z, w, length = _mixed_unit(rows, begin + lane, end + lane, fraction, width)
            px, py, pz, pw = _read_rotations(out_pose, to + lane, width)
            share = load(mask, lane) * weight[actor]
            part, rest = flipsign(share * length, inner(x, y, z, w, px, py, pz, pw)), broadcast(ONE) - share
            _put_units(
                out_pose,
                to + lane,
                width,
                fma(x, part, px * rest),
                fma(y, part, py * rest),
                fma(z, part, pz * rest),
                fma(w, part, pw * rest),
            )
        for lane in range(4 * width, row_width):
            value, posed = mixed_one(rows, begin, end, fraction, lane), load1(out_pose, to + lane)
            store(out_pose, to + lane, posed + weight[actor] * mask[lane] * (value - posed))
