"""Skeletons. A skeleton consists of joints, the parents of the joints, the rest pose, and the binding between skin and
joints.
"""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import small_matrices
from ecs_anim.maths.transform import Pose
from ecs_anim.support.arguments import unknown
from ecs_anim.support.array_layouts import Shape
from ecs_anim.support.checked import checked, checked_fields


@checked_fields
@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints of a character. Parent joints come before child joints.

    The rest pose contains the transforms of the nodes in the glTF file. The inverse bind matrices define the bind pose.
    The loader copies them from the file without a change. Rest pose and bind pose are independent data. A palette entry
    is a pair of a joint and an inverse bind matrix. All skins share one palette. Rigid meshes that follow a joint also
    use this palette.
    """

    joint_names: tuple[str, ...]  # [joint_count], unique
    parents: Annotated[NDArray[np.int32], Shape("joint")]  # parents[j] < j, -1 = root
    rest_pose: Pose  # [joint_count], local
    skin_joints: Annotated[NDArray[np.int32], Shape("palette entry")]  # joint of each palette entry
    # Matrices from model space to joint space in the bind pose.
    inverse_bind: Annotated[NDArray[np.float32], Shape("palette entry", 3, 4)]

    def __post_init__(self) -> None:
        count, numbers = self.joint_count, np.arange(self.joint_count)
        if len(self.parents) != count or self.rest_pose.rotation.shape != (count, 4):
            posed = [*self.rest_pose.rotation.shape[:-1]]
            got = f"{len(self.parents)} parents and a rest pose of {posed}"
            raise ValueError(
                f"a skeleton of {count} joints must have {count} parents and a rest pose of {count} joints (got {got})"
            )
        if ((self.parents < -1) | (self.parents >= numbers)).any():
            raise ValueError(
                "the parent of each joint must be an earlier joint of the skeleton, or -1 for a root joint. Sort the"
                " joints so that each parent comes before its children."
            )
        if ((self.skin_joints < 0) | (self.skin_joints >= count)).any():
            raise ValueError(
                f"each joint number in `skin_joints` of a skeleton must be 0 to {count - 1}. Correct `skin_joints`."
            )

    @property
    def joint_count(self) -> int:
        return len(self.joint_names)

    @property
    def palette_count(self) -> int:
        return len(self.skin_joints)

    def __repr__(self) -> str:
        root = reprlib.repr(self.joint_names[0]) if self.joint_names else "empty"
        return f"<Skeleton {root}: {self.joint_count} joints, {self.palette_count} palette entries>"

    @cached_property
    def rest_matrices(self) -> NDArray[np.float32]:
        """Return the local joint matrices [joint_count, 3, 4] f32 of the rest pose."""
        return np.ascontiguousarray(self.rest_pose.to_matrix(), np.float32)

    @cached_property
    def depths(self) -> list[int]:
        """Return the number of ancestors of each joint."""
        depths: list[int] = []
        for parent in self.parents.tolist():
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return depths

    @cached_property
    def generations(self) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]:
        """Return the joints in groups by their number of ancestors.

        A group contains all joints that have the same number of ancestors. A group consists of two arrays: the joints
        [n] and their parents [n]. The joints of the first group have no parents. The joints of each further group have
        one more ancestor.
        """
        joints: list[list[int]] = [[] for _ in range(max(self.depths, default=-1) + 1)]
        for joint, depth in enumerate(self.depths):
            joints[depth].append(joint)
        return tuple((np.array(own, np.intp), self.parents[own].astype(np.intp)) for own in joints)

    @checked
    def below(self, joint: int) -> list[int]:
        """Return `joint` and all its descendants, in joint order."""
        self._require_joint(joint)
        inside = {joint}
        for other, parent in enumerate(self.parents):
            if int(parent) in inside:
                inside.add(other)
        return sorted(inside)

    @checked
    def above(self, joint: int) -> list[int]:
        """Return `joint` and all its ancestors up to the root."""
        self._require_joint(joint)
        found = [joint]
        while (parent := int(self.parents[found[-1]])) >= 0:
            found.append(parent)
        return found

    @checked
    def path(self, above: int, below: int) -> list[int]:
        """Return the joints on the path from the ancestor `above` to its descendant `below`.

        Raise ValueError if `below` is not a descendant of `above`.
        """
        self._require_joint(above)
        self._require_joint(below)
        path = [below]
        while path[-1] > above:
            path.append(int(self.parents[path[-1]]))
        if path[-1] != above or above == below:
            upper, lower = self.joint_names[above], self.joint_names[below]
            raise ValueError(f"joint {lower!r} must be a descendant of joint {upper!r}")
        return path[::-1]

    def segments(self, chain: Sequence[int]) -> list[list[int]]:
        """Return the joints that move rigidly with each joint in `chain`.

        The list for a chain joint contains the joint and its descendants. The list does not contain the next chain
        joint and its descendants.
        """
        carried = [set(self.below(joint)) for joint in chain]
        return [sorted(own - following) for own, following in zip(carried, [*carried[1:], set()], strict=True)]

    @cached_property
    def bind_places(self) -> NDArray[np.float32]:
        """Return the joint positions of all palette entries in bind space, [palette_count, 3] f32.

        If an inverse bind matrix is singular, the position is the origin.
        """
        inverse = self.inverse_bind.astype(np.float64)
        places = -small_matrices.applied(small_matrices.pseudo_inverse(inverse[..., :3]), inverse[..., 3])
        return np.ascontiguousarray(places, np.float32)

    @cached_property
    def bind_rows(self) -> NDArray[np.float32]:
        """Return the inverse bind matrices, each as one row of twelve numbers, [palette_count, 12] f32."""
        return np.ascontiguousarray(self.inverse_bind.reshape(-1, 12))

    @cached_property
    def base_entries(self) -> NDArray[np.int32]:
        """Return the outermost palette entry of the joint tree of each palette entry, [palette_count] i32.

        The scale of the outermost palette entry is the global scale of its joint tree.
        """
        root = np.arange(self.joint_count)
        for joint, parent in enumerate(self.parents.tolist()):
            root[joint] = joint if parent < 0 else root[parent]
        outermost: dict[int, int] = {}
        for entry in np.argsort(self.skin_joints, kind="stable").tolist():
            outermost.setdefault(int(root[self.skin_joints[entry]]), entry)
        return np.array([outermost[int(root[joint])] for joint in self.skin_joints], np.int32)

    @checked
    def joint_index(self, name: str) -> int:
        """Return the index of the joint with the name `name`.

        Raise InputError, which is also a KeyError, for an unknown `name`. The error message suggests the most similar
        name.
        """
        if name not in self.joint_names:
            raise unknown("joint", name, self.joint_names, of="its joints are")
        return self.joint_names.index(name)

    def _require_joint(self, joint: int) -> None:
        if not 0 <= joint < self.joint_count:
            raise ValueError(f"a joint index must be 0 to {self.joint_count - 1} (got {joint})")
