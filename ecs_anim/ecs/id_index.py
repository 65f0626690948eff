"""Ids of actors. The id of an actor does not change when the actor moves to another row.

The index finds the current row of each id.
"""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import Beside, Within
from ecs_anim.ecs.columns import Column, Kept, Personal

GONE = -1
# largest id; with a million new actors per second, ids reach this limit after a hundred thousand years
LARGEST = 1 << 62


@dataclass(eq=False)
class IdIndex:
    """The id of each row, and the row of each id.

    New ids are larger than all previous ids, so the list of known ids is always sorted. If an id is removed, it stays
    in the list with a mark. When the list is full, the index makes a new list without the marked ids. The new list has
    room for at most two ids per row.
    """

    ids: Annotated[Column[np.int64], Within(1, LARGEST), Personal(0)]  # [row_count] i64, unique
    next_id: Annotated[Kept[int], Within(1, LARGEST)]  # the next new id, which is larger than all previous ids
    # [capacity] i64, the first `_count` ids are valid and sorted
    _known: NDArray[np.int64] = field(init=False, repr=False)
    _rows: NDArray[np.int32] = field(init=False, repr=False)  # [capacity] i32, row of each known id; -1 = removed
    _count: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rebuild()

    def rebuild(self) -> None:
        """Rebuild the index after `ids` was replaced."""
        order = np.argsort(self.ids, kind="stable")
        self._known, self._rows, self._count = self.ids[order], order.astype(np.int32), len(order)

    def flaw(self, beside: Beside) -> str:
        """Return a text that describes a duplicate id, or an id that is not smaller than `next_id`. If all ids are
        valid, return ''.
        """
        if len(np.unique(self.ids)) < len(self.ids):
            return "ids must be unique"
        if len(self.ids) and self.ids.max() >= self.next_id:
            return f"ids must be less than the next free id, {self.next_id} (got {self.ids.max()})"
        return ""

    def find(self, ids: NDArray[np.integer]) -> NDArray[np.int32]:
        """Return the row of each id in `ids` [n]. The row of a removed or unknown id is -1."""
        if not self._count:
            return np.full(len(ids), GONE, np.int32)
        at = np.minimum(self._indices(ids), self._count - 1)
        return np.where(self._known[at] == ids, self._rows[at], np.int32(GONE))

    def give_out(self, first_row: int, count: int, first_id: int) -> NDArray[np.int64]:
        """Assign consecutive ids to `count` consecutive rows. Return the assigned ids [count].

        The first row is `first_row`, and its id is `first_id`.

        `first_id` must be at least `next_id`.
        """
        if self._count + count > len(self._known):
            self._reserve(count)
        new, end = np.arange(first_id, first_id + count), self._count + count
        self._known[self._count : end] = new
        self._rows[self._count : end] = np.arange(first_row, first_row + count)
        self._count, self.next_id = end, first_id + count
        return new

    def take_back(self, ids: NDArray[np.int64]) -> None:
        """Mark the ids in `ids` as removed."""
        self._rows[self._indices(ids)] = GONE

    def move(self, ids: NDArray[np.int64], rows: NDArray[np.integer]) -> None:
        """Set the current row of each id in `ids` to the row in `rows`."""
        self._rows[self._indices(ids)] = rows

    def _indices(self, ids: NDArray[np.integer]) -> NDArray[np.intp]:
        return np.searchsorted(self._known[: self._count], ids)

    def _reserve(self, count: int) -> None:
        """Make a new list without the marked ids. The list has twice the room that the remaining ids and `count` new
        ids need.
        """
        here = np.flatnonzero(self._rows[: self._count] != GONE)
        known, rows = self._known[here], self._rows[here]
        capacity = 2 * (len(here) + count)
        self._known, self._rows, self._count = np.empty(capacity, np.int64), np.empty(capacity, np.int32), len(here)
        self._known[: len(here)], self._rows[: len(here)] = known, rows


def new_id_index(row_count: int, first_id: int = 1) -> IdIndex:
    """Return an index for `row_count` rows with consecutive ids. The first id is `first_id`."""
    return IdIndex(np.arange(first_id, first_id + row_count), first_id + row_count)
