"""Access to objects of ufbx without freeing them.

ufbx 0.0.5 counts references wrongly. If Python frees an object of ufbx, ufbx can free the whole scene, and the next
access crashes. This module therefore keeps every object until the child process ends.
"""

from collections.abc import Iterator
from typing import Any

KEPT: list[Any] = []


class Kept:
    """An object or a list of ufbx. Attributes and items are kept, too. Numbers, texts and tuples stay plain."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def __getattr__(self, name: str) -> Any:
        return kept(getattr(self.own, name))

    def __getitem__(self, index: int) -> Any:
        return kept(self.own[index])

    def __len__(self) -> int:
        return len(self.own)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self.own)))


def kept(value: Any) -> Any:
    """Keep an object of ufbx, and return it as a `Kept`. Return other values without a change."""
    KEPT.append(value)
    return value if value is None or isinstance(value, tuple | int | float | str | bytes) else Kept(value)
