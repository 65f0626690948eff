"""Conversion of local poses to model space and to skin palettes: the reference implementation for single poses.

The crowd kernels (`ecs_anim.kernels.palettes`) compute the same numbers as this module.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.support.checked import checked


@checked
def model_matrices(skeleton: Skeleton, pose: Pose) -> NDArray[np.float32]:
    """Return model-space matrices [..., joint, 3, 4] of local poses [..., joint].

    The function computes parents before children. Raises ValueError if `pose` and `skeleton` differ in joint count.
    """
    if pose.rotation.shape[-2:-1] != (skeleton.joint_count,):
        raise ValueError(f"the pose must have the {skeleton.joint_count} joints of the skeleton (got {pose!r})")
    model = pose.to_matrix()
    for joints, parents in skeleton.generations[1:]:
        model[..., joints, :, :] = affine.multiply(model[..., parents, :, :], model[..., joints, :, :])
    return model


@checked
def skin_palette(skeleton: Skeleton, pose: Pose) -> NDArray[np.float32]:
    """Return skin matrices [..., palette entry, 3, 4]. Each is its joint's model matrix x its inverse bind matrix."""
    model = model_matrices(skeleton, pose)
    return affine.multiply(model[..., skeleton.skin_joints, :, :], skeleton.inverse_bind)
