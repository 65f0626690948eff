"""Landmarks of a humanoid: which joints are its shoulders, elbows, knees and so on, by their names or by its shape."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ik.legs import SIDES, leg_joint_names, skin_of
from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length

Reals = NDArray[np.float64]
ELBOW = re.compile(r"(forearm|lowerarm|lowarm|elbow)\d*$")
WRIST = re.compile(r"(hand|wrist)\d*$")
HEAD = re.compile(r"head\d*$")
SAME_HEIGHT = 0.1  # share of the body's height by which the two of a pair may lie apart
MIDDLE = 0.02  # share of the body's height from its middle plane, within which a head is


class Limb(NamedTuple):
    """Three joints, each below the one before: hip, knee and ankle, or shoulder, elbow and wrist."""

    upper: int
    middle: int
    lower: int


Pair = tuple[Limb | None, Limb | None]  # left, right


class Landmarks(NamedTuple):
    """The joints that keypoints are made of; None where a body has no such."""

    head: int | None
    arms: Pair
    legs: Pair


class Axes(NamedTuple):
    """Where joints stand in the rest pose, as their own character sees it [joint]; [rig units]."""

    left: Reals
    up: Reals
    ahead: Reals

    @property
    def height(self) -> float:
        """From the lowest joint to the highest."""
        return float(np.ptp(self.up))


def find_landmarks(rig: Rig, facing: float = 0.0) -> Landmarks:
    """Names decide where they are the usual ones; else it is the shape of the rest pose.

    `facing` [rad] from +Z, where the character looks.
    """
    skeleton = rig.skeleton
    axes = seen_from(model_matrices(skeleton, skeleton.rest_pose)[..., 3].astype(np.float64), facing)
    arms = _named_arm(skeleton, "left"), _named_arm(skeleton, "right")
    legs = _named_leg(skeleton, "left"), _named_leg(skeleton, "right")
    if not any(legs):
        legs = _lowest_pair(skeleton, axes, arms)
    if not any(arms):
        arms = _widest_pair(skeleton, axes, legs)
    return Landmarks(_head(rig, axes, arms), arms, legs)


def seen_from(points: Reals, facing: float) -> Axes:
    """Points [..., 3] along a character's own axes."""
    sine, cosine = elementary.sin(facing), elementary.cos(facing)
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    return Axes(x * cosine - z * sine, y, x * sine + z * cosine)


def back_from(seen: Axes, facing: float) -> Reals:
    """Points [..., 3] of what they are along a character's own axes."""
    sine, cosine = elementary.sin(facing), elementary.cos(facing)
    left, up, ahead = seen
    return np.stack([left * cosine + ahead * sine, up, ahead * cosine - left * sine], axis=-1)


def _named_leg(skeleton: Skeleton, side: str) -> Limb | None:
    names = leg_joint_names(skeleton, side)
    return Limb(*map(skeleton.joint_index, names[:3])) if len(names) >= 3 else None


def _named_arm(skeleton: Skeleton, side: str) -> Limb | None:
    """The elbow and the wrist below it are found by name; the shoulder is what the elbow hangs from."""
    for elbow in _of_name(skeleton, ELBOW, side):
        for wrist in _of_name(skeleton, WRIST, side):
            shoulder = int(skeleton.parents[elbow])
            if shoulder >= 0 and wrist in skeleton.below(elbow):
                return Limb(shoulder, elbow, wrist)
    return None


def _of_name(skeleton: Skeleton, pattern: re.Pattern[str], side: str) -> Iterator[int]:
    for joint, name in enumerate(skeleton.joint_names):
        bare = re.sub(r"[^a-z0-9]", "", SIDES[side].sub("", name).lower())
        if SIDES[side].search(name) and pattern.search(bare):
            yield joint


def _head(rig: Rig, axes: Axes, arms: Pair) -> int | None:
    """The joint that is called head; else, of those between and above the shoulders, the one that moves most skin."""
    skeleton = rig.skeleton
    for joint, name in enumerate(skeleton.joint_names):
        if HEAD.search(re.sub(r"[^a-z0-9]", "", name.lower())):
            return joint
    if arms[0] is None or arms[1] is None:
        return None
    shoulders = [axes.up[arm.upper] for arm in arms if arm]
    middle = [j for j in set(skeleton.skin_joints.tolist()) if abs(axes.left[j]) < MIDDLE * axes.height]
    above = [joint for joint in middle if axes.up[joint] > max(shoulders)]
    return max(above, key=lambda joint: (len(skin_of(rig, {joint})), -joint), default=None)


def _lowest_pair(skeleton: Skeleton, axes: Axes, arms: Pair) -> Pair:
    """The pair of limbs that ends lowest, and is not the arms."""
    taken = {joint for arm in arms if arm for joint in arm}
    pairs = [pair for pair in _pairs(skeleton, axes) if not taken & {*pair[0], *pair[1]}]
    return min(pairs, key=lambda pair: axes.up[pair[0].lower] + axes.up[pair[1].lower], default=(None, None))


def _widest_pair(skeleton: Skeleton, axes: Axes, legs: Pair) -> Pair:
    """Of the pairs of limbs that begin above the legs, the one whose ends are furthest apart."""
    hips = max((axes.up[leg.upper] for leg in legs if leg is not None), default=-np.inf)
    above = [pair for pair in _pairs(skeleton, axes) if min(axes.up[limb.upper] for limb in pair) > hips]
    return max(above, key=lambda pair: axes.left[pair[0].lower] - axes.left[pair[1].lower], default=(None, None))


def _pairs(skeleton: Skeleton, axes: Axes) -> Iterator[tuple[Limb, Limb]]:
    """A left limb and a right one, which hang from one joint and end at one height."""
    points = np.stack(axes, axis=-1)
    bones = [_bone(skeleton, points, joint) for joint in range(skeleton.joint_count)]
    leaves = sorted(set(range(skeleton.joint_count)) - set(skeleton.parents.tolist()))
    ways = {leaf: [*_up_from(skeleton, leaf)] for leaf in leaves}
    for one, other in combinations(leaves, 2):
        shared = set(ways[one]) & set(ways[other])
        limbs = [_limb([joint for joint in ways[leaf] if joint not in shared], bones) for leaf in (one, other)]
        found = sorted(filter(None, limbs), key=lambda limb: -axes.left[limb.lower])
        if len(found) == 2 and abs(np.diff([axes.up[limb.lower] for limb in found])) < SAME_HEIGHT * axes.height:
            yield found[0], found[1]


def _limb(way: Sequence[int], bones: Sequence[float]) -> Limb | None:
    """Of a way up from a leaf, the two longest bones that follow each other: feet, hands and collars are short."""
    long = [joint for joint in way if bones[joint] > 0]  # joints in one place are one
    threes = [Limb(upper, middle, lower) for lower, middle, upper in zip(long, long[1:], long[2:], strict=False)]
    return max(threes, key=lambda limb: bones[limb.middle] + bones[limb.lower], default=None)


def _bone(skeleton: Skeleton, points: Reals, joint: int) -> float:
    """How far a joint is from its parent [rig units]."""
    parent = int(skeleton.parents[joint])
    return float(length(points[joint] - points[parent])) if parent >= 0 else 0.0


def _up_from(skeleton: Skeleton, joint: int) -> Iterator[int]:
    while joint >= 0:
        yield joint
        joint = int(skeleton.parents[joint])
