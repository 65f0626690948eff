"""Conversion of local poses to model-space matrices and to skin palettes.

This module is the reference implementation for single poses. The crowd kernels in `ecs_anim.kernels.palettes` and this
module compute equal numbers.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.support.checked import checked


@checked
def model_matrices(skeleton: Skeleton, pose: Pose) -> NDArray[np.float32]:
    """Return model-space matrices [..., joint, 3, 4] of local poses [..., joint].

    The function computes parent joints before child joints. Raises ValueError if `pose` does not have the joint count
    of `skeleton`.
    """
    if pose.rotation.shape[-2:-1] != (skeleton.joint_count,):
        raise ValueError(
            f"the pose must have {skeleton.joint_count} joints, as many as the skeleton (got {pose!r}). Use a pose of"
            " this skeleton."
        )
    model = pose.to_matrix()
    for joints, parents in skeleton.generations[1:]:
        model[..., joints, :, :] = affine.multiply(model[..., parents, :, :], model[..., joints, :, :])
    return model


@checked
def skin_palette(skeleton: Skeleton, pose: Pose) -> NDArray[np.float32]:
    """Return skin matrices [..., palette entry, 3, 4].

    A skin matrix is the model matrix of the entry's joint times the entry's inverse bind matrix.
    """
    model = model_matrices(skeleton, pose)
    return affine.multiply(model[..., skeleton.skin_joints, :, :], skeleton.inverse_bind)


def pose_with(skeleton: Skeleton, placed: Mapping[int, NDArray[np.floating]]) -> Pose:
    """Return the pose [..., joint] in which the joints in `placed` have the model matrices [..., 3, 4] that `placed`
    contains.

    All other joints keep their rest transforms relative to their parents.
    """
    leading = next(iter(placed.values())).shape[:-2] if placed else ()
    rest = skeleton.rest_matrices.astype(np.float64)
    local = np.broadcast_to(rest, (*leading, *rest.shape)).copy()
    model = local.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = np.eye(3, 4) if parent < 0 else model[..., parent, :, :]
        model[..., joint, :, :] = placed.get(joint, affine.multiply(above, local[..., joint, :, :]))
        local[..., joint, :, :] = affine.multiply(affine.inverse(above), model[..., joint, :, :])
    return Pose.from_matrix(local)
