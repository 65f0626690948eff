"""Roles from the shape of a body.

Two limbs form a pair if they have a common ancestor joint, and if their ends have nearly equal heights.

The module assumes that the head is above the shoulders.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.bound_skin import skin_of
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length
from ecs_anim.roles.names import Limb, Pair

Reals = NDArray[np.float64]
SAME_HEIGHT = 0.1  # largest height difference between the ends of a pair, as a fraction of the body's height
Limbs = tuple[Limb, Limb]
# Largest number of leaf joints (joints without children). The joints of fingers and of the face count too. For a rig
# with more leaf joints, the search would take seconds. Therefore, the program does not search.
MOST_ENDS = 150
MIDDLE = 0.02  # largest distance between the head and the middle plane, as a fraction of the body's height


class Axes(NamedTuple):
    """The coordinates [joint] of the joints in the rest pose, along the axes left, up and ahead, in rig units."""

    left: Reals
    up: Reals
    ahead: Reals

    @property
    def height(self) -> float:
        """Return the vertical distance between the lowest and the highest joint, in rig units."""
        return float(np.ptp(self.up))


def seen_from(points: Reals, facing: float) -> Axes:
    """Transform points [..., 3] from model space to the axes left, up and ahead of a character."""
    sine, cosine = elementary.sin(facing), elementary.cos(facing)
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    return Axes(x * cosine - z * sine, y, x * sine + z * cosine)


def back_from(seen: Axes, facing: float) -> Reals:
    """Transform points [..., 3] from the axes left, up and ahead to model space."""
    sine, cosine = elementary.sin(facing), elementary.cos(facing)
    left, up, ahead = seen
    return np.stack([left * cosine + ahead * sine, up, ahead * cosine - left * sine], axis=-1)


def head_by_shape(rig: Rig, axes: Axes, arms: Pair) -> int | None:
    """Return the joint of the head.

    The candidates are joints above the shoulders in the middle plane. The head is the candidate that moves the most
    vertices of the skin.
    """
    if arms[0] is None or arms[1] is None:
        return None
    shoulders = [axes.up[arm.upper] for arm in arms if arm]
    joints = set(rig.skeleton.skin_joints.tolist()) or range(rig.skeleton.joint_count)
    middle = [j for j in joints if abs(axes.left[j]) < MIDDLE * axes.height]
    above = [joint for joint in middle if axes.up[joint] > max(shoulders)]
    return max(above, key=lambda joint: (len(skin_of(rig, {joint})), -joint), default=None)


def lowest_pair(pairs: Sequence[Limbs], axes: Axes, arms: Pair) -> Pair:
    """Return the left limb and the right limb of the pair with the lowest ends.

    The function ignores the arms `arms`.
    """
    taken = {joint for arm in arms if arm for joint in arm}
    free = [pair for pair in pairs if not taken & {*pair[0], *pair[1]}]
    found = min(free, key=lambda pair: axes.up[pair[0].lower] + axes.up[pair[1].lower], default=None)
    return (None, None) if found is None else sided(found, axes)


def widest_pair(pairs: Sequence[Limbs], axes: Axes, legs: Pair) -> Pair:
    """Return the pair of limbs with the largest distance between its ends, among the pairs that begin above the legs.

    The result contains the left limb, then the right limb.
    """
    hips = max((axes.up[leg.upper] for leg in legs if leg is not None), default=-np.inf)
    above = [pair for pair in pairs if min(axes.up[limb.upper] for limb in pair) > hips]
    found = max(above, key=lambda pair: abs(axes.left[pair[0].lower] - axes.left[pair[1].lower]), default=None)
    return (None, None) if found is None else sided(found, axes)


def sided(pair: Limbs, axes: Axes) -> Limbs:
    """Return the two limbs of a pair: first the left limb, then the right limb."""
    one, other = pair
    return (one, other) if axes.left[one.lower] >= axes.left[other.lower] else (other, one)


def limb_pairs(skeleton: Skeleton, points: Reals) -> list[Limbs]:
    """Return the pairs of limbs that have a common ancestor joint and ends with nearly equal heights.

    The positions of the joints are `points` [joint, 3].
    """
    bones = [_bone(skeleton, points, joint) for joint in range(skeleton.joint_count)]
    leaves = sorted(set(range(skeleton.joint_count)) - set(skeleton.parents.tolist()))
    if len(leaves) > MOST_ENDS:
        return []
    ways = {leaf: skeleton.above(leaf) for leaf in leaves}
    near = SAME_HEIGHT * float(np.ptp(points[:, 1]))
    found: list[Limbs] = []
    for one, other in combinations(leaves, 2):
        shared = set(ways[one]) & set(ways[other])
        a, b = (_limb([joint for joint in ways[leaf] if joint not in shared], bones) for leaf in (one, other))
        if a is not None and b is not None and abs(points[a.lower, 1] - points[b.lower, 1]) < near:
            found.append((a, b))
    return found


def _limb(way: Sequence[int], bones: Sequence[float]) -> Limb | None:
    """Return the limb on the path `way` of joints: the two longest consecutive bones.

    The bones of feet, hands and collarbones are shorter than the two long bones of a limb.
    """
    long = [joint for joint in way if bones[joint] > 0]  # consecutive joints at one position count as one joint
    threes = [Limb(upper, middle, lower) for lower, middle, upper in zip(long, long[1:], long[2:], strict=False)]
    return max(threes, key=lambda limb: bones[limb.middle] + bones[limb.lower], default=None)


def _bone(skeleton: Skeleton, points: Reals, joint: int) -> float:
    """Return the distance between a joint and its parent, in rig units."""
    parent = int(skeleton.parents[joint])
    return float(length(points[joint] - points[parent])) if parent >= 0 else 0.0
