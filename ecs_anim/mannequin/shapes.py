"""Distance fields for the shape of a body: lofts, round cones, ellipsoids, and their smooth unions.

Distances are in metres. Distances inside of a body are negative. The distances of lofts (rods with changing
cross-sections) and ellipsoids are first-order estimates, which are accurate near the surface.
"""

import numpy as np
from numpy.typing import ArrayLike

from ecs_anim.mannequin.arrays import Array
from ecs_anim.maths.curves import hermite


def smooth_min(a: Array, b: Array, width: float) -> Array:
    """Return the union of two shapes with the distances `a` and `b`. The crease between the shapes is rounded over
    `width` metres.

    The method is Inigo Quilez' polynomial smooth minimum.
    """
    h = np.maximum(width - np.abs(a - b), 0) / width
    return np.minimum(a, b) - h * h * width / 4


def union(first: Array, *others: tuple[Array, float]) -> Array:
    """Return the smooth union of the shape `first` and all shapes in `others`.

    Each element of `others` is a pair: the distance to a shape, and the width [m] of the rounded crease.
    """
    for part, width in others:
        first = smooth_min(first, part, width)
    return first


def smooth_max(a: Array, b: Array, width: float) -> Array:
    """Return the intersection of two shapes with the distances `a` and `b`. The edge between the shapes is rounded over
    `width` metres.
    """
    return -smooth_min(-a, -b, width)


def round_cone(p: Array, a: ArrayLike, b: ArrayLike, radius_a: float, radius_b: float) -> Array:
    """Return the distance from points to a round cone between `a` [3] and `b` [3].

    The radius changes linearly from `radius_a` to `radius_b`.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    axis = b - a
    t = np.clip((p - a) @ axis / (axis @ axis), 0, 1)
    return np.linalg.norm(p - a - t[..., None] * axis, axis=-1) - (radius_a + (radius_b - radius_a) * t)


def ellipsoid(p: Array, centre: ArrayLike, radii: ArrayLike) -> Array:
    """Return a first-order estimate of the distance from points to an axis-aligned ellipsoid."""
    radii = np.asarray(radii, float)
    q = p - np.asarray(centre)
    k = np.linalg.norm(q / radii, axis=-1)
    return k * (k - 1) / np.maximum(np.linalg.norm(q / radii**2, axis=-1), 1e-9)


def smooth_step(x: Array, low: float, high: float) -> Array:
    """Return 0 for `x` below `low`, 1 above `high`, and a smooth cubic between `low` and `high`."""
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def curve(keys: ArrayLike, at: Array) -> Array:
    """Return the columns [..., c] of the key table `keys` [k, 1 + c], interpolated at the coordinates `at` [...].

    The first column of `keys` contains the coordinates of the keys. The interpolation uses monotone cubics. The
    tangents follow Fritsch and Butland (1984), so the curve never overshoots its keys. Before the first key and after
    the last key, the curve is constant.
    """
    keys = np.asarray(keys, float)
    x, y = keys[:, 0], keys[:, 1:]
    span = np.diff(x)[:, None]
    slope = np.diff(y, axis=0) / span
    tangent = np.zeros_like(y)
    tangent[1:-1] = _harmonic(slope[:-1], slope[1:])
    at = np.clip(at, x[0], x[-1])
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    h = span[i]
    t = ((at - x[i]) / h[..., 0])[..., None]
    return hermite(y[i], h * tangent[i], h * tangent[i + 1], y[i + 1], t)


def _harmonic(a: Array, b: Array) -> Array:
    same = a * b > 0
    return np.where(same, 2 * a * b / np.where(same, a + b, 1), 0)


def loft(along: Array, across: Array, keys: ArrayLike, exponent: float = 2.0) -> Array:
    """Return the distance from points to a rod whose cross-sections are superellipses.

    `along` [...] is the coordinate along the rod's axis. `across` [..., 2] are the coordinates perpendicular to the
    axis. The rows of `keys` are (along, radius 0, radius 1, centre 0, centre 1) in metres. A half ellipsoid closes each
    end of the rod. The length of the half ellipsoid is the smaller radius at the end of the rod.
    """
    keys = np.asarray(keys, float)
    first, last = keys[0, 0], keys[-1, 0]
    beyond = np.maximum(np.maximum(first - along, along - last), 0)
    section = curve(keys, along)
    radii = np.maximum(section[..., :2], 1e-4)
    q = np.abs(across - section[..., 2:]) / radii
    least = radii.min(axis=-1)
    k = (q**exponent).sum(axis=-1) ** (1 / exponent)
    k = np.hypot(k, beyond / least)
    steep = np.linalg.norm(np.concatenate([q / radii, (beyond / least**2)[..., None]], axis=-1), axis=-1)
    return np.where(k > 1e-6, k * (k - 1) / np.maximum(steep, 1e-9), -least)
