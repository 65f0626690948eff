"""The joint positions of the mannequin. The positions follow published lengths of body segments.

Each length is a fraction of the stature. The fractions are from Drillis and Contini, "Body Segment Parameters" (1966).
Figure 4.1 in Winter, "Biomechanics and Motor Control of Human Movement" (4th edition, 2009) shows these fractions. The
stature without shoes is 1.73 m. The soles are 20 mm thick. Units are metres. +Y is up. The character faces +Z, and +X
is to the character's left.
"""

import numpy as np

from ecs_anim.mannequin.arrays import Array

STATURE = 1.73  # [m], bare-foot
SOLE = 0.02  # [m]
ARM_ANGLE = np.radians(45.0)  # [rad], angle of the arms below the horizontal in the bind pose

THIGH = 0.245 * STATURE
SHANK = 0.246 * STATURE
ANKLE_HEIGHT = 0.039 * STATURE + SOLE
UPPER_ARM = 0.186 * STATURE
FOREARM = 0.146 * STATURE
SHOULDER_HEIGHT = 0.818 * STATURE + SOLE
ANKLE_TO_BALL = 0.135  # [m], forward distance from the ankle

ARM_DIRECTION = np.array([np.cos(ARM_ANGLE), -np.sin(ARM_ANGLE), 0.0])  # left arm in the bind pose


def _leg_points() -> tuple[Array, Array, Array]:
    """Return the positions [3] of hip, knee and ankle of the left leg, in metres. The leg is straight."""
    ankle = np.array([0.115, ANKLE_HEIGHT, -0.02])
    across, back = 0.027, 0.02
    hip_height = ANKLE_HEIGHT + np.sqrt((THIGH + SHANK) ** 2 - across**2 - back**2)
    hip = np.array([0.088, hip_height, 0.0])
    return hip, hip + (ankle - hip) * THIGH / (THIGH + SHANK), ankle


def _left_points() -> dict[str, Array]:
    hip, knee, ankle = _leg_points()
    shoulder = np.array([0.183, SHOULDER_HEIGHT - 0.01, -0.015])
    elbow = shoulder + UPPER_ARM * ARM_DIRECTION
    return {
        "Shoulder": np.array([0.03, SHOULDER_HEIGHT, 0.0]),
        "Arm": shoulder,
        "ForeArm": elbow,
        "Hand": elbow + FOREARM * ARM_DIRECTION,
        "UpLeg": hip,
        "Leg": knee,
        "Foot": ankle,
        "ToeBase": np.array([ankle[0], 0.022, ankle[2] + ANKLE_TO_BALL]),
    }


CENTRE_POINTS = {
    "Hips": np.array([0.0, 0.98, 0.0]),
    "Spine": np.array([0.0, 1.07, -0.005]),
    "Spine1": np.array([0.0, 1.18, -0.012]),
    "Spine2": np.array([0.0, 1.30, -0.022]),
    "Neck": np.array([0.0, 1.475, -0.028]),
    "Head": np.array([0.0, 1.56, -0.012]),
}
LEFT_POINTS = _left_points()
LEFT_PARENTS = {
    "Shoulder": "Spine2",
    "Arm": "Shoulder",
    "ForeArm": "Arm",
    "Hand": "ForeArm",
    "UpLeg": "Hips",
    "Leg": "UpLeg",
    "Foot": "Leg",
    "ToeBase": "Foot",
}
SIDES = {"Left": np.array([1, 1, 1]), "Right": np.array([-1, 1, 1])}  # factors that mirror the left points

_POINTS = CENTRE_POINTS | {
    side + name: LEFT_POINTS[name] * mirror for side, mirror in SIDES.items() for name in LEFT_POINTS
}
JOINTS = tuple(_POINTS)
INDEX = {name: i for i, name in enumerate(JOINTS)}
_SIDE_PARENTS = [parent if parent in INDEX else side + parent for side in SIDES for parent in LEFT_PARENTS.values()]

PARENTS = (*range(-1, len(CENTRE_POINTS) - 1), *(INDEX[name] for name in _SIDE_PARENTS))  # [22], -1 = root
POSITIONS = np.array([*_POINTS.values()])  # [22, 3], [m], bind pose, in which every joint is unrotated
OFFSETS = np.array([POSITIONS[j] - (POSITIONS[p] if p >= 0 else 0) for j, p in enumerate(PARENTS)])  # [22, 3], [m]
