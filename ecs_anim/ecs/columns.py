"""Type hints that declare the changing fields of a component. Columns are fields with one row for each actor.

The type hint of a field is its declaration. Code that adds, removes or saves actors finds the columns by the type
hints:

    translation: Column[np.float32]  # [actor_count, 3] f32, [m]
    fired: Kept[int]  # number of runs so far
    weight: Annotated[Column[np.float32], SHARE]  # [actor_count] f32, with a rule of `ecs.bounds` for its values
    turn: Annotated[Column[np.float32], Restarts(0.0)]  # [actor_count] f32, reset when an actor's poses restart

If the field is a property with a setter, the type hint of the property's result is the declaration.
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

# triples: an object, the name of one of its attributes, and the value of this attribute
Held = list[tuple[Any, str, Any]]

_plans: dict[type, dict[str, "_Declared | None"]] = {}  # by class


class Role(Enum):
    """The kind of a changing field: column or kept value."""

    ACTOR = "a row for each actor"
    KEPT = "other state that a saved world must contain"


Column = Annotated[NDArray[Scalar], Role.ACTOR]
Kept = Annotated[Value, Role.KEPT]


class Rule:
    """A rule in the type hint of a field, for example the allowed values or the initial value."""

    def flaw(self, value: Any, owner: object, beside: Any) -> str:
        """Describe why `value` breaks the rule, or return "" if the value is valid.

        `beside` is an instance of `ecs_anim.ecs.bounds.Beside`.
        """
        return ""


class Lengths(Rule):
    """A rule for an array that is not a column: in a snapshot, its axes `free` can have other lengths than in the
    world.

    By default, only the first axis can have another length.
    """

    def __init__(self, *free: int) -> None:
        self.free = free


@dataclass(frozen=True)
class Restarts(Rule):
    """A rule: an actor's row gets the value `value` when the actor's poses restart.

    In a hybrid crowd, the poses of an actor restart when the actor comes near or moves away.
    """

    value: float


@dataclass(frozen=True)
class Personal(Rule):
    """A rule: the copy of an actor gets the value `value` in this column.

    In columns without the rule `Personal`, the copy gets the value of the actor.
    """

    value: float


class Field(NamedTuple):
    """One changing field of a component, or of an object inside a component."""

    path: str  # such as "LookAt.looks[0].state.turn"
    role: Role
    owner: Any
    name: str
    # if the attribute `name` of the owner is a named tuple, the name of the tuple's field; otherwise None
    item: str | None = None
    rules: tuple[Rule, ...] = ()

    @property
    def value(self) -> Any:
        """The current value of the field."""
        value = getattr(self.owner, self.name)
        return value if self.item is None else getattr(value, self.item)

    def put(self, value: Any) -> None:
        """Set the value of the field."""
        held = value if self.item is None else getattr(self.owner, self.name)._replace(**{self.item: value})
        setattr(self.owner, self.name, held)

    def told(self, kind: type[Told]) -> Told | None:
        """Return the rule of the class `kind` in the field's declaration. If the field has no such rule,
        return None.
        """
        return next((rule for rule in self.rules if isinstance(rule, kind)), None)

    @property
    def free_axes(self) -> tuple[int, ...]:
        """The array axes that can have other lengths in a snapshot than in the scene."""
        lengths = self.told(Lengths)
        return lengths.free if lengths else (0,)

    def restart(self, rows: NDArray[np.int32]) -> None:
        """Reset the rows `rows` [n] of a column with a `Restarts` rule. Do nothing for all other fields."""
        restarts = self.told(Restarts)
        if restarts:
            self.value[rows] = restarts.value


class _Declared(NamedTuple):
    """The declaration of a changing field."""

    role: Role
    rules: tuple[Rule, ...]


def fields_of(components: Iterable[object], held: Held | None = None) -> list[Field]:
    """Return the changing fields of the given components, in the order of the components.

    If several components share a field, the list contains the field only once.

    The function appends to the list `held` each attribute on which the result depends: each searched object, and each
    field whose value is None. The returned list is valid until the value of one of these attributes changes.
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
            # a list can change in place; with None, the caller always searches it again
            held.append((owner, name, value if isinstance(value, tuple) else None))
            for number, part in enumerate(value):
                yield from _changing_fields(part, f"{here}[{number}]", seen, held)
        else:
            held.append((owner, name, value))
            yield from _changing_fields(value, here, seen, held)


def _plan(kind: type) -> dict[str, _Declared | None]:
    """Return the declarations of a class by field name.

    The value None marks a field whose value contains changing fields.
    """
    if kind not in _plans:
        _plans[kind] = _planned(kind, frozenset())
    return _plans[kind]


def _planned(kind: type, within: frozenset[type]) -> dict[str, _Declared | None]:
    if kind in within or not (is_dataclass(kind) or hasattr(kind, "_fields")):
        return {}
    try:
        hints = get_type_hints(kind, include_extras=True) | _hints_of_properties(kind)
    except NameError:  # the names in the type hints exist only for type checkers, so the class is not a component
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
    """Return the declaration in a type hint. The type hint can be an optional type, such as `X | None`.

    If the type hint has no declaration, return None.
    """
    kind, parts = taken_apart(hint)
    if kind in (Union, UnionType):
        return next((found for part in parts if (found := _declared(part))), None)
    marks = parts[1:] if kind is Annotated else ()
    rules = tuple(mark for mark in marks if isinstance(mark, Rule))
    return next((_Declared(mark, rules) for mark in marks if isinstance(mark, Role)), None)
