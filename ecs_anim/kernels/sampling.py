"""Sampling uniform clip tables for a chunk of actors."""

import numpy as np
from numba import njit

from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, INTS, OUT_2D, void

ONE = np.float32(1)
ZERO = np.float32(0)


@njit(inline="always")
def _place(time, duration, count):
    """Row before a time, and the time's place between it and the next row."""
    if count == 0 or duration <= ZERO:
        return 0, ZERO
    place = time / duration * np.float32(count)
    row = min(max(int(place), 0), count - 1)
    return row, min(max(place - np.float32(row), ZERO), ONE)


@njit(inline="always")
def _normalize(pose, width):
    """Scale the quaternions of a pose row to unit length."""
    for lane in range(width):
        x, y, z, w = pose[lane], pose[width + lane], pose[2 * width + lane], pose[3 * width + lane]
        scale = ONE / np.sqrt(x * x + y * y + z * z + w * w)
        pose[lane] = x * scale
        pose[width + lane] = y * scale
        pose[2 * width + lane] = z * scale
        pose[3 * width + lane] = w * scale


@njit(
    void(FLOATS_2D, INTS, INTS, FLOATS, COUNT, INTS, FLOATS, OUT_2D),
    cache=True,
    nogil=True,
    fastmath={"contract", "arcp", "nsz"},
)
def sample_tables(rows, first_row, interval_count, duration, rotation_width, clip_index, time, out_pose):
    """Pose rows of a chunk of actors: two neighbouring table rows mixed, rotations normalised.

    rows [row_count, row_width] f32; first_row, interval_count, duration [clip_count]; clip_index, time
    [chunk], time in seconds since the clip's start; out_pose [>= chunk, row_width] f32.
    """
    for actor in range(clip_index.shape[0]):
        clip = clip_index[actor]
        count = interval_count[clip]
        row, fraction = _place(time[actor], duration[clip], count)
        a = rows[first_row[clip] + row]
        b = rows[first_row[clip] + min(row + 1, count)]
        pose = out_pose[actor]
        for lane in range(pose.shape[0]):
            pose[lane] = a[lane] + (b[lane] - a[lane]) * fraction
        _normalize(pose, rotation_width)
