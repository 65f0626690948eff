"""Chains of joints that the solvers bend.

A `Chain` describes the joints. A `Bend` contains k bent copies of one chain. It stores the position of each joint, and
the total rotation of each joint since the input pose. The rotation of a joint turns the matrices of this joint, and of
all joints below it, about the joint's present position. A rotation does not change the scales in the chain.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ik.limits import BallLimit, HingeLimit, Limit
from ecs_anim.maths import elementary, quaternion
from ecs_anim.maths.transform import Transform

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Chain:
    """Joints from a root to an effector. Each joint is an ancestor of the next joint. The effector does not rotate."""

    joints: tuple[int, ...]  # [n]
    limits: tuple[Limit | None, ...]  # [n - 1]
    bones: Array  # [n - 1, 3] f64, unit direction to the next joint in the rest pose, in the frame of each joint

    @property
    def limited(self) -> bool:
        return any(limit is not None for limit in self.limits)


def find_chain(skeleton: Skeleton, names: Sequence[str], limits: Mapping[str, Limit] | None = None) -> Chain:
    """Return the chain of the joints `names`. If `names` contains only two names, the chain includes all joints between
    the two joints.

    `limits` contains the limits of joints, by joint name. The function ignores limits of joints outside of the chain.
    Raises InputError for an unknown name, and suggests the nearest joint name. Raises ValueError if a joint is not
    below the previous joint.
    """
    joints = tuple(map(skeleton.joint_index, names))
    for name in limits or {}:
        skeleton.joint_index(name)
    if len(names) < 2:
        raise ValueError(
            "a chain of joints must have at least two joints, a root and an effector. Name two different joints."
        )
    paths = [skeleton.path(above, below) for above, below in pairwise(joints)]
    if len(joints) == 2:
        joints = tuple(paths[0])
    called = [skeleton.joint_names[joint] for joint in joints]
    return Chain(joints, tuple((limits or {}).get(name) for name in called[:-1]), _bones(skeleton, joints))


def _bones(skeleton: Skeleton, joints: Sequence[int]) -> Array:
    """Return the unit direction of each bone in the rest pose [n - 1, 3].

    A direction is in the coordinate frame of its joint. For a bone of length 0, return +Y.
    """
    rest = model_matrices(skeleton, skeleton.rest_pose).astype(np.float64)[list(joints)]
    frames = Transform.from_matrix(rest[:-1]).rotation
    ways = quaternion.rotate(quaternion.conjugate(frames), rest[1:, :, 3] - rest[:-1, :, 3])
    length = np.linalg.norm(ways, axis=-1, keepdims=True)
    return np.where(length > 0, ways / np.where(length > 0, length, 1), (0.0, 1.0, 0.0))


@dataclass(frozen=True, eq=False)
class Bend:
    """k bent copies of one chain."""

    chain: Chain
    points: Array  # [k, n, 3] f64, positions of the joints
    turns: Array  # [k, n - 1, 4] f64, rotation of each joint since the input pose
    frames: Array  # [k, n - 1, 4] f64, rotation of each joint in the input pose
    rest_frames: Array  # [k, n - 1, 4] f64, rotation of the parent in the input pose, times the joint's rest rotation

    @classmethod
    def of(cls, skeleton: Skeleton, chain: Chain, model: Array, parents: Array) -> Self:
        """Return the `Bend` of a chain in the pose with the model matrices [k, joint, 3, 4].

        `parents` [k, n - 1, 4] contains the rotation of the parent of each joint.
        """
        movable = list(chain.joints[:-1])
        frames = quaternion.normalize(Transform.from_matrix(model[:, movable]).rotation)
        rest = quaternion.multiply(parents, skeleton.rest_pose.rotation[movable])
        turns = np.broadcast_to(np.asarray(quaternion.IDENTITY, np.float64), frames.shape).copy()
        return cls(chain, model[:, list(chain.joints)][..., 3], turns, frames, quaternion.normalize(rest))

    def __getitem__(self, rows: NDArray[np.bool_]) -> Self:
        arrays = {name: getattr(self, name)[rows] for name in ("points", "turns", "frames", "rest_frames")}
        return replace(self, **arrays)

    def updated(self, rows: NDArray[np.bool_], other: Self) -> Self:
        """Return a `Bend` in which the copies in the mask `rows` have new states.

        `other` contains only the new states, in the order of these copies.
        """
        points, turns = self.points.copy(), self.turns.copy()
        points[rows], turns[rows] = other.points, other.turns
        return replace(self, points=points, turns=turns)

    @property
    def effector(self) -> Array:
        """Return the position of the effector [k, 3]."""
        return self.points[:, -1]

    @property
    def lengths(self) -> Array:
        """Return the lengths of the links [k, n - 1]."""
        found: Array = np.linalg.norm(np.diff(self.points, axis=1), axis=-1)
        return found

    def limit_frame(self, joint: int) -> Array:
        """Return the coordinate frame [k, 4] of a joint's limit.

        The coordinate frame is the rest rotation of the joint, followed by the present rotation of the joint's parent.
        """
        parent = self.turns[:, joint - 1] if joint else quaternion.IDENTITY
        return quaternion.multiply(parent, self.rest_frames[:, joint])

    def allowed(self, joint: int, q: Array) -> Array:
        """Reduce the rotation q [k, 4] of a joint so that the joint stays within its limit. Return the reduced
        rotation.
        """
        limit = self.chain.limits[joint]
        if limit is None:
            return q
        frame = self.limit_frame(joint)
        now = quaternion.multiply(self.turns[:, joint], self.frames[:, joint])
        change = quaternion.multiply(quaternion.conjugate(frame), quaternion.multiply(q, now))
        wanted = quaternion.multiply(frame, limit.clamp(change, self.chain.bones[joint]))
        return quaternion.normalize(quaternion.multiply(wanted, quaternion.conjugate(now)))

    def turned(self, joint: int, q: Array) -> Self:
        """Return the `Bend` in which a joint and all joints below it are rotated by q [k, 4] about the joint's
        position.
        """
        points, turns = self.points.copy(), self.turns.copy()
        pivot = points[:, joint, None]
        points[:, joint + 1 :] = pivot + quaternion.rotate(q[:, None], points[:, joint + 1 :] - pivot)
        turns[:, joint:] = quaternion.normalize(quaternion.multiply(q[:, None], turns[:, joint:]))
        return replace(self, points=points, turns=turns)

    def aim(self, joint: int, end: ArrayLike, goal: ArrayLike) -> Array:
        """Return the rotation [k, 4] of a joint, within its limit, that points `end` at `goal` as closely as possible.

        `end` and `goal` are positions [k, 3]. For a hinge, the result is the best rotation about its axis. For any
        other joint, the result is the shortest rotation, reduced to the limit.
        """
        limit = self.chain.limits[joint]
        match limit:
            case HingeLimit():
                return self.aim_about(joint, quaternion.rotate(self.limit_frame(joint), limit.unit_axis), end, goal)
            case BallLimit() | None:
                pivot = self.points[:, joint]
                return self.allowed(joint, quaternion.from_to(np.asarray(end) - pivot, np.asarray(goal) - pivot))
            case _:
                assert_never(limit)

    def twist(self, joint: int, end: ArrayLike, goal: ArrayLike) -> Array:
        """Return the rotation of a joint about its bone, within its limit, that points `end` at `goal` as closely as
        possible.
        """
        now = quaternion.multiply(self.turns[:, joint], self.frames[:, joint])
        return self.aim_about(joint, quaternion.rotate(now, self.chain.bones[joint]), end, goal)

    def aim_about(self, joint: int, axis: Array, end: ArrayLike, goal: ArrayLike) -> Array:
        """Return the rotation of a joint about a unit axis [k, 3], within its limit, that points `end` at `goal` as
        closely as possible.
        """
        a, b = np.asarray(end) - self.points[:, joint], np.asarray(goal) - self.points[:, joint]
        level = np.sum(a * b, -1) - np.sum(axis * a, -1) * np.sum(axis * b, -1)
        angle = elementary.arctan2(np.sum(axis * np.cross(a, b), -1), level)
        return self.allowed(joint, quaternion.from_axis_angle(axis, angle))

    def within_limits(self) -> Self:
        """Return the `Bend` in which all joints are rotated into their limits. The root rotates first."""
        bend = self
        for joint, limit in enumerate(self.chain.limits):
            if limit is not None:
                bend = bend.turned(
                    joint, bend.allowed(joint, np.broadcast_to(quaternion.IDENTITY, (len(bend.turns), 4)))
                )
        return bend


def parent_frames(skeleton: Skeleton, chain: Chain, model: Array, base: Array) -> Array:
    """Return the rotations [k, n - 1, 4] of the parents of all joints of the chain except its last joint.

    k is the number of actors, and n is the number of joints in the chain.

    If a joint has no parent, use the rotation of the matrix `base` [k, 3, 4].
    """
    parents = skeleton.parents[list(chain.joints[:-1])]
    above = np.where(parents[:, None, None] >= 0, model[:, np.maximum(parents, 0)], base[:, None])
    return quaternion.normalize(Transform.from_matrix(above).rotation)


def local_rotations(skeleton: Skeleton, bend: Bend, parents: Array, local: Array) -> Array:
    """Return the local rotations [k, joint, 4] of the bent pose.

    A joint that does not rotate keeps its rotation in `local`.
    """
    before = np.concatenate([np.broadcast_to(quaternion.IDENTITY, bend.turns[:, :1].shape), bend.turns[:, :-1]], axis=1)
    turn = quaternion.multiply(quaternion.conjugate(before), bend.turns)
    out = local.copy()
    for i, joint in enumerate(bend.chain.joints[:-1]):
        moved = np.any(np.abs(turn[:, i, :3]) > 0, axis=-1)
        inside = quaternion.multiply(
            quaternion.conjugate(parents[:, i]), quaternion.multiply(turn[:, i], parents[:, i])
        )
        new = quaternion.normalize(quaternion.multiply(inside, local[:, joint].astype(np.float64)))
        out[:, joint] = np.where(moved[:, None], new, local[:, joint])
    return out
