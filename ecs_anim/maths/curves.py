"""Cubic Bezier and Hermite curves over one span: values, derivatives and conversion.

All functions use numpy's broadcasting and the widest floating dtype of their inputs. Control values can have any shape.
`t` is the position in the span, from 0 to 1. The shape of `t` broadcasts with the control values. For vectors [..., 3],
pass `t[..., None]`. Slopes are derivatives with respect to `t`. If the span lasts d seconds, a slope is d times the
velocity. Sources: Farin, Curves and Surfaces for CAGD, chapters 4 and 7; glTF 2.0, appendix C.5, for the Hermite
weights.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]
Span = tuple[Array, Array, Array, Array]


def bezier(p0: ArrayLike, p1: ArrayLike, p2: ArrayLike, p3: ArrayLike, t: ArrayLike) -> Array:
    """Return the values at `t` of a cubic Bezier curve from p0 to p3. The values at t = 0 and t = 1 are exact."""
    p0, p1, p2, p3, t = _floats(p0, p1, p2, p3, t)
    s = 1 - t
    return s * s * s * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t * p3


def bezier_derivative(p0: ArrayLike, p1: ArrayLike, p2: ArrayLike, p3: ArrayLike, t: ArrayLike) -> Array:
    """Return the derivative of `bezier` with respect to `t`.

    The derivative is three times a quadratic Bezier curve. The control values of the quadratic curve are the
    differences between successive control values of `bezier`.
    """
    p0, p1, p2, p3, t = _floats(p0, p1, p2, p3, t)
    s = 1 - t
    return 3 * (s * s * (p1 - p0) + 2 * s * t * (p2 - p1) + t * t * (p3 - p2))


def hermite(value: ArrayLike, slope: ArrayLike, next_slope: ArrayLike, next_value: ArrayLike, t: ArrayLike) -> Array:
    """Return the values at `t` of a cubic Hermite curve from `value` to `next_value` with the given slopes.

    The values at t = 0 and t = 1 are exact. The arguments are in the order of time: value and slope at the start, slope
    and value at the end.
    """
    value, slope, next_slope, next_value, t = _floats(value, slope, next_slope, next_value, t)
    t2, t3 = t * t, t * t * t
    return (
        (2 * t3 - 3 * t2 + 1) * value
        + (t3 - 2 * t2 + t) * slope
        + (t3 - t2) * next_slope
        + (3 * t2 - 2 * t3) * next_value
    )


def hermite_derivative(
    value: ArrayLike, slope: ArrayLike, next_slope: ArrayLike, next_value: ArrayLike, t: ArrayLike
) -> Array:
    """Return the derivative of `hermite` with respect to `t`."""
    value, slope, next_slope, next_value, t = _floats(value, slope, next_slope, next_value, t)
    t2 = t * t
    return 6 * (t - t2) * (next_value - value) + (3 * t2 - 4 * t + 1) * slope + (3 * t2 - 2 * t) * next_slope


def bezier_to_hermite(p0: ArrayLike, p1: ArrayLike, p2: ArrayLike, p3: ArrayLike) -> Span:
    """Return the arguments of `hermite` that give the same curve: value, slope, next slope and next value."""
    p0, p1, p2, p3 = _floats(p0, p1, p2, p3)
    return p0, 3 * (p1 - p0), 3 * (p3 - p2), p3


def hermite_to_bezier(value: ArrayLike, slope: ArrayLike, next_slope: ArrayLike, next_value: ArrayLike) -> Span:
    """Return the four control values of `bezier` that give the same curve."""
    value, slope, next_slope, next_value = _floats(value, slope, next_slope, next_value)
    return value, value + slope / 3, next_value - next_slope / 3, next_value


def _floats(*arrays: ArrayLike) -> tuple[Array, ...]:
    """Return the arrays with a common floating dtype. Integer arrays become float64."""
    found = (np.asarray(array) for array in arrays)
    return tuple(a if np.issubdtype(a.dtype, np.floating) else a.astype(np.float64) for a in found)
