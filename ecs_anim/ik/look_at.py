"""Look-at: rotate a chain such as spine, neck and head, until the last joint faces a point.

This module defines chains, settings and state. `ecs_anim.kernels.look_at` rotates the joints.

A gaze is a pitch and a yaw that are added to the animated pose. First, the pitch raises the forward axis of the last
joint in a vertical plane. Then, the yaw rotates the joint about the model's up axis. With this order, the gaze does not
tilt a level head to the side.

Each joint before the last joint rotates by its share of pitch and yaw. The last joint rotates by the remaining part of
the gaze. All joints rotate about the same two axes, so the sum of all rotations is the gaze. Yaw and pitch have
separate limits. The limits apply to the share of each joint, and to the sum of all shares.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.bounds import NumberColumn
from ecs_anim.ecs.columns import Restarts
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import elementary, small_matrices

UP = np.array([0.0, 1.0, 0.0])
# [rad]; if a target behind the back changes its side, the gaze keeps its side until the target is this far past the
# back
BEHIND = np.radians(20.0)
NEAR = 1e-4  # share of the head's distance from the origin; a target that is nearer to the head gives no direction
STRAIGHT = 1e-6  # least horizontal component of the head's forward axis
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # words in joint names such as 'mixamorig:Spine1', 'b_Neck_04'
SPINE, HEAD, LEAF = {"spine", "chest", "torso", "neck"}, {"head"}, {"top", "end", "nub", "eye", "tail"}


class LookChain(NamedTuple):
    """The joints that rotate for a gaze, from the first joint to the last joint, as arrays for kernels."""

    joints: Annotated[NDArray[np.int32], Shape("joint")]  # each joint is below the previous joint
    share: Annotated[
        NDArray[np.float32], Shape("joint")
    ]  # share of the rotation; the last joint rotates by the rest, independently of its share
    limit: Annotated[NDArray[np.float32], Shape("joint", 2)]  # [rad], largest yaw and pitch of each joint
    forward: Annotated[NDArray[np.float32], Shape(3)]  # forward axis of the last joint, in its coordinate frame
    up: Annotated[NDArray[np.float32], Shape(3)]  # up axis of the last joint, in its coordinate frame
    owned: Annotated[
        NDArray[np.int32], Shape("owned")
    ]  # joints that move with each joint of the chain, sorted by joint of the chain
    owned_start: Annotated[NDArray[np.int32], Shape("joint + 1")]  # first index of each joint in `owned`, then the end


class LookSettings(NamedTuple):
    """Limits and speed of a gaze."""

    max_yaw: float  # largest yaw of the last joint relative to the animated pose [rad]
    max_pitch: float  # largest pitch [rad]
    # range beyond the limits in which the gaze returns to the direction ahead [rad]; inf = it stays at the limit
    release: float
    seconds: float  # time constant of the gaze's approach to its target [s]
    speed: float  # largest rate of yaw and pitch [rad/s]


class LookState(NamedTuple):
    """State of gazes.

    The row of an actor contains four angles [rad]: yaw and pitch of the joints before the last joint, then yaw and
    pitch of the last joint.
    """

    turn: Annotated[NumberColumn, Shape("actor", 4), Restarts(0.0)]  # present angles
    goal: Annotated[NumberColumn, Shape("actor", 4), Restarts(0.0)]  # goals of the angles in the last step


def find_joints(rig: Rig) -> list[str]:
    """Return the names of a rig's spine, neck and head joints.

    A VRM file lists the spine, neck and head joints. If the file is not a VRM file, the function searches for usual
    names such as Spine1. Returns [] for a rig without a head.
    """
    told = {} if rig.avatar is None else rig.avatar.roles
    if "head" in told:
        return [*told.get("spine", ()), *told.get("neck", ()), str(told["head"])]
    skeleton, names = rig.skeleton, rig.skeleton.joint_names
    head = next((joint for joint, name in enumerate(names) if _is_called(name, HEAD)), None)
    if head is None:
        return []
    spine = (joint for joint, name in enumerate(names) if _is_called(name, SPINE) and head in skeleton.below(joint))
    return [*(names[joint] for joint in spine if joint != head), names[head]]


def make_chain(
    skeleton: Skeleton,
    joints: Sequence[str],
    shares: Sequence[float],
    limits: Sequence[tuple[float, float]],
    facing: float = 0.0,
) -> LookChain:
    """Return the chain of the joints with the names `joints`.

    `shares` contains the relative weights of the joints. `limits` contains the largest yaw and pitch [rad] of each
    joint. `facing` [rad] is the direction of the rig about +Y, from +Z. In the rest pose, the last joint looks in the
    direction `facing`.

    Raises InputError for an unknown name. Raises ValueError if a joint is not below the previous joint, or if all
    shares are 0.
    """
    numbers = [skeleton.joint_index(name) for name in joints]
    for above, below in pairwise(numbers):
        skeleton.path(above, below)
    share = np.array(shares, np.float64)
    if not (len(share) and (share >= 0).all() and 0 < share.sum() < np.inf):
        raise ValueError(
            "the shares of the joints in a head turn must be finite numbers of 0 or more, with at least one share"
            f" above 0 (got {[*shares]})"
        )
    rest = model_matrices(skeleton, skeleton.rest_pose)[numbers[-1], :, :3].astype(np.float64)
    ahead = np.array([elementary.sin(facing), 0.0, elementary.cos(facing)])
    forward, up = small_matrices.unit(
        small_matrices.applied(small_matrices.pseudo_inverse(rest), np.stack([ahead, UP]))
    )
    owned = skeleton.segments(numbers)
    chain = LookChain(
        np.array(numbers, np.int32),
        (share / share.sum()).astype(np.float32),
        np.array(limits, np.float32).reshape(-1, 2),
        forward.astype(np.float32),
        up.astype(np.float32),
        np.array([joint for part in owned for joint in part], np.int32),
        np.cumsum([0, *(len(part) for part in owned)]).astype(np.int32),
    )
    return sealed(chain)


def spine_of(skeleton: Skeleton, joints: Sequence[str], facing: float = 0.0) -> LookChain:
    """Return the chain of the joints with the names `joints`, without limits.

    The shares of the joints increase evenly from the first joint to the last joint. If `joints` is empty, the chain is
    empty.
    """
    if joints:
        return make_chain(skeleton, joints, range(1, len(joints) + 1), [(np.inf, np.inf)] * len(joints), facing)
    return no_chain()


def no_chain() -> LookChain:
    """Return an empty chain, for crowds without a gaze."""
    none, no_joints = np.zeros(0, np.float32), np.zeros(0, np.int32)
    axis = np.zeros(3, np.float32)
    return sealed(
        LookChain(no_joints, none, np.zeros((0, 2), np.float32), axis, axis, no_joints, np.zeros(1, np.int32))
    )


def _is_called(name: str, wanted: set[str]) -> bool:
    """Return whether a joint's name contains a word in `wanted`, and no word of end joints such as `end` or `nub`."""
    words = {word.lower() for word in WORD.findall(name)}
    return bool(words & wanted) and not words & LEAF
