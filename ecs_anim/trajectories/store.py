"""A copy of a file's rows in a temporary file.

The copy consists of pieces. To read a time span, the store reads only the pieces that contain rows of this time span.
"""

import math
import weakref
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import SpooledTemporaryFile, gettempdir

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.rows import Rows

# Rows of a piece. The bounds of the times of each piece are in memory.
PIECE = 128
# Number of pieces that one read operation reads.
AT_ONCE = 64
# Bytes of rows that stay in memory. A longer copy goes to the disk.
IN_MEMORY = 1 << 20


class RowStore:
    """The rows of a file in their original order.

    All methods raise InputError if the temporary file cannot be written or read.
    """

    def __init__(self, path: str) -> None:
        self._path = path  # path of the original file, for messages
        self._file = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - it is open as long as the store exists
        weakref.finalize(self, self._file.close)
        self._count = 0
        self._dtype = np.dtype([])
        self._first, self._last = array("d"), array("d")  # [piece], least and greatest tick

    def add(self, rows: Rows) -> None:
        """Append `rows` to the store. The rows of all calls must have equal columns."""
        count = len(rows.ids)
        if not count:
            return
        columns = {name: column for name, column in rows._asdict().items() if column is not None}
        self._dtype = np.dtype([(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
        table = np.empty(count, self._dtype)
        for name, column in columns.items():
            table[name] = column
        with self._told():
            self._file.write(table.tobytes())
        pieces = (self._count + np.arange(count)) // PIECE
        for bounds, reduce, start in ((self._first, np.minimum, math.inf), (self._last, np.maximum, -math.inf)):
            bounds.extend([start] * (int(pieces[-1]) + 1 - len(bounds)))
            reduce.at(np.frombuffer(bounds), pieces, rows.ticks)
        self._count += count

    def between(self, start: float, stop: float) -> Iterator[Rows]:
        """Yield the rows of all pieces that contain a tick from `start` up to, but not including, `stop`.

        Each yielded item contains the rows of several pieces.
        """
        first, last = np.frombuffer(self._first), np.frombuffer(self._last)
        chosen = np.flatnonzero((first < stop) & (last >= start))
        for run in np.split(chosen, np.flatnonzero(np.diff(chosen) != 1) + 1):
            for begin in range(0, len(run), AT_ONCE):
                yield self._read(run[begin : begin + AT_ONCE].tolist())

    def _read(self, pieces: list[int]) -> Rows:
        size = PIECE * self._dtype.itemsize
        with self._told():
            self._file.seek(pieces[0] * size)
            table = np.frombuffer(self._file.read(len(pieces) * size), self._dtype)
        return Rows(**{name: table[name] for name in table.dtype.names or ()})

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"{self._path}: cannot copy the rows of this file to the folder {gettempdir()} ({error.strerror})."
                " Free space in that folder, or set TMPDIR to another folder."
            ) from None
