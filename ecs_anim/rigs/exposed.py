"""Rigs that show their inner structure: bones, skin weights or normals in place of the surface."""

import colorsys
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices, pose_with
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.maths import affine
from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.rigs.bones import body_joints, bone_meshes
from ecs_anim.support.errors import InputError

Part = Literal["surface", "skeleton", "weights", "normals"]
GOLDEN = 0.61803398875  # step of the hue from joint to joint, so that neighbouring joints differ
PLAIN = Material("plain", (1.0, 1.0, 1.0, 0.0))  # alpha 0: the tints of actors do not change the colours


def exposed(rig: Rig, part: Part) -> Rig:
    """Return a copy of a rig that shows `part`. A rig without meshes shows its skeleton."""
    return _PARTS[part](rig) if rig.meshes else with_bones(rig)


def with_bones(rig: Rig) -> Rig:
    """Return a rig copy that shows bones and joints in place of the meshes.

    A bone begins at a joint that moves vertices, or at a descendant of such a joint. Therefore, no bone leads from the
    origin of the model to the body. If no bone begins at such a joint, all joints have bones. Raises InputError for a
    rig without bones.
    """
    rest = model_matrices(rig.skeleton, rig.skeleton.rest_pose).astype(np.float64)
    numbers = np.arange(rig.skeleton.joint_count, dtype=np.int32)
    skeleton = replace(rig.skeleton, skin_joints=numbers, inverse_bind=affine.inverse(rest).astype(np.float32))
    meshes = bone_meshes(skeleton, joints=body_joints(rig)) or bone_meshes(skeleton)
    if not meshes:
        raise InputError(
            f"{rig.name}: the skeleton must have two joints at different positions. Name another model, or show another"
            " part"
        )
    clips = {name: replace(clip, skeleton=skeleton) for name, clip in rig.clips.items()}
    return replace(rig, skeleton=skeleton, clips=clips, meshes=meshes, figures=())


def with_weight_colors(rig: Rig) -> Rig:
    """Return a copy of a rig with one colour for each joint.

    The colour of a vertex is the mean of the joint colours, weighted by the skin weights of the vertex.
    """
    joints = np.array([colorsys.hsv_to_rgb(GOLDEN * joint % 1, 0.75, 0.95) for joint in rig.skeleton.skin_joints])

    def colors(mesh: Mesh) -> NDArray[np.floating]:
        return np.sum(mesh.weights[..., None] * srgb_to_linear(joints)[mesh.palette_indices], axis=1)

    return _colored(rig, colors)


def with_normal_colors(rig: Rig) -> Rig:
    """Return a copy of a rig with the normals of the bind pose as colours: x, y, z = 2 (R, G, B) - 1."""
    return _colored(rig, lambda mesh: srgb_to_linear(0.5 + 0.5 * mesh.normals.astype(np.float64)))


def in_bind_pose(rig: Rig) -> Rig:
    """Return a copy of a rig whose rest pose is the bind pose of its skins.

    Joints without a skin keep their local transforms from the rest pose. A palette entry whose inverse bind matrix is
    the identity belongs to a rigid mesh. Such a palette entry does not count as a skin.
    """
    skeleton = rig.skeleton
    bind = {
        int(joint): affine.inverse(matrix.astype(np.float64))
        for joint, matrix in zip(skeleton.skin_joints, skeleton.inverse_bind, strict=True)
        if not np.array_equal(matrix, np.eye(3, 4))
    }
    return rig.posed(pose_with(skeleton, bind))


def _colored(rig: Rig, colors: Callable[[Mesh], NDArray[np.floating]]) -> Rig:
    """Return a copy of a rig with vertex colours [vertex, 3] (linear RGB) in place of materials."""

    def colored(mesh: Mesh) -> Mesh:
        opaque = np.ones((mesh.vertex_count, 1))
        rgba = np.concatenate([colors(mesh), opaque], axis=1).astype(np.float32)
        return replace(mesh, material=PLAIN, colors=rgba)

    return replace(rig, meshes=tuple(map(colored, rig.meshes)))


def _unchanged(rig: Rig) -> Rig:
    return rig


_PARTS: dict[Part, Callable[[Rig], Rig]] = {
    "surface": _unchanged,
    "skeleton": with_bones,
    "weights": with_weight_colors,
    "normals": with_normal_colors,
}
PARTS: tuple[Part, ...] = tuple(_PARTS)
