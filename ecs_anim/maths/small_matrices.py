"""Products, inverses and axes of small matrices, with bit-identical results on every machine.

The operator `@` of numpy and the module `numpy.linalg` call BLAS and LAPACK. These libraries select their loops for the
CPU. Therefore, their rounding errors differ between machines. The functions in this module add, multiply, divide and
take square roots in a fixed order. Each function keeps the floating dtype of its inputs unless its docstring names
another dtype.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.floating]
Reals = NDArray[np.float64]

SWEEPS = 12  # sweeps of Jacobi rotations; four or five are enough
# if the squared cosine of the angle between two axes is smaller, the axes count as perpendicular
AT_RIGHT_ANGLES = 1e-32
FLATTENED = 1e-15  # share of the longest axis; a shorter axis counts as a rounding error
STEEP = 1e100  # cotangent for a rotation by almost 0; the square of this number is finite
PAIRS = ((0, 1), (1, 2), (2, 0))


def product(a: ArrayLike, b: ArrayLike) -> Any:
    """Return matrix products [..., n, k] of a [..., n, m] and b [..., m, k]."""
    a, b = np.asarray(a), np.asarray(b)
    total = a[..., :, :1] * b[..., :1, :]
    for k in range(1, a.shape[-1]):
        total = total + a[..., :, k : k + 1] * b[..., k : k + 1, :]
    return total


def applied(m: ArrayLike, v: ArrayLike) -> Any:
    """Return the products of matrices m [..., n, m] and vectors v [..., m]."""
    m, v = np.asarray(m), np.asarray(v)
    total = m[..., 0] * v[..., :1]
    for k in range(1, m.shape[-1]):
        total = total + m[..., k] * v[..., k : k + 1]
    return total


def length(v: ArrayLike) -> Any:
    """Return the lengths [...] of vectors [..., n]."""
    return np.linalg.norm(np.asarray(v), axis=-1)


def inner(a: ArrayLike, b: ArrayLike) -> Any:
    """Return the inner products [...] over the last axis."""
    return np.sum(np.asarray(a) * np.asarray(b), axis=-1)


def unit(v: ArrayLike) -> Any:
    """Return the directions of vectors [..., n]. Zero vectors stay zero."""
    v = np.asarray(v)
    size = length(v)[..., None]
    return v / np.where(size > 0, size, 1)


def perpendicular(v: ArrayLike) -> Any:
    """Return unit vectors that are perpendicular to vectors [..., 3]. Zero vectors stay zero."""
    v = np.asarray(v)
    return unit(np.cross(v, np.eye(3)[np.argmin(np.abs(v), axis=-1)]))


def determinant(m: ArrayLike) -> Any:
    """Return the determinants [...] of matrices [..., 3, 3]."""
    m = np.asarray(m)
    return inner(m[..., 0, :], np.cross(m[..., 1, :], m[..., 2, :]))


def inverse(m: ArrayLike) -> Array:
    """Return the inverses of matrices [..., 3, 3] by cofactors in float64.

    Raises numpy.linalg.LinAlgError if a matrix is singular.
    """
    m = np.asarray(m)
    x, y, z = np.moveaxis(m.astype(np.float64), -2, 0)
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-1)
    volume = inner(x, cofactors[..., 0])
    if np.any(volume == 0):
        raise np.linalg.LinAlgError("Singular matrix")
    return (cofactors / volume[..., None, None]).astype(np.result_type(m, np.float32))


def pseudo_inverse(m: ArrayLike) -> Reals:
    """Return the Moore-Penrose inverses [..., 3, 3] of matrices [..., 3, 3]. The matrices can be singular."""
    near_one, power = _near_one(m)
    axes, turn = right_angled(near_one)
    squares = np.sum(axes * axes, axis=-2)
    kept = squares > FLATTENED**2 * np.max(squares, axis=-1, keepdims=True)
    shares = np.where(kept, 1 / np.where(kept, squares, 1), 0)
    return np.ldexp(product(turn * shares[..., None, :], np.swapaxes(axes, -1, -2)), -power)


def right_angled(m: ArrayLike) -> tuple[Reals, Reals]:
    """Return matrices A and V [..., 3, 3] for matrices m [..., 3, 3], with A = m V.

    The columns of A are perpendicular, and the longest column is first. V is orthonormal. The function sorts the
    columns, so V can be a reflection. Source: one-sided Jacobi (Hestenes 1958).
    """
    axes, power = _near_one(m)
    turn = np.broadcast_to(np.eye(3), axes.shape).copy()
    for _ in range(SWEEPS):
        turned = [_turn(axes, turn, p, q) for p, q in PAIRS]
        if not any(turned):
            break
    order = np.argsort(-np.sum(axes * axes, axis=-2), axis=-1, kind="stable")[..., None, :]
    return np.ldexp(np.take_along_axis(axes, order, axis=-1), power), np.take_along_axis(turn, order, axis=-1)


def _near_one(m: ArrayLike) -> tuple[Reals, NDArray[np.intc]]:
    """Return m / 2^n and n [..., 1, 1] for matrices m [..., 3, 3]. The function selects n so that the largest element
    of m / 2^n is 0.5 to 1.

    Therefore, the fourth powers of the largest elements are finite and not 0, even for very small or very large inputs.
    """
    m = np.asarray(m, np.float64)
    power = np.frexp(np.max(np.abs(m), axis=(-2, -1), keepdims=True))[1]
    return np.ldexp(m, -power), power


def _turn(axes: Reals, turn: Reals, p: int, q: int) -> bool:
    """Rotate the columns `p` and `q` of `axes` so that they are perpendicular. Apply this rotation to `turn` too.

    Return whether any pair of columns was not perpendicular before.
    """
    pp, qq = np.sum(axes[..., p] ** 2, axis=-1), np.sum(axes[..., q] ** 2, axis=-1)
    skew = np.sum(axes[..., p] * axes[..., q], axis=-1)
    skewed = skew * skew > AT_RIGHT_ANGLES * pp * qq
    if not skewed.any():
        return False
    half = np.clip(np.where(skewed, (qq - pp) / np.where(skewed, 2 * skew, 1), 0), -STEEP, STEEP)
    tangent = np.where(skewed, np.where(half >= 0, 1, -1) / (np.abs(half) + np.sqrt(1 + half * half)), 0)
    cosine = (1 / np.sqrt(1 + tangent * tangent))[..., None]
    sine = cosine * tangent[..., None]
    for columns in (axes, turn):
        a, b = columns[..., p].copy(), columns[..., q].copy()
        columns[..., p], columns[..., q] = cosine * a - sine * b, sine * a + cosine * b
    return True


def orthonormal(m: ArrayLike) -> Reals:
    """Return the orthonormal matrices nearest to `m` [..., 3, 3] (polar decomposition). If the determinant of `m` is
    negative, the determinant of the result is -1.

    An axis with scale 0 gets a direction that is perpendicular to the other two axes. The sign of this direction is
    arbitrary.
    """
    axes, turn = right_angled(_near_one(m)[0])
    longest = length(axes[..., 0])[..., None]
    first = _direction(axes[..., 0], 0 * longest, turn[..., 0])
    second = _direction(axes[..., 1], FLATTENED * longest, perpendicular(first))
    third = _direction(axes[..., 2], FLATTENED * longest, np.cross(first, second))
    return product(np.stack([first, second, third], axis=-1), np.swapaxes(turn, -1, -2))


def _direction(axis: Reals, least: Reals, otherwise: Reals) -> Reals:
    """Return the direction of an axis, or `otherwise` if the axis is not longer than `least`."""
    size = length(axis)[..., None]
    there = size > least
    return np.where(there, axis / np.where(there, size, 1), otherwise)
