"""Shared memory that contains the newest message of a pose stream: a file that the programs map into their memory.

The file has a head, the description and two slots. The writer fills the slot that readers do not use, and then counts
up `sequence`. A reader copies the slot with the number `sequence % 2`. If `sequence` has changed during the copy, the
reader tries again. This is a sequence lock (Lameter 2005) with two slots, so a reader rarely has to try again.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError

HEAD = np.dtype(
    [("magic", "S8"), ("sequence", "<u8"), ("description", "<u8"), ("capacity", "<u8"), ("lengths", "<u8", 2)]
)
MAGIC = b"EAMEMRY1"
TRIES = 1000  # copies that a reader attempts


class PoseMemory:
    """The writer's side of a mapped file. `close` removes the file."""

    def __init__(self, path: Path, description: bytes, capacity: int) -> None:
        """Create a file for frames of up to `capacity` bytes. Raises InputError if the file cannot be created.

        The file appears at `path` only when its head is complete.
        """
        self._slots = HEAD.itemsize + len(description)
        try:
            if path.exists():
                raise InputError(
                    f"{path}: the file for shared memory exists already. Remove the file, or name another."
                )
            part = path.with_name(f"{path.name}.part")
            self._bytes: NDArray[np.uint8] = np.memmap(part, np.uint8, "w+", shape=(self._slots + 2 * capacity,))
        except OSError as error:
            raise InputError(f"{path}: the file for shared memory cannot be created: {error.strerror}.") from None
        self._path, self._capacity = path, capacity
        self._head = self._bytes[: HEAD.itemsize].view(HEAD)
        self._bytes[HEAD.itemsize : self._slots] = np.frombuffer(description, np.uint8)
        self._head[0] = (MAGIC, 0, len(description), capacity, (0, 0))
        part.rename(path)

    def write(self, frame: bytes) -> None:
        """Publish a frame. Raises InputError if the frame is too long for the file."""
        if len(frame) > self._capacity:
            raise InputError(
                f"{self._path}: shared memory has place for frames of {self._capacity:,} bytes (got {len(frame):,})."
                " Begin the stream with more actors."
            )
        following = int(self._head["sequence"][0]) + 1
        start = self._slots + following % 2 * self._capacity
        self._bytes[start : start + len(frame)] = np.frombuffer(frame, np.uint8)
        self._head["lengths"][0, following % 2] = len(frame)
        self._head["sequence"] = following

    def close(self) -> None:
        """Remove the file. Readers that have opened the file keep its last frame."""
        self._path.unlink(missing_ok=True)


class MemoryReader:
    """The reader's side of a mapped file."""

    def __init__(self, path: Path) -> None:
        """Map the file. Raises InputError if the file does not belong to a pose stream."""
        self._bytes = _mapped(path)
        if bytes(self._bytes[:8]) != MAGIC:
            raise InputError(f"{path}: the file must be the shared memory of a pose stream.")
        self._path = path
        self._head = self._bytes[: HEAD.itemsize].view(HEAD)
        own = self._head[0]
        self._capacity, self._slots = int(own["capacity"]), HEAD.itemsize + int(own["description"])
        if self._slots + 2 * self._capacity != len(self._bytes):
            raise InputError(f"{path}: the shared memory of a pose stream is damaged. Start the stream again.")
        self.description = self._bytes[HEAD.itemsize : self._slots].tobytes()

    @property
    def sequence(self) -> int:
        """The number of frames that the writer has published."""
        return int(self._head["sequence"][0])

    def copy(self) -> tuple[int, bytes]:
        """Return the number of published frames and a copy of the newest frame. Without a frame, the copy is empty."""
        for _ in range(TRIES):
            number = self.sequence
            start = self._slots + number % 2 * self._capacity
            frame = self._bytes[start : start + int(self._head["lengths"][0, number % 2])].tobytes()
            if number == self.sequence:
                return number, frame
        raise InputError(f"{self._path}: the writer replaces frames faster than this program copies them.")


def _mapped(path: Path) -> NDArray[np.uint8]:
    """Return the bytes of a regular file as mapped memory. Raises InputError if the file cannot be a pose stream."""
    try:
        if path.is_file() and path.stat().st_size >= HEAD.itemsize:
            return np.memmap(path, np.uint8, "r")
    except OSError:
        pass
    raise InputError(f"{path}: the file cannot be read. Start `ecs-anim serve --memory {path}`.")
