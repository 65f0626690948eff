"""Names: texts of a file, such as ids of people and of floors, and the numbers that stand for them."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.budgets import require


class Names:
    """A number for each text, in the order in which a file first has them."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._numbers: dict[str, int] = {}

    def numbers(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of texts [n]; new texts get the next ones. Raises InputError for too many."""
        known = self._numbers
        found = np.array([known.setdefault(text, len(known)) for text in texts], np.int64)
        require("trajectory_people", len(known), self._path, "name a file of fewer")
        return found

    def number(self, text: str) -> int | None:
        """Return the number of a text that the file has."""
        return self._numbers.get(text)

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts, by number."""
        return tuple(self._numbers)
