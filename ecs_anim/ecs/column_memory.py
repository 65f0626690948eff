"""Column memory: the memory of columns that grow and shrink while actors come and go."""

import math
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Field, Held, Role, fields_of

PIECES = {1: np.dtype("u1"), 2: np.dtype("u2"), 4: np.dtype("u4"), 8: np.dtype("u8"), 16: np.dtype("c16")}  # by width


class ColumnMemory:
    """The memory of one column, whose beginning the column is; it doubles as it grows.

    A column that somebody has replaced meanwhile is taken as it then is.
    """

    def __init__(self, column: Field) -> None:
        self.column = column
        self._rows: NDArray[Any] = column.value
        self._shown: NDArray[Any] | None = None  # the column, as long as nobody replaces it
        self._whole: NDArray[Any] | None = None  # the rows as one piece each

    def resize(self, count: int) -> NDArray[Any]:
        """Give the column `count` rows, and return it; rows that it did not have hold anything."""
        self._take_over()
        if len(self._rows) < count:
            self._grow(count)
        self._shown = self._rows[:count]
        self.column.put(self._shown)
        return self._shown

    def move(self, to: NDArray[np.intp], rows: NDArray[np.intp]) -> None:
        """Copy rows to others."""
        self._take_over()
        if not self._rows.size:  # such as parameters of a crowd without any
            return
        if self._whole is None:
            self._whole = _whole_rows(self._rows)
        self._whole[to] = self._whole[rows]

    def _take_over(self) -> None:
        column = self.column.value
        if column is not self._shown:
            self._rows = self._shown = column
            self._whole = None

    def _grow(self, count: int) -> None:
        old = self._rows
        self._rows, self._whole = np.empty((max(count, 2 * len(old)), *old.shape[1:]), old.dtype), None
        self._rows[: len(old)] = old


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
