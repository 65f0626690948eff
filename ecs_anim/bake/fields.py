"""Reading a header's fields, each checked for its kind and its limits."""

import math
from collections.abc import Mapping
from typing import Any


class BadHeader(Exception):
    """A header that says what cannot be; the message names the field."""


class Fields:
    """The fields of one JSON object; taking one removes it, so that `close` finds what nobody knows."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise BadHeader(f"{where} is not an object")
        self._left: dict[str, Any] = dict(value)
        self._where = where

    def close(self) -> None:
        """Raise BadHeader if a field was not taken."""
        if self._left:
            raise BadHeader(f"{self._where} has an unknown field {next(iter(self._left))!r}")

    def take(self, name: str) -> Any:
        if name not in self._left:
            raise BadHeader(f"{self._where} lacks {name!r}")
        return self._left.pop(name)

    def text(self, name: str, choices: tuple[str, ...] = ()) -> str:
        value = self.take(name)
        found: str = self._checked(value, name, isinstance(value, str) and (not choices or value in choices))
        return found

    def whole(self, name: str, least: int = 0) -> int:
        value = self.take(name)
        fits = type(value) is int and least <= value < 2**31
        found: int = self._checked(value, name, fits)
        return found

    def number(self, name: str, least: float = -math.inf) -> float:
        """A finite one; whole numbers are told with a point, as Python tells floats."""
        value = self.take(name)
        found: float = self._checked(value, name, type(value) is float and math.isfinite(value) and value >= least)
        return found

    def flag(self, name: str) -> bool:
        value = self.take(name)
        found: bool = self._checked(value, name, type(value) is bool)
        return found

    def items(self, name: str) -> list[Any]:
        value = self.take(name)
        found: list[Any] = self._checked(value, name, type(value) is list)
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Texts of which no two are the same."""
        value = self.items(name)
        fits = all(type(item) is str for item in value) and len(set(value)) == len(value)
        return tuple(self._checked(value, name, fits))

    def mapping(self, name: str) -> Mapping[str, object]:
        value = self.take(name)
        found: Mapping[str, object] = self._checked(value, name, type(value) is dict)
        return found

    def fields(self, name: str) -> "Fields":
        return Fields(self.take(name), f"{self._where}.{name}")

    def _checked(self, value: Any, name: str, fits: bool) -> Any:
        if not fits:
            raise BadHeader(f"{self._where}.{name} cannot be {str(value)[:40]!r}")
        return value
