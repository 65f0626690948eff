"""Writer of simulated trajectories as JuPedSim SQLite files with schema version 2. PedPy also reads these files."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file
from ecs_anim.trajectories.frames import Frame
from ecs_anim.trajectories.rows import Reals

VERSION = 2
# The file gets its name only when it is complete, so a rollback journal is not needed.
SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE trajectory_data (frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_x REAL NOT NULL, pos_y REAL NOT NULL,
 ori_x REAL NOT NULL, ori_y REAL NOT NULL);
CREATE TABLE metadata (key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE geometry (hash INTEGER NOT NULL, wkt TEXT NOT NULL);
CREATE UNIQUE INDEX geometry_hash ON geometry (hash);
CREATE TABLE frame_data (frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL);
CREATE INDEX frame_id_idx ON trajectory_data (frame, id);
"""


class SqliteWriter:
    """A database that is being written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def write(self, frame: Frame) -> None:
        """Add the people of a frame to the table `trajectory_data`, and one row for the frame to the table
        `frame_data`.

        Each person is one row of `trajectory_data`. The row in `frame_data` contains the geometry number of the frame.
        Each frame needs a row in `frame_data`, because JuPedSim counts these rows to find the number of frames.
        """
        with _told_by_disk():
            rows = "INSERT INTO trajectory_data (id, frame, pos_x, pos_y, ori_x, ori_y) VALUES (?, ?, ?, ?, ?, ?)"
            # SQLite stores the values of INTEGER columns as integers
            self._connection.executemany(rows, frame.table.tolist())
            self._connection.execute("INSERT INTO frame_data VALUES (?, ?)", (frame.number, frame.area))

    def finish(self, bounds: Reals, areas: Sequence[str]) -> None:
        """Add the bounds and the geometries of the areas.

        Frames refer to a geometry by the area number. The database stores this area number in the column that JuPedSim
        uses for hashes. The area number `NO_AREA` has no geometry.
        """
        with _told_by_disk():
            self._connection.executemany("INSERT INTO geometry VALUES (?, ?)", enumerate(areas))
            names = ("xmin", "ymin", "xmax", "ymax")
            said = [(name, f"{bound:.17g}") for name, bound in zip(names, bounds.ravel().tolist(), strict=True)]
            self._connection.executemany("INSERT INTO metadata VALUES (?, ?)", said)


@contextmanager
def sqlite_writer(path: Path, rate: float, levels: Sequence[str]) -> Iterator[SqliteWriter]:
    """Open a database for a recording with `rate` frames per second. Raises InputError if the scene has levels, or if
    writing fails.
    """
    if levels:
        raise InputError(
            f"{path}: JuPedSim's file format cannot store heights, but the scene has several levels. Use a file "
            "name that ends in .csv or .parquet."
        )
    with complete_file(path) as file:
        connection = sqlite3.connect(file.name, isolation_level=None)
        try:
            with _told_by_disk():
                connection.executescript(SCHEMA)
                connection.execute("BEGIN")
                said = (("version", str(VERSION)), ("fps", f"{rate:.17g}"))
                connection.executemany("INSERT INTO metadata VALUES (?, ?)", said)
            yield SqliteWriter(connection)
            with _told_by_disk():
                connection.execute("COMMIT")
        finally:
            connection.close()


@contextmanager
def _told_by_disk() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OSError(str(error)) from None
