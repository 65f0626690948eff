"""Writers of simulated trajectories, frame by frame. A file has a temporary name until the file is complete."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.csv_writer import csv_writer
from ecs_anim.trajectories.frames import Frame
from ecs_anim.trajectories.parquet import pyarrow_for
from ecs_anim.trajectories.parquet_writer import parquet_writer
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.sqlite_writer import sqlite_writer


class Writer(Protocol):
    """A trajectory file that is being written. Methods raise OSError if writing to the disk fails."""

    def write(self, frame: Frame) -> None:
        """Write all people of the next frame."""

    def finish(self, bounds: Reals, areas: Sequence[str]) -> None:
        """Write the facts that the program knows only after the last frame.

        If a file format cannot store a fact, the writer omits this fact.

        `bounds` [2, 2] [m] contains the least and the greatest x and y. `areas` contains the walkable areas as
        well-known text. The area number of a frame is an index into `areas`.
        """


Opener = Callable[[Path, float, Sequence[str]], AbstractContextManager[Writer]]

# The writer for each file ending, from a path, a frame rate [1/s], and the names of the levels.
FORMATS: Mapping[str, Opener] = {
    ".sqlite": sqlite_writer,
    ".csv": csv_writer,
    ".parquet": parquet_writer,
}


def writer_for(path: Path, rate: float, levels: Sequence[str] = ()) -> AbstractContextManager[Writer]:
    """Return the writer for the file ending of `path`. `rate` [1/s] is the frame rate.

    If `levels` contains the names of the scene's levels, each frame must have `floors`.

    If the `with` block ends without an error, the file gets the name `path`. After an error, the function removes the
    file. Raises InputError if the file ending is unknown or the file cannot be written.
    """
    return _writer_of(path)(path, rate, levels)


def require_trajectory_format(path: Path) -> None:
    """Raise InputError if no writer supports the file ending of `path`, or if the file ending is .parquet and pyarrow
    is missing.
    """
    _writer_of(path)
    if path.suffix.lower() == ".parquet":
        pyarrow_for(path)


def _writer_of(path: Path) -> Opener:
    if path.suffix.lower() not in FORMATS:
        raise InputError(
            f"{path}: the name of a trajectory file must end in one of {', '.join(FORMATS)}. Use another file name."
        )
    return FORMATS[path.suffix.lower()]
