"""Dual quaternions as arrays [..., 8]. A unit dual quaternion is a rigid transform.

The first four numbers are the real part x, y, z, w. The last four numbers are the dual part x, y, z, w. The real part
is the rotation r. The dual part is half the translation (as a quaternion with w = 0) times r. All functions broadcast
over leading axes and keep the floating dtype of their inputs. Source: Kavan, Collins, Zara and O'Sullivan, Geometric
Skinning with Approximate Dual Quaternion Blending, ACM ToG 27(4), 2008.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import quaternion

Array = NDArray[np.floating]

IDENTITY = np.array([0, 0, 0, 1, 0, 0, 0, 0], np.float32)
IDENTITY.flags.writeable = False


def from_rigid(rotation: ArrayLike, translation: ArrayLike) -> Array:
    """Return dual quaternions [..., 8] that first rotate by unit quaternions [..., 4] and then translate by vectors
    [..., 3].
    """
    rotation, translation = np.asarray(rotation), np.asarray(translation)
    half = np.concatenate([translation / 2, np.zeros_like(translation[..., :1])], axis=-1)
    dual = quaternion.multiply(half, rotation)
    return np.concatenate([np.broadcast_to(rotation, dual.shape), dual], axis=-1)


def to_rigid(q: ArrayLike) -> tuple[Array, Array]:
    """Return rotations [..., 4] and translations [..., 3] of unit dual quaternions."""
    real, dual = parts(q)
    return real, 2 * quaternion.multiply(dual, quaternion.conjugate(real))[..., :3]


def parts(q: ArrayLike) -> tuple[Array, Array]:
    """Return the real part [..., 4] and the dual part [..., 4] of dual quaternions."""
    q = np.asarray(q)
    return q[..., :4], q[..., 4:]


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the products a b. A product transforms by `b` first, then by `a`."""
    (a_real, a_dual), (b_real, b_dual) = parts(a), parts(b)
    dual = quaternion.multiply(a_real, b_dual) + quaternion.multiply(a_dual, b_real)
    return np.concatenate([quaternion.multiply(a_real, b_real), dual], axis=-1)


def conjugate(q: ArrayLike) -> Array:
    """Return the conjugates of dual quaternions. The conjugate of a unit dual quaternion is its inverse."""
    real, dual = parts(q)
    return np.concatenate([quaternion.conjugate(real), quaternion.conjugate(dual)], axis=-1)


def normalize(q: ArrayLike) -> Array:
    """Return unit dual quaternions (Kavan 2008, section 3.3).

    The real part of a unit dual quaternion has length 1, and its dual part is perpendicular to its real part. The
    rotation of the result is the normalised real part of `q`. The translation of the result equals the translation of
    `q` divided by its dual norm. A dual quaternion with a real part of zero is not a transform and becomes the
    identity.
    """
    real, dual = parts(q)
    length = np.linalg.norm(real, axis=-1, keepdims=True)
    there = length > 0
    safe = np.where(there, length, 1)
    real, dual = real / safe, dual / safe
    dual = dual - real * quaternion.dot(real, dual)
    return np.where(there, np.concatenate([real, dual], axis=-1), IDENTITY.astype(real.dtype))


def align(q: ArrayLike, reference: ArrayLike) -> Array:
    """Return `q` or `-q`, which represent one and the same transform.

    The function selects the sign for which the dot product of the real parts of the result and of `reference` is not
    negative.
    """
    q, reference = np.asarray(q), np.asarray(reference)
    return np.where(quaternion.dot(q[..., :4], reference[..., :4]) < 0, -q, q)


def blend(q: ArrayLike, weights: ArrayLike) -> Array:
    """Return the linear blend [..., 8] of unit dual quaternions [..., n, 8] with weights [..., n].

    First, the function aligns all dual quaternions with the dual quaternion that has the largest weight (see `align`).
    If several dual quaternions have the largest weight, the first of them is used. The result does not depend on the
    signs of the inputs.
    """
    q = np.asarray(q)
    weights = np.asarray(weights, q.dtype)[..., None]
    weights = np.broadcast_to(weights, (*np.broadcast_shapes(q.shape[:-1], weights.shape[:-1]), 1))
    q = np.broadcast_to(q, (*weights.shape[:-1], 8))
    heaviest = np.take_along_axis(q, np.argmax(weights, axis=-2, keepdims=True), axis=-2)
    return normalize(np.sum(weights * align(q, heaviest), axis=-2))


def point(q: ArrayLike, p: ArrayLike) -> Array:
    """Rotate and translate points [..., 3] by unit dual quaternions [..., 8]."""
    return vector(q, p) + to_rigid(q)[1]


def vector(q: ArrayLike, v: ArrayLike) -> Array:
    """Rotate vectors [..., 3] without translation."""
    return quaternion.rotate(parts(q)[0], v)
