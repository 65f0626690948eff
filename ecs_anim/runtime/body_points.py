"""Points that stand for a whole character: joints, and the corners of the box of what each palette entry moves.

Two poses that put no point apart by more than some distance put no linearly skinned vertex apart by more.
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
    """The origins of all joints, and eight corners of skin for each palette entry in use."""

    skeleton: Skeleton
    joints: NDArray[np.int32]  # [n] i32, that carry corners
    corners: NDArray[np.float64]  # [n, 8, 3] f64, in joint space

    @classmethod
    def of(cls, skeleton: Skeleton, meshes: Sequence[Mesh]) -> "BodyPoints":
        """Return the points of these meshes; without meshes, only the joints."""
        entries, corners = entry_boxes(meshes)
        placed = affine.transform_points(skeleton.inverse_bind[entries, None].astype(np.float64), corners)
        return cls(skeleton, skeleton.skin_joints[entries], placed.astype(np.float64))

    @cached_property
    def size(self) -> float:
        """Extent of the joints in the rest pose [model units]; of the skin where they have none."""
        model = model_matrices(self.skeleton, self.skeleton.rest_pose).astype(np.float64)
        skin = affine.transform_points(model[self.joints, None], self.corners).reshape(-1, 3)
        return _extent(model[..., 3]) or _extent(skin)

    def apart(self, pose: Pose, other: Pose) -> float:
        """How far two arrays of poses [..., joint] put a point apart at most [model units]."""
        wrong = model_matrices(self.skeleton, pose).astype(np.float64) - model_matrices(self.skeleton, other)
        carrying = wrong[..., self.joints, :, :]
        skin = affine.transform_points(carrying[..., None, :, :], self.corners).astype(np.float64)
        return max(_longest(wrong[..., 3]), _longest(skin))

    def reaches(self, clips: Iterable[Clip]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far points may be from each joint, and how much a length in its space is stretched, [joint_count] each.

        Distances are in model units. They are upper bounds for all points below the joint, for any joint rotations,
        with the largest translations and scales of the rest pose and of the clips' keys.
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
    """The longest translation and the largest scale factor of each joint [joint_count], at rest and at the keys."""
    length = np.linalg.norm(skeleton.rest_pose.translation.astype(np.float64), axis=-1)
    factor = np.abs(skeleton.rest_pose.scale.astype(np.float64)).max(axis=-1)
    for track in (track for clip in clips for track in clip.tracks):
        keys, joint = track.curve.key_values().astype(np.float64), track.joint_index
        match track.path:
            case "translation":
                length[joint] = max(length[joint], np.linalg.norm(keys, axis=-1).max())
            case "scale":
                factor[joint] = max(factor[joint], np.abs(keys).max())
            case "rotation":  # takes nothing farther
                pass
            case _:
                assert_never(track.path)
    return length, factor


def _extent(points: NDArray[np.floating]) -> float:
    return float(np.ptp(points, axis=0).max()) if len(points) else 0.0


def _longest(vectors: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max(initial=0))
