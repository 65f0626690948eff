"""Rows of numbers that come frame by frame and are wanted actor by actor; they wait in a temporary file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.pictures import told


class ActorRows:
    """Rows of actors in the frames where they have data. The numbers lie in a file, the actors in memory."""

    def __init__(self, width: int, path: Path, file: IO[bytes]) -> None:
        self.width = width  # numbers in a row
        self._path, self._file = path, file
        self._frames: list[tuple[NDArray[np.int32], int]] = []  # actors of each, rising, and where their rows begin
        self._end = 0

    @property
    def frame_count(self) -> int:
        """Frames so far."""
        return len(self._frames)

    def append(self, actors: NDArray[np.int32], rows: NDArray[np.floating]) -> None:
        """The next frame: numbers of actors [n], each once, and their rows [n, width]. Raises InputError."""
        order = np.argsort(actors)
        data = np.ascontiguousarray(rows[order], "<f4").tobytes()
        with told(self._path):
            self._file.seek(self._end)
            self._file.write(data)
        last = self._frames[-1][0] if self._frames else None
        actors = actors[order]
        self._frames.append((last if last is not None and np.array_equal(last, actors) else actors, self._end))
        self._end += len(data)

    def read(self, first: int, end: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Rows [frame, actor, width] of the actors from `first` to `end` - 1, and which there are [frame, actor]."""
        rows = np.zeros((len(self._frames), end - first, self.width), np.float32)
        there = np.zeros(rows.shape[:2], np.bool_)
        for frame, (actors, start) in enumerate(self._frames):
            low, high = np.searchsorted(actors, (first, end)).tolist()
            own = actors[low:high] - first
            self._file.seek(start + 4 * self.width * low)
            data = self._file.read(4 * self.width * (high - low))
            rows[frame, own] = np.frombuffer(data, "<f4").reshape(-1, self.width)
            there[frame, own] = True
        return rows, there


@contextmanager
def actor_rows(width: int, path: Path) -> Iterator[ActorRows]:
    """An empty file of them, for as long as the block lasts: beside `path`, which errors name. Raises InputError."""
    with told(path), TemporaryFile(dir=path.parent) as file:  # closing it writes, too
        yield ActorRows(width, path, file)
