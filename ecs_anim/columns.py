"""Which fields of a component change, and which of them have a row for each actor.

They are declared where the field is, so that adding, removing and saving actors need no list of their own:

    translation: Column[np.float32]  # [actor_count, 3] f32, [m]
    fired: Kept[int]  # repetitions so far

A property with a setter may be declared so too, by what it returns.
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

Held = list[tuple[Any, str, Any]]  # an owner, a name, and what the owner has under it

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


def fields_of(components: Iterable[object], held: Held | None = None) -> list[Field]:
    """The changing fields of components, in their order; what several of them share is there once.

    `held` gets what was looked into on the way, and what was None: as long as it is the same, so are the fields.
    """
    seen: set[int] = set()
    held = [] if held is None else held
    return [found for component in components for found in _walk(component, type(component).__name__, seen, held)]


def _walk(owner: Any, path: str, seen: set[int], held: Held) -> Iterator[Field]:
    if id(owner) in seen:
        return
    seen.add(id(owner))
    for name, role in _plan(type(owner)).items():
        value, here = getattr(owner, name), f"{path}.{name}"
        if value is None:
            held.append((owner, name, None))
            continue
        if role is not None:
            yield Field(here, role, owner, name)
        elif hasattr(value, "_fields"):
            own = _plan(type(value)).items()
            yield from (Field(f"{here}.{item}", r, owner, name, item) for item, r in own if r is not None)
        elif isinstance(value, list | tuple):
            held.append((owner, name, value if isinstance(value, tuple) else None))  # a list is never the same again
            for number, part in enumerate(value):
                yield from _walk(part, f"{here}[{number}]", seen, held)
        else:
            held.append((owner, name, value))
            yield from _walk(value, here, seen, held)


def _plan(kind: type) -> dict[str, Role | None]:
    """Fields of a class that change, with their role; None for those in which such fields are."""
    if kind not in _plans:
        _plans[kind] = _planned(kind, frozenset())
    return _plans[kind]


def _planned(kind: type, within: frozenset[type]) -> dict[str, Role | None]:
    if kind in within or not (is_dataclass(kind) or hasattr(kind, "_fields")):
        return {}
    try:
        hints = get_type_hints(kind, include_extras=True) | _hints_of_properties(kind)
    except NameError:  # names that only type checkers see: no component's
        return {}
    found: dict[str, Role | None] = {}
    for name, hint in hints.items():
        role = _role(hint)
        if role is not None or any(_planned(part, within | {kind}) for part in _classes(hint)):
            found[name] = role
    return found


def _hints_of_properties(kind: type) -> dict[str, Any]:
    own = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    getters = {name: value.fget for name, value in own.items() if isinstance(value, property) and value.fset}
    return {name: get_type_hints(getter, include_extras=True).get("return") for name, getter in getters.items()}


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
