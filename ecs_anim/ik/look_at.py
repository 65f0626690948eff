"""Looking at a point: a chain such as spine, neck and head turns until the last joint faces the point.

This is what such a gaze is made of; `ecs_anim.kernels.look_at` turns the joints.

A turn is a yaw about the model's up axis and a pitch, both on top of the animated pose: the last joint's forward axis
is raised by the pitch in its own upright plane, then turned by the yaw. Upright planes stay upright, so a head that is
held level stays level. Each joint before the last takes its share of the turn, the last one what is left; all joints
turn about the same axes, so that their parts add up. Limits hold these parts, and the whole, each angle for itself.
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
BEHIND = np.radians(20.0)  # a target that crosses behind the back is followed past it so far on the old side
NEAR = 1e-4  # of its distance from the origin; a target so close is at the head's own position
STRAIGHT = 1e-6  # a head that hangs so that nothing is ahead of it
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # of a joint's name: 'mixamorig:Spine1', 'b_Neck_04'
SPINE, HEAD, LEAF = {"spine", "chest", "torso", "neck"}, {"head"}, {"top", "end", "nub", "eye", "tail"}


class LookChain(NamedTuple):
    """The joints that turn, first to last, as kernels read them."""

    joints: Annotated[NDArray[np.int32], Shape("joint")]  # each hangs from the one before
    share: Annotated[
        NDArray[np.float32], Shape("joint")
    ]  # of the turn; the last joint takes what is left, whatever its own
    limit: Annotated[NDArray[np.float32], Shape("joint", 2)]  # [rad], the most yaw and pitch that each joint adds
    forward: Annotated[NDArray[np.float32], Shape(3)]  # where the last joint looks, in its own frame
    up: Annotated[NDArray[np.float32], Shape(3)]  # what is up for it
    owned: Annotated[
        NDArray[np.int32], Shape("owned")
    ]  # the joints that move with each of the chain, one after another
    owned_start: Annotated[NDArray[np.int32], Shape("joint + 1")]  # where those of each begin and end


class LookSettings(NamedTuple):
    """How far and how fast."""

    max_yaw: float  # [rad] of the last joint from the animated pose
    max_pitch: float  # [rad]
    release: float  # [rad] past the limits, in which a target is let go; inf = held at the limit
    seconds: float  # [s], time constant with which the gaze comes to rest on its target
    speed: float  # [rad/s], the most that yaw and pitch change


class LookState(NamedTuple):
    """The state of a gaze: yaw and pitch [rad] of the chain before its last joint, then of the last joint."""

    turn: Annotated[NumberColumn, Shape("actor", 4), Restarts(0.0)]  # yaw, pitch; yaw, pitch
    goal: Annotated[NumberColumn, Shape("actor", 4), Restarts(0.0)]  # what the turn followed last


def find_joints(rig: Rig) -> list[str]:
    """Spine, neck and head by a VRM file's table, or by usual names such as Spine, Spine1, Neck, Head; [] without."""
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
    """A chain of joints by name, first to last; shares count against each other, limits are yaw and pitch [rad].

    Where the last joint looks is where the rig faces in its rest pose: `facing` [rad] about +Y from +Z. Raises
    InputError for an unknown name, ValueError for joints that do not hang from one another or shares without a sum.
    """
    numbers = [skeleton.joint_index(name) for name in joints]
    for above, below in pairwise(numbers):
        skeleton.path(above, below)
    share = np.array(shares, np.float64)
    if not (len(share) and (share >= 0).all() and 0 < share.sum() < np.inf):
        raise ValueError(f"shares must be >= 0 and not all 0 (got {[*shares]})")
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
    """The chain of these joints, whose shares rise evenly and have no limits; of no joints, where there are none."""
    if joints:
        return make_chain(skeleton, joints, range(1, len(joints) + 1), [(np.inf, np.inf)] * len(joints), facing)
    return no_chain()


def no_chain() -> LookChain:
    """Return the chain without joints, for crowds without a gaze."""
    none, no_joints = np.zeros(0, np.float32), np.zeros(0, np.int32)
    axis = np.zeros(3, np.float32)
    return sealed(
        LookChain(no_joints, none, np.zeros((0, 2), np.float32), axis, axis, no_joints, np.zeros(1, np.int32))
    )


def _is_called(name: str, wanted: set[str]) -> bool:
    """Whether one of these is among the words of a joint's name, and none that says it is an end."""
    words = {word.lower() for word in WORD.findall(name)}
    return bool(words & wanted) and not words & LEAF
