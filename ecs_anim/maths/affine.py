"""Affine matrices as arrays [..., 3, 4]: the upper three rows of 4 x 4 matrices for column vectors."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import quaternion, small_matrices

Array = NDArray[np.floating]

IDENTITY = np.eye(3, 4, dtype=np.float32)
IDENTITY.flags.writeable = False


def compose(translation: ArrayLike, rotation: ArrayLike, scale: ArrayLike) -> Array:
    """Return matrices [..., 3, 4] that scale, then rotate, then translate.

    `scale` and `translation` have the shape [..., 3]. `rotation` [..., 4] is a unit quaternion.
    """
    linear = quaternion.to_matrix(rotation) * np.asarray(scale)[..., None, :]
    return join(linear, translation)


def join(linear: ArrayLike, translation: ArrayLike) -> Array:
    """Return matrices [..., 3, 4] from linear parts [..., 3, 3] and translations [..., 3]."""
    linear, translation = np.asarray(linear), np.asarray(translation)[..., None]
    leading = np.broadcast_shapes(linear.shape[:-2], translation.shape[:-2])
    return np.concatenate(
        [np.broadcast_to(linear, (*leading, 3, 3)), np.broadcast_to(translation, (*leading, 3, 1))], axis=-1
    )


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the product of matrices [..., 3, 4] that applies `b` first, then `a`."""
    a = np.asarray(a)
    both: Array = small_matrices.product(a[..., :3], b)
    both[..., 3] += a[..., 3]
    return both


def inverse(m: ArrayLike) -> Array:
    """Return inverse matrices [..., 3, 4]. Raises numpy.linalg.LinAlgError for a singular linear part."""
    m = np.asarray(m)
    linear = small_matrices.inverse(m[..., :3])
    return join(linear, -small_matrices.applied(linear, m[..., 3]))


def transform_points(m: ArrayLike, points: ArrayLike) -> Array:
    """Transform points [..., 3] by matrices [..., 3, 4]."""
    m = np.asarray(m)
    return transform_vectors(m, points) + m[..., 3]


def transform_vectors(m: ArrayLike, vectors: ArrayLike) -> Array:
    """Transform vectors [..., 3] by the linear part of matrices [..., 3, 4]."""
    return small_matrices.applied(np.asarray(m)[..., :3], vectors)
