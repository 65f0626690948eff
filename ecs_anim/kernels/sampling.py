"""Sampling the motions that a chunk of actors plays: all clips in flight, mixed into one pose row each."""

import numpy as np
from numba import njit

from ecs_anim.kernels.motion import fade_progress, member_weights
from ecs_anim.kernels.types import COUNT, FLOATS_2D, INTS, INTS_2D, MOTIONS, OUT_2D, void
from ecs_anim.motion import MAX_MEMBERS

ONE = np.float32(1)
ZERO = np.float32(0)
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def table_place(phase, count):
    """Row before a phase, and the phase's place between it and the next row."""
    place = phase * np.float32(count)
    row = min(max(int(place), 0), max(count - 1, 0))
    return row, min(max(place - np.float32(row), ZERO), ONE)


@njit(inline="always")
def mixed_rotation(a, b, fraction, width, lane):
    """Quaternion of one lane between two rows, not normalised."""
    x = a[lane] + (b[lane] - a[lane]) * fraction
    y = a[width + lane] + (b[width + lane] - a[width + lane]) * fraction
    z = a[2 * width + lane] + (b[2 * width + lane] - a[2 * width + lane]) * fraction
    w = a[3 * width + lane] + (b[3 * width + lane] - a[3 * width + lane]) * fraction
    return x, y, z, w


@njit(inline="always")
def _begin(a, b, fraction, weight, pose):
    """pose = weight x (a to b)."""
    for lane in range(pose.shape[0]):
        pose[lane] = (a[lane] + (b[lane] - a[lane]) * fraction) * weight


@njit(inline="always")
def _accumulate(a, b, fraction, weight, width, pose):
    """pose += weight x (a to b), each rotation turned into the half-space of what is there."""
    for lane in range(width):
        x, y, z, w = mixed_rotation(a, b, fraction, width, lane)
        along = x * pose[lane] + y * pose[width + lane] + z * pose[2 * width + lane] + w * pose[3 * width + lane]
        share = weight if along >= ZERO else -weight
        pose[lane] += share * x
        pose[width + lane] += share * y
        pose[2 * width + lane] += share * z
        pose[3 * width + lane] += share * w
    for lane in range(4 * width, pose.shape[0]):
        pose[lane] += (a[lane] + (b[lane] - a[lane]) * fraction) * weight


@njit(inline="always")
def normalize_rotations(pose, width):
    """Scale the quaternions of a pose row to unit length."""
    for lane in range(width):
        x, y, z, w = pose[lane], pose[width + lane], pose[2 * width + lane], pose[3 * width + lane]
        scale = ONE / np.sqrt(x * x + y * y + z * z + w * w)
        pose[lane] = x * scale
        pose[width + lane] = y * scale
        pose[2 * width + lane] = z * scale
        pose[3 * width + lane] = w * scale


@njit(
    void(
        FLOATS_2D,
        INTS,
        INTS,
        COUNT,
        MOTIONS,
        FLOATS_2D,
        INTS,
        INTS_2D,
        FLOATS_2D,
        FLOATS_2D,
        FLOATS_2D,
        OUT_2D,
    ),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
)
def sample_motions(
    rows,
    first_row,
    interval_count,
    rotation_width,
    motions,
    parameters,
    slot_count,
    motion,
    phase,
    fade_time,
    fade_duration,
    out_pose,
):
    """Pose rows of a chunk of actors: every slot's motion, every member's clip, by their weights.

    rows [row_count, row_width]; first_row, interval_count [clip_count]; parameters [chunk, parameter];
    slot_count [chunk]; motion, phase, fade_time, fade_duration [chunk, slot]; out_pose [>= chunk, row_width].
    A slot covers the ones before it as far as it has faded in. Newest first; nothing more is sampled once a
    slot covers the rest.
    """
    table, members = motions.motion, motions.member
    weights = np.empty(MAX_MEMBERS, np.float32)
    for actor in range(slot_count.shape[0]):
        pose = out_pose[actor]
        remaining, empty = ONE, True
        for slot in range(slot_count[actor] - 1, -1, -1):
            progress = fade_progress(fade_time, fade_duration, actor, slot)
            number = motion[actor, slot]
            member_weights(table, members, number, parameters, actor, weights)
            for member in range(table[number]["member_count"]):
                weight = remaining * progress * weights[member]
                if weight <= ZERO:
                    continue
                clip = members[table[number]["first_member"] + member]["clip"]
                row, fraction = table_place(phase[actor, slot], interval_count[clip])
                a = rows[first_row[clip] + row]
                b = rows[first_row[clip] + min(row + 1, interval_count[clip])]
                if empty:
                    _begin(a, b, fraction, weight, pose)
                    empty = False
                else:
                    _accumulate(a, b, fraction, weight, rotation_width, pose)
            remaining *= ONE - progress
            if remaining <= ZERO:
                break
        normalize_rotations(pose, rotation_width)
