"""Chains of joints: what the solvers bend.

A chain is described once (`Chain`) and bent many times at once (`Bend`). A bend holds where the joints are, and how
far each joint has turned as a rigid whole since the pose that came in: the joint's own matrix, and those of all that
hangs from it, are turned by that about where the joint now is. So whatever scale lies on the way is left as it is.
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
    """Joints from a root to an effector, each somewhere above the next; all but the effector turn."""

    joints: tuple[int, ...]  # [n]
    limits: tuple[Limit | None, ...]  # [n - 1]
    bones: Array  # [n - 1, 3] f64, unit direction to the next joint of the chain at rest, in each joint's frame

    @property
    def limited(self) -> bool:
        return any(limit is not None for limit in self.limits)


def find_chain(skeleton: Skeleton, names: Sequence[str], limits: Mapping[str, Limit] | None = None) -> Chain:
    """A chain of all its joints' names or, where two are given, of all joints between them.

    `limits` by joint name; those of other joints are passed over. Raises InputError naming the nearest joint, and
    ValueError where a joint does not hang from the one before it.
    """
    joints = tuple(map(skeleton.joint_index, names))
    for name in limits or {}:
        skeleton.joint_index(name)
    if len(names) < 2:
        raise ValueError("a chain needs a root and an effector")
    paths = [skeleton.path(above, below) for above, below in pairwise(joints)]
    if len(joints) == 2:
        joints = tuple(paths[0])
    called = [skeleton.joint_names[joint] for joint in joints]
    return Chain(joints, tuple((limits or {}).get(name) for name in called[:-1]), _bones(skeleton, joints))


def _bones(skeleton: Skeleton, joints: Sequence[int]) -> Array:
    """Where each joint's bone points at rest, in its own frame [n - 1, 3]; +Y where it has no length."""
    rest = model_matrices(skeleton, skeleton.rest_pose).astype(np.float64)[list(joints)]
    frames = Transform.from_matrix(rest[:-1]).rotation
    ways = quaternion.rotate(quaternion.conjugate(frames), rest[1:, :, 3] - rest[:-1, :, 3])
    length = np.linalg.norm(ways, axis=-1, keepdims=True)
    return np.where(length > 0, ways / np.where(length > 0, length, 1), (0.0, 1.0, 0.0))


@dataclass(frozen=True, eq=False)
class Bend:
    """One chain, bent k times."""

    chain: Chain
    points: Array  # [k, n, 3] f64, where the joints are
    turns: Array  # [k, n - 1, 4] f64, how far each joint has turned
    frames: Array  # [k, n - 1, 4] f64, rotation of each joint in the pose that came in
    rest_frames: Array  # [k, n - 1, 4] f64, as the joint's rest rotation would have it under the same parent

    @classmethod
    def of(cls, skeleton: Skeleton, chain: Chain, model: Array, parents: Array) -> Self:
        """The chain as model matrices [k, joint, 3, 4] have it, and the frames of its joints' parents [k, n - 1, 4]."""
        movable = list(chain.joints[:-1])
        frames = quaternion.normalize(Transform.from_matrix(model[:, movable]).rotation)
        rest = quaternion.multiply(parents, skeleton.rest_pose.rotation[movable])
        turns = np.broadcast_to(np.asarray(quaternion.IDENTITY, np.float64), frames.shape).copy()
        return cls(chain, model[:, list(chain.joints)][..., 3], turns, frames, quaternion.normalize(rest))

    def __getitem__(self, rows: NDArray[np.bool_]) -> Self:
        arrays = {name: getattr(self, name)[rows] for name in ("points", "turns", "frames", "rest_frames")}
        return replace(self, **arrays)

    def updated(self, rows: NDArray[np.bool_], other: Self) -> Self:
        """This bend with some rows taken from another that has only those."""
        points, turns = self.points.copy(), self.turns.copy()
        points[rows], turns[rows] = other.points, other.turns
        return replace(self, points=points, turns=turns)

    @property
    def effector(self) -> Array:
        """Where the chain ends [k, 3]."""
        return self.points[:, -1]

    @property
    def lengths(self) -> Array:
        """Lengths of the links [k, n - 1]."""
        found: Array = np.linalg.norm(np.diff(self.points, axis=1), axis=-1)
        return found

    def limit_frame(self, joint: int) -> Array:
        """The frame [k, 4] that a joint's limit holds in: its rest rotation under its parent as that now is."""
        parent = self.turns[:, joint - 1] if joint else quaternion.IDENTITY
        return quaternion.multiply(parent, self.rest_frames[:, joint])

    def allowed(self, joint: int, q: Array) -> Array:
        """Return the part of a further turn q [k, 4] that the joint's limit allows."""
        limit = self.chain.limits[joint]
        if limit is None:
            return q
        frame = self.limit_frame(joint)
        now = quaternion.multiply(self.turns[:, joint], self.frames[:, joint])
        change = quaternion.multiply(quaternion.conjugate(frame), quaternion.multiply(q, now))
        wanted = quaternion.multiply(frame, limit.clamp(change, self.chain.bones[joint]))
        return quaternion.normalize(quaternion.multiply(wanted, quaternion.conjugate(now)))

    def turned(self, joint: int, q: Array) -> Self:
        """Turn a joint, and all below it, by q [k, 4] about where it is."""
        points, turns = self.points.copy(), self.turns.copy()
        pivot = points[:, joint, None]
        points[:, joint + 1 :] = pivot + quaternion.rotate(q[:, None], points[:, joint + 1 :] - pivot)
        turns[:, joint:] = quaternion.normalize(quaternion.multiply(q[:, None], turns[:, joint:]))
        return replace(self, points=points, turns=turns)

    def aim(self, joint: int, end: ArrayLike, goal: ArrayLike) -> Array:
        """Return the allowed turn [k, 4] of a joint that aims `end` [k, 3] as closely as possible at `goal`.

        A hinge turns about its axis, which is exact; elsewhere the shortest turn is cut down to what the limit allows.
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
        """As `aim`, by a turn about the joint's bone alone."""
        now = quaternion.multiply(self.turns[:, joint], self.frames[:, joint])
        return self.aim_about(joint, quaternion.rotate(now, self.chain.bones[joint]), end, goal)

    def aim_about(self, joint: int, axis: Array, end: ArrayLike, goal: ArrayLike) -> Array:
        """As `aim`, by a turn about a unit axis [k, 3]."""
        a, b = np.asarray(end) - self.points[:, joint], np.asarray(goal) - self.points[:, joint]
        level = np.sum(a * b, -1) - np.sum(axis * a, -1) * np.sum(axis * b, -1)
        angle = elementary.arctan2(np.sum(axis * np.cross(a, b), -1), level)
        return self.allowed(joint, quaternion.from_axis_angle(axis, angle))

    def within_limits(self) -> Self:
        """All joints brought inside their limits, the root first."""
        bend = self
        for joint, limit in enumerate(self.chain.limits):
            if limit is not None:
                bend = bend.turned(
                    joint, bend.allowed(joint, np.broadcast_to(quaternion.IDENTITY, (len(bend.turns), 4)))
                )
        return bend


def parent_frames(skeleton: Skeleton, chain: Chain, model: Array, base: Array) -> Array:
    """Rotation of the parent of each joint that turns [k, n - 1, 4]; that of `base` [k, 3, 4] above the skeleton."""
    parents = skeleton.parents[list(chain.joints[:-1])]
    above = np.where(parents[:, None, None] >= 0, model[:, np.maximum(parents, 0)], base[:, None])
    return quaternion.normalize(Transform.from_matrix(above).rotation)


def local_rotations(skeleton: Skeleton, bend: Bend, parents: Array, local: Array) -> Array:
    """Local rotations [k, joint, 4] that make a pose of the bend; joints that did not turn keep `local`."""
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
