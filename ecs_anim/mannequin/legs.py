"""Inverse kinematics of legs: formulas compute the joint rotations for given positions of the ankles."""

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.turns import Y, Z, about
from ecs_anim.maths import quaternion

LONGEST = 0.9995  # share of the length of the straight leg


def solve_leg(
    side: str, hips: Array, pelvis: Array, ankle: Array, foot: Array, toe: Array, splay: float = 5.0
) -> dict[str, Array]:
    """Return the local rotations [k, 4] of the four joints of a leg, by joint name.

    `hips` [k, 3] and `ankle` [k, 3] are positions in model space, in metres. `pelvis` [k, 4] and `foot` [k, 4] are
    rotations in model space. `toe` [k, 4] is the rotation of the toes relative to the foot. The knee points `splay`
    degrees outward from the forward direction of the pelvis. Raises ValueError if the distance from the hip joint to
    the ankle is longer than the leg.
    """
    outward = splay if side == "Left" else -splay
    thigh, shank = two_bone(
        hip_joint(side, hips, pelvis), ankle, quaternion.rotate(quaternion.multiply(pelvis, about(Y, outward)), Z), side
    )
    return {
        f"{side}UpLeg": quaternion.multiply(quaternion.conjugate(pelvis), thigh),
        f"{side}Leg": quaternion.multiply(quaternion.conjugate(thigh), shank),
        f"{side}Foot": quaternion.multiply(quaternion.conjugate(shank), foot),
        f"{side}ToeBase": toe,
    }


def hip_joint(side: str, hips: Array, pelvis: Array) -> Array:
    """Return the position [k, 3] of a hip joint.

    `hips` is the position of the hips, and `pelvis` is the rotation of the pelvis.
    """
    return hips + quaternion.rotate(pelvis, P.OFFSETS[P.INDEX[f"{side}UpLeg"]])


def two_bone(hip: Array, ankle: Array, forward: Array, side: str) -> tuple[Array, Array]:
    """Return the rotations [k, 4] of thigh and shank in model space.

    The knee bends in the direction `forward` [k, 3].
    """
    reach = ankle - hip
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    if (distance > LONGEST * (P.THIGH + P.SHANK)).any():
        raise ValueError(
            f"the {side} leg is too short to reach {distance.max():.4f} m (the leg is {P.THIGH + P.SHANK:.4f} m long)"
        )
    down = reach / distance
    along = (P.THIGH**2 - P.SHANK**2 + distance**2) / (2 * distance)
    ahead = np.sqrt(P.THIGH**2 - along**2)
    hinge = np.cross(forward, down)
    hinge /= np.linalg.norm(hinge, axis=-1, keepdims=True)
    knee = hip + down * along + np.cross(down, hinge) * ahead
    bound = P.POSITIONS[P.INDEX[f"{side}Foot"]] - P.POSITIONS[P.INDEX[f"{side}UpLeg"]]
    return _bone(bound, knee - hip, hinge), _bone(bound, ankle - knee, hinge)


def _bone(bound: Array, direction: Array, hinge: Array) -> Array:
    """Return the rotation [k, 4] that maps `bound`, the direction of a bone in the bind pose, to `direction` [k, 3].
    The rotation also maps the bone's hinge axis in the bind pose to `hinge` [k, 3].
    """
    across = np.cross(Z, bound)
    return quaternion.from_matrix(_frame(direction, hinge) @ _frame(bound, across).T)


def _frame(direction: Array, hinge: Array) -> Array:
    down = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    across = hinge / np.linalg.norm(hinge, axis=-1, keepdims=True)
    return np.stack([across, down, np.cross(across, down)], axis=-1)
