"""Writer of simulated trajectories as CSV.

The CSV file states column names, units and the frame rate, so a reader needs no options.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ecs_anim.support.pictures import complete_file
from ecs_anim.trajectories.frames import Frame
from ecs_anim.trajectories.rows import Reals

HEAD = "# framerate: {rate:.17g}\n# simulated: positions are the bodies' own\nid,frame,x_m,y_m,ori_x,ori_y"
ROW = "%d,%d,%.6f,%.6f,%.6f,%.6f"


class CsvWriter:
    """A CSV file that is being written."""

    def __init__(self, file: IO[bytes], levels: Sequence[str]) -> None:
        self._file = file
        self._levels = ['"' + name.replace('"', '""') + '"' for name in levels]

    def write(self, frame: Frame) -> None:
        """Write a line for each person."""
        table = frame.table
        if not self._levels:
            text = f"{ROW}\n" * len(table) % tuple(table.ravel().tolist())
        else:
            rows = [(*row[:-1], self._levels[int(row[-1])]) for row in table.tolist()]
            text = "".join([f"{ROW},%.6f,%s\n" % row for row in rows])
        self._file.write(text.encode())

    def finish(self, bounds: Reals, areas: Sequence[str]) -> None:
        """Do nothing, because a CSV file contains only rows."""


@contextmanager
def csv_writer(path: Path, rate: float, levels: Sequence[str]) -> Iterator[CsvWriter]:
    """Open a CSV file for a recording with `rate` frames per second, on levels with names. Raises InputError."""
    with complete_file(path) as file:
        file.write((HEAD.format(rate=rate) + (",z_m,level\n" if levels else "\n")).encode("ascii"))
        yield CsvWriter(file, levels)
