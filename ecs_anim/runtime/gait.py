"""Estimation of the ground speed of a walking or running clip from the movement of its feet."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.extras import is_number, said_turn
from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.maths import elementary
from ecs_anim.maths.transform import Pose
from ecs_anim.support.errors import InputError

SAMPLE_COUNT = 96
# The following constants, except CARRYING, are fractions of the height of the body.
FOOT_BAND = 0.10  # a joint within this distance of the lowest point is a foot
CONTACT_BAND = 0.005  # a foot within this distance of its own lowest point is planted
SOLE_BAND = 0.02  # a vertex within this distance of the lowest point belongs to a sole
CARRYING = 0.3  # largest relative difference between the speed of a supporting foot and the median speed in the cycle
STILL = 0.03  # a joint that moves less than this distance during the clip makes no footsteps
STANDING = 0.1  # if the feet move the body by less than this distance in a cycle, the clip has no gait


def ground_speed(clip: Clip, facing: float = 0.0) -> float:
    """Return the ground speed of a clip [rig units/s], as given in `Clip.extras`.

    If `Clip.extras` has no ground speed, return the result of `measured_ground_speed` for the clip.
    """
    said = clip.extras.get("ground_speed")
    return float(said) if is_number(said) else measured_ground_speed(clip, facing)


def ground_velocity(clip: Clip, facing: float = 0.0) -> tuple[float, float]:
    """Return the ground velocity of a clip to the left and ahead [rig units/s], as given in `Clip.extras`.

    If `Clip.extras` has no ground velocity, the velocity is straight ahead with the speed from `ground_speed`.
    """
    said = clip.extras.get("ground_velocity")
    if isinstance(said, list | tuple) and len(said) == 2 and all(map(is_number, said)):
        return float(said[0]), float(said[1])
    return 0.0, ground_speed(clip, facing)


def ground_turn(clip: Clip) -> float:
    """Return the turning speed of a clip to the left [rad/s], as given in `Clip.extras`.

    If `Clip.extras` has no turning speed, the result is 0.

    Raises InputError if the value in `Clip.extras` is not a valid turning speed.
    """
    try:
        return said_turn(clip.extras)
    except ValueError as error:
        raise InputError(f"clip {clip.name!r}: extras: {error}") from None


def measured_ground_speed(clip: Clip, facing: float = 0.0) -> float:
    """Return the ground speed [rig units/s] at which planted feet do not slide over the ground. In the clip, the
    character must walk on the spot.

    `facing` [rad] is the angle about +Y from +Z to the forward direction of the character. If the clip has no gait, the
    result is 0.
    """
    if clip.duration <= 0:
        return 0.0
    time = clip.start + np.arange(SAMPLE_COUNT + 1) / SAMPLE_COUNT * clip.duration
    return stance_speed(clip.skeleton, clip.sample(time, loop=False), clip.duration, facing)


def stance_speed(skeleton: Skeleton, poses: Pose, duration: float, facing: float = 0.0) -> float:
    """Return the speed of the ground under planted feet [rig units/s], from evenly spaced poses [time, joint].

    If a character walks on the spot, its planted feet slide backward. Feet are the joints that come near the ground.
    The result is the median speed over the times at which a foot is at its lowest point.
    """
    joints = np.unique(skeleton.skin_joints)
    if not len(joints):
        return 0.0
    positions = model_matrices(skeleton, poses)[..., 3][:, joints].astype(np.float64)
    height = positions[..., 1]
    body = np.ptp(height)
    lowest = height.min(axis=0)
    feet = lowest < lowest.min() + FOOT_BAND * body
    velocity = np.diff(positions[:, feet], axis=0) * ((len(positions) - 1) / duration)
    middle = (height[1:, feet] + height[:-1, feet]) / 2
    planted = middle < lowest[feet] + CONTACT_BAND * body
    # a root joint on the ground is not a foot
    planted &= np.ptp(positions[:, feet], axis=0).max(axis=-1) > STILL * body
    backward = -(velocity[..., 0] * elementary.sin(facing) + velocity[..., 2] * elementary.cos(facing))
    speed = float(np.median(backward[planted])) if planted.any() else 0.0
    return speed if abs(speed) * duration > STANDING * body else 0.0


def sole_points(rig: Rig, poses: Pose) -> tuple[Mesh, ...]:
    """Return the finest meshes with only the vertices that come near the ground in the poses `poses` [time, joint]."""
    palettes = skin_palette(rig.skeleton, poses)
    placed = [(mesh, skin_linear(mesh, palettes)[0][..., 1]) for mesh in rig.level(0)]
    lowest = min(float(height.min()) for _, height in placed)
    band = SOLE_BAND * max(float(np.ptp(height)) for _, height in placed)
    return tuple(mesh.vertices_alone(np.flatnonzero(height.min(axis=0) < lowest + band)) for mesh, height in placed)


def ground_travel(
    skeleton: Skeleton, soles: Sequence[Mesh], poses: Pose, facing: float = 0.0
) -> NDArray[np.float64] | None:
    """Return the distance [rig units] that the ground has moved under the feet since the start of the cycle, at each
    time [time].

    `poses` [time, joint] cover one gait cycle at evenly spaced times. While a foot supports the body, the lowest point
    of the soles does not slide over the ground. A foot supports the body if its speed is near the median speed of the
    cycle. The height of a foot is not a criterion, because blended feet sink into the ground. At all other times
    (landing, lift-off and flight), the ground moves at the median speed. If the feet do not move the body ahead, return
    None.
    """
    palettes = skin_palette(skeleton, poses)
    points = np.concatenate([skin_linear(mesh, palettes)[0] for mesh in soles], axis=1).astype(np.float64)
    ahead = points[..., 0] * elementary.sin(facing) + points[..., 2] * elementary.cos(facing)
    lowest = np.argmin((points[1:, :, 1] + points[:-1, :, 1]) / 2, axis=1)
    passed = -np.diff(ahead, axis=0)[np.arange(len(lowest)), lowest]
    middle = np.median(passed)
    if middle <= 0:
        return None
    carrying = np.abs(passed - middle) < CARRYING * middle
    return np.concatenate([[0.0], np.cumsum(np.where(carrying, passed, middle))])
