"""Table of actor data in a temporary file. The program writes the table frame by frame, and reads the table actor by
actor.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.pictures import told


class ActorRows:
    """A table in a temporary file. In each frame, each actor that is present has one row."""

    def __init__(self, width: int, path: Path, file: IO[bytes]) -> None:
        self.width = width  # numbers per row
        self._path, self._file = path, file
        # For each frame: the actors in ascending order, and the offset of their rows in the file.
        self._frames: list[tuple[NDArray[np.int32], int]] = []
        self._end = 0

    @property
    def frame_count(self) -> int:
        """Return the number of frames in the table."""
        return len(self._frames)

    def append(self, actors: NDArray[np.int32], rows: NDArray[np.floating]) -> None:
        """Add the data of the next frame: unique actor numbers [n] and actor rows [n, width].

        Raise InputError for disk errors.
        """
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
        """Return the rows [frame, actor, width] of the actors `first` to `end` - 1.

        Also return a mask [frame, actor] bool. The mask is True for each frame in which the actor has data.
        """
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
    """Yield an empty table. Each row of the table has `width` numbers.

    Inside the `with` block, the temporary file of the table lies in the folder of `path`. Raises InputError for disk
    errors. The message contains `path`.
    """
    # `told` also covers the end of the block, because closing the file can write data and fail
    with told(path), TemporaryFile(dir=path.parent) as file:
        yield ActorRows(width, path, file)
