"""What a clip's feet say: the ground speed that a walk or a run was made for."""

import math

import numpy as np

from ecs_anim.clip import Clip
from ecs_anim.hierarchy import model_matrices
from ecs_anim.skeleton import Skeleton
from ecs_anim.transform import Pose

SAMPLE_COUNT = 96
FOOT_BAND = 0.10  # joints that come this near to the lowest point are feet, share of the body's height
CONTACT_BAND = 0.005  # a foot this near to its own lowest point is planted, share of the body's height
STILL = 0.03  # a joint that moves less than this over the clip takes no steps, share of the body's height
STANDING = 0.1  # who covers less than this share of the body's height in a cycle takes no steps


def ground_speed(clip: Clip, facing: float = 0.0) -> float:
    """Speed over the ground [rig units/s] that a clip was made for: what its `extras` say, else what its feet do."""
    said = clip.extras.get("ground_speed")
    return float(said) if isinstance(said, int | float) else measured_ground_speed(clip, facing)


def ground_velocity(clip: Clip, facing: float = 0.0) -> tuple[float, float]:
    """Velocity over the ground [rig units/s], to the character's left and ahead, as `ground_speed` finds it."""
    said = clip.extras.get("ground_velocity")
    if isinstance(said, list | tuple) and len(said) == 2 and all(isinstance(part, int | float) for part in said):
        return float(said[0]), float(said[1])
    return 0.0, ground_speed(clip, facing)


def measured_ground_speed(clip: Clip, facing: float = 0.0) -> float:
    """Speed over the ground [rig units/s] at which the planted feet of an in-place clip stand still.

    `facing` [rad] about +Y, 0 = +Z, is where the character looks. Clips without a gait give 0.
    """
    if clip.duration <= 0:
        return 0.0
    time = clip.start + np.arange(SAMPLE_COUNT + 1) / SAMPLE_COUNT * clip.duration
    return stance_speed(clip.skeleton, clip.sample(time, loop=False), clip.duration, facing)


def stance_speed(skeleton: Skeleton, poses: Pose, duration: float, facing: float = 0.0) -> float:
    """Speed [rig units/s] of the ground under the planted feet of evenly spaced poses [time, joint].

    A planted foot slides backwards under a character that walks in place. The feet are the joints that come
    near to the ground; the speed is the median over the moments at which one is at its lowest.
    """
    joints = np.unique(skeleton.skin_joints)
    positions = model_matrices(skeleton, poses)[..., 3][:, joints].astype(np.float64)
    height = positions[..., 1]
    body = np.ptp(height)
    lowest = height.min(axis=0)
    feet = lowest < lowest.min() + FOOT_BAND * body
    velocity = np.diff(positions[:, feet], axis=0) * ((len(positions) - 1) / duration)
    middle = (height[1:, feet] + height[:-1, feet]) / 2
    planted = middle < lowest[feet] + CONTACT_BAND * body
    planted &= np.ptp(positions[:, feet], axis=0).max(axis=-1) > STILL * body  # a root on the ground is no foot
    backward = -(velocity[..., 0] * math.sin(facing) + velocity[..., 2] * math.cos(facing))
    speed = float(np.median(backward[planted])) if planted.any() else 0.0
    return speed if abs(speed) * duration > STANDING * body else 0.0
