"""The skin as it was bound: where joints stood, and which vertices each moves."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import determinant


def bind_matrices(skeleton: Skeleton) -> dict[int, NDArray[np.float64]]:
    """Where each skinned joint stood when the skin was bound, [3, 4]; those whose matrices are undone are left out."""
    matrices = skeleton.inverse_bind.astype(np.float64)
    known = np.flatnonzero(determinant(matrices[..., :3]))
    inverse = affine.inverse(matrices[known])
    return {int(skeleton.skin_joints[entry]): inverse[at] for at, entry in reversed([*enumerate(known)])}


def skin_of(rig: Rig, joints: set[int]) -> NDArray[np.float64]:
    """The finest meshes' vertices that these joints move most, as bound, [vertex, 3]."""
    parts = [np.zeros((0, 3), np.float32)]
    for mesh in rig.level(0):
        strongest = np.take_along_axis(
            mesh.palette_indices, np.argmax(mesh.weights, axis=1, keepdims=True), axis=1
        ).ravel()
        parts.append(mesh.positions[np.isin(rig.skeleton.skin_joints[strongest], list(joints))])
    return np.concatenate(parts).astype(np.float64)
