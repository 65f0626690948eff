"""Key look-up in constant time: which key comes before a time, without a search.

The keys' span is cut into cells of equal width, each with the last key before it. Cells are narrower than the
smallest step between keys where that takes at most eight cells a key: then a cell holds at most one key, and the
answer is the cell's entry or one key on. Where keys lie closer, cells that hold several are left to a search, so
that a table's memory is bounded by the number of keys and not by how close they are.

A time and a key go through the same arithmetic, which never falls as its input rises: a key in an earlier cell is
earlier than the time and a key in a later cell is later, whatever was rounded.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CELLS_PER_KEY = 8
BLOCK = 8192  # times at once, so that what lies between two passes stays in the cache


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The keys of a track, filed by cells of equal width."""

    times: NDArray[np.float64]  # [key_count + 1] f64, [s], never falling; the last is +inf
    cells_per_second: float  # [1/s]
    before: NDArray[np.int32]  # [cell_count] i32, the last key of any earlier cell, -1 = none
    crowded: NDArray[np.bool_] | None  # [cell_count], whether a cell holds several keys; None where no cell does

    @classmethod
    def of(cls, times: ArrayLike) -> "KeyTable":
        """The table of key times [key_count] in seconds, sorted, at least one."""
        keys = np.asarray(times, np.float64)
        span = float(keys[-1] - keys[0])
        count = _cell_count(keys)
        rate = count / span if span > 0 else 0.0
        cells = _cell(keys, keys[0], rate, count)
        held = np.bincount(cells, minlength=count)
        crowded = held > 1
        before = (np.cumsum(held) - held - 1).astype(np.int32)
        return cls(np.append(keys, np.inf), rate, before, crowded if crowded.any() else None)

    def key_before(self, at: ArrayLike) -> NDArray[np.intp]:
        """Index of the last key at or before each time [...]; before the first key, the first."""
        at = np.asarray(at, np.float64)
        flat = at.ravel()
        found = np.empty(flat.shape, np.intp)
        for begin in range(0, flat.size, BLOCK):
            block = slice(begin, begin + BLOCK)
            found[block] = self._look_up(flat[block])
        return found.reshape(at.shape)

    def _look_up(self, at: NDArray[np.float64]) -> NDArray[np.intp]:
        """The cell's key, and a step on if the next one has come; NaN counts as late, as in numpy's search."""
        at = np.fmin(at, self.times[-2])
        cell = _cell(np.maximum(at, self.times[0]), self.times[0], self.cells_per_second, len(self.before))
        key = self.before.take(cell)
        key = key + (self.times.take(key + 1) <= at)
        if self.crowded is not None:
            several = self.crowded.take(cell)
            key[several] = np.searchsorted(self.times[:-1], at[several], side="right") - 1
        return np.maximum(key, 0)


def _cell(at: NDArray[np.float64], first: float, rate: float, count: int) -> NDArray[np.intp]:
    """The cell of each time at or after the first key."""
    return np.minimum(((at - first) * rate).astype(np.intp), count - 1)


def _cell_count(keys: NDArray[np.float64]) -> int:
    """Cells narrower than the smallest step, within the bound."""
    step = float(np.min(np.diff(keys), initial=np.inf))
    bound = CELLS_PER_KEY * len(keys)
    if step <= 0:
        return bound
    return min(math.floor((keys[-1] - keys[0]) / step) + 1, bound)
