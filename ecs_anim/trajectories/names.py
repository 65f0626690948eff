"""Numbers for the texts in a file, such as the ids of people or the names of floors."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.budgets import require


class Names:
    """A table that gives each text a number. The numbers are in the order in which the texts first appear."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._numbers: dict[str, int] = {}

    def numbers(self, texts: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers [n] of texts. Each new text gets the next number. Raises InputError for too many texts."""
        known = self._numbers
        found = np.array([known.setdefault(text, len(known)) for text in texts], np.int64)
        require("trajectory_people", len(known), self._path, "use a file with fewer people")
        return found

    def number(self, text: str) -> int | None:
        """Return the number of a text, or None if the file does not contain the text."""
        return self._numbers.get(text)

    @property
    def texts(self) -> tuple[str, ...]:
        """Return all texts, in the order of their numbers."""
        return tuple(self._numbers)
