"""Skeletons for exported files. In the exported file formats, a skin can use each joint only once."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths.transform import Pose
from ecs_anim.support.names import unique_names


@dataclass(frozen=True)
class Bones:
    """The joints of a skeleton, followed by helper joints.

    If several palette entries use one joint, each of these palette entries except the first gets a helper joint. The
    helper joint is a child of the joint, and never moves relative to this joint.
    """

    names: tuple[str, ...]  # [bone]
    parents: NDArray[np.int32]  # [bone]
    rest: Pose  # [bone], local
    entries: NDArray[np.int32]  # [palette entry], index of the bone

    @classmethod
    def of(cls, skeleton: Skeleton) -> Self:
        """Return the bones of a skeleton."""
        _, first = np.unique(skeleton.skin_joints, return_index=True)
        again = np.setdiff1d(np.arange(skeleton.palette_count), first)
        entries, joints = skeleton.skin_joints.copy(), skeleton.skin_joints[again]
        entries[again] = skeleton.joint_count + np.arange(len(again))
        names = [*skeleton.joint_names, *(f"{skeleton.joint_names[joint]}_bind" for joint in joints.tolist())]
        parents = np.concatenate([skeleton.parents, joints])
        return cls(tuple(unique_names(names, "joint")), parents, with_helpers(skeleton.rest_pose, len(again)), entries)

    @property
    def count(self) -> int:
        """Return the number of bones, including helper joints."""
        return len(self.names)


def with_helpers(pose: Pose, count: int) -> Pose:
    """Return `pose` [..., joint], extended to `count` joints.

    The added helper joints do not move relative to their parents.
    """
    own = Pose.identity(*pose.rotation.shape[:-2], count)
    parts = ((getattr(pose, name), getattr(own, name)) for name in ("translation", "rotation", "scale"))
    return Pose(*(np.concatenate(both, axis=-2) for both in parts))
