"""Skeletons: joints, their parents, the rest pose, and what binds a skin to them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ecs_anim.transform import Pose


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints ordered parents first.

    Rest pose, bind pose and inverse bind matrices are three things: the rest pose is what the file's
    nodes say, the inverse bind matrices are the skin's accessor untouched, and neither follows from the
    other. A palette entry is a pair of a joint and an inverse bind matrix; several skins, and rigid
    meshes that hang from a joint, share one palette.
    """

    joint_names: tuple[str, ...]  # [joint_count], unique
    parents: NDArray[np.int32]  # [joint_count] i32, parents[j] < j, -1 = root
    rest_pose: Pose  # [joint_count], local
    skin_joints: NDArray[np.int32]  # [palette_count] i32, the joint of each palette entry
    inverse_bind: NDArray[np.float32]  # [palette_count, 3, 4] f32, model space to joint space at binding

    @property
    def joint_count(self) -> int:
        return len(self.joint_names)

    @property
    def palette_count(self) -> int:
        return len(self.skin_joints)

    @cached_property
    def rest_matrices(self) -> NDArray[np.float32]:
        """Local matrices of the rest pose [joint_count, 3, 4] f32."""
        return np.ascontiguousarray(self.rest_pose.to_matrix(), np.float32)

    def joint_index(self, name: str) -> int:
        """Index of a joint by its name. Raises KeyError."""
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise KeyError(name) from None
