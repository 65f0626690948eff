"""Rotations and positions of joints in model space, and local rotations that give wanted rotations in model space."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose

Reals = NDArray[np.floating]


class Frames(NamedTuple):
    """Rotations and positions of joints in model space. Joint scales affect the positions, but not the rotations."""

    rotations: Reals  # [..., joint, 4]
    positions: Reals  # [..., joint, 3], [rig units]


def frames_of(skeleton: Skeleton, pose: Pose) -> Frames:
    """Return the model-space positions and rotations of the joints in local poses [..., joint]."""
    pose = Pose(*(part.astype(np.float64) for part in (pose.translation, pose.rotation, pose.scale)))
    rotations = quaternion.normalize(pose.rotation)
    for joints, parents in skeleton.generations[1:]:
        rotations[..., joints, :] = quaternion.multiply(rotations[..., parents, :], rotations[..., joints, :])
    return Frames(rotations, model_matrices(skeleton, pose)[..., 3])


def local_rotations(skeleton: Skeleton, rest: Reals, turned: Mapping[int, Reals]) -> Reals:
    """Return local rotations [..., joint, 4] of all joints. `turned` contains the wanted rotations [..., 4] of some
    joints in model space.

    For these joints, the result contains the local rotations that give the wanted rotations. All other joints have
    their local rotations from `rest` [joint, 4].
    """
    leading = np.broadcast_shapes(*(rotation.shape[:-1] for rotation in turned.values()))
    local = np.broadcast_to(rest, (*leading, *rest.shape)).copy()
    model = local.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = model[..., parent, :] if parent >= 0 else quaternion.IDENTITY.astype(np.float64)
        if joint in turned:
            local[..., joint, :] = quaternion.multiply(quaternion.conjugate(above), turned[joint])
        model[..., joint, :] = quaternion.multiply(above, local[..., joint, :])
    return quaternion.normalize(local)
