"""Rotations of one actor as unit quaternions x, y, z, w, as in `ecs_anim.maths.quaternion` for arrays."""

import numpy as np
from numba import uint64

from ecs_anim.kernels import helper
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.vectors import cross, dot, scaled

OPPOSITE = 1e-18  # if the squared length of a + b is smaller, the unit vectors a and b are opposite


@helper
def product(a, b):
    """Return the rotation that rotates by b, then by a."""
    return (
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    )


@helper
def inverse(q):
    return -q[0], -q[1], -q[2], q[3]


@helper
def rotated(q, v):
    """Return the vector v, rotated by the quaternion q."""
    x, y, z, w = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return (v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx)


@helper
def normalized(q):
    """Return a quaternion that is scaled to length 1. If the quaternion is zero, return the identity."""
    size = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if size == 0.0:
        return 0.0, 0.0, 0.0, 1.0
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size


@helper
def about(axis, angle):
    """Return the rotation about a unit axis by an angle [rad]."""
    sine, cosine = sin_cos(angle / 2)
    return axis[0] * sine, axis[1] * sine, axis[2] * sine, cosine


@helper
def perpendicular(v):
    """Return a unit vector that is perpendicular to v."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    if x <= y and x <= z:
        side = (0.0, v[2], -v[1])
    elif y <= z:
        side = (-v[2], 0.0, v[0])
    else:
        side = (v[1], -v[0], 0.0)
    return scaled(side, 1 / np.sqrt(dot(side, side)))


@helper
def from_to(a, b):
    """Return the shortest rotation from the direction a to the direction b, or the identity for a zero vector."""
    aa, bb = dot(a, a), dot(b, b)
    if aa == 0.0 or bb == 0.0:
        return 0.0, 0.0, 0.0, 1.0
    u, v = scaled(a, 1 / np.sqrt(aa)), scaled(b, 1 / np.sqrt(bb))
    half = u[0] + v[0], u[1] + v[1], u[2] + v[2]
    size = dot(half, half)
    half = perpendicular(u) if size < OPPOSITE else scaled(half, 1 / np.sqrt(size))
    x, y, z = cross(u, half)
    return normalized((x, y, z, dot(u, half)))


@helper
def part_of(q, share):
    """Return the share `share`, 0 to 1, of the rotation q (nlerp from the identity, on the short arc)."""
    part = share if q[3] >= 0 else -share
    return normalized((q[0] * part, q[1] * part, q[2] * part, 1 - share + q[3] * part))


@helper
def frame_of(model, joint):
    """Return the rotation of a joint in model [joint, 12]. For a mirrored matrix, the x axis is reversed first."""
    j = uint64(joint)
    x = np.float64(model[j, 0]), np.float64(model[j, 4]), np.float64(model[j, 8])
    y = np.float64(model[j, 1]), np.float64(model[j, 5]), np.float64(model[j, 9])
    z = np.float64(model[j, 2]), np.float64(model[j, 6]), np.float64(model[j, 10])
    flip = -1.0 if dot(x, cross(y, z)) < 0 else 1.0
    return normalized(from_axes(_unit(x, flip), _unit(y, 1.0), _unit(z, 1.0), 1.0))


@helper
def _unit(v, factor):
    size = dot(v, v)
    return scaled(v, factor / np.sqrt(size)) if size > 0 else v


@helper
def from_axes(x, y, z, one):
    """Return a quaternion of any length that rotates the coordinate axes to x, y, z (Shepperd 1978). `one` is the
    number 1 with the precision of the axes.
    """
    trace = x[0] + y[1] + z[2]
    if trace >= x[0] and trace >= y[1] and trace >= z[2]:
        return y[2] - z[1], z[0] - x[2], x[1] - y[0], one + trace
    if x[0] >= y[1] and x[0] >= z[2]:
        return one + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2], y[2] - z[1]
    if y[1] >= z[2]:
        return x[1] + y[0], one - x[0] + y[1] - z[2], y[2] + z[1], z[0] - x[2]
    return z[0] + x[2], y[2] + z[1], one - x[0] - y[1] + z[2], x[1] - y[0]
