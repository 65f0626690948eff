"""Joint limits of one actor, for kernels. `ecs_anim.ik.limits` computes these limits for arrays."""

import numpy as np

from ecs_anim.kernels import helper
from ecs_anim.kernels.elementary import arctan2, sin_cos
from ecs_anim.kernels.rotations import about, inverse, normalized, product
from ecs_anim.kernels.vectors import dot

PI = np.pi


@helper
def clamp_ball(change, bone, swing, low, high):
    """Limit a ball joint's rotation from its rest pose: the swing to a cone, and the twist to a range of angles."""
    twist = twist_part(change, bone)
    cut = product(change, inverse(twist))
    angle = _angle(twist, bone)
    if low <= angle <= high:
        if abs(cut[3]) >= sin_cos(swing / 2)[1]:
            return change  # the most frequent case needs no product of swing and twist
    else:
        twist = about(bone, clamp_angle(angle, low, high))
    return product(_shortened(cut, swing), twist)


@helper
def clamp_hinge(change, axis, low, high):
    """Limit a hinge's rotation from its rest pose to a rotation about `axis` by an angle in a range."""
    twist = twist_part(change, axis)
    angle = _angle(twist, axis)
    return twist if low <= angle <= high else about(axis, clamp_angle(angle, low, high))


@helper
def twist_part(q, axis):
    """Return the twist of q: its rotation about a unit axis. The rotation q is the twist, then a swing."""
    along = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2]
    return normalized((along * axis[0], along * axis[1], along * axis[2], q[3]))


@helper
def clamp_angle(angle, low, high):
    """Return an angle within a range on the circle: if it is outside, the nearer end. Angles are -pi to pi [rad]."""
    if low <= angle <= high:
        return angle
    return low if _apart(angle, low) <= _apart(angle, high) else high


@helper
def _apart(a, b):
    apart = abs(a - b)
    return min(apart, 2 * PI - apart)


@helper
def _angle(twist, axis):
    along = dot(twist, axis)  # component of the vector part along the axis
    return 2 * arctan2(-along if twist[3] < 0 else along, abs(twist[3]))


@helper
def _shortened(q, most):
    """Limit the angle of the rotation q to `most` [rad]. The axis does not change."""
    x, y, z, w = q if q[3] >= 0 else (-q[0], -q[1], -q[2], -q[3])
    sine = np.sqrt(x * x + y * y + z * z)
    half = arctan2(sine, w)
    if half <= most / 2:
        return x, y, z, w
    most_sine, cosine = sin_cos(most / 2)
    share = most_sine / sine
    return x * share, y * share, z * share, cosine
