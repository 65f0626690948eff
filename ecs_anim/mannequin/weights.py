"""The skin weights of points. The weights change smoothly at each joint of a chain, and between chains."""

import numpy as np

from ecs_anim.mannequin import body
from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import smooth_step

INFLUENCES = 4


def skin_weights(p: Array) -> tuple[Array, Array]:
    """Return the joints [n, 4] and their weights [n, 4] for points [n, 3] in the bind pose.

    The weights of a point are sorted in descending order. The sum of the weights of a point is 1.
    """
    full = np.zeros((len(p), len(P.JOINTS)))
    for side, mirror in (("Left", 1.0), ("Right", -1.0)):
        _add_limbs(full, side, p * (mirror, 1, 1))
    left_over = 1 - full.sum(axis=1)
    for name, share in _spine(p).items():
        full[:, P.INDEX[name]] = share * left_over
    joints = np.argsort(-full, axis=1, kind="stable")[:, :INFLUENCES]
    weights = np.take_along_axis(full, joints, axis=1)
    weights = np.where(weights < 0.01, 0, weights)
    return np.where(weights > 0, joints, 0), weights / weights.sum(axis=1, keepdims=True)


def _add_limbs(full: Array, side: str, p: Array) -> None:
    for chain in (_arm(p), _leg(p)):
        for name, share in chain.items():
            full[:, P.INDEX[side + name]] += share


def _chain(beyond: dict[str, Array]) -> dict[str, Array]:
    """Return the skin weights [n] of each joint in a chain.

    `beyond` contains one array [n] for each joint. A value is 0 for a point before the joint, 1 for a point behind the
    joint, and in between near the joint.
    """
    names, reached = list(beyond), np.cumprod(list(beyond.values()), axis=0)
    ends = np.concatenate([reached[1:], np.zeros_like(reached[:1])])
    return dict(zip(names, reached - ends, strict=True))


def _spine(p: Array) -> dict[str, Array]:
    y = p[:, 1]
    neck = (p - P.CENTRE_POINTS["Neck"]) @ np.array([0, 0.94, 0.34])
    head = (p - P.CENTRE_POINTS["Head"]) @ np.array([0, 0.80, 0.60])
    return _chain(
        {
            "Hips": np.ones(len(p)),
            "Spine": smooth_step(y, 0.99, 1.12),
            "Spine1": smooth_step(y, 1.11, 1.24),
            "Spine2": smooth_step(y, 1.22, 1.36),
            "Neck": smooth_step(neck, -0.035, 0.035),
            "Head": smooth_step(head, -0.03, 0.03),
        }
    )


def _arm(p: Array) -> dict[str, Array]:
    along, _ = body.arm_coordinates(p)
    x, y = p[:, 0], p[:, 1]
    outward = (p - P.LEFT_POINTS["Arm"]) @ np.array([0.92, -0.38, 0])
    member = smooth_step(body.torso(p) - body.arm(p), -0.05, 0.03)
    beyond_arm = member * smooth_step(outward, -0.055, 0.055)
    clavicle = smooth_step(x, 0.02, 0.14) * smooth_step(y, 1.33, 1.44) * (1 - smooth_step(y, 1.47, 1.51))
    return _chain(
        {
            "Shoulder": np.maximum(clavicle, beyond_arm),
            "Arm": beyond_arm / np.maximum(np.maximum(clavicle, beyond_arm), 1e-9),
            "ForeArm": smooth_step(along - P.UPPER_ARM, -0.045, 0.045),
            "Hand": smooth_step(along - P.UPPER_ARM - P.FOREARM, -0.03, 0.025),
        }
    )


def _leg(p: Array) -> dict[str, Array]:
    along, _ = body.leg_coordinates(p)
    below_hem = 1 - smooth_step(p[:, 1], 0.945, 0.995)  # thighs hardly move the hem of a shirt
    reached = smooth_step(along, -0.10, 0.09) * smooth_step(p[:, 0], -0.025, 0.045) * below_hem
    return _chain(
        {
            "UpLeg": np.where(body.torso(p) - body.arm(p) > 0.02, 0, reached),
            "Leg": smooth_step(along - P.THIGH, -0.065, 0.065),
            "Foot": 1 - smooth_step(p[:, 1], 0.068, 0.125),
            "ToeBase": toe_share(p[:, 2]),
        }
    )


def toe_share(z: Array) -> Array:
    """Return the share [n] of the toes in the motion of a foot, at the forward positions `z` [n] in metres."""
    return smooth_step(z - P.LEFT_POINTS["ToeBase"][2], -0.018, 0.018)
