"""Look-up of the last key before a time. The look-up usually needs no search and takes constant time.

The time span of the keys is divided into cells of equal width. Each cell stores the last key before the cell. If eight
cells per key are sufficient, the cells are narrower than the smallest distance between two keys. Each cell then
contains at most one key, and the result is the stored key or the next key. In a cell with several keys, the look-up
searches for the key.

The function `_cell` computes the cells of times and of keys. The function is monotone: a larger time never has a
smaller cell index. If the cell of a key comes before the cell of a time, the key is therefore earlier than the time. If
the cell of the key comes after the cell of the time, the key is later. The result of the look-up is therefore correct
despite rounding errors.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

CELLS_PER_KEY = 8
BLOCK = 8192  # times in one block, so that intermediate arrays stay in the CPU cache


@dataclass(frozen=True, eq=False)
class KeyTable:
    """The keys of a track, sorted into cells of equal width."""

    times: NDArray[np.float64]  # [key_count + 1] f64, [s], never decreasing; the last is +inf
    cells_per_second: float  # [1/s]
    before: NDArray[np.int32]  # [cell_count] i32, last key of all earlier cells, -1 = none
    # [cell_count], whether a cell contains several keys; None = no cell contains several keys
    crowded: NDArray[np.bool_] | None

    @classmethod
    def of(cls, times: ArrayLike) -> "KeyTable":
        """Return a table for sorted key times [key_count] in seconds. `times` must contain at least one time."""
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
        """Return the index of the last key at or before each time in `at` [...].

        For a time before the first key, the result is the first key.
        """
        at = np.asarray(at, np.float64)
        flat = at.ravel()
        found = np.empty(flat.shape, np.intp)
        for begin in range(0, flat.size, BLOCK):
            block = slice(begin, begin + BLOCK)
            found[block] = self._look_up(flat[block])
        return found.reshape(at.shape)

    def _look_up(self, at: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the stored key of the cell of each time.

        If the time is at or after the key that follows the stored key, return the following key. The method treats NaN
        as a time after all keys, as numpy's search does.
        """
        at = np.fmin(at, self.times[-2])
        cell = _cell(np.maximum(at, self.times[0]), self.times[0], self.cells_per_second, len(self.before))
        key = self.before.take(cell)
        key = key + (self.times.take(key + 1) <= at)
        if self.crowded is not None:
            several = self.crowded.take(cell)
            key[several] = np.searchsorted(self.times[:-1], at[several], side="right") - 1
        return np.maximum(key, 0)


def _cell(at: NDArray[np.float64], first: float, rate: float, count: int) -> NDArray[np.intp]:
    """Return the cell index of each time. All times must be at or after the first key."""
    return np.minimum(((at - first) * rate).astype(np.intp), count - 1)


def _cell_count(keys: NDArray[np.float64]) -> int:
    """Return the number of cells of the table. If possible, a cell is narrower than the smallest distance between two
    keys.

    The number of cells is at most eight per key.
    """
    step = float(np.min(np.diff(keys), initial=np.inf))
    bound = CELLS_PER_KEY * len(keys)
    if step <= 0:
        return bound
    return min(math.floor((keys[-1] - keys[0]) / step) + 1, bound)
