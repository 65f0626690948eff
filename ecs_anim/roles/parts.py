"""Search for the joints of a limb by name. If a limb is incomplete, the module states the reason."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.roles.names import (
    FOOT,
    HAND,
    HIP,
    LOWER_ARM,
    SHANK,
    SIDES,
    THIGH,
    UPPER_ARM,
    Limb,
    Side,
    called,
    named_arm,
    named_leg,
    sided_above,
)

Parts = tuple[str, str, str]  # roles in a limb, from the trunk outwards
ARM: Parts
LEG: Parts
ARM, LEG = ("upper_arm", "lower_arm", "hand"), ("thigh", "shank", "foot")
PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "upper_arm": (UPPER_ARM,),
    "lower_arm": (LOWER_ARM,),
    "hand": (HAND,),
    "thigh": (THIGH, HIP),
    "shank": (SHANK,),
    "foot": (FOOT,),
}
# Words in the names of arm joints and of leg joints. The word "Armature" does not mean an arm.
ARM_WORDS = re.compile(r"arm(?!ature)|elbow|wrist|hand|palm|finger|thumb|index|pinky|metacarp|clavicle|collar|shoulder")
LEG_WORDS = re.compile(r"thigh|(?<!a)leg|shank|shin|calf|knee|ankle|foot|feet|toe|femur|tibia")


def suggested(skeleton: Skeleton, side: Side, part: str) -> list[int]:
    """Return the joints on one side whose names fit the role `part`.

    If no name fits the role `upper_arm`, return the ancestors of the elbow whose names contain the side (see
    `sided_above`). For the role `shank`, leave out joints whose names also fit a thigh.
    """
    joints = range(skeleton.joint_count)
    found = [joint for pattern in PATTERNS[part] for joint in called(skeleton, joints, pattern, side)]
    if part == "upper_arm" and not found:  # the joint above an elbow can have any name
        return [
            above for elbow in suggested(skeleton, side, "lower_arm") for above in sided_above(skeleton, elbow, side)
        ]
    uppers = {*called(skeleton, joints, THIGH, side)} if part == "shank" else set()
    return [joint for joint in found if joint not in uppers]


def named_limb(skeleton: Skeleton, side: Side, parts: Parts) -> dict[str, int]:
    """Return the joints of a limb by role.

    The names must fit the roles, and each joint must be a descendant of the previous joint.
    """
    limb = named_arm(skeleton, side) if parts is ARM else named_leg(skeleton, side)
    if limb is not None:
        return {f"{side}_{part}": joint for part, joint in zip(parts, limb, strict=True)}
    found: dict[str, int] = {}
    for part in parts:
        known = [j for j in suggested(skeleton, side, part) if {*found.values()} <= {*skeleton.above(j)[1:]}]
        if known:
            found[f"{side}_{part}"] = known[0]
    return found


class Named(NamedTuple):
    """The joints whose names fit each role."""

    parts: Mapping[str, frozenset[int]]  # by role, such as "left_hand"
    # for the roles of an arm, the joints with names of legs; for the roles of a leg, the joints with names of arms
    foreign: Mapping[Parts, frozenset[int]]

    @classmethod
    def of(cls, skeleton: Skeleton) -> Self:
        """For each role, return the joints of a skeleton that have fitting names."""
        parts = {f"{side}_{part}": frozenset(suggested(skeleton, side, part)) for side in SIDES for part in PATTERNS}
        every = range(skeleton.joint_count)
        foreign = {
            own: frozenset(called(skeleton, every, words)) for own, words in ((ARM, LEG_WORDS), (LEG, ARM_WORDS))
        }
        return cls(parts, foreign)

    def allow(self, pair: Sequence[Limb], parts: Parts) -> bool:
        """Return whether the joint names allow the roles `parts` for the left and the right limb in `pair`."""
        roles = [f"{side}_{part}" for side in SIDES for part in parts]
        joints = [joint for limb in pair for joint in limb]
        if not self.foreign[parts].isdisjoint(joints):
            return False
        return all(joint in (self.parts[role] or {joint}) for role, joint in zip(roles, joints, strict=True))


def broken_limb(skeleton: Skeleton, side: Side, parts: Parts) -> str:
    """Return why the joint names do not define a limb on one side.

    If no joint name fits a role in this limb, return an empty text.
    """
    known = {part: suggested(skeleton, side, part) for part in parts}
    names = skeleton.joint_names
    if not any(known.values()):
        return ""
    for part, joints in known.items():
        if not joints:
            other, own = next((name, own[0]) for name, own in known.items() if own)
            return f"the name of {names[own]!r} means {_told(side, other)}, but no joint name means {_told(side, part)}"
    for (above, uppers), (below, lowers) in pairwise(known.items()):
        if not any(upper in skeleton.above(lower)[1:] for upper in uppers for lower in lowers):
            parent = int(skeleton.parents[lowers[0]])
            place = f"is below {names[parent]!r}" if parent >= 0 else "is a root"
            upper = f"{_told(side, above)} {names[uppers[0]]!r}"
            return f"{_told(side, below)} {names[lowers[0]]!r} {place}, not below {upper}"
    return f"no {_told(side, parts[2])[4:]} is below a {parts[1].replace('_', ' ')} and a {parts[0].replace('_', ' ')}"


def _told(side: Side, part: str) -> str:
    return f"the {side} {part.replace('_', ' ')}"
