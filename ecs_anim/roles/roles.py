"""The roles of a body's joints.

Usual joint names define the roles. For unusual joint names, the shape of the body defines the roles. A
table of corrections can override the roles from joint names and from the shape.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length
from ecs_anim.maths.transform import Pose
from ecs_anim.roles.names import HEAD, HIPS, SIDES, Limb, Pair, called, is_called, named_toes
from ecs_anim.roles.parts import ARM, LEG, Named, broken_limb, named_limb
from ecs_anim.roles.shape import Axes, Limbs, head_by_shape, limb_pairs, lowest_pair, seen_from, sided, widest_pair
from ecs_anim.roles.standing import standing_pose
from ecs_anim.support.arguments import unknown
from ecs_anim.support.errors import InputError

SIDED = ("shoulder", *ARM, *LEG, "toes")
CHAINS = ("spine", "neck")  # chains of consecutive joints, lowest joint first
ROLES = ("hips", *CHAINS, "head", *(f"{side}_{part}" for side in SIDES for part in SIDED))
OPTIONAL = ("shoulder", "toes")  # roles that a humanoid can lack
UPRIGHT = 0.15  # smallest height of a humanoid's hands above its feet, as a fraction of the body's height

Corrections = Mapping[str, str | Sequence[str]]  # joint names by role


@dataclass(frozen=True)
class Roles:
    """The joints of a body by role."""

    joints: Mapping[str, int]  # joint of each found role, except the chains
    spine: tuple[int, ...]  # joints above the hips, up to the joint that carries both arms
    neck: tuple[int, ...]  # joints above the spine and below the head
    facing: float  # [rad] from +Z, forward direction of the rest pose
    upright: bool  # true = the hands are well above the feet
    pose: Pose  # [joint], a standing pose: the rest pose, or a pose composed from frames of clips
    by_shape: frozenset[str] = frozenset()  # roles that come from the body's shape and not from joint names
    reasons: Mapping[str, str] = field(default_factory=dict)  # reasons for missing roles

    @property
    def head(self) -> int | None:
        """Return the index of the head joint, or None if no head was found."""
        return self.joints.get("head")

    @property
    def arms(self) -> Pair:
        """Return the left and the right arm. An arm with a missing joint is None."""
        return _pair(self.joints, ARM)

    @property
    def legs(self) -> Pair:
        """Return the left and the right leg. A leg with a missing joint is None."""
        return _pair(self.joints, LEG)

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the roles that a humanoid must have but that this body does not have."""
        needed = [role for role in ROLES if role not in CHAINS and not role.endswith(OPTIONAL)]
        return tuple(role for role in needed if role not in self.joints)

    @property
    def is_humanoid(self) -> bool:
        return self.upright and not self.missing

    @property
    def shortcoming(self) -> str:
        """Return the reason why the body is not a humanoid. If the body is a humanoid, return an empty text."""
        if self.missing:
            return "; ".join(dict.fromkeys(f"{self.reasons[role]}" for role in self.missing))
        return (
            ""
            if self.upright
            else "the hands are not above the feet. The up axis of the file may be wrong (for BVH motions, set --up)"
        )

    def table(self) -> dict[str, tuple[int, ...]]:
        """Return the joints of each found role in the order of `ROLES`."""
        chains = {"spine": self.spine, "neck": self.neck}
        found = {role: chains.get(role, (self.joints[role],) if role in self.joints else ()) for role in ROLES}
        return {role: joints for role, joints in found.items() if joints}


def find_roles(rig: Rig, facing: float | None = None, corrections: Corrections | None = None) -> Roles:
    """Return the roles of the joints in a rig.

    Some roles can be missing. `corrections` is a dictionary from role to joint name.

    The corrections have priority over the role table of a VRM file. This table has priority over names and shape.
    `facing` is the character's forward direction [rad] from +Z. If `facing` is None, the function determines the
    forward direction from the limbs. Raises InputError if `corrections` contains an unknown role or joint, or a joint
    that is not a descendant of the previous joint.
    """
    table = {} if rig.avatar is None else rig.avatar.roles
    skeleton, told = rig.skeleton, _named_joints(rig.skeleton, {**table, **(corrections or {})})
    single = {role: own[0] for role, own in told.items() if role not in CHAINS}
    named = _named_limbs(skeleton) | single
    pose = standing_pose(rig, named)
    points = model_matrices(skeleton, pose)[..., 3].astype(np.float64)
    named = _with_length(named, points) | single
    shaped, facing = _limbs(rig, points, facing, named)
    joints = named | shaped | single
    by_shape = {*shaped} - {*told}
    axes = seen_from(points, facing)
    head = joints.get("head", next(called(skeleton, range(skeleton.joint_count), HEAD), None))
    if head is None:
        by_shape.add("head")
        head = head_by_shape(rig, axes, _pair(joints, ARM))
    trunk, spine, neck = _trunk(skeleton, joints, head)
    joints = joints | trunk
    if "hips" not in told and "hips" in joints and not is_called(skeleton, joints["hips"], HIPS):
        by_shape.add("hips")
    joints = _hanging(skeleton, joints, told)
    ordered = {role: joints[role] for role in ROLES if role in joints}
    return Roles(
        ordered,
        told.get("spine", spine),
        told.get("neck", neck),
        facing,
        _upright(axes, joints),
        pose,
        frozenset(by_shape & {*joints}),
        _reasons(skeleton, joints),
    )


def _named_joints(skeleton: Skeleton, corrections: Corrections) -> dict[str, tuple[int, ...]]:
    found = {}
    for role, names in corrections.items():
        if role not in ROLES:
            raise unknown("role", role, ROLES)
        if isinstance(names, str) == (role in CHAINS):
            wanted = "a list of joints, from the lowest to the highest" if role in CHAINS else "one joint"
            raise InputError(f"{role}: the value must be {wanted} (got {names!r}). Correct the value.")
        found[role] = tuple(map(skeleton.joint_index, [names] if isinstance(names, str) else names))
    return found


def _named_limbs(skeleton: Skeleton) -> dict[str, int]:
    """Return the joints of arms, legs and toes that have usual names, by role."""
    named: dict[str, int] = {}
    for side in SIDES:
        named |= named_limb(skeleton, side, ARM) | named_limb(skeleton, side, LEG)
        toes = named_toes(skeleton, named[f"{side}_foot"], side) if f"{side}_foot" in named else None
        named |= {} if toes is None else {f"{side}_toes": toes}
    return named


def _with_length(named: Mapping[str, int], points: NDArray[np.float64]) -> dict[str, int]:
    """Return `named` without the limbs in which a bone has length 0.

    The positions of the joints are `points` [joint, 3].
    """
    found = dict(named)
    for side in SIDES:
        for parts, ends in ((ARM, ()), (LEG, ("toes",))):
            limb = [named[f"{side}_{part}"] for part in parts if f"{side}_{part}" in named]
            if any(length(points[b] - points[a]) <= 0 for a, b in pairwise(limb)):
                lost = {f"{side}_{part}" for part in (*parts, *ends)}
                found = {role: joint for role, joint in found.items() if role not in lost}
    return found


def _limbs(
    rig: Rig, points: NDArray[np.float64], facing: float | None, named: Mapping[str, int]
) -> tuple[dict[str, int], float]:
    """Return the joints of limbs without usual names, by role. The shape of the body defines these joints.

    Also return the forward direction [rad] of the body.
    """
    legs, arms = _pair(named, LEG), _pair(named, ARM)
    facing = _facing(points, named) if facing is None else facing
    pairs = limb_pairs(rig.skeleton, points) if facing is None or not (any(legs) and any(arms)) else []
    facing = _facing_by_shape(rig, points, pairs) if facing is None else facing
    return _shaped(rig, points, facing, legs, arms, pairs), facing


def _pair(joints: Mapping[str, int], parts: Sequence[str]) -> Pair:
    """Return the left and the right limb for the roles `parts`. A limb with a missing joint is None."""
    limbs = [[joints.get(f"{side}_{part}") for part in parts] for side in SIDES]
    left, right = (Limb(*limb) if None not in limb else None for limb in limbs)  # type: ignore[arg-type]
    return left, right


def _shaped(
    rig: Rig, points: NDArray[np.float64], facing: float, legs: Pair, arms: Pair, pairs: Sequence[Limbs]
) -> dict[str, int]:
    """Return the joints of paired limbs without usual names, and the toe joints below these limbs, by role."""
    skeleton, axes, named = rig.skeleton, seen_from(points, facing), Named.of(rig.skeleton)
    found: dict[str, int] = {}
    if not any(legs):
        legs = lowest_pair([pair for pair in pairs if named.allow(sided(pair, axes), LEG)], axes, arms)
        found |= _by_role(legs, LEG)
        for side, leg in zip(SIDES, legs, strict=True):
            toes = None if leg is None else _toes_by_shape(skeleton, points, axes, leg.lower)
            found |= {} if toes is None else {f"{side}_toes": toes}
    if not any(arms):
        arms = widest_pair([pair for pair in pairs if named.allow(sided(pair, axes), ARM)], axes, legs)
        found |= _by_role(arms, ARM)
    return found


def _toes_by_shape(skeleton: Skeleton, points: NDArray[np.float64], axes: Axes, foot: int) -> int | None:
    """Return the foremost joint below a foot. The function ignores joints at the position of the foot itself."""
    own = [int(joint) for joint in np.flatnonzero(skeleton.parents == foot) if length(points[joint] - points[foot]) > 0]
    return max(own, key=lambda joint: axes.ahead[joint], default=None)


def _by_role(pair: Pair, parts: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for side, limb in zip(SIDES, pair, strict=True):
        found |= {f"{side}_{part}": joint for part, joint in zip(parts, limb or (), strict=limb is not None)}
    return found


def _facing(points: NDArray[np.float64], joints: Mapping[str, int]) -> float | None:
    """Return the forward direction [rad] of a body from its left and right limbs, or None if it has no limb pairs.

    The forward direction is the cross product of the left axis and the up axis.
    """
    begins = [[joints.get(f"{side}_{parts[0]}") for side in SIDES] for parts in (LEG, ARM)]
    known = [points[left] - points[right] for left, right in begins if left is not None and right is not None]
    across = np.sum(known, axis=0) if known else np.zeros(3)
    return float(elementary.arctan2(-across[2], across[0])) if length(across[[0, 2]]) > 0 else None


def _facing_by_shape(rig: Rig, points: NDArray[np.float64], pairs: Sequence[Limbs]) -> float:
    """Return the forward direction of a body in quarter turns [rad].

    The function selects the quarter turn for which limbs form pairs, and feet point farthest forward.

    If no quarter turn fits, return 0, which is the direction +Z.
    """
    best, farthest = 0.0, 0.0
    for quarter in (0.0, math.pi / 2, math.pi, -math.pi / 2):
        axes = seen_from(points, quarter)
        legs = lowest_pair(pairs, axes, (None, None))
        if all(legs) and all(widest_pair(pairs, axes, legs)):
            feet = [leg.lower for leg in legs if leg]
            ahead = sum(float(axes.ahead[rig.skeleton.below(foot)].max() - axes.ahead[foot]) for foot in feet)
            best, farthest = (quarter, ahead) if ahead > farthest else (best, farthest)
    return best


def _trunk(
    skeleton: Skeleton, joints: Mapping[str, int], head: int | None
) -> tuple[dict[str, int], tuple[int, ...], tuple[int, ...]]:
    """Return the joints of hips, head and shoulders by role, the joints of the spine, and the joints of the neck."""
    found = {} if head is None else {"head": head}
    limbs = [joints.get(role) for role in ("left_upper_arm", "right_upper_arm", "left_thigh", "right_thigh")]
    chest, base = _carrier(skeleton, limbs[:2]), _carrier(skeleton, limbs)
    if chest is None or base is None:
        return found, (), ()
    hips = joints.get("hips", next(called(skeleton, _between(skeleton, -1, base)[::-1], HIPS), base))
    found["hips"] = hips
    for side in SIDES:
        above = _between(skeleton, chest, joints[f"{side}_upper_arm"])[:-1]
        if above:
            found[f"{side}_shoulder"] = joints.get(f"{side}_shoulder", above[0])
    neck = _between(skeleton, chest, head)[:-1] if head is not None and chest in skeleton.above(head) else ()
    return found, tuple(_between(skeleton, hips, chest)), tuple(neck)


def _carrier(skeleton: Skeleton, joints: Sequence[int | None]) -> int | None:
    """Return the lowest common ancestor of the joints in `joints`.

    If a joint is missing, or if no common ancestor exists, return None.
    """
    if None in joints:
        return None
    shared = set.intersection(*({*skeleton.above(joint)[1:]} for joint in joints if joint is not None))
    return max(shared, default=None)


def _between(skeleton: Skeleton, top: int, joint: int) -> list[int]:
    """Return the joints on the path from `top` to `joint`. The list contains `joint`, but not `top`.

    If `top` is not an ancestor of `joint`, the list begins at the root of `joint`.
    """
    above = skeleton.above(joint)
    return (above[: above.index(top)] if top in above else above)[::-1]


def _hanging(skeleton: Skeleton, joints: Mapping[str, int], told: Collection[str]) -> dict[str, int]:
    """Remove each joint that is not a descendant of its required ancestor, for example an ankle that is not below a
    knee.

    If the user has chosen the role of such a joint (`told`), raise InputError.
    """
    found = dict(joints)
    for upper, lower in links():
        if upper in found and lower in found and found[upper] not in skeleton.above(found[lower])[1:]:
            upper_joint, lower_joint = (skeleton.joint_names[found[own]] for own in (upper, lower))
            if upper in told or lower in told:
                raise InputError(
                    f"{lower} ({lower_joint!r}) must be a descendant of {upper} ({upper_joint!r}). Name other joints"
                    " for these two roles."
                )
            del found[lower]
    return found


def _reasons(skeleton: Skeleton, joints: Mapping[str, int]) -> dict[str, str]:
    """Return the reason for each missing role of a humanoid, by role."""
    found: dict[str, str] = {}
    for side in SIDES:
        for limb, parts in (("arm", ARM), ("leg", LEG)):
            if any(f"{side}_{part}" not in joints for part in parts):
                told = (
                    broken_limb(skeleton, side, parts)
                    or f"neither the joint names nor the shape suggest a {side} {limb}"
                )
                found |= {f"{side}_{part}": told for part in parts if f"{side}_{part}" not in joints}
    if "hips" not in joints:
        limbs = [f"{side}_{parts[0]}" for side in SIDES for parts in (ARM, LEG)]
        known = {*limbs} <= joints.keys()
        found["hips"] = "arms and legs have no common ancestor" if known else "the hips need two arms and two legs"
    if "head" not in joints:
        found["head"] = "no joint below the hips has the name head, and no joint is above the shoulders"
    return found


def links() -> Iterator[tuple[str, str]]:
    """Yield pairs of roles. The joint of the second role must be a descendant of the joint of the first role."""
    for side in SIDES:
        for parts in (("shoulder", *ARM), (*LEG, "toes")):
            yield from ((f"{side}_{above}", f"{side}_{below}") for above, below in pairwise(parts))
        yield "hips", f"{side}_thigh"
    yield "hips", "head"


def _upright(axes: Axes, joints: Mapping[str, int]) -> bool:
    ends = [[joints[f"{side}_{part}"] for side in SIDES if f"{side}_{part}" in joints] for part in ("hand", "foot")]
    if any(len(own) < len(SIDES) for own in ends):
        return False
    hands, feet = (float(np.mean(axes.up[own])) for own in ends)
    return hands - feet > UPRIGHT * axes.height
