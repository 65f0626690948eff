"""What a snapshot holds: the fields of components that declare themselves as columns, or as kept."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, get_args, get_type_hints

from ecs_anim.ecs.columns import Role
from pages_from_code.frame import components
from pages_from_code.markdown import code, codes, table


def snapshot_columns() -> str:
    """Components, and what they hold, with their columns and kept values."""
    rows = []
    for component, _ in components():
        hints = get_type_hints(component, include_extras=True).items() if is_dataclass(component) else ()
        names = {role: [name for name, hint in hints if role in _roles(hint)] for role in Role}
        if any(names.values()):
            rows.append((code(component.__name__), codes(names[Role.ACTOR]), codes(names[Role.KEPT])))
    return table(("component", "a row for each actor", "kept besides"), rows)


def _roles(hint: Any) -> Iterator[Role]:
    """Roles that a field's type names, also where it may be None."""
    yield from (mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Role))
    for part in get_args(hint):
        yield from _roles(part)
