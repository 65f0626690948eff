"""Names that stay while rows move: a slot map."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bounds import COUNT, Beside, Index, Within
from ecs_anim.columns import Column, Kept

SLOT_BITS = 32
SLOT = (1 << SLOT_BITS) - 1
FREE = -1


@dataclass(eq=False)
class SlotMap:
    """An id for each row, and the row of each id.

    An id is a slot and how often the slot was given out before: of a row that is gone it is never given out again,
    and the memory is that of the most rows there ever were.
    """

    ids: Annotated[Column[np.int64], Within(0, 2**63 - 1)]  # [row_count] i64
    rows: Annotated[
        Kept[NDArray[np.int32]], Index("ids", or_none=True)
    ]  # [slot_count] i32, row of each slot, -1 = free
    ages: Annotated[Kept[NDArray[np.int32]], COUNT]  # [slot_count] i32, how often each slot was freed
    # [slot_count] i32, the first `free_count` are free slots
    free: Annotated[Kept[NDArray[np.int32]], Index("free")]
    free_count: Annotated[Kept[int], COUNT] = 0

    def find(self, ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Rows of ids [n]; -1 for those that are gone or never were."""
        if not len(self.ids):
            return np.full(len(ids), FREE, np.int32)
        rows = self.rows.take(ids & SLOT, mode="clip")
        known = self.ids.take(rows, mode="clip") == ids
        return np.where(known, rows, np.int32(FREE))

    def give_out(self, first_row: int, count: int) -> NDArray[np.int64]:
        """New ids [count] of rows from `first_row` on."""
        if count > self.free_count:
            self._grow(max(len(self.rows), count - self.free_count))
        self.free_count -= count
        slots = self.free[self.free_count : self.free_count + count]
        self.rows[slots] = np.arange(first_row, first_row + count, dtype=np.int32)
        return self.ages[slots].astype(np.int64) << SLOT_BITS | slots

    def take_back(self, ids: NDArray[np.int64]) -> None:
        """Forget ids that were given out."""
        slots = (ids & SLOT).astype(np.int32)
        self.rows[slots] = FREE
        self.ages[slots] += 1
        self.free[self.free_count : self.free_count + len(slots)] = slots
        self.free_count += len(slots)

    def move(self, ids: NDArray[np.int64], rows: NDArray[np.integer]) -> None:
        """Tell that these ids have other rows now."""
        self.rows[ids & SLOT] = rows

    def flaw(self, beside: Beside) -> str:
        """What makes two rows one actor, or an id nobody's."""
        slots, ages, free = self.ids & SLOT, self.ids >> SLOT_BITS, self.free[: self.free_count]
        count, row_count = len(self.rows), len(self.ids)
        if len(self.ages) != count or len(self.free) != count or row_count + self.free_count != count:
            return "each slot must have a row, an age and a place, and be of an actor or free"
        if (slots >= count).any() or (self.rows[slots] != np.arange(row_count)).any():
            return "rows must lead back to the ids that they are of"
        if (self.ages[slots] != ages).any():
            return "ids must be of their slots' ages"
        if (self.rows[free] != FREE).any() or len(np.unique(free)) != len(free):
            return "each free slot must be there once"
        return ""

    def _grow(self, count: int) -> None:
        """Room for `count` more; the lowest of the new slots are given out first."""
        old = len(self.rows)
        new = np.arange(old + count - 1, old - 1, -1, dtype=np.int32)
        self.rows = np.concatenate([self.rows, np.full(count, FREE, np.int32)])
        self.ages = np.concatenate([self.ages, np.zeros(count, np.int32)])
        held = self.free[: self.free_count]
        self.free = np.concatenate([new, held, np.zeros(old - len(held), np.int32)])
        self.free_count += count


def new_slot_map(row_count: int) -> SlotMap:
    """Rows 0 on have ids 0 on."""
    rows = np.arange(row_count, dtype=np.int32)
    return SlotMap(np.arange(row_count, dtype=np.int64), rows, np.zeros_like(rows), np.zeros_like(rows))
