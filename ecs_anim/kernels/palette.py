"""Model-space matrices and skin palettes for a chunk of actors.

Indices are cast to unsigned where they come from arrays: numba then leaves out its test for negative
indices, which halves the time of the parent walk.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels.types import COUNT, FLOATS_2D, FLOATS_3D, INTS, OUT_3D, void

ONE = np.float32(1)
TWO = np.float32(2)
FASTMATH = {"contract", "arcp", "nsz"}


@njit(inline="always")
def _rotations_to_matrices(pose, actor, width, out_planes):
    """Nine planes, row by row, of the rotation matrices of a pose row's unit quaternions."""
    for i in range(width):
        x, y, z, w = pose[actor, i], pose[actor, width + i], pose[actor, 2 * width + i], pose[actor, 3 * width + i]
        x2, y2, z2 = TWO * x, TWO * y, TWO * z
        out_planes[0, i] = ONE - y * y2 - z * z2
        out_planes[1, i] = x * y2 - w * z2
        out_planes[2, i] = x * z2 + w * y2
        out_planes[3, i] = x * y2 + w * z2
        out_planes[4, i] = ONE - x * x2 - z * z2
        out_planes[5, i] = y * z2 - w * x2
        out_planes[6, i] = x * z2 - w * y2
        out_planes[7, i] = y * z2 + w * x2
        out_planes[8, i] = ONE - x * x2 - y * y2


@njit(inline="always")
def _place_rotations(planes, joints, scale, local):
    """Write scaled rotation matrices into the linear parts of the local matrices."""
    for i in range(joints.shape[0]):
        j = uint64(joints[i])
        s0, s1, s2 = scale[j, 0], scale[j, 1], scale[j, 2]
        local[j, 0], local[j, 1], local[j, 2] = planes[0, i] * s0, planes[1, i] * s1, planes[2, i] * s2
        local[j, 4], local[j, 5], local[j, 6] = planes[3, i] * s0, planes[4, i] * s1, planes[5, i] * s2
        local[j, 8], local[j, 9], local[j, 10] = planes[6, i] * s0, planes[7, i] * s1, planes[8, i] * s2


@njit(inline="always")
def _place_vectors(pose, actor, at, joints, out, first, step):
    """Write three planes of a pose row, one vector a joint, into columns first, first + step, first + 2 step."""
    count = joints.shape[0]
    for i in range(count):
        j = uint64(joints[i])
        for axis in range(3):
            out[j, first + step * axis] = pose[actor, at + axis * count + i]


@njit(inline="always")
def multiply_affine(a, i, b, j, out, k):
    """out[k] = a[i] b[j], affine matrices of twelve floats, three rows of four."""
    b0, b1, b2, b3 = b[j, 0], b[j, 1], b[j, 2], b[j, 3]
    b4, b5, b6, b7 = b[j, 4], b[j, 5], b[j, 6], b[j, 7]
    b8, b9, b10, b11 = b[j, 8], b[j, 9], b[j, 10], b[j, 11]
    for row in range(3):
        c = uint64(4 * row)
        a0, a1, a2, a3 = a[i, c], a[i, c + uint64(1)], a[i, c + uint64(2)], a[i, c + uint64(3)]
        out[k, c] = a0 * b0 + a1 * b4 + a2 * b8
        out[k, c + uint64(1)] = a0 * b1 + a1 * b5 + a2 * b9
        out[k, c + uint64(2)] = a0 * b2 + a1 * b6 + a2 * b10
        out[k, c + uint64(3)] = a0 * b3 + a1 * b7 + a2 * b11 + a3


@njit(inline="always")
def _walk(parents, local, out):
    """Model matrices from local ones, parents first."""
    for joint in range(parents.shape[0]):
        j = uint64(joint)
        if parents[j] < 0:
            for column in range(12):
                out[j, column] = local[j, column]
        else:
            multiply_affine(out, uint64(parents[j]), local, j, out, j)


@njit(
    void(INTS, FLOATS_2D, FLOATS_2D, INTS, INTS, INTS, COUNT, FLOATS_2D, COUNT, OUT_3D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
)
def model_matrices(
    parents,
    rest_local,
    rest_scale,
    rotation_joints,
    translation_joints,
    scale_joints,
    rotation_width,
    pose,
    actor_count,
    out_model,
):
    """Model-space matrices of a chunk of pose rows.

    parents [joint_count]; rest_local [joint_count, 12] the rest pose's local matrices; rest_scale
    [joint_count, 3]; *_joints: the joint of each animated lane; pose [>= actor_count, row_width];
    out_model [>= actor_count, joint_count, 12] f32.
    """
    planes = np.empty((9, rotation_width), np.float32)
    local, scale = rest_local.copy(), rest_scale.copy()
    translation_at = 4 * rotation_width
    scale_at = translation_at + 3 * translation_joints.shape[0]
    for actor in range(actor_count):
        _rotations_to_matrices(pose, actor, rotation_width, planes)
        _place_vectors(pose, actor, scale_at, scale_joints, scale, 0, 1)
        _place_rotations(planes, rotation_joints, scale, local)
        _place_vectors(pose, actor, translation_at, translation_joints, local, 3, 4)
        _walk(parents, local, out_model[actor])


@njit(
    void(INTS, FLOATS_2D, FLOATS_3D, OUT_3D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
)
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
