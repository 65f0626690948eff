"""Points that represent a character: the origins of its joints, and a box for each palette entry.

The box of a palette entry contains all vertices that this entry moves. With linear skinning, if the pose changes, every
vertex moves at most as far as the point that moves farthest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.entry_boxes import entry_boxes


@dataclass(frozen=True, eq=False)
class BodyPoints:
    """The origins of all joints, and the eight box corners of each palette entry that moves vertices."""

    skeleton: Skeleton
    joints: NDArray[np.int32]  # [n] i32, joint that moves each box
    corners: NDArray[np.float64]  # [n, 8, 3] f64, in joint space

    @classmethod
    def of(cls, skeleton: Skeleton, meshes: Sequence[Mesh]) -> "BodyPoints":
        """Return the points of `skeleton` and `meshes`. If `meshes` is empty, the points are only the joints."""
        entries, corners = entry_boxes(meshes)
        placed = affine.transform_points(skeleton.inverse_bind[entries, None].astype(np.float64), corners)
        return cls(skeleton, skeleton.skin_joints[entries], placed.astype(np.float64))

    @cached_property
    def size(self) -> float:
        """The extent of the joints in the rest pose, in model units.

        If all joints are at one position, the result is the extent of the skin.
        """
        model = model_matrices(self.skeleton, self.skeleton.rest_pose).astype(np.float64)
        skin = affine.transform_points(model[self.joints, None], self.corners).reshape(-1, 3)
        return _extent(model[..., 3]) or _extent(skin)

    def apart(self, pose: Pose, other: Pose) -> float:
        """Return the largest distance [model units] between the positions of a point in `pose` and in `other`.

        `pose` and `other` can contain many poses [..., joint].
        """
        wrong = model_matrices(self.skeleton, pose).astype(np.float64) - model_matrices(self.skeleton, other)
        carrying = wrong[..., self.joints, :, :]
        skin = affine.transform_points(carrying[..., None, :, :], self.corners).astype(np.float64)
        return max(_longest(wrong[..., 3]), _longest(skin))

    def reaches(self, clips: Iterable[Clip]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two arrays [joint_count]: the reach of each joint and the largest scale of each joint in model space.

        The reach is an upper bound of the distance [model units] from the joint to all points that the joint moves. The
        reach is valid for all rotations of joints. Both arrays use the largest translations and scales of the rest pose
        and of all keys.
        """
        length, factor = _largest(self.skeleton, clips)
        own = np.zeros(self.skeleton.joint_count)
        np.maximum.at(own, self.joints, np.linalg.norm(self.corners, axis=-1).max(axis=-1, initial=0))
        stretch = factor.copy()
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            stretch[joint] *= stretch[parent] if parent >= 0 else 1
        for joint in range(self.skeleton.joint_count - 1, -1, -1):
            parent = int(self.skeleton.parents[joint])
            if parent >= 0:
                own[parent] = max(own[parent], length[joint] + factor[joint] * own[joint])
        return stretch * own, stretch


def _largest(skeleton: Skeleton, clips: Iterable[Clip]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the longest translation and the largest scale of each joint [joint_count], over the rest pose and all
    keys.
    """
    length = np.linalg.norm(skeleton.rest_pose.translation.astype(np.float64), axis=-1)
    factor = np.abs(skeleton.rest_pose.scale.astype(np.float64)).max(axis=-1)
    for track in (track for clip in clips for track in clip.tracks):
        keys, joint = track.curve.key_values().astype(np.float64), track.joint_index
        match track.path:
            case "translation":
                length[joint] = max(length[joint], np.linalg.norm(keys, axis=-1).max())
            case "scale":
                factor[joint] = max(factor[joint], np.abs(keys).max())
            case "rotation":  # rotations do not change distances
                pass
            case _:
                assert_never(track.path)
    return length, factor


def _extent(points: NDArray[np.floating]) -> float:
    return float(np.ptp(points, axis=0).max()) if len(points) else 0.0


def _longest(vectors: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max(initial=0))
