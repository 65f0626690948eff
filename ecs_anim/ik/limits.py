"""Joint limits. A ball joint swings inside a cone, and twists inside a range. A hinge rotates inside a range.

A limit applies to the rotation d from a joint's rest rotation to its local rotation: d = rest^-1 x local.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import elementary, quaternion, small_matrices
from ecs_anim.support.arguments import number, numbers_for_each

Array = NDArray[np.floating]
Range = tuple[float, float]
Axis = tuple[float, float, float]


@dataclass(frozen=True)
class BallLimit:
    """The limit of a ball joint. The bone stays inside a cone about its rest direction, and twists inside a range.

    Raises ValueError for an invalid cone or range.
    """

    swing: float  # [rad], half the opening angle of the cone, 0 to pi
    twist: Range = (-math.pi, math.pi)  # [rad], range of angles about the bone, within -pi to pi

    def __post_init__(self) -> None:
        number("swing", self.swing, 0.0, math.pi)
        _require_range("twist", self.twist)

    def clamp(self, change: ArrayLike, bone: ArrayLike) -> Array:
        """Limit swing and twist of `change`, a rotation [..., 4] from the rest pose. `bone` is a unit vector."""
        swing, twist = swing_twist(change, bone)
        limited = quaternion.from_axis_angle(np.asarray(bone, np.float64), clamp_angle(_angle(twist, bone), self.twist))
        return quaternion.multiply(shortened(swing, self.swing), limited)


@dataclass(frozen=True)
class HingeLimit:
    """The limit of a hinge. The joint rotates about one axis, and its angle stays inside a range.

    Raises ValueError for an axis of length 0 or an invalid range.
    """

    axis: Axis  # in the joint's coordinate frame; any length except 0
    angle: Range = (-math.pi, math.pi)  # [rad], range of angles since the rest pose, within -pi to pi

    def __post_init__(self) -> None:
        length = float(small_matrices.length(numbers_for_each("axis", self.axis, (3,))))
        if not (math.isfinite(length) and length > 0):
            raise ValueError(f"the axis of a hinge must be a vector of finite length above 0 (got {self.axis})")
        _require_range("angle", self.angle)

    @property
    def unit_axis(self) -> Array:
        """Return the axis [3] as a unit vector."""
        return np.array(self.axis, np.float64) / float(small_matrices.length(self.axis))

    def clamp(self, change: ArrayLike, bone: ArrayLike) -> Array:
        """Reduce `change`, a rotation [..., 4] from the rest pose, to a rotation about the hinge's axis.

        The angle about the axis is limited to the range of the hinge.
        """
        axis = self.unit_axis
        _, twist = swing_twist(change, axis)
        return quaternion.from_axis_angle(axis, clamp_angle(_angle(twist, axis), self.angle))


Limit = BallLimit | HingeLimit


def swing_twist(q: ArrayLike, axis: ArrayLike) -> tuple[Array, Array]:
    """Return swing and twist of rotations q [..., 4]. A rotation is the twist, followed by the swing.

    The twist is about a unit axis [..., 3]. The swing is about a perpendicular axis. For a swing by pi, the twist is
    undefined, and the function returns the twist 0.
    """
    q, axis = np.asarray(q, np.float64), np.asarray(axis, np.float64)
    along = np.sum(q[..., :3] * axis, axis=-1, keepdims=True)
    twist = quaternion.normalize(np.concatenate([along * axis, q[..., 3:]], axis=-1))
    return quaternion.multiply(q, quaternion.conjugate(twist)), twist


def clamp_angle(angle: ArrayLike, limits: Range) -> Array:
    """Limit angles [...], -pi to pi, to a range.

    For an angle outside of the range, return the nearer end of the range, measured along the circle.
    """
    angle, (low, high) = np.asarray(angle, np.float64), limits
    inside = (angle >= low) & (angle <= high)
    nearer_low = _apart(angle, low) <= _apart(angle, high)
    return np.where(inside, angle, np.where(nearer_low, low, high))


def shortened(q: Array, most: float) -> Array:
    """Limit the angles of the rotations q [..., 4] to `most` [rad]. The axes of the rotations do not change."""
    q = quaternion.align(q, quaternion.IDENTITY)
    sine = np.linalg.norm(q[..., :3], axis=-1)
    half = np.minimum(elementary.arctan2(sine, q[..., 3]), most / 2)
    share = np.where(sine > 0, elementary.sin(half) / np.where(sine > 0, sine, 1), 0)
    return np.concatenate([q[..., :3] * share[..., None], elementary.cos(half)[..., None]], axis=-1)


def _angle(twist: Array, axis: ArrayLike) -> Array:
    """Return the angle [...] of a rotation about an axis, -pi to pi."""
    along = np.sum(twist[..., :3] * np.asarray(axis), axis=-1)
    found: Array = 2 * elementary.arctan2(np.where(twist[..., 3] < 0, -along, along), np.abs(twist[..., 3]))
    return found


def _apart(a: Array, b: float) -> Array:
    found: Array = np.abs((a - b + math.pi) % (2 * math.pi) - math.pi)
    return found


def _require_range(name: str, limits: Range) -> None:
    low, high = numbers_for_each(name, limits, (2,)).tolist()
    if not -math.pi <= low <= high <= math.pi:
        raise ValueError(
            f"the two limits of {name} must be angles from -pi to pi, with the lower limit first (got {low:g} and"
            f" {high:g})"
        )
