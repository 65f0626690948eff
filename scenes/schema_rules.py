"""Rules about the keys of a table: which keys can occur together. Each rule is a validator in the table's class."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import model_validator

from ecs_anim.scenes.schema_base import Table

Model = TypeVar("Model", bound=Table)


def rule(text: str, holds: Callable[[Any], bool]) -> Any:
    """Return a validator that rejects tables for which `holds` is false, with this text."""

    def check(table: Model) -> Model:
        if not holds(table):
            raise ValueError(text)
        return table

    return model_validator(mode="after")(check)


def exactly_one(text: str, *keys: str) -> Any:
    """Return a validator: a table must have exactly one of these keys."""
    return rule(text, lambda table: _count(table, keys) == 1)


def at_most_one(text: str, *keys: str) -> Any:
    """Return a validator: a table can have at most one of these keys."""
    return rule(text, lambda table: _count(table, keys) <= 1)


def needs(text: str, key: str, other: str) -> Any:
    """Return a validator: a table with one key must have the other key too."""
    return rule(text, lambda table: getattr(table, key) is None or getattr(table, other) is not None)


def least_first(key: str) -> Any:
    """Return a validator: a key with two values must have the smaller value first."""

    def check(table: Model) -> Model:
        pair = getattr(table, key)
        if isinstance(pair, tuple) and pair[0] > pair[1]:
            raise ValueError(f"{key}: the smaller number must come first (got {pair[0]:g}, {pair[1]:g})")
        return table

    return model_validator(mode="after")(check)


def _count(table: Table, keys: tuple[str, ...]) -> int:
    return sum(getattr(table, key) is not None for key in keys)
