"""Bounding sphere of a character for any joint rotations. The module computes the sphere from the reach of
the joints.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.spaces import LocalSpace
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose

Ball = NDArray[np.float64]  # [4], centre and radius in rig units


def reach_ball(bake: Bake, entries: NDArray[np.int64], corners: NDArray[np.float64], balls: Sequence[Ball]) -> Ball:
    """Return a sphere that contains the skin for all blends of clips and all joint rotations.

    `corners` [n, 8, 3] are the box corners of the skin of the palette entries `entries` [n]. The centre of the sphere
    is the middle of the trunk's positions in the clips. The trunk is the first joint that has several child joints,
    that a clip rotates, or that moves skin. The reach of a joint is the largest possible distance from the joint to the
    skin of the joint and its descendants. For the reach, each bone has the greatest length that it has in any pose. The
    returned sphere also contains the spheres `balls`.
    """
    pose, skeleton = _all_poses(bake), bake.skeleton
    reach = _reaches(skeleton, pose, entries, corners)
    model = model_matrices(skeleton, pose).astype(np.float64)
    found = []
    for root in np.flatnonzero((skeleton.parents < 0) & (reach > 0)):
        trunk = _trunk(skeleton, pose, reach, entries, int(root))
        found.append(_ball(model, skeleton, trunk, float(reach[trunk])))
    return ball_round([*found, *balls])


def ball_round(balls: Sequence[Ball]) -> Ball:
    """Return a sphere that contains all spheres in `balls`.

    If `balls` is empty, the sphere is at the origin with radius 0.
    """
    if not len(balls):
        return np.zeros(4)
    centres, radii = np.array(balls)[:, :3], np.array(balls)[:, 3]
    middle = ((centres - radii[:, None]).min(axis=0) + (centres + radii[:, None]).max(axis=0)) / 2
    return np.array([*middle, float((np.linalg.norm(centres - middle, axis=1) + radii).max())])


def _all_poses(bake: Bake) -> Pose:
    """Return the poses [row, joint] of all rows of a local bake, and the rest pose.

    For a model bake, return only the rest pose.
    """
    rest = bake.skeleton.rest_pose
    poses = [Pose(rest.translation[None], rest.rotation[None], rest.scale[None])]
    if isinstance(bake.space, LocalSpace):
        poses += [bake.space.pose(bake.decoded(number)) for number in range(len(bake.clips))]
    fields = ("translation", "rotation", "scale")
    return Pose(*(np.concatenate([getattr(pose, field) for pose in poses]) for field in fields))


def _reaches(
    skeleton: Skeleton, pose: Pose, entries: NDArray[np.int64], corners: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the reach of each joint in units of its parent joint, [joint].

    The reach is 0 if the joint and its descendants do not move skin.
    """
    own = np.zeros(skeleton.joint_count)
    bound = affine.transform_points(skeleton.inverse_bind[entries, None].astype(np.float64), corners)
    np.maximum.at(own, skeleton.skin_joints[entries], np.linalg.norm(bound, axis=-1).max(axis=-1, initial=0))
    length = np.linalg.norm(pose.translation, axis=-1).max(axis=0)
    stretch = np.abs(pose.scale).max(axis=(0, 2))
    for joint in range(skeleton.joint_count - 1, -1, -1):
        own[joint] *= stretch[joint]
        parent = skeleton.parents[joint]
        if parent >= 0 and own[joint] > 0:
            own[parent] = max(own[parent], length[joint] + own[joint])
    return own


def _trunk(skeleton: Skeleton, pose: Pose, reach: NDArray[np.float64], entries: NDArray[np.int64], joint: int) -> int:
    """Return the joint of the trunk. The search starts at `joint` and continues down the joint tree.

    The trunk is the first joint that has several child joints with skin, that clips rotate or scale, or that moves
    skin.
    """
    skinned = set(skeleton.skin_joints[entries].tolist())
    while joint not in skinned and _stands(pose, joint):
        below = np.flatnonzero((skeleton.parents == joint) & (reach > 0))
        if len(below) != 1:
            break
        joint = int(below[0])
    return joint


def _stands(pose: Pose, joint: int) -> bool:
    """Return whether the rotation and the scale of a joint are constant over all poses."""
    rotation, scale = pose.rotation[:, joint], pose.scale[:, joint]
    return bool(np.allclose(np.abs(rotation @ rotation[0]), 1, atol=1e-6) and np.allclose(scale, scale[0], atol=1e-6))


def _ball(model: NDArray[np.float64], skeleton: Skeleton, trunk: int, reach: float) -> Ball:
    positions = model[:, trunk, :, 3]
    parent = skeleton.parents[trunk]
    scale = float(np.linalg.norm(model[0, parent, :, :3], 2)) if parent >= 0 else 1.0
    middle = (positions.min(axis=0) + positions.max(axis=0)) / 2
    return np.array([*middle, float(np.linalg.norm(positions - middle, axis=1).max()) + scale * reach])
