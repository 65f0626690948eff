"""Dual quaternions: rigid transforms as arrays [..., 8], the real part x, y, z, w, then the dual part x, y, z, w.

The real part is the rotation r, the dual part half the translation (as a quaternion without w) times r. All functions
broadcast over leading axes and keep the floating dtype of their inputs. Source: Kavan, Collins, Zara and
O'Sullivan, Geometric Skinning with Approximate Dual Quaternion Blending, ACM ToG 27(4), 2008.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import quaternion

Array = NDArray[np.floating]

IDENTITY = np.array([0, 0, 0, 1, 0, 0, 0, 0], np.float32)
IDENTITY.flags.writeable = False


def from_rigid(rotation: ArrayLike, translation: ArrayLike) -> Array:
    """Return the dual quaternions of unit quaternions [..., 4], then translations [..., 3]."""
    rotation, translation = np.asarray(rotation), np.asarray(translation)
    half = np.concatenate([translation / 2, np.zeros_like(translation[..., :1])], axis=-1)
    dual = quaternion.multiply(half, rotation)
    return np.concatenate([np.broadcast_to(rotation, dual.shape), dual], axis=-1)


def to_rigid(q: ArrayLike) -> tuple[Array, Array]:
    """Rotations [..., 4] and translations [..., 3] of unit dual quaternions."""
    real, dual = parts(q)
    return real, 2 * quaternion.multiply(dual, quaternion.conjugate(real))[..., :3]


def parts(q: ArrayLike) -> tuple[Array, Array]:
    """The real and the dual quaternion [..., 4]."""
    q = np.asarray(q)
    return q[..., :4], q[..., 4:]


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Product a b: transform by `b` first, then by `a`."""
    (a_real, a_dual), (b_real, b_dual) = parts(a), parts(b)
    dual = quaternion.multiply(a_real, b_dual) + quaternion.multiply(a_dual, b_real)
    return np.concatenate([quaternion.multiply(a_real, b_real), dual], axis=-1)


def conjugate(q: ArrayLike) -> Array:
    """Both parts conjugated: the inverse of a unit dual quaternion."""
    real, dual = parts(q)
    return np.concatenate([quaternion.conjugate(real), quaternion.conjugate(dual)], axis=-1)


def normalize(q: ArrayLike) -> Array:
    """The unit dual quaternion: real part of length 1, dual part at right angles to it (Kavan 2008, section 3.3).

    The rotation is the real part's and the translation that of q q*^-1, as a division by the dual norm gives them.
    A real part of zero, which is no transform, becomes the identity.
    """
    real, dual = parts(q)
    length = np.linalg.norm(real, axis=-1, keepdims=True)
    there = length > 0
    safe = np.where(there, length, 1)
    real, dual = real / safe, dual / safe
    dual = dual - real * quaternion.dot(real, dual)
    return np.where(there, np.concatenate([real, dual], axis=-1), IDENTITY.astype(real.dtype))


def align(q: ArrayLike, reference: ArrayLike) -> Array:
    """`q` or `-q`, whichever has its rotation in the half-space of the reference's: the same transform."""
    q, reference = np.asarray(q), np.asarray(reference)
    return np.where(quaternion.dot(q[..., :4], reference[..., :4]) < 0, -q, q)


def blend(q: ArrayLike, weights: ArrayLike) -> Array:
    """Dual quaternion linear blending: unit dual quaternions [..., n, 8] by weights [..., n] to one [..., 8].

    Each is first brought into the half-space of the heaviest, of several the first, so that the result does not hang
    on the signs they come with.
    """
    q = np.asarray(q)
    weights = np.asarray(weights, q.dtype)[..., None]
    weights = np.broadcast_to(weights, (*np.broadcast_shapes(q.shape[:-1], weights.shape[:-1]), 1))
    q = np.broadcast_to(q, (*weights.shape[:-1], 8))
    heaviest = np.take_along_axis(q, np.argmax(weights, axis=-2, keepdims=True), axis=-2)
    return normalize(np.sum(weights * align(q, heaviest), axis=-2))


def point(q: ArrayLike, p: ArrayLike) -> Array:
    """Points [..., 3], rotated and translated by unit dual quaternions [..., 8]."""
    return vector(q, p) + to_rigid(q)[1]


def vector(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors [..., 3], rotated only."""
    return quaternion.rotate(parts(q)[0], v)
