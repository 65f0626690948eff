"""Homographies: maps between planes. The maps keep lines straight.

A homography is a 3 x 3 matrix. The matrix maps a point (x, y, 1) to a multiple of the image point (x', y', 1).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.maths import small_matrices

Reals = NDArray[np.float64]


def square_onto(corners: ArrayLike) -> Reals:
    """Return the homography [3, 3] that maps the unit square to a quadrilateral with four corners [4, 2].

    The homography maps (0, 0), (1, 0), (1, 1), (0, 1) to the corners, in this order. Source: P. Heckbert, "Fundamentals
    of Texture Mapping and Image Warping" (1989), section 2.2.3. Raises ValueError if three of the corners are
    collinear.
    """
    a, b, c, d = np.asarray(corners, np.float64)
    first, second, rest = b - c, d - c, a - b + c - d
    area = _cross(first, second)
    if area == 0 or _cross(b - a, c - a) == 0 or _cross(d - a, c - a) == 0 or _cross(b - a, d - a) == 0:
        raise ValueError(
            "three of the four corners are on one straight line. Give four corners that form a quadrilateral."
        )
    g, h = _cross(rest, second) / area, _cross(first, rest) / area
    columns = [b - a + g * b, d - a + h * d, a]
    return np.array([*np.stack(columns, axis=-1), [g, h, 1.0]])


def applied(matrix: ArrayLike, points: ArrayLike) -> Reals:
    """Return the points [..., 2] to which the homography `matrix` maps `points` [..., 2].

    If the homography maps a point to infinity, the returned coordinates of this point are not finite.
    """
    x, y = np.moveaxis(np.asarray(points, np.float64), -1, 0)
    image = small_matrices.applied(np.asarray(matrix, np.float64), np.stack([x, y, np.ones_like(x)], axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Reals = image[..., :2] / image[..., 2:]
    return quotient


def _cross(a: Reals, b: Reals) -> float:
    return float(a[0] * b[1] - a[1] * b[0])
