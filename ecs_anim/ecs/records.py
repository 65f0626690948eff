"""Records: named tuples of arrays and numbers, which kernels take as arguments.

The type hint of each array declares its shape and its type.

    class FadeQueue(NamedTuple):
        slot_count: Annotated[NDArray[np.int32], Shape("actor")]
        motion: Annotated[NDArray[np.int32], Shape("actor", "fade slot")]

Kernels do not check their arrays. Therefore, each record is checked once, when Python creates it.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, ClassVar, TypeVar, get_type_hints

import numpy as np

from ecs_anim.support.array_layouts import Layout, Lengths, layout_of, require_layout
from ecs_anim.support.array_layouts import Shape as Shape  # records use `Shape` in declarations

Record = TypeVar("Record", bound=tuple[Any, ...])


@cache
def fields_of_record(kind: type) -> Mapping[str, Layout | type]:
    """Return the declared layout of each array and the type of each number in a record class, by field name."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: layout_of(hints[name]) or hints[name] for name in _names(kind)}


def checked(record: Record, owner: str = "") -> Record:
    """Return `record` after a check of its arrays. Raises a ValueError that names the first invalid array.

    Arrays must have the declared types and shapes. Axes with equal names must have equal lengths. Arrays must be
    C-contiguous.
    """
    lengths: Lengths = {}
    owner = owner or type(record).__name__
    for (name, layout), column in zip(fields_of_record(type(record)).items(), record, strict=True):
        if isinstance(layout, Layout):
            require_layout(f"{owner}.{name}", layout, column, lengths)
            if not column.flags.c_contiguous:
                raise ValueError(f"{owner}.{name} must be C-contiguous")
    return record


def sealed(record: Record) -> Record:
    """Return a copy of `record` after a check. The arrays of the copy are read-only views.

    Use this function for data that kernels only read.
    """
    return checked(type(record)(*map(_read_only, record)))


class Binding:
    """A component that also provides its columns as records for kernels.

    The first use of a record creates and checks it. After an assignment to any field of the component, the next use
    creates the record again.

    @cached_property
    def queue(self) -> FadeQueue:
        return self.bound(FadeQueue)
    """

    tallies: ClassVar[tuple[str, ...]] = ()  # names of counters; if only a counter changes, the records stay valid
    _kept: ClassVar[tuple[str, ...]] = ()

    def bound(self, kind: type[Record], field: str = "") -> Record:
        """Return a checked record: the record in the field `field`, or a new record of the component's columns."""
        record = getattr(self, field) if field else kind(*(getattr(self, name) for name in _names(kind)))
        return checked(record, ".".join(filter(None, (type(self).__name__, field))))

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._kept = tuple(name for base in cls.__mro__ for name, own in vars(base).items() if _is_kept(own))

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        for kept in self._kept if name not in self.tallies else ():
            vars(self).pop(kept, None)


def _is_kept(attribute: Any) -> bool:
    return isinstance(attribute, cached_property)


def _names(kind: type) -> tuple[str, ...]:
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    return names


def _read_only(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value
