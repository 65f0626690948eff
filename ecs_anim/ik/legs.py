"""Legs of a rig: the joints of each leg, and the points of its sole that touch the ground."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.bound_skin import bind_matrices, skin_of
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.maths import affine
from ecs_anim.maths.small_matrices import inner, length
from ecs_anim.roles.names import SIDES, Side, named_leg, named_toes
from ecs_anim.roles.parts import LEG

HEEL, BALL = 0, 1  # the two contacts of a foot
HEEL_SHARE = 0.12  # distance of the heel from the rear end of the foot, as a share of the foot's length
# distance of the ball from the rear end of a foot without a toe joint, as a share of the foot's length
BALL_SHARE = 0.7


@dataclass(frozen=True)
class Leg:
    """The joints of a leg, and the contacts of its foot in the ankle's coordinate frame."""

    hip: int
    knee: int
    ankle: int
    toe: int  # -1 = none
    contacts: NDArray[np.float32]  # [2, 3] f32, heel and ball, in the ankle's coordinate frame


class LegArrays(NamedTuple):
    """All legs of a crowd's rig, as read-only arrays for kernels."""

    joints: Annotated[NDArray[np.int32], Shape("leg", 4)]  # hip, knee, ankle, toe (-1 = none)
    contacts: Annotated[NDArray[np.float32], Shape("leg", 2, 3)]  # heel and ball, in the ankle's coordinate frame
    length: Annotated[NDArray[np.float32], Shape("leg")]  # [rig units], length of thigh plus shank in the rest pose
    owned: Annotated[NDArray[np.int32], Shape("owned")]  # joints that move with each leg joint, sorted by leg
    # first indices in `owned` for hip, knee, ankle and toe, then the end
    owned_start: Annotated[NDArray[np.int32], Shape("leg", 5)]
    pelvis: Annotated[NDArray[np.int32], Shape("carried")]  # the pelvis and all joints below


def find_legs(rig: Rig) -> tuple[Leg, ...]:
    """Return the legs of a rig. A VRM file lists the joints of the legs.

    If the file is not a VRM file, the function searches for usual names such as LeftUpLeg, LeftLeg and LeftFoot.
    Returns () if the rig has no legs.
    """
    legs = []
    for side in SIDES:
        names = _told_leg(rig, side) or _named_leg(rig.skeleton, side)
        try:
            legs += [make_leg(rig, names)] if names else []
        except ValueError:
            continue  # the joints have usual names, but do not form a leg
    return tuple(legs)


def _told_leg(rig: Rig, side: Side) -> list[str]:
    """Return the names of a leg's joints from the table of a VRM file.

    The toes are optional. If the rig does not come from a VRM file, return [].
    """
    told = {} if rig.avatar is None else rig.avatar.roles
    roles = [f"{side}_{part}" for part in (*LEG, "toes")]
    return [str(told[role]) for role in roles if role in told] if {*roles[:-1]} <= told.keys() else []


def _named_leg(skeleton: Skeleton, side: Side) -> list[str]:
    """Return the names of a leg's joints if the skeleton has usual names, else []. The toes are optional."""
    limb = named_leg(skeleton, side)
    if limb is None:
        return []
    toes = named_toes(skeleton, limb.lower, side)
    return [skeleton.joint_names[joint] for joint in (limb if toes is None else (*limb, toes))]


def make_leg(rig: Rig, names: Sequence[str]) -> Leg:
    """Return a leg from the names of its joints: hip, knee, ankle and optionally toe.

    Raises InputError for an unknown name, and ValueError if a joint is not below the previous joint.
    """
    joints = [rig.skeleton.joint_index(name) for name in names]
    for above, below in pairwise(joints):
        rig.skeleton.path(above, below)
    hip, knee, ankle = joints[:3]
    positions = model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3]
    if min(length(positions[b] - positions[a]) for a, b in ((hip, knee), (knee, ankle))) <= 0:
        raise ValueError(
            f"each bone of the leg that begins at joint {names[0]!r} must have a length above 0. Name other joints for"
            " the leg."
        )
    toe = joints[3] if len(joints) > 3 else -1
    return Leg(hip, knee, ankle, toe, _contacts(rig, hip, ankle, toe))


def leg_arrays(skeleton: Skeleton, legs: Sequence[Leg]) -> LegArrays:
    """Return the arrays that describe the legs for kernels."""
    positions = model_matrices(skeleton, skeleton.rest_pose)[..., 3]
    owned: list[int] = []
    starts = []
    for leg in legs:
        row = [len(owned)]
        for part in _segments(skeleton, leg):
            owned += part
            row.append(len(owned))
        starts.append(row)
    arrays = LegArrays(
        np.array([[leg.hip, leg.knee, leg.ankle, leg.toe] for leg in legs], np.int32),
        np.stack([leg.contacts for leg in legs]),
        np.array([_length(positions, leg) for leg in legs], np.float32),
        np.array(owned, np.int32),
        np.array(starts, np.int32),
        np.array(skeleton.below(_pelvis(skeleton, legs)), np.int32),
    )
    return sealed(arrays)


def _length(positions: NDArray[np.float32], leg: Leg) -> float:
    """Return the length of a leg, which is the length of the thigh plus the length of the shank. `positions` [joint, 3]
    contains the positions of all joints.
    """
    hip, knee, ankle = positions[[leg.hip, leg.knee, leg.ankle]]
    return max(float(length(knee - hip) + length(ankle - knee)), 1e-12)


def _segments(skeleton: Skeleton, leg: Leg) -> list[list[int]]:
    """Return four lists: the joints that move rigidly with the hip, with the knee, with the ankle and with the toe."""
    if leg.toe < 0:
        return [*skeleton.segments([leg.hip, leg.knee, leg.ankle]), []]
    return skeleton.segments([leg.hip, leg.knee, leg.ankle, leg.toe])


def _pelvis(skeleton: Skeleton, legs: Sequence[Leg]) -> int:
    """Return the pelvis: the lowest joint of the skeleton that is above all hips.

    A hip without a parent is its own pelvis.
    """
    carriers = (joint for joint in reversed(range(skeleton.joint_count)) if _carries(skeleton, joint, legs))
    return next(carriers, legs[0].hip)


def _carries(skeleton: Skeleton, joint: int, legs: Sequence[Leg]) -> bool:
    return {leg.hip for leg in legs} <= set(skeleton.below(joint)) - {joint}


def _contacts(rig: Rig, hip: int, ankle: int, toe: int) -> NDArray[np.float32]:
    """Return the heel and the ball of a foot [2, 3]: points on the sole in the bind pose.

    The points are in the ankle's coordinate frame.
    """
    skeleton = rig.skeleton
    bind = bind_matrices(skeleton)
    if not {hip, ankle} <= bind.keys():
        raise ValueError(
            "both the hip joint and the ankle joint of a leg must be joints of the skin (got the leg with the ankle"
            f" {skeleton.joint_names[ankle]!r}). Name other joints for the leg."
        )
    up = _axis_near(bind[hip][:, 3] - bind[ankle][:, 3])
    skin = skin_of(rig, {ankle, toe} if toe in bind else {ankle})
    if not len(skin):
        raise ValueError(
            f"no vertex of the skin follows the ankle joint {skeleton.joint_names[ankle]!r}. Name another ankle joint."
        )
    centre = bind[ankle][:, 3]
    ahead = _across(bind[toe][:, 3] - centre if toe in bind else skin.mean(axis=0) - centre, up)
    along = inner(skin - centre, ahead)
    rear, foot = along.min(), np.ptp(along)
    sole = inner(skin - centre, up).min()
    heel = centre + sole * up + (rear + HEEL_SHARE * foot) * ahead
    if toe in bind:
        ball = bind[toe][:, 3] + (sole - inner(bind[toe][:, 3] - centre, up)) * up
    else:
        ball = centre + sole * up + (rear + BALL_SHARE * foot) * ahead
    return affine.transform_points(affine.inverse(bind[ankle]), np.stack([heel, ball])).astype(np.float32)


def _axis_near(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    axis = np.zeros(3)
    at = int(np.argmax(np.abs(direction)))
    axis[at] = np.sign(direction[at])
    return axis


def _across(direction: NDArray[np.float64], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the component of a direction that is perpendicular to `up`, scaled to length 1."""
    level = direction - inner(direction, up) * up
    found: NDArray[np.float64] = level / max(float(length(level)), 1e-12)
    return found
