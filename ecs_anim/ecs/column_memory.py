"""Column memory: the memory of columns that grow and shrink while actors come and go."""

import math
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Field, Held, Role, fields_of

PIECES = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8"), 16: np.dtype("c16")}  # by width


class RowMemory:
    """The memory of an array whose rows come and go. The memory doubles as it grows; its first rows are the array.

    The owner of the array passes it to each call, so that the owner and its memory are no reference cycle. An array
    that was replaced meanwhile is taken as it then is.
    """

    def __init__(self) -> None:
        self._rows: NDArray[Any] = np.empty(0)
        self._shown: NDArray[Any] | None = None  # the array, until another array replaces it
        self._whole: NDArray[Any] | None = None  # the rows as one piece each

    def resize(self, array: NDArray[Any], count: int) -> NDArray[Any]:
        """Return the array with `count` rows. Rows that it did not have hold anything."""
        self._take_over(array)
        if len(self._rows) < count:
            self._grow(count)
        self._shown = self._rows[:count]
        return self._shown

    def move(self, array: NDArray[Any], to: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Copy rows of the array to others."""
        self._take_over(array)
        if not self._rows.size:  # such as parameters of a crowd without any
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
    """A column of a component, and the memory of its rows."""

    def __init__(self, column: Field) -> None:
        self.column = column
        self._memory = RowMemory()

    def resize(self, count: int) -> NDArray[Any]:
        """Give the column `count` rows, and return it; rows that it did not have hold anything."""
        rows = self._memory.resize(self.column.value, count)
        self.column.put(rows)
        return rows

    def move(self, to: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Copy rows to others."""
        self._memory.move(self.column.value, to, rows)


class CrowdMemory:
    """The memory of all columns of a crowd, looked for anew only where its components hold something else."""

    def __init__(self) -> None:
        self._components: tuple[object, ...] = ()
        self._held: Held = []
        self._columns: list[ColumnMemory] = []

    def of(self, components: tuple[object, ...]) -> list[ColumnMemory]:
        """The memory of each column of these components."""
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
    """The memory that the column has already, or a new one."""
    return memory if memory is not None and memory.column.owner is column.owner else ColumnMemory(column)


def _whole_rows(column: NDArray[Any]) -> NDArray[Any]:
    """The column's rows as one piece each, [row_count]: quicker to move than their numbers. A user's may not be one."""
    if column.dtype.hasobject or not column.flags.c_contiguous:
        return column
    width = column.itemsize * math.prod(column.shape[1:])
    piece: Any = PIECES.get(width) or np.dtype((np.void, width))
    found: NDArray[Any] = column.reshape(len(column), -1).view(piece).reshape(-1)
    return found
