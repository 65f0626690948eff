"""Records: named tuples that kernels are given; each column says its shape and type where it is declared.

    class FadeQueue(NamedTuple):
        slot_count: Annotated[NDArray[np.int32], Shape("actor")]
        motion: Annotated[NDArray[np.int32], Shape("actor", "fade slot")]

A kernel trusts them. So they are held to what they say where columns are put together, and never while steps are taken.
"""

from collections.abc import Mapping
from functools import cache
from operator import attrgetter, is_
from typing import Annotated, Any, Generic, NamedTuple, Self, TypeVar, get_args, get_origin, get_type_hints, overload

import numpy as np
from numpy.typing import NDArray

Record = TypeVar("Record", bound=tuple[Any, ...])


class Shape:
    """The axes of a column: a word has the same length in all columns of a record, a number is the length itself.

    "joint + 1" is one longer than "joint". `dtype` where the column's type does not say it: of structured arrays.
    """

    def __init__(self, *axes: str | int, dtype: np.dtype[Any] | None = None) -> None:
        self.axes, self.dtype = axes, dtype


class Layout(NamedTuple):
    """What a column of a record is: C-contiguous, of this type and these axes."""

    dtype: np.dtype[Any]
    axes: tuple[str | int, ...]

    def __str__(self) -> str:
        return f"{self.dtype} [{', '.join(map(str, self.axes))}]"


@cache
def fields_of_record(kind: type) -> Mapping[str, Layout | type]:
    """Each field of a class of records: the layout of a column, the type of a number."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: _declared(hints[name]) for name in kind._fields}  # type: ignore[attr-defined]


def checked(record: Record, owner: str = "") -> Record:
    """The record itself. Raises ValueError that names a column that is not what is declared, or shorter than others."""
    lengths: dict[str, tuple[int, str]] = {}
    owner = owner or type(record).__name__
    for (name, layout), column in zip(fields_of_record(type(record)).items(), record, strict=True):
        if isinstance(layout, Layout):
            _require_layout(f"{owner}.{name}", layout, column)
            _require_lengths(f"{owner}.{name}", layout, column, lengths)
    return record


def sealed(record: Record) -> Record:
    """The record, `checked`, of read-only views of its columns: as kernels take what nobody changes."""
    return checked(type(record)(*map(_read_only, record)))


class Bound(Generic[Record]):
    """A record of what a component holds; it is checked where one of the columns is another array than before.

    queue = Bound(FadeQueue)  # of the component's fields of the same names
    feet = Bound(FootState, "state")  # a record that is a field itself, whose columns change
    """

    def __init__(self, kind: type[Record], field: str = "") -> None:
        fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
        self._kind, self._field = kind, field
        self._columns = attrgetter(*(f"{field}.{name}" if field else name for name in fields))

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_bound_{name}"

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> Record: ...

    def __get__(self, owner: object | None, kind: type) -> Self | Record:
        if owner is None:
            return self
        columns, known = self._columns(owner), vars(owner).get(self._name)
        if known is None or not all(map(is_, columns, known)):
            place = ".".join(filter(None, (kind.__name__, self._field)))
            known = vars(owner)[self._name] = checked(self._kind(*columns), place)
        return known


def _declared(hint: Any) -> Layout | type:
    if get_origin(hint) is not Annotated:
        return hint
    array, *marks = get_args(hint)
    shape = next(mark for mark in marks if isinstance(mark, Shape))
    return Layout(shape.dtype or np.dtype(get_args(get_args(array)[1])[0]), shape.axes)


def _read_only(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _require_layout(place: str, layout: Layout, column: Any) -> None:
    """That a column has the type and as many axes as declared. Raises ValueError."""
    if not isinstance(column, np.ndarray) or column.dtype != layout.dtype or column.ndim != len(layout.axes):
        got = f"{column.dtype} {[*column.shape]}" if isinstance(column, np.ndarray) else type(column).__name__
        raise ValueError(f"{place} must be an array of {layout} (got {got})")
    if not column.flags.c_contiguous:
        raise ValueError(f"{place} must be C-contiguous")


def _require_lengths(place: str, layout: Layout, column: NDArray[Any], known: dict[str, tuple[int, str]]) -> None:
    """That a column is as long as declared, and as the columns before it. Raises ValueError."""
    for axis, length in zip(layout.axes, column.shape, strict=True):
        word, _, more = str(axis).partition(" + ")
        wanted, beside = (
            (axis, "") if isinstance(axis, int) else known.setdefault(word, (length - int(more or 0), place))
        )
        if length != wanted + int(more or 0):
            of = f" by {beside}" if beside else ""
            raise ValueError(f"{place} must be {layout}, where {word} is {wanted}{of} (got {[*column.shape]})")
