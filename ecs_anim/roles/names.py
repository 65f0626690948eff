"""Patterns of joint names in Mixamo, Unreal, VRM, Blender, Rigify, 3ds Max, motion capture files and plain English."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

from ecs_anim.assets.skeleton import Skeleton

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")
# Matches "LeftArm", "arm.L", "l_arm", "Bip01 L Arm", "lThigh", "LUArm", "ArmL", "lfemur"; not "_LEG" of "LEFT_LEG".
_SIDED = {
    side: re.compile(
        rf"(?i:{side})|(?<![A-Za-z])(?i:{side[0]})(?![A-Za-z])"
        rf"|(?<![A-Za-z])[{side[0]}{side[0].upper()}](?=[A-Z]+[a-z])|(?<=[a-z0-9]){side[0].upper()}(?![A-Za-z])"
        rf"|^{side[0]}(?=femur|tibia|foot|toes|clavicle|humerus|radius|wrist|hand)"
    )
    for side in SIDES
}
THIGH = re.compile(r"(up(per)?legs?|legup(per)?|thigh|femur)\d*$")
HIP = re.compile(r"hip\d*$")
SHANK = re.compile(r"((low(er)?)?leg|leglow(er)?|shank|shin|calf|knee|tibia)\d*$")
FOOT = re.compile(r"(foot|ankle)\d*$")
# "foot" is here because a joint with this name below an ankle is a toe joint
TOES = re.compile(r"(toebase|toes|toe|ball|foot)\d*$")
UPPER_ARM = re.compile(r"(up(per)?arm|armup(per)?|uarm|humerus|(?<!fore)(?<!lower)(?<!low)(?<!f)arm)\d*$")
LOWER_ARM = re.compile(r"(forearm|lowerarm|lowarm|farm|armlow(er)?|elbow|radius)\d*$")
HAND = re.compile(r"(hand|wrist)\d*$")
HEAD = re.compile(r"head\d*$")
HIPS = re.compile(r"(hips?|pelvis)\d*$")
# Patterns for the names of the trunk's joints, from top to bottom.
TRUNK = (HEAD, re.compile(r"neck\d*$"), re.compile(r"(chest|thorax|torso)\d*$"), re.compile(r"spine\d*$"))


class Limb(NamedTuple):
    """Three joints, each a descendant of the previous joint: hip, knee and ankle, or shoulder, elbow and wrist."""

    upper: int
    middle: int
    lower: int


Pair = tuple[Limb | None, Limb | None]  # left, right


def is_called(skeleton: Skeleton, joint: int, pattern: re.Pattern[str], side: Side | None = None) -> bool:
    """Return true if a joint's name contains the side `side`, and if the rest of the name ends with `pattern`."""
    name = skeleton.joint_names[joint]
    if side is not None and not _SIDED[side].search(name):
        return False
    bare = _SIDED[side].sub("", name) if side is not None else name
    return pattern.search(re.sub(r"[^a-z0-9]", "", bare.lower())) is not None


def called(
    skeleton: Skeleton, joints: Sequence[int], pattern: re.Pattern[str], side: Side | None = None
) -> Iterator[int]:
    """Yield the joints in `joints` whose names match the pattern and the side, in the order of `joints`."""
    return (joint for joint in joints if is_called(skeleton, joint, pattern, side))


def named_leg(skeleton: Skeleton, side: Side) -> Limb | None:
    """Return the leg on one side, or None if any of its three joints has an unusual name."""
    for shank in called(skeleton, range(skeleton.joint_count), SHANK, side):
        # a name such as "upleg" also matches the pattern of a shank, so thighs are excluded
        if is_called(skeleton, shank, THIGH, side):
            continue
        above = sided_above(skeleton, shank, side)
        thighs = [*called(skeleton, above[::-1], THIGH, side), *called(skeleton, above, HIP, side)]
        foot = next(called(skeleton, skeleton.below(shank)[1:], FOOT, side), None)
        if thighs and foot is not None:
            return Limb(thighs[0], shank, foot)
    return None


def named_arm(skeleton: Skeleton, side: Side) -> Limb | None:
    """Return the arm on one side.

    The elbow and the wrist must have usual names. The name of the upper arm must contain at least the side.
    """
    named = [*called(skeleton, range(skeleton.joint_count), UPPER_ARM, side)]
    for elbow in called(skeleton, range(skeleton.joint_count), LOWER_ARM, side):
        wrist = next(called(skeleton, skeleton.below(elbow)[1:], HAND, side), None)
        above = sided_above(skeleton, elbow, side)
        uppers = [*called(skeleton, above[::-1], UPPER_ARM, side)] if named else above
        if wrist is not None and uppers:
            return Limb(uppers[0], elbow, wrist)
    return None


def named_toes(skeleton: Skeleton, foot: int, side: Side) -> int | None:
    """Return the first joint below a foot with the name of a toe joint. If there is no such joint, return None."""
    return next(called(skeleton, skeleton.below(foot)[1:], TOES, side), None)


def sided_above(skeleton: Skeleton, joint: int, side: Side) -> list[int]:
    """Return the ancestors of a joint, nearest first.

    The list ends with the last ancestor whose name contains the side.
    """
    above = skeleton.above(joint)[1:]
    return [*takewhile(lambda own: _SIDED[side].search(skeleton.joint_names[own]), above)]
