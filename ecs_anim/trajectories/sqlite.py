"""JuPedSim's SQLite files, versions 1 to 3 of their schema."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import OpenFile, opened
from ecs_anim.trajectories.columns import shown
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label, Reals, Rows, checked
from ecs_anim.trajectories.source import TRAJECTORIES, Block, Layout, Pieces, said_rate, spans

MAGIC = b"SQLite format 3\0"
HEADER = 100  # bytes
NEWEST = 3  # version of the schema
AT_ONCE = 8192  # rows
PIECE = 512  # rows
PATIENCE = 1.0  # [s], for somebody who writes
COLUMNS = {"frame": "frame", "id": "id", "x": "pos_x", "y": "pos_y"}
HEADINGS = {"heading_x": "ori_x", "heading_y": "ori_y"}
CHANGES = """SELECT frame, geometry_hash FROM (SELECT frame, geometry_hash, LAG(geometry_hash) OVER (ORDER BY frame)
 AS before FROM frame_data) WHERE before IS NULL OR before <> geometry_hash ORDER BY frame"""


@dataclass(frozen=True)
class SqliteSource:
    """A JuPedSim file. Addresses of pieces are row numbers of the table of samples."""

    path: Path
    layout: Layout
    columns: dict[str, str]  # of roles

    @property
    def label(self) -> Label:
        return Label(str(self.path), "row")

    def blocks(self) -> Iterator[Block]:
        """The whole table, by its row numbers."""
        with _connected(self.path) as connection:
            for numbers, rows in self._read(connection, "1", ()):
                firsts = np.arange(0, len(numbers), PIECE)
                ends = np.append(numbers[firsts[1:]], numbers[-1] + 1)
                yield Block(Pieces(numbers[firsts], ends, numbers[firsts]), rows, np.arange(len(numbers)) // PIECE)

    def rows(self, pieces: Pieces) -> Iterator[Rows]:
        """What is in these pieces."""
        with _connected(self.path) as connection:
            for start, stop in spans(pieces):
                for _, rows in self._read(connection, "rowid >= ? AND rowid < ?", (start, stop)):
                    yield rows

    def _read(
        self, connection: sqlite3.Connection, where: str, values: tuple[int, ...]
    ) -> Iterator[tuple[np.ndarray, Rows]]:
        """Row numbers, and rows."""
        names = ", ".join(["rowid", *self.columns.values()])
        cursor = connection.execute(f"SELECT {names} FROM trajectory_data WHERE {where} ORDER BY rowid", values)
        while found := cursor.fetchmany(AT_ONCE):
            table = self._table(found)
            numbers = np.array([row[0] for row in found], np.int64)
            yield numbers, checked(dict(zip(self.columns, table.T[1:], strict=True)), numbers, self.label)

    def _table(self, found: list[tuple[object, ...]]) -> Reals:
        width = 1 + len(self.columns)
        try:
            flat = np.fromiter(chain.from_iterable(found), np.float64, len(found) * width)
        except (TypeError, ValueError):
            self._tell(found)
            raise
        return flat.reshape(-1, width)

    def _tell(self, found: list[tuple[object, ...]]) -> None:
        for row in found:
            for name, value in zip(self.columns.values(), row[1:], strict=True):
                if not isinstance(value, int | float):
                    raise InputError(f"{self.path}: row {row[0]}: {name} should be a number (got {value!r:.40})")


def sqlite_source(path: Path, options: ReadOptions) -> SqliteSource:
    """The source of a JuPedSim file; no option counts. Raises InputError of one line, also where somebody locked it."""
    with _connected(path) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "trajectory_data" not in tables:
            raise InputError(f"{path}: a database without a table trajectory_data is no file of JuPedSim's")
        said = dict(connection.execute("SELECT key, value FROM metadata")) if "metadata" in tables else {}
        version = _version(said, path)
        there = [row[1] for row in connection.execute("PRAGMA table_info(trajectory_data)")]
        missing = [name for name in COLUMNS.values() if name not in there]
        if missing:
            raise InputError(f"{path}: trajectory_data has no column {missing[0]!r}; its columns are {shown(there)}")
        headings = HEADINGS if set(HEADINGS.values()) <= set(there) else {}
        rate = said_rate(said.get("fps"), f"{path}: metadata: fps")
        note = "metres: by JuPedSim's definition"
        name = f"JuPedSim SQLite, version {version}"
        layout = Layout(name, True, "m", rate, _walls(connection, tables), (note,), is_simulated=True)
        return SqliteSource(path, layout, COLUMNS | headings)


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, to read. SQLite opens it by its name, once the gate has seen that it is a file."""
    with opened(path, TRAJECTORIES) as file:
        _check_length(file, path)
    connection = None
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
        yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's messages quote what is damaged
        raise InputError(f"{path}: cannot read the database: {error}") from None
    finally:
        if connection is not None:
            connection.close()


def _check_length(file: OpenFile, path: Path) -> None:
    """Raises InputError where a file is shorter than its header says (section 1.3 of SQLite's file format)."""
    head = file.first(HEADER)
    if len(head) < HEADER:
        raise InputError(f"{path}: cannot read the database: it is cut short")
    page, changes, pages, valid_for = (
        int.from_bytes(head[at : at + size], "big") for at, size in ((16, 2), (24, 4), (28, 4), (92, 4))
    )
    if changes == valid_for and file.size < pages * (65536 if page == 1 else page):
        raise InputError(f"{path}: cannot read the database: it is cut short")


def _version(said: dict[str, str], path: Path) -> int:
    try:
        version = int(said.get("version", "1"))
    except (TypeError, ValueError):
        version = 0
    if not 1 <= version <= NEWEST:
        raise InputError(
            f"{path}: version {said.get('version')!r} of JuPedSim's files; versions 1 to {NEWEST} are read"
        )
    return version


def _walls(connection: sqlite3.Connection, tables: set[str]) -> tuple[tuple[float, str], ...]:
    """Frames from which on an outline holds, and the outlines: they change where doors open."""
    if "geometry" not in tables:
        return ()
    there = [row[1] for row in connection.execute("PRAGMA table_info(geometry)")]
    if "hash" not in there or "frame_data" not in tables:
        return tuple((-np.inf, str(wkt)) for (wkt,) in connection.execute("SELECT wkt FROM geometry"))
    outlines = dict(connection.execute("SELECT hash, wkt FROM geometry"))
    return tuple((float(frame), str(outlines[own])) for frame, own in connection.execute(CHANGES) if own in outlines)
