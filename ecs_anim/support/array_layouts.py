"""Layouts of arrays. The type annotation of an array states the number type and the axes of the array.

    positions: Annotated[NDArray[np.float32], Shape("vertex", 3)]
    normals: Annotated[NDArray[np.float32], Shape("vertex", 3)]

Axes with the same word have the same length in all arrays of one object.
"""

from types import UnionType
from typing import Annotated, Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.hints import classes_in, taken_apart

Lengths = dict[str, tuple[int, str]]  # length of each word's axis, and the first array with the word


class Shape:
    """The axes of an array. A number states the length of an axis. A word names an axis of any length.

    Axes with the same word have the same length in all arrays of one object. The axis "joint + 1" is one element longer
    than the axis "joint". For a structured array, `dtype` is necessary, because the annotation of the array does not
    state the fields.
    """

    def __init__(self, *axes: str | int, dtype: np.dtype[Any] | None = None) -> None:
        self.axes, self.dtype = axes, dtype

    def __repr__(self) -> str:
        return f"Shape({', '.join(map(repr, self.axes))})"


class Layout(NamedTuple):
    """The number type and the axes of an array."""

    dtype: np.dtype[Any]
    axes: tuple[str | int, ...]

    def __str__(self) -> str:
        return f"{self.dtype} [{', '.join(map(str, self.axes))}]"


def layout_of(hint: Any) -> Layout | None:
    """Return the layout in the annotation `hint`, or None if `hint` has no layout.

    If `hint` is a union of types, the function returns the first layout in the union.
    """
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
    """Return the number type of an array type, such as float32 for `NDArray[np.float32]`."""
    return np.dtype(next(kind for kind in classes_in(array) if issubclass(kind, np.generic)))


def require_layout(name: str, layout: Layout, array: object, known: Lengths) -> None:
    """Raise ValueError if `array` does not have the layout `layout`, or if the length of an axis differs from its
    length in `known`.

    `known` contains the axis lengths of the arrays that were checked before. The function adds new axis lengths to
    `known`. The message begins with `name`.
    """
    if not isinstance(array, np.ndarray) or array.dtype != layout.dtype or array.ndim != len(layout.axes):
        got = f"{array.dtype} {[*array.shape]}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name} must be an array with the layout {layout} (got {got})")
    _require_lengths(name, layout, array, known)


def _require_lengths(name: str, layout: Layout, array: NDArray[Any], known: Lengths) -> None:
    for number, (axis, length) in enumerate(zip(layout.axes, array.shape, strict=True)):
        word, _, more = str(axis).partition(" + ")
        wanted, beside = (
            (axis, "") if isinstance(axis, int) else known.setdefault(word, (length - int(more or 0), name))
        )
        if length != wanted + int(more or 0):
            needed, owner = wanted + int(more or 0), beside or "its layout"
            raise ValueError(
                f"axis {number} of {name} must have the length {needed}, as in {owner} (got shape {[*array.shape]})."
                f" The layout of {name} is {layout}."
            )
