"""Column memory: arrays that grow when actors join, and shrink when actors leave."""

import math
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Field, Held, Role, fields_of

PIECES = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8"), 16: np.dtype("c16")}  # by width


class RowMemory:
    """Memory for an array whose number of rows changes. The array is a view of the first rows of the memory.

    If the memory is full, its size doubles. The caller keeps the array and passes it to each method, so that the caller
    and the memory do not form a reference cycle. If the caller passes a different array than before, this array becomes
    the memory.
    """

    def __init__(self) -> None:
        self._rows: NDArray[Any] = np.empty(0)
        self._shown: NDArray[Any] | None = None  # the array that a method last returned or received
        self._whole: NDArray[Any] | None = None  # the same memory as an array in which each row is one item

    def resize(self, array: NDArray[Any], count: int) -> NDArray[Any]:
        """Return the array with `count` rows. The values of new rows are undefined."""
        self._take_over(array)
        if len(self._rows) < count:
            self._grow(count)
        self._shown = self._rows[:count]
        return self._shown

    def move(self, array: NDArray[Any], to: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Copy the rows `rows` of the array to the rows `to`."""
        self._take_over(array)
        if not self._rows.size:  # the rows have no numbers, for example the parameters of a crowd without parameters
            return
        if self._whole is None:
            self._whole = _whole_rows(self._rows)
        self._whole[to] = self._whole[rows]

    def _take_over(self, array: NDArray[Any]) -> None:
        if array is not self._shown:
            self._rows = self._shown = array
            self._whole = None

    def _grow(self, count: int) -> None:
        old = self._rows
        self._rows, self._whole = np.empty((max(count, 2 * len(old)), *old.shape[1:]), old.dtype), None
        self._rows[: len(old)] = old


class ColumnMemory:
    """One column of a component, together with its memory."""

    def __init__(self, column: Field) -> None:
        self.column = column
        self._memory = RowMemory()

    def resize(self, count: int) -> NDArray[Any]:
        """Change the number of rows to `count`, and return the column. The values of new rows are undefined."""
        rows = self._memory.resize(self.column.value, count)
        self.column.put(rows)
        return rows

    def move(self, to: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Copy the rows `rows` of the column to the rows `to`."""
        self._memory.move(self.column.value, to, rows)


class CrowdMemory:
    """The memory of all columns of a crowd.

    After a change of the crowd's components, `CrowdMemory` finds the columns of all components again.
    """

    def __init__(self) -> None:
        self._components: tuple[object, ...] = ()
        self._held: Held = []
        self._columns: list[ColumnMemory] = []

    def of(self, components: tuple[object, ...]) -> list[ColumnMemory]:
        """Return the column memory of each column in `components`."""
        if not self._are_of(components):
            self._components, self._held = components, []
            known = {memory.column.path: memory for memory in self._columns}
            columns = [field for field in fields_of(components, self._held) if field.role is Role.ACTOR]
            self._columns = [_kept(known.get(column.path), column) for column in columns]
        return self._columns

    def _are_of(self, components: tuple[object, ...]) -> bool:
        return (
            len(components) == len(self._components)
            and all(map(is_, components, self._components))
            and all(getattr(owner, name) is value for owner, name, value in self._held)
        )


def _kept(memory: ColumnMemory | None, column: Field) -> ColumnMemory:
    """Return the existing `ColumnMemory` of a column, or a new `ColumnMemory`."""
    return memory if memory is not None and memory.column.owner is column.owner else ColumnMemory(column)


def _whole_rows(column: NDArray[Any]) -> NDArray[Any]:
    """Return a view [row_count] of the column, in which each row is one item.

    Numpy copies rows of one item faster than rows of several numbers.

    If the column is not C-contiguous or contains Python objects, return the column itself.
    """
    if column.dtype.hasobject or not column.flags.c_contiguous:
        return column
    width = column.itemsize * math.prod(column.shape[1:])
    piece: Any = PIECES.get(width) or np.dtype((np.void, width))
    found: NDArray[Any] = column.reshape(len(column), -1).view(piece).reshape(-1)
    return found
