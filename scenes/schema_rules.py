"""Rules about the keys of a table, such as two keys that a table cannot have together.

Each rule is a pydantic validator in the class of the table.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import model_validator

from ecs_anim.scenes.schema_base import Table

Model = TypeVar("Model", bound=Table)


def rule(text: str, holds: Callable[[Any], bool]) -> Any:
    """Return a validator that rejects a table if `holds` returns False for the table. The error has the text `text`."""

    def check(table: Model) -> Model:
        if not holds(table):
            raise ValueError(text)
        return table

    return model_validator(mode="after")(check)


def exactly_one(text: str, *keys: str) -> Any:
    """Return a validator that rejects a table if the table does not have exactly one of `keys`."""
    return rule(text, lambda table: _count(table, keys) == 1)


def at_most_one(text: str, *keys: str) -> Any:
    """Return a validator that rejects a table with more than one of `keys`."""
    return rule(text, lambda table: _count(table, keys) <= 1)


def needs(text: str, key: str, other: str) -> Any:
    """Return a validator that rejects a table that has `key` but does not have `other`."""
    return rule(text, lambda table: getattr(table, key) is None or getattr(table, other) is not None)


def least_first(key: str) -> Any:
    """Return a validator for the pair of values at the key `key`.

    If the first value is larger than the second value, the table is invalid.
    """

    def check(table: Model) -> Model:
        pair = getattr(table, key)
        if isinstance(pair, tuple) and pair[0] > pair[1]:
            raise ValueError(
                f"{key}: the smaller number must come first (got {pair[0]:g}, {pair[1]:g}). Swap the two numbers."
            )
        return table

    return model_validator(mode="after")(check)


def _count(table: Table, keys: tuple[str, ...]) -> int:
    return sum(getattr(table, key) is not None for key in keys)
