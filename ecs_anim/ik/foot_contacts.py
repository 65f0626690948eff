"""Foot contacts of a clip. From the motion of the feet, the module computes pin weights of contacts, and a support
weight of each leg.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.ik.legs import Leg
from ecs_anim.maths import affine, elementary
from ecs_anim.maths.arc import Arc
from ecs_anim.maths.small_matrices import length
from ecs_anim.maths.transform import Pose

CONTACT_POINTS = 65  # number of evenly spaced phases with contacts
STEPS = 8  # number of samples between two of these phases
# A contact is pinned below the LOW value, and free above the HIGH value. Lengths are in leg lengths.
LOW_HEIGHT, HIGH_HEIGHT = 0.01, 0.03
LOW_SPEED, HIGH_SPEED = 0.4, 1.0
HEEL, BALL, SUPPORT, CURVE_COUNT = 0, 1, 2, 3  # curves of a leg
EASE = 0.25  # time [s] before a landing in which SUPPORT rises, and time after a lift-off in which it falls


def contact_curves(
    clip: Clip,
    legs: Sequence[Leg],
    velocity: tuple[float, float] = (0.0, 0.0),
    facing: float = 0.0,
    turn: float = 0.0,
) -> NDArray[np.float32]:
    """Return curves [CONTACT_POINTS, leg, CURVE_COUNT] f32, 0 to 1, evenly spaced over the clip's phase.

    The columns HEEL and BALL are the pin weights of the heel and of the ball of a foot. A contact is pinned while it is
    low and does not move over the ground. The column SUPPORT states how strongly the leg determines the height of the
    pelvis. SUPPORT increases before the foot lands, and decreases after the foot has left the ground, so that the
    pelvis has enough time to follow.

    `velocity` [rig units/s] is the character's speed to the left and ahead. `facing` [rad] is the character's direction
    from +Z. `turn` [rad/s] is the character's turning rate to the left.
    """
    count = (CONTACT_POINTS - 1) * STEPS
    phase = np.arange(count + 1) / count
    points, leg_length = _contact_points(clip, legs, clip.start + phase * clip.duration)
    gone = Arc(_drift(velocity, facing), turn).gone(points, phase * clip.duration).astype(np.float64)
    height = gone[..., 1] - _floor(gone[..., 1])
    speed = _speed(gone, clip.duration / count)
    pins = _falling(height / leg_length, LOW_HEIGHT, HIGH_HEIGHT) * _falling(speed / leg_length, LOW_SPEED, HIGH_SPEED)
    support = _eased(pins.max(axis=-1), EASE / clip.duration if clip.duration > 0 else 0.0)
    return np.ascontiguousarray(np.concatenate([pins, support[..., None]], axis=-1)[::STEPS], np.float32)


def _contact_points(
    clip: Clip, legs: Sequence[Leg], time: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the positions of heels and balls in model space [time, leg, 2, 3], and the leg lengths [leg, 1]."""
    poses: Pose = clip.sample(time, loop=False)
    model = model_matrices(clip.skeleton, poses).astype(np.float64)
    points = [affine.transform_points(model[:, leg.ankle, None], leg.contacts) for leg in legs]
    lengths = [
        length(model[0, leg.knee, :, 3] - model[0, leg.hip, :, 3])
        + length(model[0, leg.ankle, :, 3] - model[0, leg.knee, :, 3])
        for leg in legs
    ]
    return np.stack(points, axis=1), np.maximum(np.array(lengths), 1e-9)[:, None]


def _drift(velocity: tuple[float, float], facing: float) -> NDArray[np.float64]:
    """Return the velocity of the character over the ground [3] [rig units/s]."""
    side, ahead = velocity
    sine, cosine = elementary.sin(facing), elementary.cos(facing)
    return np.array([ahead * sine + side * cosine, 0.0, ahead * cosine - side * sine])


def _floor(height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the height of each contact at the times at which its foot stands.

    This is the lowest height of the contact in the clip. If another contact is far lower in the clip, the result is the
    lowest height of all contacts.
    """
    own = height.min(axis=0)
    band = 0.05 * np.ptp(height)
    found: NDArray[np.float64] = np.where(own < own.min() + band, own, own.min())
    return found


def _speed(points: NDArray[np.float64], dt: float) -> NDArray[np.float64]:
    """Return the speeds [time, ...] of points, computed by central differences."""
    if dt <= 0:
        return np.zeros(points.shape[:-1])
    found: NDArray[np.float64] = np.linalg.norm(np.gradient(points, dt, axis=0), axis=-1)
    return found


def _falling(x: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return 1 if x is below `low`, 0 if x is above `high`, and a smooth transition between both values."""
    t = np.clip((high - x) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def _eased(pins: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return the pin weights [time, leg] with longer stances and smooth transitions.

    Each stance becomes longer by `share` of the cycle.
    """
    count = len(pins) - 1
    half = min(max(round(share * count / 2), 1), count // 2)
    around = np.arange(-half, half + 1)
    cycle = pins[:-1]
    widened = np.max([np.roll(cycle, shift, axis=0) for shift in around], axis=0)
    window = 1 + elementary.cos(np.pi * around / (half + 1))  # Hann window
    eased = sum(w * np.roll(widened, shift, axis=0) for w, shift in zip(window / window.sum(), around, strict=True))
    return np.concatenate([eased, eased[:1]])
