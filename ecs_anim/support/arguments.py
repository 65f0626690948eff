"""Checks of the arguments of Python calls. Each check runs before the called function changes data."""

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.support.errors import UnknownName, UnknownRow, nearest

FLOAT_MAX = float(np.finfo(np.float64).max)  # limit of numbers that are only read
MANY = 30  # names; a message lists more names only if no name is similar
LARGEST = 1e9  # limit of numbers that users set: calculations with larger numbers could overflow float32 columns

FARTHEST = 2.0**14  # [m], largest coordinate of a position; nearer to the origin, float32 resolves millimetres
MOVE_NEARER = "Subtract the position of one corner of the area from all positions"


def numbers(name: str, value: ArrayLike, *, most: float = LARGEST) -> NDArray[np.float64]:
    """Return `value` as an f64 array with an unchanged shape.

    Raises ValueError if an element is not finite or is not between -`most` and `most`.
    """
    values = _array(name, value, "biuf", "numbers").astype(np.float64)
    if not np.all(np.abs(values) <= most):
        rule = "finite" if most == FLOAT_MAX else f"finite and at most {most:g}"
        raise ValueError(f"each number of {name} must be {rule} (got {brief(value)}). Replace the invalid numbers.")
    return values


def number(name: str, value: float, least: float = -LARGEST, most: float = LARGEST) -> float:
    """Return `value` as one finite number. Raises ValueError if the number is not from `least` to `most`."""
    values = _array(name, value, "biuf", "a number")
    if values.shape != ():
        raise ValueError(f"{name} must be a single number (got {brief(value)})")
    if not least <= values <= most:
        rule = f"{least:g} to {most:g}" if most < LARGEST else f"finite and >= {least:g}" if least > -most else "finite"
        raise ValueError(f"{name} must be {rule} (got {brief(value)})")
    return float(values)


def real(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return `value` as an f64 array with an unchanged shape. Elements can be infinite or NaN.

    Raises ValueError if an element is not a number.
    """
    return _array(name, value, "biuf", "numbers").astype(np.float64)


def one_of(name: str, value: object, known: Sequence[str]) -> None:
    """Raise InputError if `value` is not one of the names `known`."""
    if not (isinstance(value, str) and value in known):
        raise unknown(name, value, known)


def array_of(name: str, value: object, *ends: int) -> NDArray[Any]:
    """Return `value` as an array of numbers [..., *ends]. The elements can be infinite or NaN. Raises ValueError for a
    value of another shape or without numbers.
    """
    values = _array(name, value, "biuf", "numbers")
    if ends and values.shape[-len(ends) :] != ends:
        raise ValueError(f"{name} must have shape {_shape(*ends)} (got {_shape(*values.shape, leading='')})")
    return values


def numbers_for_each(name: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return finite f64 numbers with the shape `shape`.

    `value` has one number for all rows, or one number for each row.

    Raises ValueError for any other value.
    """
    return for_each(name, numbers(name, value), shape)


def places_for_each(name: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return f64 points [m] with the shape `shape`. `value` has one point for all rows, or one point for each row.

    Raises ValueError if a point is farther from the origin than `FARTHEST`, because float32 coordinates are too coarse
    there.
    """
    return require_near(name, numbers_for_each(name, value, shape))


def require_near(name: str, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points [..., 2 or 3] [m]. Raises ValueError if a point is farther from the origin than `FARTHEST`."""
    far = points[(np.abs(points) > FARTHEST).any(axis=-1)]
    if len(far):
        point = ", ".join(f"{value:.10g}" for value in far[0])
        raise ValueError(
            f"{name} must be at most {FARTHEST:g} m from the origin (got the point {point}). {MOVE_NEARER}"
        )
    return points


def shares_for_each(name: str, value: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return f64 numbers [count] from 0 to 1. `value` has one number for all rows, or one number for each row.

    Raises ValueError for any other value.
    """
    values = _array(name, value, "biuf", "numbers").astype(np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"{name} must be 0 to 1 (got {brief(value)})")
    return for_each(name, values, (count,))


def whole_numbers(name: str, value: ArrayLike) -> NDArray[np.int64]:
    """Return `value` as i64 whole numbers [n]. A single number becomes an array of one number. Raises ValueError for
    any other value.
    """
    values = _array(name, value, "iu", "whole numbers")
    if values.ndim > 1:
        raise ValueError(f"{name} must be one number or a list of numbers (got shape {values.shape})")
    if values.size and not -(2**63) <= int(values.min()) <= int(values.max()) < 2**63:
        raise ValueError(f"each number of {name} must be less than 2^63 (got {brief(value)})")
    return np.atleast_1d(values.astype(np.int64))


def width_and_height(name: str, value: ArrayLike) -> tuple[int, int]:
    """Return the two elements of `value`, a width and a height, as whole numbers. Raises ValueError for any other
    value.
    """
    lengths = whole_numbers(name, value)
    if lengths.shape != (2,):
        raise ValueError(f"{name} must be two numbers, width and height, such as (1280, 720) (got {brief(value)})")
    return int(lengths[0]), int(lengths[1])


def numbers_below(name: str, value: ArrayLike, limit: int, count: int) -> NDArray[np.int32]:
    """Return i32 whole numbers [count] from 0 to `limit` - 1.

    `value` has one number for all rows, or one number for each row.

    Raises ValueError for any other value.
    """
    values = whole_numbers(name, value)
    if values.size and not 0 <= values.min() <= values.max() < limit:
        raise ValueError(f"{name} must be 0 to {limit - 1} (got {brief(value)})")
    return np.ascontiguousarray(for_each(name, values, (count,)), np.int32)


def rows_of(owner: str, selection: Any, count: int) -> NDArray[np.int32]:
    """Return the i32 row numbers [n] that `selection` selects from `count` rows.

    `selection` contains row numbers, or is a mask or a slice. A negative row number counts from the last row. For an
    invalid selection, raises an InputError that is also an IndexError.
    """
    if selection is None:
        raise UnknownRow(
            "no actors are selected (got None). Select actors by row numbers, a mask, a slice, or ea.ALL for"
            " all actors."
        )
    if isinstance(selection, slice):
        return _sliced(selection, count)
    try:
        chosen = np.asarray(selection)
    except Exception:  # lists of different lengths, or an invalid object with an array interface
        chosen = np.asarray(None)
    if chosen.dtype == np.bool_:
        if chosen.shape != (count,):
            raise UnknownRow(
                f"a mask that selects from {owner} must have one truth value for each of its {count} actors (got "
                f"shape {chosen.shape})"
            )
        return np.flatnonzero(chosen).astype(np.int32)
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen.ndim > 1):
        raise UnknownRow(
            "a selection of actors must be row numbers, a mask, a slice, or ea.ALL for all actors (got"
            f" {brief(selection)})"
        )
    chosen = chosen.reshape(-1)
    wrong = (chosen < -count) | (chosen >= count)
    if wrong.any():
        rule = f"rows of {owner} must be 0 to {count - 1}" if count else f"{owner} must have actors, but it is empty"
        raise UnknownRow(f"{rule} (got {chosen[wrong][0]})")
    rows = chosen.astype(np.int32)
    return np.where(rows < 0, rows + np.int32(count), rows)


def _sliced(selection: slice, count: int) -> NDArray[np.int32]:
    try:
        return np.arange(count, dtype=np.int32)[selection].copy()
    except (TypeError, ValueError):  # the bounds of the slice are not whole numbers, or the step is 0
        raise UnknownRow(f"the bounds of a slice of actors must be whole numbers (got {brief(selection)})") from None


def number_of(kind: str, name: str, index: Mapping[str, int]) -> int:
    """Return the number that the dictionary `index` contains for `name`. Raises UnknownName for a name that is not in
    `index`.
    """
    if name not in index:
        raise unknown(kind, name, index)
    return index[name]


def unknown(kind: str, name: object, known: Iterable[str], *, of: str = "") -> UnknownName:
    """Return the error for an unknown name.

    Example: "no motion 'wlak'; did you mean 'walk'? motions are: idle, walk".
    """
    names = list(dict.fromkeys(known))
    near = nearest(str(name), names)
    told = f" {of or kind + 's are'}: {', '.join(names) or 'none'}"
    return UnknownName(f"no {kind} {brief(name)};{near}{'' if near and len(names) > MANY else told}")


def _shape(*lengths: int, leading: str = "..., ") -> str:
    return f"[{leading}{', '.join(map(str, lengths))}]"


def _array(name: str, value: object, kinds: str, wanted: str) -> NDArray[Any]:
    try:
        values = np.asarray(value)
    except Exception:  # lists of different lengths, or an invalid object with an array interface
        values = np.asarray(None)
    if values.size and values.dtype.kind not in kinds:
        raise ValueError(f"{name} must be {wanted} (got {brief(value)})")
    return values


def for_each(name: str, values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return `values` as an array with the shape `shape`. `values` has one element for all rows, or one element for
    each row.

    Raises ValueError for any other shape.
    """
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(
            f"{name} must be one value for all {shape[0]} rows, or an array of shape {[*shape]} (got shape"
            f" {[*values.shape]})"
        ) from None


def brief(value: object) -> str:
    """Return the text of `value` as one short line."""
    return " ".join(reprlib.repr(value).split())


def each_once(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the row numbers `rows`, sorted and without duplicates.

    `np.unique` would take longer, because `np.unique` makes a hash table.
    """
    rows = np.sort(rows, axis=None)
    fresh = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=fresh[1:])
    return rows[fresh]
