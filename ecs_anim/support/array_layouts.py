"""Layouts: what type of numbers an array has and how long its axes are, said where the array is declared.

    positions: Annotated[NDArray[np.float32], Shape("vertex", 3)]
    normals: Annotated[NDArray[np.float32], Shape("vertex", 3)]

A word is as long in all arrays of one owner.
"""

from types import UnionType
from typing import Annotated, Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.hints import classes_in, taken_apart

Lengths = dict[str, tuple[int, str]]  # of each word, and the array that it was first seen in


class Shape:
    """The axes of an array: a word has the same length in all arrays of an owner, a number is the length itself.

    "joint + 1" is one longer than "joint". `dtype` where the array's type does not say it: of structured arrays.
    """

    def __init__(self, *axes: str | int, dtype: np.dtype[Any] | None = None) -> None:
        self.axes, self.dtype = axes, dtype

    def __repr__(self) -> str:
        return f"Shape({', '.join(map(repr, self.axes))})"


class Layout(NamedTuple):
    """The type and the axes of an array."""

    dtype: np.dtype[Any]
    axes: tuple[str | int, ...]

    def __str__(self) -> str:
        return f"{self.dtype} [{', '.join(map(str, self.axes))}]"


def layout_of(hint: Any) -> Layout | None:
    """Return the layout that a declared type states, in a union the first one. Return None if it states no layout."""
    kind, parts = taken_apart(hint)
    if kind in (Union, UnionType):
        return next(filter(None, map(layout_of, parts)), None)
    if kind is not Annotated:
        return None
    array, *marks = parts
    shape = next((mark for mark in marks if isinstance(mark, Shape)), None)
    if shape is None:
        return None
    return Layout(shape.dtype or _number_type(array), shape.axes)


def _number_type(array: Any) -> np.dtype[Any]:
    """Return the type of numbers that the type of an array names, such as float32 of `NDArray[np.float32]`."""
    return np.dtype(next(kind for kind in classes_in(array) if issubclass(kind, np.generic)))


def require_layout(name: str, layout: Layout, array: object, known: Lengths) -> None:
    """Check that an array is what is declared, and fits the arrays before it, whose lengths are `known`.

    Raises ValueError that begins with its name.
    """
    if not isinstance(array, np.ndarray) or array.dtype != layout.dtype or array.ndim != len(layout.axes):
        got = f"{array.dtype} {[*array.shape]}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name} must be an array of {layout} (got {got})")
    _require_lengths(name, layout, array, known)


def _require_lengths(name: str, layout: Layout, array: NDArray[Any], known: Lengths) -> None:
    for axis, length in zip(layout.axes, array.shape, strict=True):
        word, _, more = str(axis).partition(" + ")
        wanted, beside = (
            (axis, "") if isinstance(axis, int) else known.setdefault(word, (length - int(more or 0), name))
        )
        if length != wanted + int(more or 0):
            of = f" by {beside}" if beside else ""
            raise ValueError(f"{name} must be {layout}, where {word} is {wanted}{of} (got {[*array.shape]})")
