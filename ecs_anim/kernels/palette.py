"""Model-space matrices and skin palettes for a chunk of actors.

Local matrices are planes, one lane a joint, made for eight joints at once. The parent walk then composes columns of
four floats; a column of the parent is a vector, a number of the local matrix a factor, so nothing is shuffled.
Indices are cast to unsigned where they come from arrays: numba then leaves out its test for negative indices.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels.lanes import eight, four, one, put, splat_eight
from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, WALK, void

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
LAST = np.array([0, 0, 0, 1], np.float32)  # the row that affine matrices leave out
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def _place_rotations(pose, at, width, scale, local):
    """Scaled rotation matrices of a pose row's unit quaternions, into the linear parts of the local matrices."""
    ones = splat_eight(ONE)
    for lane in range(0, width, 8):
        x, y = eight(pose, at + lane), eight(pose, at + width + lane)
        z, w = eight(pose, at + 2 * width + lane), eight(pose, at + 3 * width + lane)
        s0, s1, s2 = eight(scale, 3 * lane), eight(scale, 3 * lane + 8), eight(scale, 3 * lane + 16)
        x2, y2, z2, to = x * TWO, y * TWO, z * TWO, 12 * lane
        put(local, to, (ones - y * y2 - z * z2) * s0)
        put(local, to + 8, (x * y2 - w * z2) * s1)
        put(local, to + 16, (x * z2 + w * y2) * s2)
        put(local, to + 32, (x * y2 + w * z2) * s0)
        put(local, to + 40, (ones - x * x2 - z * z2) * s1)
        put(local, to + 48, (y * z2 - w * x2) * s2)
        put(local, to + 64, (x * z2 - w * y2) * s0)
        put(local, to + 72, (y * z2 + w * x2) * s1)
        put(local, to + 80, (ones - x * x2 - y * y2) * s2)


@njit(inline="always")
def _place_vectors(pose, at, places, out, first, step):
    """Three planes of a pose row, one vector a joint, to rows first, first + step, first + 2 step of its block."""
    count = places.shape[0]
    for i in range(count):
        for axis in range(3):
            put(out, places[uint64(i)] + 8 * (first + step * axis), one(pose, at + axis * count + i))


@njit(inline="always")
def _place_locals(pose, actor, width, translations, scales, scale, local):
    """The local matrices of a pose row."""
    at = actor * pose.shape[1]
    _place_vectors(pose, at + 4 * width + 3 * translations.shape[0], scales, scale, 0, 1)
    _place_vectors(pose, at + 4 * width, translations, local, 3, 4)
    _place_rotations(pose, at, width, scale, local)


@njit(inline="always")
def _walk(steps, local, frames):
    """Frames of joints from local matrices, parents first: four columns of four floats each."""
    for step in range(steps.shape[0]):
        s = uint64(step)
        j, p, at = 16 * steps[s, 0], 16 * steps[s, 1], steps[s, 2]
        x, y, z = four(frames, p), four(frames, p + 4), four(frames, p + 8)
        for column in range(3):
            m = at + 8 * column
            put(frames, j + 4 * column, x * one(local, m) + y * one(local, m + 32) + z * one(local, m + 64))
        moved = x * one(local, at + 24) + y * one(local, at + 56) + z * one(local, at + 88)
        put(frames, j + 12, moved + four(frames, p + 12))


@njit(inline="always")
def _first_frames(joint_count, fixed, local):
    """Frames of all joints, of which those that never move are done, and the space that roots are in."""
    frames = np.zeros(16 * (joint_count + 1), np.float32)
    for axis in range(4):
        frames[16 * joint_count + 5 * axis] = ONE
    _walk(fixed, local, frames)
    return frames


@njit(inline="always")
def multiply_affine(a, i, b, j, out, k):
    """out[k] = a[i] b[j], affine matrices of twelve floats, three rows of four."""
    x, y, z, last = four(b, 12 * j), four(b, 12 * j + 4), four(b, 12 * j + 8), four(LAST, 0)
    for row in range(3):
        c = uint64(4 * row)
        a0, a1, a2, a3 = a[i, c], a[i, c + uint64(1)], a[i, c + uint64(2)], a[i, c + uint64(3)]
        put(out, 12 * k + 4 * row, x * a0 + y * a1 + z * a2 + last * a3)


@njit(inline="always")
def _write_palette(frames, joints, inverse_bind, out, at):
    """Skin matrices of one actor from flat index `at` on: each entry's frame times its inverse bind matrix."""
    last = four(LAST, 0)
    for entry in range(joints.shape[0]):
        x, y, z = four(inverse_bind, 12 * entry), four(inverse_bind, 12 * entry + 4), four(inverse_bind, 12 * entry + 8)
        for row in range(3):
            f = 16 * joints[uint64(entry)] + row
            a0, a1, a2, a3 = one(frames, f), one(frames, f + 4), one(frames, f + 8), one(frames, f + 12)
            put(out, at + 12 * entry + 4 * row, x * a0 + y * a1 + z * a2 + last * a3)


@njit(void(WALK, COUNT, COUNT, FLOATS_2D, OUT_3D), cache=True, nogil=True, fastmath=FASTMATH)
def model_matrices(walk, rotation_width, actor_count, pose, out_model):
    """Model-space matrices of a chunk of pose rows.

    walk: the `WalkArrays` of all joints; pose [>= actor_count, row_width]; out_model [>= actor_count, joint_count, 12].
    """
    moving, translations, scales = walk.moving, walk.translations, walk.scales
    local, scale, joint_count = walk.rest.copy(), walk.scale.copy(), out_model.shape[1]
    frames = _first_frames(joint_count, walk.fixed, local)
    for actor in range(actor_count):
        _place_locals(pose, actor, rotation_width, translations, scales, scale, local)
        _walk(moving, local, frames)
        for joint in range(joint_count):
            j = uint64(joint)
            for place in range(12):
                out_model[actor, j, uint64(place)] = one(frames, 16 * joint + 4 * (place % 4) + place // 4)


@njit(void(INTS, FLOATS_2D, FLOATS_3D, OUT_3D), cache=True, nogil=True, fastmath=FASTMATH)
def skin_palettes(skin_joints, inverse_bind, model, out_palette):
    """Skin matrices of a chunk: each palette entry's joint matrix times its inverse bind matrix.

    skin_joints [palette_count]; inverse_bind [palette_count, 12]; model [>= chunk, joint_count, 12];
    out_palette [chunk, palette_count, 12] f32.
    """
    for actor in range(out_palette.shape[0]):
        source, out = model[actor], out_palette[actor]
        for entry in range(skin_joints.shape[0]):
            e = uint64(entry)
            multiply_affine(source, uint64(skin_joints[e]), inverse_bind, e, out, e)


@njit(void(WALK, INTS, FLOATS_2D, COUNT, COUNT, FLOATS_2D, OUT_3D), cache=True, nogil=True, fastmath=FASTMATH)
def pose_palettes(walk, joints, inverse_bind, joint_count, rotation_width, pose, out_palette):
    """Skin matrices of a chunk of pose rows, without model matrices: what nothing corrects in between needs no more.

    walk, joints [palette_count], inverse_bind [palette_count, 12] of a `SkinWalk`; pose [>= chunk, row_width];
    out_palette [chunk, palette_count, 12] f32.
    """
    moving, translations, scales = walk.moving, walk.translations, walk.scales
    local, scale = walk.rest.copy(), walk.scale.copy()
    frames = _first_frames(joint_count, walk.fixed, local)
    for actor in range(out_palette.shape[0]):
        _place_locals(pose, actor, rotation_width, translations, scales, scale, local)
        _walk(moving, local, frames)
        _write_palette(frames, joints, inverse_bind, out_palette, actor * 12 * joints.shape[0])
