"""Quaternions: arrays [..., 4] in the order x, y, z, w, with the Hamilton product. Unit quaternions are rotations.

All functions broadcast over leading axes and keep the floating dtype of their inputs.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import length, perpendicular, unit

Array = NDArray[np.floating]

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0], np.float32)
IDENTITY.flags.writeable = False


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the Hamilton products a b. As a rotation, a product rotates by `b` first, then by `a`."""
    ax, ay, az, aw = np.moveaxis(np.asarray(a), -1, 0)
    bx, by, bz, bw = np.moveaxis(np.asarray(b), -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Array:
    """Return the conjugates of quaternions. The conjugate of a unit quaternion is the inverse rotation."""
    q = np.asarray(q)
    return q * np.array([-1, -1, -1, 1], q.dtype)


def dot(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the inner products [..., 1] of quaternions [..., 4]. The last axis of the result has length 1."""
    return np.sum(np.asarray(a) * np.asarray(b), axis=-1, keepdims=True)


def normalize(q: ArrayLike) -> Array:
    """Scale quaternions to unit length. A zero quaternion becomes the identity."""
    q = np.asarray(q)
    size = length(q)[..., None]
    safe = np.where(size > 0, size, 1)
    return np.where(size > 0, q / safe, IDENTITY.astype(q.dtype))


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Rotate vectors v [..., 3] by unit quaternions q [..., 4]."""
    q, v = np.asarray(q), np.asarray(v)
    xyz, w = q[..., :3], q[..., 3:]
    t = 2 * np.cross(xyz, v)
    return v + w * t + np.cross(xyz, t)


def align(q: ArrayLike, reference: ArrayLike) -> Array:
    """Return `q` or `-q`, which describe the same rotation. The dot product of the result and `reference` is not
    negative.

    Therefore, an interpolation from `reference` to the result takes the short arc.
    """
    q = np.asarray(q)
    return np.where(dot(q, reference) < 0, -q, q)


def nlerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Interpolate linearly from `a` to `b` on the short arc, and normalise the result.

    `t` [...] has no axis for the quaternion components.
    """
    a = np.asarray(a)
    t = np.asarray(t, a.dtype)[..., None]
    return normalize(a + (align(b, a) - a) * t)


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """Interpolate spherically from `a` to `b` on the short arc (Shoemake 1985).

    `t` [...] has no axis for the quaternion components. The function computes the angle between `a` and `b` with
    arctan2. For nearly equal and for nearly opposite rotations, arctan2 is accurate, but arccos is not.
    """
    a = np.asarray(a)
    b = align(b, a)
    t = np.asarray(t, a.dtype)[..., None]
    angle = _apart(a, b)[..., None] / 2
    sine = elementary.sin(angle)
    apart = sine > 1e-6
    safe = np.where(apart, sine, 1)
    weight_a = np.where(apart, elementary.sin((1 - t) * angle) / safe, 1 - t)
    weight_b = np.where(apart, elementary.sin(t * angle) / safe, t)
    return normalize(weight_a * a + weight_b * b).astype(a.dtype)


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Return rotations about unit axes [..., 3] by angles [...] [rad]."""
    axis, half = np.asarray(axis), np.asarray(angle)[..., None] / 2
    sine, cosine = elementary.sin(half), elementary.cos(half)
    vector = axis * sine
    both = np.concatenate([vector, np.broadcast_to(cosine, (*vector.shape[:-1], 1))], axis=-1)
    return both.astype(np.result_type(axis, half, np.float32))


def from_rotation_vector(vector: ArrayLike) -> Array:
    """Return rotations [..., 4] about the directions of vectors [..., 3] by their lengths [rad]."""
    return from_axis_angle(unit(vector), length(vector))


def to_rotation_vector(q: ArrayLike) -> Array:
    """Return the rotation vectors [..., 3] [rad] of unit quaternions [..., 4]. Their lengths are at most pi."""
    q = np.asarray(q)
    short = np.where(q[..., 3:] < 0, -q, q)
    sine = length(short[..., :3])
    angle = 2 * elementary.arctan2(sine, short[..., 3])
    return short[..., :3] * np.where(sine > 0, angle / np.where(sine > 0, sine, 1), 2)[..., None]


def from_to(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the shortest rotation from the direction of a [..., 3] to the direction of b [..., 3].

    The function uses the half-way vector in float64. Therefore, the result is accurate for nearly equal directions too.
    Opposite directions give a rotation by pi about an axis that is perpendicular to both. Zero vectors give the
    identity.
    """
    dtype = np.result_type(np.asarray(a), np.asarray(b), np.float32)
    a, b = unit(np.asarray(a, np.float64)), unit(np.asarray(b, np.float64))
    a, b = np.broadcast_arrays(a, b)
    half = a + b
    size = np.linalg.norm(half, axis=-1, keepdims=True)
    opposite = size < 1e-9
    half = np.where(opposite, perpendicular(a), half / np.where(opposite, 1, size))
    q = np.concatenate([np.cross(a, half), np.sum(a * half, axis=-1, keepdims=True)], axis=-1)
    degenerate = (np.linalg.norm(a, axis=-1, keepdims=True) == 0) | (np.linalg.norm(b, axis=-1, keepdims=True) == 0)
    return np.where(degenerate, IDENTITY, normalize(q)).astype(dtype)


def look_rotation(forward: ArrayLike, up: ArrayLike = (0.0, 1.0, 0.0)) -> Array:
    """Return the rotation that maps +Z to `forward`. The rotation maps +Y to the direction that is nearest to `up`.

    If `forward` is parallel to `up`, the function replaces `up` with a direction that is perpendicular to `forward`.
    """
    dtype = np.result_type(np.asarray(forward), np.float32)
    z = unit(np.asarray(forward, np.float64))
    z, up = np.broadcast_arrays(z, unit(np.asarray(up, np.float64)))
    x = np.cross(up, z)
    parallel = np.linalg.norm(x, axis=-1, keepdims=True) < 1e-9
    x = unit(np.where(parallel, np.cross(perpendicular(z), z), x))
    return from_matrix(np.stack([x, np.cross(z, x), z], axis=-1)).astype(dtype)


def to_matrix(q: ArrayLike) -> Array:
    """Return the rotation matrices [..., 3, 3] of unit quaternions."""
    x, y, z, w = np.moveaxis(np.asarray(q), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(m: ArrayLike) -> Array:
    """Return the unit quaternions of rotation matrices [..., 3, 3].

    Four formulas give the quaternion of a matrix. The function uses the formula with the largest divisor (Shepperd
    1978).
    """
    m = np.asarray(m)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    xy, xz, yz = m[..., 1, 0] + m[..., 0, 1], m[..., 0, 2] + m[..., 2, 0], m[..., 2, 1] + m[..., 1, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    candidates = np.stack(
        [
            np.stack([1 + xx - yy - zz, xy, xz, wx], axis=-1),
            np.stack([xy, 1 - xx + yy - zz, yz, wy], axis=-1),
            np.stack([xz, yz, 1 - xx - yy + zz, wz], axis=-1),
            np.stack([wx, wy, wz, 1 + xx + yy + zz], axis=-1),
        ],
        axis=-2,
    )
    divisors = np.diagonal(candidates, axis1=-2, axis2=-1)
    best = np.argmax(divisors, axis=-1)[..., None, None]
    return normalize(np.take_along_axis(candidates, best, axis=-2)[..., 0, :])


def from_scaled_matrix(m: ArrayLike) -> Array:
    """Return the unit quaternions of maps [..., 3, 3] that rotate and scale, without shear and mirror."""
    m = np.asarray(m)
    lengths = np.sqrt(np.sum(m * m, axis=-2, keepdims=True))
    return from_matrix(m / np.where(lengths > 0, lengths, 1))


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the angle [...] [rad] of the rotation from a to b, 0 to pi. The result is accurate for small angles."""
    a = np.asarray(a)
    b = align(b, a)
    return _apart(a, b)


def _apart(a: Array, b: Array) -> Array:
    """Return the rotation angle [...] between two quaternions whose dot product is not negative.

    The rotation angle is twice the angle between the quaternions as vectors.
    """
    return 4 * elementary.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
