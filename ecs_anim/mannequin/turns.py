"""Rotations of joints with anatomical names.

All angles are in degrees, as arrays [k] or numbers. Results are quaternions [..., 4].

In the bind pose, every joint is unrotated, so the axes of each joint are parallel to the axes of the model: +X left, +Y
up, +Z forward. A local rotation turns a joint about these axes, relative to its parent joint.
"""

import numpy as np
from numpy.typing import ArrayLike

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.maths import quaternion

X, Y, Z = np.eye(3)


def about(axis: ArrayLike, degrees: ArrayLike) -> Array:
    """Return a rotation by `degrees` about the unit axis `axis` [3]."""
    return quaternion.from_axis_angle(np.asarray(axis, float), np.radians(np.asarray(degrees, float)))


def compose(*rotations: Array) -> Array:
    """Return the product of rotations. The rotation in the last argument is applied first."""
    result = rotations[0]
    for rotation in rotations[1:]:
        result = quaternion.multiply(*np.broadcast_arrays(result, rotation))
    return result


def trunk(bend: ArrayLike = 0.0, yaw: ArrayLike = 0.0, side: ArrayLike = 0.0) -> Array:
    """Return the rotation of a joint of the spine, the neck or the pelvis.

    `bend` tilts the joint forward, `yaw` turns the joint to the left, and `side` tilts the joint to the right.
    """
    return compose(about(Y, yaw), about(Z, side), about(X, bend))


def neck_and_head(shoulders: Array, head: Array) -> dict[str, Array]:
    """Return the local rotations of neck and head.

    The neck and the head each take half of the rotation from `shoulders` to `head`.

    `shoulders` and `head` [..., 4] are rotations in model space.
    """
    correction = compose(quaternion.conjugate(shoulders), head)
    half = quaternion.nlerp(np.broadcast_to(quaternion.IDENTITY, correction.shape), correction, 0.5)
    return {"Neck": half, "Head": half}


def mirrored(rotation: Array) -> Array:
    """Return the mirror image of a rotation in x, for the matching joint on the other side of the body."""
    return rotation * np.array([1, -1, -1, 1])


def sided(side: str, rotation: Array) -> Array:
    """Return the rotation of a joint on the side `side` of the body.

    `rotation` is the rotation of the left joint. If `side` is the right side, the function returns the mirror image of
    `rotation`.
    """
    return rotation if side == "Left" else mirrored(rotation)


def arm(
    side: str,
    flexion: ArrayLike = 0.0,
    abduction: ArrayLike = 8.0,
    inward: ArrayLike = 0.0,
    elbow: ArrayLike = 15.0,
    pronation: ArrayLike = 0.0,
    wrist: ArrayLike = 0.0,
    wave: ArrayLike = 0.0,
) -> dict[str, Array]:
    """Return the local rotations of the joints of one arm, by name.

    If all angles are 0, the arm hangs straight down with the palm at the thigh.

    `flexion` swings the arm forward. After the flexion, `abduction` raises the arm outward. `inward` rotates the upper
    arm about its axis, so that a bent forearm points inward. `wrist` bends the hand towards the palm. `wave` bends the
    hand towards the thumb.
    """
    hang = about(Z, np.degrees(P.ARM_ANGLE) - 90)
    parts = {
        "Arm": compose(about(Z, abduction), about(X, -np.asarray(flexion)), about(Y, -np.asarray(inward)), hang),
        "ForeArm": _within(hang, compose(about(X, -np.asarray(elbow)), about(Y, -0.6 * np.asarray(pronation)))),
        "Hand": _within(
            hang,
            compose(about(Y, -0.4 * np.asarray(pronation)), about(X, -np.asarray(wave)), about(Z, -np.asarray(wrist))),
        ),
    }
    return {side + name: sided(side, rotation) for name, rotation in parts.items()}


def _within(frame: Array, rotation: Array) -> Array:
    return compose(quaternion.conjugate(frame), rotation, frame)
