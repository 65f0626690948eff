"""The skin of a rig in its bind pose: the joint matrices, and the vertices that each joint moves."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import determinant


def bind_matrices(skeleton: Skeleton) -> dict[int, NDArray[np.float64]]:
    """Return a dictionary from each skinned joint to its matrix [3, 4] in the bind pose.

    The function omits joints with a singular inverse bind matrix.
    """
    matrices = skeleton.inverse_bind.astype(np.float64)
    known = np.flatnonzero(determinant(matrices[..., :3]))
    inverse = affine.inverse(matrices[known])
    return {int(skeleton.skin_joints[entry]): inverse[at] for at, entry in reversed([*enumerate(known)])}


def skin_of(rig: Rig, joints: set[int]) -> NDArray[np.float64]:
    """Return the positions [vertex, 3] in the bind pose of all vertices that mainly follow the joints `joints`.

    The result contains only vertices of the finest meshes. A vertex mainly follows the joint of its largest skin
    weight.
    """
    parts = [np.zeros((0, 3), np.float32)]
    for mesh in rig.level(0):
        strongest = np.take_along_axis(
            mesh.palette_indices, np.argmax(mesh.weights, axis=1, keepdims=True), axis=1
        ).ravel()
        parts.append(mesh.positions[np.isin(rig.skeleton.skin_joints[strongest], list(joints))])
    return np.concatenate(parts).astype(np.float64)
