"""Records: named tuples that kernels are given; each column says its shape and type where it is declared.

    class FadeQueue(NamedTuple):
        slot_count: Annotated[NDArray[np.int32], Shape("actor")]
        motion: Annotated[NDArray[np.int32], Shape("actor", "fade slot")]

A kernel trusts them. So they are held to what they say where columns are put together, and never while steps are taken.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, ClassVar, TypeVar, get_type_hints

import numpy as np

from ecs_anim.support.array_layouts import Layout, Lengths, layout_of, require_layout
from ecs_anim.support.array_layouts import Shape as Shape  # what records are declared with

Record = TypeVar("Record", bound=tuple[Any, ...])


@cache
def fields_of_record(kind: type) -> Mapping[str, Layout | type]:
    """Each field of a class of records: the layout of a column, the type of a number."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: layout_of(hints[name]) or hints[name] for name in _names(kind)}


def checked(record: Record, owner: str = "") -> Record:
    """The record itself. Raises ValueError that names a column that is not what is declared, or shorter than others.

    Columns are C-contiguous besides.
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
    """Return the record, `checked`, with read-only views of its columns. Kernels take constant data in this form."""
    return checked(type(record)(*map(_read_only, record)))


class Binding:
    """A component that has its columns as records too, each checked once: when it is first asked for, and anew where a
    field of the component has become another array.

    @cached_property
    def queue(self) -> FadeQueue:
        return self.bound(FadeQueue)
    """

    tallies: ClassVar[tuple[str, ...]] = ()  # fields that count something, of which nothing is made
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
        for kept in self._kept if name not in self.tallies else ():
            vars(self).pop(kept, None)


def _is_kept(attribute: Any) -> bool:
    """Whether it is what a component makes of its fields once, as its records are."""
    return isinstance(attribute, cached_property)


def _names(kind: type) -> tuple[str, ...]:
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    return names


def _read_only(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value
