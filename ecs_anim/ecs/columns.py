"""Which fields of a component change, and which of them have a row for each actor.

They are declared where the field is, so that adding, removing and saving actors need no list of their own:

    translation: Column[np.float32]  # [actor_count, 3] f32, [m]
    fired: Kept[int]  # repetitions so far
    weight: Annotated[Column[np.float32], SHARE]  # [actor_count] f32, with a rule of `ecs.bounds` for its values
    turn: Annotated[Column[np.float32], Restarts(0.0)]  # [actor_count] f32, begins anew where an actor's poses do

A property with a setter may be declared so too, by what it returns.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, is_dataclass
from enum import Enum
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_type_hints

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.hints import classes_in, taken_apart

Scalar = TypeVar("Scalar", bound=np.generic)
Value = TypeVar("Value")
Told = TypeVar("Told", bound="Rule")

Held = list[tuple[Any, str, Any]]  # an owner, a name, and what the owner has under it

_plans: dict[type, dict[str, "_Declared | None"]] = {}  # by class


class Role(Enum):
    """What a changing field is."""

    ACTOR = "a row for each actor"
    KEPT = "anything else that a saved world must hold"


Column = Annotated[NDArray[Scalar], Role.ACTOR]
Kept = Annotated[Value, Role.KEPT]


class Rule:
    """What is said of a field's values beside its declaration: what they may be, or begin with."""

    def flaw(self, value: Any, owner: object, beside: Any) -> str:
        """How a value breaks the rule; "" where it does not. `beside` is a `Beside` of `ecs_anim.ecs.bounds`."""
        return ""


class Lengths(Rule):
    """Which axes of a kept array may have other lengths in a saved world than they now have; undeclared, the first."""

    def __init__(self, *free: int) -> None:
        self.free = free


@dataclass(frozen=True)
class Restarts(Rule):
    """What an actor's row begins anew with where poses do: as actors of a hybrid crowd come near, and as they leave."""

    value: float


@dataclass(frozen=True)
class Personal(Rule):
    """What the row of an actor who is made like another begins with, as the other's row is nobody else's."""

    value: float


class Field(NamedTuple):
    """One changing field of a component, or of what the component holds."""

    path: str  # such as "LookAt.looks[0].state.turn"
    role: Role
    owner: Any
    name: str
    item: str | None = None  # of a named tuple that the owner has under `name`
    rules: tuple[Rule, ...] = ()

    @property
    def value(self) -> Any:
        """What it is now."""
        value = getattr(self.owner, self.name)
        return value if self.item is None else getattr(value, self.item)

    def put(self, value: Any) -> None:
        """Replace it."""
        held = value if self.item is None else getattr(self.owner, self.name)._replace(**{self.item: value})
        setattr(self.owner, self.name, held)

    def told(self, kind: type[Told]) -> Told | None:
        """The rule of a kind that the field has, if any."""
        return next((rule for rule in self.rules if isinstance(rule, kind)), None)

    @property
    def free_axes(self) -> tuple[int, ...]:
        """Of an array: those whose lengths are not the scene's."""
        lengths = self.told(Lengths)
        return lengths.free if lengths else (0,)

    def restart(self, rows: NDArray[np.int32]) -> None:
        """Let rows [n] of a column begin anew, where it says how."""
        restarts = self.told(Restarts)
        if restarts:
            self.value[rows] = restarts.value


class _Declared(NamedTuple):
    """What is said where a field is declared."""

    role: Role
    rules: tuple[Rule, ...]


def fields_of(components: Iterable[object], held: Held | None = None) -> list[Field]:
    """The changing fields of components, in their order; what several of them share is there once.

    `held` gets what was looked into on the way, and what was None: as long as it is the same, so are the fields.
    """
    seen: set[int] = set()
    held = [] if held is None else held
    return [
        found for component in components for found in _changing_fields(component, type(component).__name__, seen, held)
    ]


def _changing_fields(owner: Any, path: str, seen: set[int], held: Held) -> Iterator[Field]:
    if id(owner) in seen:
        return
    seen.add(id(owner))
    for name, declared in _plan(type(owner)).items():
        value, here = getattr(owner, name), f"{path}.{name}"
        if value is None:
            held.append((owner, name, None))
            continue
        if declared is not None:
            yield Field(here, declared.role, owner, name, None, declared.rules)
        elif hasattr(value, "_fields"):
            own = _plan(type(value)).items()
            yield from (Field(f"{here}.{item}", d.role, owner, name, item, d.rules) for item, d in own if d is not None)
        elif isinstance(value, list | tuple):
            held.append((owner, name, value if isinstance(value, tuple) else None))  # a list is never the same again
            for number, part in enumerate(value):
                yield from _changing_fields(part, f"{here}[{number}]", seen, held)
        else:
            held.append((owner, name, value))
            yield from _changing_fields(value, here, seen, held)


def _plan(kind: type) -> dict[str, _Declared | None]:
    """Fields of a class that change, as declared; None for those in which such fields are."""
    if kind not in _plans:
        _plans[kind] = _planned(kind, frozenset())
    return _plans[kind]


def _planned(kind: type, within: frozenset[type]) -> dict[str, _Declared | None]:
    if kind in within or not (is_dataclass(kind) or hasattr(kind, "_fields")):
        return {}
    try:
        hints = get_type_hints(kind, include_extras=True) | _hints_of_properties(kind)
    except NameError:  # names that only type checkers see: no component's
        return {}
    found: dict[str, _Declared | None] = {}
    for name, hint in hints.items():
        declared = _declared(hint)
        if declared is not None or any(_planned(part, within | {kind}) for part in classes_in(hint)):
            found[name] = declared
    return found


def _hints_of_properties(kind: type) -> dict[str, Any]:
    own = {name: value for base in reversed(kind.__mro__) for name, value in vars(base).items()}
    getters = {name: value.fget for name, value in own.items() if isinstance(value, property) and value.fset}
    return {name: get_type_hints(getter, include_extras=True).get("return") for name, getter in getters.items()}


def _declared(hint: Any) -> _Declared | None:
    """What a field is declared with, also where it may be None."""
    kind, parts = taken_apart(hint)
    if kind in (Union, UnionType):
        return next((found for part in parts if (found := _declared(part))), None)
    marks = parts[1:] if kind is Annotated else ()
    rules = tuple(mark for mark in marks if isinstance(mark, Rule))
    return next((_Declared(mark, rules) for mark in marks if isinstance(mark, Role)), None)
