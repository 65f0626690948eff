"""Readers of pose streams in shared memory."""

import os
import time
from pathlib import Path

from ecs_anim.streaming.memory import MemoryReader
from ecs_anim.streaming.messages import PoseFrame, read_frame
from ecs_anim.support.arguments import number
from ecs_anim.support.checked import checked

PAUSE = 0.0005  # [s] between two looks at the shared memory


class PoseReader:
    """A reader of the pose stream that `ecs-anim serve --memory FILE` or a `PoseServer` writes.

        reader = ea.streaming.PoseReader("crowd.poses")
        while frame := reader.next():
            print(frame.seconds, frame.crowd("people").positions.shape)

    Raises InputError if `path` is not the shared memory of a pose stream.
    """

    @checked
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._memory = MemoryReader(Path(path))
        self._number = 0

    @property
    def description(self) -> bytes:
        """The description of the crowds, JSON in UTF-8."""
        return self._memory.description

    def latest(self) -> PoseFrame | None:
        """Return the newest frame, or None before the first frame."""
        self._number, frame = self._memory.copy()
        return read_frame(self.description, frame) if frame else None

    @checked
    def next(self, timeout: float = 1.0) -> PoseFrame | None:
        """Wait for a frame that is newer than the last returned frame. Return None after `timeout` seconds.

        If the server is faster than the reader, frames are left out. Raises ValueError if `timeout` is negative.
        """
        end = time.monotonic() + number("a timeout", timeout, least=0.0)
        while self._memory.sequence == self._number:
            if time.monotonic() >= end:
                return None
            time.sleep(PAUSE)
        return self.latest()
