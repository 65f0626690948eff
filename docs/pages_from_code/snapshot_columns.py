"""Generate a table of the contents of a snapshot: all component fields with the types `Column` or `Kept`."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from ecs_anim.ecs.columns import Role
from pages_from_code.frame import components
from pages_from_code.markdown import code, codes, table


def snapshot_columns() -> str:
    """Return a table with the columns and the other saved values of each component.

    If a field of a component contains a dataclass, this dataclass has its own row in the table.
    """
    rows = []
    for holder in _holders():
        found = list(_changing(holder))
        columns, kept = (codes(name for name, own in found if own is role) for role in (Role.ACTOR, Role.KEPT))
        if found:
            rows.append((code(holder.__name__), columns, kept))
    return table(("component", "a row for each actor", "kept besides"), rows)


def _holders() -> list[type]:
    """Return all components and the dataclasses in their fields. Each component precedes its dataclasses."""
    found: dict[type, None] = {}
    for component, _ in components():
        hints = get_type_hints(component).values() if is_dataclass(component) else ()
        found |= dict.fromkeys(kind for kind in (component, *hints) if isinstance(kind, type) and is_dataclass(kind))
    return list(found)


def _changing(kind: type) -> Iterator[tuple[str, Role]]:
    """Yield the name and the role of each field that has a role, and of each property with a setter that has a role.

    If a field contains a named tuple, the names of the tuple's fields follow the name of the field.
    """
    setters = {name: own.fget for name, own in vars(kind).items() if isinstance(own, property) and own.fset}
    hints = get_type_hints(kind, include_extras=True)
    hints |= {name: get_type_hints(getter, include_extras=True)["return"] for name, getter in setters.items()}
    for name, hint in hints.items():
        if hasattr(hint, "_fields"):
            yield from ((f"{name}.{item}", role) for item, role in _changing(hint))
        else:
            yield from ((name, role) for role in _roles(hint))


def _roles(hint: Any) -> Iterator[Role]:
    """Yield the role in the type `hint` of a field. The type can also allow None."""
    yield from (mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Role))
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _roles(part)
