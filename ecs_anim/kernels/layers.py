"""Layers on top of a chunk's poses: additive ones, and ones that replace what their mask says."""

import numpy as np
from numba import njit

from ecs_anim.kernels.sampling import mixed_rotation, normalize_rotations, table_place
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, OUT_2D, void

ONE = np.float32(1)
ZERO = np.float32(0)
FASTMATH = {"contract", "arcp", "nsz"}


@njit(void(FLOATS_2D, COUNT, FLOATS, FLOATS, FLOATS, OUT_2D), cache=True, nogil=True, fastmath=FASTMATH)
def add_layer(rows, rotation_width, phase, weight, mask, out_pose):
    """Add a clip of differences to pose rows.

    rows [interval_count + 1, row_width], rotations as additive x reference^-1, the rest as differences;
    phase, weight [chunk]; mask [row_width], a share for each lane; out_pose [>= chunk, row_width].
    Each rotation is (identity to difference, by weight x share) x pose.
    """
    width = rotation_width
    for actor in range(phase.shape[0]):
        if weight[actor] == ZERO:
            continue
        pose = out_pose[actor]
        row, fraction = table_place(phase[actor], rows.shape[0] - 1)
        a, b = rows[row], rows[min(row + 1, rows.shape[0] - 1)]
        for lane in range(width):
            share = weight[actor] * mask[lane]
            x, y, z, w = mixed_rotation(a, b, fraction, width, lane)
            length = ONE / np.sqrt(x * x + y * y + z * z + w * w)
            share_xyz = share * length if w >= ZERO else -share * length
            x, y, z, w = share_xyz * x, share_xyz * y, share_xyz * z, ONE - share + share_xyz * w
            px, py, pz, pw = pose[lane], pose[width + lane], pose[2 * width + lane], pose[3 * width + lane]
            pose[lane] = w * px + x * pw + y * pz - z * py
            pose[width + lane] = w * py - x * pz + y * pw + z * px
            pose[2 * width + lane] = w * pz + x * py - y * px + z * pw
            pose[3 * width + lane] = w * pw - x * px - y * py - z * pz
        for lane in range(4 * width, pose.shape[0]):
            difference = a[lane] + (b[lane] - a[lane]) * fraction
            pose[lane] += weight[actor] * mask[lane] * difference
        normalize_rotations(pose, width)


@njit(void(FLOATS_2D, COUNT, FLOATS, FLOATS, FLOATS, OUT_2D), cache=True, nogil=True, fastmath=FASTMATH)
def override_layer(rows, rotation_width, phase, weight, mask, out_pose):
    """Blend a clip over pose rows, as far as weight x mask say; arguments as for `add_layer`."""
    width = rotation_width
    for actor in range(phase.shape[0]):
        if weight[actor] == ZERO:
            continue
        pose = out_pose[actor]
        row, fraction = table_place(phase[actor], rows.shape[0] - 1)
        a, b = rows[row], rows[min(row + 1, rows.shape[0] - 1)]
        for lane in range(width):
            share = weight[actor] * mask[lane]
            x, y, z, w = mixed_rotation(a, b, fraction, width, lane)
            length = ONE / np.sqrt(x * x + y * y + z * z + w * w)
            px, py, pz, pw = pose[lane], pose[width + lane], pose[2 * width + lane], pose[3 * width + lane]
            scale = share * length if x * px + y * py + z * pz + w * pw >= ZERO else -share * length
            pose[lane] = px * (ONE - share) + scale * x
            pose[width + lane] = py * (ONE - share) + scale * y
            pose[2 * width + lane] = pz * (ONE - share) + scale * z
            pose[3 * width + lane] = pw * (ONE - share) + scale * w
        for lane in range(4 * width, pose.shape[0]):
            value = a[lane] + (b[lane] - a[lane]) * fraction
            pose[lane] += weight[actor] * mask[lane] * (value - pose[lane])
        normalize_rotations(pose, width)
