"""Writers: what was simulated goes to a file of trajectories, frame by frame; the file appears once it is complete."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import require_writable
from ecs_anim.trajectories.csv_writer import csv_writer
from ecs_anim.trajectories.frames import Frame
from ecs_anim.trajectories.parquet_writer import parquet_writer
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.sqlite_writer import sqlite_writer


class Writer(Protocol):
    """A file that is being written. Raises OSError where the disk says no."""

    def write(self, frame: Frame) -> None:
        """Everybody who is there at the next frame."""

    def finish(self, bounds: Reals, areas: Sequence[str]) -> None:
        """What is known only at the end, and of which formats take what they have a place for.

        `bounds` are the least and the greatest position [2, 2] [m], `areas` where people may walk, as well-known text,
        by the numbers that frames name.
        """


class Format(NamedTuple):
    """A format that is written."""

    ending: str
    writer: Callable[[Path, float], AbstractContextManager[Writer]]  # of a path and frames a second


FORMATS = (Format(".sqlite", sqlite_writer), Format(".csv", csv_writer), Format(".parquet", parquet_writer))


def writer_for(path: Path, rate: float) -> AbstractContextManager[Writer]:
    """What writes the format of a path's ending, at `rate` frames a second.

    The file takes its name where the block ends without an error, and is not there otherwise. Raises InputError.
    """
    return _format_of(path).writer(path, rate)


def require_trajectory_file(path: Path) -> None:
    """Raises InputError where no trajectories can be written, by its ending or as the system says."""
    _format_of(path)
    require_writable(path)


def _format_of(path: Path) -> Format:
    for own in FORMATS:
        if path.suffix.lower() == own.ending:
            return own
    endings = ", ".join(own.ending for own in FORMATS)
    raise InputError(f"{path}: trajectories are written as {endings}; name a file that ends in one of these")
