"""Records: named tuples that kernels are given; each column says its shape and type where it is declared.

    class FadeQueue(NamedTuple):
        slot_count: Annotated[NDArray[np.int32], Shape("actor")]
        motion: Annotated[NDArray[np.int32], Shape("actor", "fade slot")]

A kernel trusts them. So they are held to what they say where columns are put together, and never while steps are taken.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

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
    return {name: _declared(hints[name]) for name in _names(kind)}


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


class Binding:
    """A component that has its columns as records too, each checked once: when it is first asked for, and anew where a
    field of the component has become another array.

    @cached_property
    def queue(self) -> FadeQueue:
        return self.bound(FadeQueue)
    """

    _kept: ClassVar[tuple[str, ...]] = ()

    def bound(self, kind: type[Record], field: str = "") -> Record:
        """The component's columns of these names, or a record that is its field, checked."""
        record = getattr(self, field) if field else kind(*(getattr(self, name) for name in _names(kind)))
        return checked(record, ".".join(filter(None, (type(self).__name__, field))))

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._kept = tuple(name for base in cls.__mro__ for name, own in vars(base).items() if _is_kept(own))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        for kept in self._kept:
            vars(self).pop(kept, None)


def _is_kept(attribute: Any) -> bool:
    """Whether it is what a component makes of its fields once, as its records are."""
    return isinstance(attribute, cached_property)


def _names(kind: type) -> tuple[str, ...]:
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    return names


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


def _require_layout(name: str, layout: Layout, column: Any) -> None:
    """Check that a column has the type and as many axes as declared. Raises ValueError."""
    if not isinstance(column, np.ndarray) or column.dtype != layout.dtype or column.ndim != len(layout.axes):
        got = f"{column.dtype} {[*column.shape]}" if isinstance(column, np.ndarray) else type(column).__name__
        raise ValueError(f"{name} must be an array of {layout} (got {got})")
    if not column.flags.c_contiguous:
        raise ValueError(f"{name} must be C-contiguous")


def _require_lengths(name: str, layout: Layout, column: NDArray[Any], known: dict[str, tuple[int, str]]) -> None:
    """Check that a column is as long as declared, and as the columns before it. Raises ValueError."""
    for axis, length in zip(layout.axes, column.shape, strict=True):
        word, _, more = str(axis).partition(" + ")
        wanted, beside = (
            (axis, "") if isinstance(axis, int) else known.setdefault(word, (length - int(more or 0), name))
        )
        if length != wanted + int(more or 0):
            of = f" by {beside}" if beside else ""
            raise ValueError(f"{name} must be {layout}, where {word} is {wanted}{of} (got {[*column.shape]})")
