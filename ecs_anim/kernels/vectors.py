"""Vectors as tuples of three numbers, and rotations as nine numbers, row by row. A number is a float or lanes."""

import numpy as np
from numba import njit, uint64

from ecs_anim.kernels import inlined
from ecs_anim.simd import fma, load4, maximum, minimum, store

ZERO, ONE = np.float32(0), np.float32(1)
TINY = np.float32(1e-20)
LAST = np.array([0, 0, 0, 1], np.float32)  # the last row of all affine matrices, which is not stored


@inlined
def eased(t):
    """Interpolate from 0 at t <= 0 to 1 at t >= 1. The slope is 0 at both ends."""
    t = minimum(maximum(t, ZERO), ONE)
    return t * t * (np.float32(3) - np.float32(2) * t)


@inlined
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def subtract(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def scaled(a, factor):
    return a[0] * factor, a[1] * factor, a[2] * factor


@inlined
def along(a, b, share):
    """Return a + share x b."""
    return a[0] + share * b[0], a[1] + share * b[1], a[2] + share * b[2]


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def unit(a):
    """Return a vector that is scaled to length 1. For a zero vector, return the zero vector."""
    return scaled(a, ONE / np.sqrt(dot(a, a) + TINY))


@inlined
def across(a, b):
    """Return the component of a that is perpendicular to the unit vector b."""
    return along(a, b, -dot(a, b))


@inlined
def turned(m, v):
    """Return the vector v, rotated by the rotation m."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inlined
def transposed(m):
    """Return the inverse of a rotation, which is the transposed matrix."""
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@njit(inline="always")
def turned_back(m, v):
    """Return the vector v, rotated by the inverse of the rotation m."""
    return turned(transposed(m), v)


@njit(inline="always")
def after(a, b):
    """Return the rotation that rotates by b, then by a: the matrix product a b."""
    x = turned(a, (b[0], b[3], b[6]))
    y = turned(a, (b[1], b[4], b[7]))
    z = turned(a, (b[2], b[5], b[8]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@inlined
def about(axis, sine, cosine):
    """Return the rotation about a unit axis (Rodrigues). `sine` and `cosine` describe the angle."""
    x, y, z = axis
    rest = ONE - cosine
    return (
        cosine + x * x * rest,
        x * y * rest - z * sine,
        x * z * rest + y * sine,
        y * x * rest + z * sine,
        cosine + y * y * rest,
        y * z * rest - x * sine,
        z * x * rest - y * sine,
        z * y * rest + x * sine,
        cosine + z * z * rest,
    )


@inlined
def between_frames(forward, side, new_forward, new_side):
    """Return the rotation of the orthogonal unit vectors `forward`, `side` to `new_forward`, `new_side`."""
    old = (*forward, *side, *cross(forward, side))
    new = (*new_forward, *new_side, *cross(new_forward, new_side))
    return after(transposed(new), old)


@inlined
def quaternion_rotation(x, y, z, w):
    """Return the rotation of a unit quaternion."""
    two = np.float32(2)
    x2, y2, z2 = two * x, two * y, two * z
    return (
        ONE - y * y2 - z * z2,
        x * y2 - w * z2,
        x * z2 + w * y2,
        x * y2 + w * z2,
        ONE - x * x2 - z * z2,
        y * z2 - w * x2,
        x * z2 - w * y2,
        y * z2 + w * x2,
        ONE - x * x2 - y * y2,
    )


@inlined
def multiply_affine(a, i, b, j, out, k):
    """Write the product of the affine matrices a[i] and b[j] to out[k]: three rows of four floats."""
    x, y, z, last = load4(b, 12 * j), load4(b, 12 * j + 4), load4(b, 12 * j + 8), load4(LAST, 0)
    for row in range(3):
        c = uint64(4 * row)
        a0, a1, a2, a3 = a[i, c], a[i, c + uint64(1)], a[i, c + uint64(2)], a[i, c + uint64(3)]
        store(out, 12 * k + 4 * row, fma(last, a3, fma(z, a2, fma(y, a1, x * a0))))


@inlined
def origin_of(model, joint):
    """Return the position of a joint from `model` [joint, 12]."""
    j = uint64(joint)
    return model[j, 3], model[j, 7], model[j, 11]
