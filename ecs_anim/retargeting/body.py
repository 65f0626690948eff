"""Bodies for retargeting. A body is a humanoid rig in its reference pose."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.bound_skin import bind_matrices
from ecs_anim.assets.frames import Frames, frames_of, local_rotations
from ecs_anim.assets.rig import Rig
from ecs_anim.ik.legs import make_leg
from ecs_anim.maths import quaternion
from ecs_anim.maths.elementary import arctan2, cos, sin
from ecs_anim.maths.small_matrices import length
from ecs_anim.maths.transform import Pose, Transform
from ecs_anim.roles.names import Limb
from ecs_anim.roles.roles import Roles

Reals = NDArray[np.floating]
QUARTER = math.pi / 2
# A rest pose counts as standing if the distance between floor and soles is at most this share of the leg length.
STANDING = 0.25
# For rigs without a skin, the heel lies behind the ankle by this share of the distance from ankle to ball.
HEEL_BEHIND = 0.25


class Body(NamedTuple):
    """A humanoid rig in its reference pose.

    The reference pose is the bind pose of a rig with a skin. For a rig without a skin, the reference pose is a standing
    pose.
    """

    rig: Rig
    roles: Roles
    reference: Frames  # [joint]
    legs: tuple[Limb, Limb]  # left, right
    arms: tuple[Limb, Limb]
    # [side, 2, 3] [rig units], heel and ball of each foot, in the coordinate frame of the ankle.
    soles: Reals
    leg_length: float  # [rig units], length of thigh and shank, mean of both legs
    ankle_height: float  # [rig units], height above the sole in the reference pose
    facing: float  # [rad], facing direction from +Z, rounded to a multiple of 90 degrees
    stands: bool  # true = the body stands on a floor at height 0; false = the floor must be found from the feet

    @property
    def standing_hip(self) -> float:
        """Return the height of a hip joint above the sole for a straight leg [rig units]."""
        return self.leg_length + self.ankle_height

    @property
    def shoulder_height(self) -> float:
        """Return the height of the shoulder joints above the sole in the reference pose [rig units]."""
        points = self.reference.positions[:, 1]
        shoulders, ankles = (
            float(np.mean([points[own] for own in joints]))
            for joints in ([arm.upper for arm in self.arms], [leg.lower for leg in self.legs])
        )
        return shoulders - ankles + self.ankle_height

    @property
    def hip_width(self) -> float:
        """Return the distance between both hip joints [rig units]."""
        left, right = (self.reference.positions[leg.upper] for leg in self.legs)
        return float(length(left - right))


def body_of(rig: Rig, roles: Roles) -> Body:
    """Return the body of a humanoid rig."""
    legs, arms = _both(roles.legs), _both(roles.arms)
    reference = _reference(rig, roles, legs, arms)
    points = reference.positions
    across = points[legs[0].upper] - points[legs[1].upper]
    facing = round(float(arctan2(-across[2], across[0])) / QUARTER) * QUARTER
    leg_length = float(np.mean([_length(points[[*leg]]) for leg in legs]))
    soles = np.stack([_sole(rig, roles, reference, leg, facing) for leg in legs])
    lowest = min(float(_placed(reference, leg, sole)[:, 1].min()) for leg, sole in zip(legs, soles, strict=True))
    ankles = float(np.mean([points[leg.lower][1] for leg in legs]))
    # a character with a skin stands on a floor at height 0; in a motion file without a skin, the feet show the floor
    stands = rig.skeleton.palette_count > 0
    return Body(rig, roles, reference, legs, arms, soles, leg_length, ankles - lowest, facing, stands)


def contacts_of(body: Body, frames: Frames, side: int) -> Reals:
    """Return the heel and the ball of the foot on one side, as positions in model space [..., 2, 3]."""
    return _placed(frames, body.legs[side], body.soles[side])


def _placed(frames: Frames, leg: Limb, sole: Reals) -> Reals:
    turned = quaternion.rotate(frames.rotations[..., leg.lower, None, :], sole)
    return frames.positions[..., leg.lower, None, :] + turned


def _both(pair: tuple[Limb | None, Limb | None]) -> tuple[Limb, Limb]:
    left, right = pair
    assert left is not None
    assert right is not None
    return left, right


def _reference(rig: Rig, roles: Roles, legs: tuple[Limb, Limb], arms: tuple[Limb, Limb]) -> Frames:
    """Return the rotations and positions of the joints in the skin's bind pose. For a rig without a skin, return them
    in a standing pose.

    A file can store the bind pose in other units than the rest pose. Therefore, the function keeps the bone lengths of
    the rest pose.
    """
    skeleton, rest = rig.skeleton, rig.skeleton.rest_pose
    bind = bind_matrices(skeleton)
    if not {joint for limb in (*legs, *arms) for joint in limb} <= bind.keys():
        return frames_of(skeleton, roles.pose)
    points = np.zeros((skeleton.joint_count, 3))
    points[[*bind]] = [matrix[:, 3] for matrix in bind.values()]
    resting = frames_of(skeleton, rest)
    upright = quaternion.multiply(
        _frame(resting.positions, legs, arms), quaternion.conjugate(_frame(points, legs, arms))
    )
    rotations = quaternion.normalize(Transform.from_matrix(np.stack([*bind.values()])).rotation)
    turned = {joint: quaternion.multiply(upright, own) for joint, own in zip(bind, rotations, strict=True)}
    local = local_rotations(skeleton, rest.rotation.astype(np.float64), turned)
    return frames_of(skeleton, Pose(rest.translation, local, rest.scale))


def _frame(points: Reals, legs: tuple[Limb, Limb], arms: tuple[Limb, Limb]) -> Reals:
    """Return the rotation from a standing body that faces +Z to a body with joints at `points`.

    The rotation is rounded: it turns each coordinate axis onto a coordinate axis, with either sign.
    """
    hips, chest = (np.mean([points[limb.upper] for limb in pair], axis=0) for pair in (legs, arms))
    up = _axis(chest - hips)
    left = points[legs[0].upper] - points[legs[1].upper]
    left = _axis(left - np.sum(left * up) * up)
    return quaternion.from_matrix(np.stack([left, up, np.cross(left, up)], axis=-1))


def _axis(direction: Reals) -> Reals:
    """Return the signed coordinate axis nearest to a direction."""
    axis = np.zeros(3)
    at = int(np.argmax(np.abs(direction)))
    axis[at] = 1.0 if direction[at] > 0 else -1.0
    return axis


def _sole(rig: Rig, roles: Roles, reference: Frames, leg: Limb, facing: float) -> Reals:
    """Return heel and ball in the coordinate frame of the ankle [2, 3].

    If the rig has no skin, heel and ball are below the ankle and the toes.
    """
    side = "left" if leg == roles.legs[0] else "right"
    toes = roles.joints.get(f"{side}_toes")
    names = [rig.skeleton.joint_names[joint] for joint in (*leg, *([] if toes is None else [toes]))]
    try:
        own = make_leg(rig, names).contacts.astype(np.float64)
    except ValueError:
        return _sole_of_joints(rig, reference, leg, toes, facing)
    bind = bind_matrices(rig.skeleton)
    bound = np.stack([bind[joint][:, 3] for joint in leg])
    # the bind pose and the rest pose can have different units
    stretch = _length(reference.positions[[*leg]]) / _length(bound)
    return own * np.abs(Transform.from_matrix(bind[leg.lower]).scale) * stretch


def _length(points: Reals) -> float:
    """Return the sum of both bone lengths of a limb whose joints are at `points` [3, 3]."""
    return float(length(points[1:] - points[:-1]).sum())


def _sole_of_joints(rig: Rig, reference: Frames, leg: Limb, toes: int | None, facing: float) -> Reals:
    """Return heel and ball in the coordinate frame of the ankle [2, 3], from joints alone.

    The function assumes that the sole is on the floor of the rest pose, or at the height of the foot's lowest joint.
    """
    points = reference.positions
    ankle = points[leg.lower]
    below = rig.skeleton.below(leg.lower)
    floor = float(points[below, 1].min())
    size = float(length(points[leg.upper] - ankle))
    floor = 0.0 if 0 <= floor < STANDING * size else floor
    forward = np.array([sin(facing), 0.0, cos(facing)])
    ball = max(below, key=lambda joint: float(np.sum(points[joint] * forward))) if toes is None else toes
    ahead = (points[ball] - ankle) * [1, 0, 1]
    placed = np.stack([ankle - HEEL_BEHIND * ahead, ankle + ahead])
    placed[:, 1] = floor
    return quaternion.rotate(quaternion.conjugate(reference.rotations[leg.lower]), placed - ankle)
