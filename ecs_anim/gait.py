"""What a clip's feet say: the ground speed that a walk or a run was made for."""

import math

import numpy as np

from ecs_anim.clip import Clip
from ecs_anim.hierarchy import model_matrices

SAMPLE_COUNT = 96
FOOT_BAND = 0.10  # joints that come this near to the lowest point are feet, share of the body's height
CONTACT_BAND = 0.005  # a foot this near to its own lowest point is planted, share of the body's height
STILL = 0.03  # a joint that moves less than this over the clip takes no steps, share of the body's height
STANDING = 0.1  # slower than this many body heights a second is no gait


def ground_speed(clip: Clip, facing: float = 0.0) -> float:
    """Speed over the ground [rig units/s] that a clip was made for: what its `extras` say, else what its feet do."""
    said = clip.extras.get("ground_speed")
    return float(said) if isinstance(said, int | float) else measured_ground_speed(clip, facing)


def measured_ground_speed(clip: Clip, facing: float = 0.0) -> float:
    """Speed over the ground [rig units/s] at which the planted feet of an in-place clip stand still.

    A planted foot slides backwards under a character that walks in place, away from where it faces: an angle
    in radians about +Y, 0 = +Z. The feet are the joints that come near to the ground; the speed is the median
    over the moments at which one is at its lowest. Clips without a gait give 0.
    """
    if clip.duration <= 0:
        return 0.0
    time = clip.start + np.arange(SAMPLE_COUNT + 1) / SAMPLE_COUNT * clip.duration
    joints = np.unique(clip.skeleton.skin_joints)
    positions = model_matrices(clip.skeleton, clip.sample(time, loop=False))[..., 3][:, joints].astype(np.float64)
    height = positions[..., 1]
    body = np.ptp(height)
    lowest = height.min(axis=0)
    feet = lowest < lowest.min() + FOOT_BAND * body
    velocity = np.diff(positions[:, feet], axis=0) * (SAMPLE_COUNT / clip.duration)
    middle = (height[1:, feet] + height[:-1, feet]) / 2
    planted = middle < lowest[feet] + CONTACT_BAND * body
    backward = -(velocity[..., 0] * math.sin(facing) + velocity[..., 2] * math.cos(facing))
    planted &= np.ptp(positions[:, feet], axis=0).max(axis=-1) > STILL * body  # a root on the ground is no foot
    speed = float(np.median(backward[planted])) if planted.any() else 0.0
    return speed if abs(speed) > STANDING * body else 0.0
