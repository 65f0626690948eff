"""Which fields of a component change, and which of them have a row for each actor.

They are declared where the field is, so that adding, removing and saving actors need no list of their own:

    translation: Column[np.float32]  # [actor_count, 3] f32, [m]
    fired: Kept[int]  # repetitions so far
"""

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from enum import Enum
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)
Value = TypeVar("Value")

_plans: dict[type, dict[str, "Role | None"]] = {}  # by class


class Role(Enum):
    """What a changing field is."""

    ACTOR = "a row for each actor"
    KEPT = "anything else that a saved world must hold"


Column = Annotated[NDArray[Scalar], Role.ACTOR]
Kept = Annotated[Value, Role.KEPT]


class Field(NamedTuple):
    """One changing field of a component, or of what the component holds."""

    path: str  # such as "LookAt.looks[0].state.turn"
    role: Role
    owner: Any
    name: str
    item: str | None = None  # of a named tuple that the owner has under `name`

    @property
    def value(self) -> Any:
        """What it is now."""
        value = getattr(self.owner, self.name)
        return value if self.item is None else getattr(value, self.item)

    def put(self, value: Any) -> None:
        """Replace it."""
        held = value if self.item is None else getattr(self.owner, self.name)._replace(**{self.item: value})
        setattr(self.owner, self.name, held)


def fields_of(components: Iterable[object]) -> list[Field]:
    """The changing fields of components, in their order; what several of them share is there once."""
    seen: set[int] = set()
    return [found for component in components for found in _walk(component, type(component).__name__, seen)]


def _walk(owner: Any, path: str, seen: set[int]) -> Iterator[Field]:
    if id(owner) in seen:
        return
    seen.add(id(owner))
    for name, role in _plan(type(owner)).items():
        value, here = getattr(owner, name), f"{path}.{name}"
        if value is None:
            continue
        if role is not None:
            yield Field(here, role, owner, name)
        elif hasattr(value, "_fields"):
            own = _plan(type(value)).items()
            yield from (Field(f"{here}.{item}", r, owner, name, item) for item, r in own if r is not None)
        elif isinstance(value, list | tuple):
            for number, part in enumerate(value):
                yield from _walk(part, f"{here}[{number}]", seen)
        else:
            yield from _walk(value, here, seen)


def _plan(kind: type) -> dict[str, Role | None]:
    """Fields of a class that change, with their role; None for those in which such fields are."""
    if kind not in _plans:
        _plans[kind] = _planned(kind, frozenset())
    return _plans[kind]


def _planned(kind: type, within: frozenset[type]) -> dict[str, Role | None]:
    if kind in within or not (is_dataclass(kind) or hasattr(kind, "_fields")):
        return {}
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:  # names that only type checkers see: no component's
        return {}
    found: dict[str, Role | None] = {}
    for name, hint in hints.items():
        role = _role(hint)
        if role is not None or any(_planned(part, within | {kind}) for part in _classes(hint)):
            found[name] = role
    return found


def _role(hint: Any) -> Role | None:
    """The role that a field is declared with, also where it may be None."""
    if get_origin(hint) in (Union, UnionType):
        return next((role for part in get_args(hint) if (role := _role(part))), None)
    return next((mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Role)), None)


def _classes(hint: Any) -> Iterator[type]:
    """Classes that a type names, in whatever it is wrapped."""
    if get_args(hint):
        for part in get_args(hint):
            yield from _classes(part)
    elif isinstance(hint, type):
        yield hint


def lengthened(column: NDArray[Any], count: int) -> NDArray[Any]:
    """The column with `count` rows: in the memory that it is the beginning of, else in twice as much.

    Rows that it did not have hold anything.
    """
    memory = column.base
    if memory is None or not _begins(column, memory) or len(memory) < count:
        memory = np.empty((max(count, 2 * len(column)), *column.shape[1:]), column.dtype)
        memory[: len(column)] = column
    return memory[:count]


def _begins(column: NDArray[Any], memory: Any) -> bool:
    """Whether the memory is nothing but more rows of the column."""
    return (
        isinstance(memory, np.ndarray)
        and memory.base is None
        and memory.flags.c_contiguous
        and memory.flags.writeable
        and (memory.dtype, memory.shape[1:]) == (column.dtype, column.shape[1:])
        and _address(memory) == _address(column)
    )


def _address(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])  # .ctypes takes five times as long
