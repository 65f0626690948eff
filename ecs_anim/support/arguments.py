"""Arguments of calls from Python, looked at before anything changes: what does not fit is told in one line."""

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.support.errors import nearest

LARGEST = 1e9  # of any number that is set from outside: columns are float32, which a larger one would overflow


def numbers(what: str, value: ArrayLike) -> NDArray[np.float64]:
    """Finite numbers of any shape, f64. Raises ValueError."""
    values = _array(what, value, "biuf", "numbers")
    if not np.all(np.abs(values.astype(np.float64)) <= LARGEST):
        raise ValueError(f"{what} must be finite (got {_brief(value)})")
    return values.astype(np.float64)


def numbers_for_each(what: str, value: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Finite numbers of this shape, f64: one for all, or one for each of `shape[0]`. Raises ValueError."""
    return for_each(what, numbers(what, value), shape)


def shares_for_each(what: str, value: ArrayLike, count: int) -> NDArray[np.float64]:
    """Numbers from 0 to 1 [count], f64. Raises ValueError."""
    values = _array(what, value, "biuf", "numbers").astype(np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"{what} must be 0 to 1 (got {_brief(value)})")
    return for_each(what, values, (count,))


def whole_numbers(what: str, value: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers [n], i64; a single one is a list of one. Raises ValueError."""
    values = _array(what, value, "iu", "whole numbers")
    if values.ndim > 1:
        raise ValueError(f"{what} must be one number or a list of them (got shape {values.shape})")
    if values.size and not -(2**63) <= int(values.min()) <= int(values.max()) < 2**63:
        raise ValueError(f"{what} must be less than 2^63 (got {_brief(value)})")
    return np.atleast_1d(values.astype(np.int64))


def numbers_below(what: str, value: ArrayLike, limit: int, count: int) -> NDArray[np.int32]:
    """Whole numbers from 0 to `limit` - 1 [count], i32: one for all, or one for each. Raises ValueError."""
    values = whole_numbers(what, value)
    if values.size and not 0 <= values.min() <= values.max() < limit:
        raise ValueError(f"{what} must be 0 to {limit - 1} (got {_brief(value)})")
    return np.ascontiguousarray(for_each(what, values, (count,)), np.int32)


def rows_of(who: str, selection: Any, count: int) -> NDArray[np.int32]:
    """Rows [n], i32, of `count`: by number, from the end where negative, by a mask, a slice, or None for all.

    Raises IndexError for what selects nothing that is there.
    """
    if selection is None or isinstance(selection, slice):
        return np.arange(count, dtype=np.int32)[selection or slice(None)].copy()
    try:
        chosen = np.asarray(selection)
    except ValueError:  # lists of several lengths
        chosen = np.asarray(None)
    if chosen.dtype == np.bool_:
        if chosen.shape != (count,):
            raise IndexError(
                f"a mask over {who} is a truth value for each of {count} actors (got shape {chosen.shape})"
            )
        return np.flatnonzero(chosen).astype(np.int32)
    if chosen.size and (chosen.dtype.kind not in "iu" or chosen.ndim > 1):
        raise IndexError(f"actors are selected by rows, a mask, a slice or None (got {_brief(selection)})")
    chosen = chosen.reshape(-1)
    wrong = (chosen < -count) | (chosen >= count)
    if wrong.any():
        there = f"rows 0 to {count - 1}" if count else "no rows: it is empty"
        raise IndexError(f"{who} has {there} (got {chosen[wrong][0]})")
    rows = chosen.astype(np.int32)
    return np.where(rows < 0, rows + np.int32(count), rows)


def unknown(kind: str, name: object, known: Iterable[str], *, of: str = "") -> KeyError:
    """The error for a name that is not there: "no motion 'wlak'; did you mean 'walk'? motions are: idle, walk"."""
    names = list(dict.fromkeys(known))
    return KeyError(
        f"no {kind} {name!r};{nearest(str(name), names)} {of or kind + 's are'}: {', '.join(names) or 'none'}"
    )


def _array(what: str, value: ArrayLike, kinds: str, wanted: str) -> NDArray[Any]:
    try:
        values = np.asarray(value)
    except ValueError:  # lists of several lengths
        values = np.asarray(None)
    if values.size and values.dtype.kind not in kinds:
        raise ValueError(f"{what} must be {wanted} (got {_brief(value)})")
    return values


def for_each(what: str, values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Values of this shape: one for all, or one for each of `shape[0]`. Raises ValueError."""
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise ValueError(
            f"{what} must be one for all or one for each of {shape[0]} (got shape {values.shape})"
        ) from None


def _brief(value: object) -> str:
    """What somebody gave, in one line."""
    return " ".join(reprlib.repr(value).split())
