"""An index of ids: each row has an id. A row can move, and the index finds the current row of each id."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import Beside, Within
from ecs_anim.ecs.columns import Column, Kept, Personal

GONE = -1
LARGEST = 1 << 62  # largest id; with a million new actors per second, ids reach this limit in a hundred thousand years


@dataclass(eq=False)
class IdIndex:
    """An id for each row, and the row of each id.

    Ids are assigned in rising order, so the list of known ids is always sorted. Removed ids are marked. When the list
    is full, the marked ids are removed from the list. After that, the list has at most twice as many entries as there
    are rows.
    """

    ids: Annotated[Column[np.int64], Within(1, LARGEST), Personal(0)]  # [row_count] i64, unique
    next_id: Annotated[Kept[int], Within(1, LARGEST)]  # larger than all ids so far
    _known: NDArray[np.int64] = field(init=False, repr=False)  # [capacity] i64, the first `_count` are sorted
    _rows: NDArray[np.int32] = field(init=False, repr=False)  # [capacity] i32, row of each known id; -1 = removed
    _count: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rebuild()

    def rebuild(self) -> None:
        """Rebuild the index after `ids` was replaced."""
        order = np.argsort(self.ids, kind="stable")
        self._known, self._rows, self._count = self.ids[order], order.astype(np.int32), len(order)

    def flaw(self, beside: Beside) -> str:
        """Describe a duplicate id, or an id that is not less than `next_id`. If all ids are valid, return ''."""
        if len(np.unique(self.ids)) < len(self.ids):
            return "ids must be unique"
        if len(self.ids) and self.ids.max() >= self.next_id:
            return f"ids must be less than the next free id, {self.next_id} (got {self.ids.max()})"
        return ""

    def find(self, ids: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the rows of ids [n]. Removed or unknown ids give -1."""
        if not self._count:
            return np.full(len(ids), GONE, np.int32)
        at = np.minimum(self._indices(ids), self._count - 1)
        return np.where(self._known[at] == ids, self._rows[at], np.int32(GONE))

    def give_out(self, first_row: int, count: int, first_id: int) -> NDArray[np.int64]:
        """Assign consecutive ids to consecutive rows, from `first_id` and `first_row` on. Return the ids [count].

        `first_id` must be `next_id` or more.
        """
        if self._count + count > len(self._known):
            self._reserve(count)
        new, end = np.arange(first_id, first_id + count), self._count + count
        self._known[self._count : end] = new
        self._rows[self._count : end] = np.arange(first_row, first_row + count)
        self._count, self.next_id = end, first_id + count
        return new

    def take_back(self, ids: NDArray[np.int64]) -> None:
        """Remove ids."""
        self._rows[self._indices(ids)] = GONE

    def move(self, ids: NDArray[np.int64], rows: NDArray[np.integer]) -> None:
        """Set the current rows of `ids` to `rows`, after the rows have moved."""
        self._rows[self._indices(ids)] = rows

    def _indices(self, ids: NDArray[np.integer]) -> NDArray[np.intp]:
        return np.searchsorted(self._known[: self._count], ids)

    def _reserve(self, count: int) -> None:
        """Remove the marked ids. Provide twice the memory that the remaining ids and `count` new ids need."""
        here = np.flatnonzero(self._rows[: self._count] != GONE)
        known, rows = self._known[here], self._rows[here]
        capacity = 2 * (len(here) + count)
        self._known, self._rows, self._count = np.empty(capacity, np.int64), np.empty(capacity, np.int32), len(here)
        self._known[: len(here)], self._rows[: len(here)] = known, rows


def new_id_index(row_count: int, first_id: int = 1) -> IdIndex:
    """Return an index with consecutive ids from `first_id` on, for `row_count` rows."""
    return IdIndex(np.arange(first_id, first_id + row_count), first_id + row_count)
