"""Reader of JuPedSim's SQLite files, versions 1 to 3 of their schema."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.budgets import Spending
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.columns import shown
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Reals, Rows, checked
from ecs_anim.trajectories.source import Layout, Source, said_rate
from ecs_anim.trajectories.sqlite_access import Database, connected

NEWEST = 3  # newest supported version of the schema
AT_ONCE = 8192  # rows that are read together
COLUMNS = {"frame": "frame", "id": "id", "x": "pos_x", "y": "pos_y"}
HEADINGS = {"heading_x": "ori_x", "heading_y": "ori_y"}
METADATA = "SELECT key, value FROM metadata WHERE key = 'version' OR key = 'fps'"
CHANGES = """SELECT frame, geometry_hash FROM (SELECT frame, geometry_hash, LAG(geometry_hash) OVER (ORDER BY frame)
 AS before FROM frame_data) WHERE before IS NULL OR before <> geometry_hash ORDER BY frame"""


@dataclass(frozen=True)
class SqliteSource(Source):
    """A JuPedSim file. The row numbers in messages are the row numbers of the table that contains the samples."""

    columns: dict[str, str]  # names of columns by role

    def rows(self) -> Iterator[Rows]:
        """Yield all rows of the table in ascending order of row numbers."""
        names = ", ".join(["rowid", *self.columns.values()])
        with connected(self.path) as database:
            for found in database.parts(f"SELECT {names} FROM trajectory_data ORDER BY rowid", AT_ONCE):
                numbers = np.array([row[0] for row in found], np.int64)
                yield checked(dict(zip(self.columns, self._table(found).T[1:], strict=True)), numbers, self.label)

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
                    raise InputError(
                        f"{self.path}: row {row[0]}: {name} must be a number (got {value!r:.40}). Correct or"
                        " remove the row."
                    )


def sqlite_source(path: Path, options: ReadOptions) -> SqliteSource:
    """Return the source for a JuPedSim file. The function does not use `options`.

    Raises InputError if the file is invalid or if another process locks the file.
    """
    with connected(path) as database:
        tables = database.tables()
        columns = database.columns("trajectory_data") if "trajectory_data" in tables else []
        if not columns:
            raise InputError(
                f"{path}: a JuPedSim database must have a table trajectory_data, not a view. Name another file."
            )
        missing = [name for name in COLUMNS.values() if name not in columns]
        if missing:
            raise InputError(
                f"{path}: the table trajectory_data needs the column {missing[0]!r} (got the columns"
                f" {shown(columns)}). Write the file with this column."
            )
        if "rowid" in map(str.lower, columns):
            raise InputError(
                f"{path}: the table trajectory_data must not have a column rowid, which hides the row numbers."
                " Rename the column."
            )
        said = dict(database.rows(METADATA)) if "metadata" in tables else {}
        version = _version(said, path)
        headings = HEADINGS if set(HEADINGS.values()) <= set(columns) else {}
        rate = said_rate(said.get("fps"), f"{path}: metadata: fps")
        note = "metres, from the definition of JuPedSim"
        name = f"JuPedSim SQLite, version {version}"
        layout = Layout(name, True, "m", rate, _walls(database, tables, path), (note,), is_simulated=True)
        return SqliteSource(path, layout, COLUMNS | headings)


def _version(said: dict[str, str], path: Path) -> int:
    try:
        version = int(said.get("version", "1"))
    except (TypeError, ValueError):
        version = 0
    if not 1 <= version <= NEWEST:
        raise InputError(
            f"{path}: the version of a JuPedSim file must be 1 to {NEWEST} (got {said.get('version')!r:.40}). Write"
            " the file in a supported version."
        )
    return version


def _walls(database: Database, tables: set[str], path: Path) -> tuple[tuple[float, str], ...]:
    """Return the outlines of the walls, each with its first frame. The outlines change when doors open."""
    if "geometry" not in tables:
        return ()
    if "hash" not in database.columns("geometry") or "frame_data" not in tables:
        outlines = _outlines(database.rows("SELECT 0, wkt FROM geometry"), path)
        return tuple((-np.inf, wkt) for _, wkt in outlines)
    by_hash = dict(_outlines(database.rows("SELECT hash, wkt FROM geometry"), path))
    return tuple((_frame(frame, path), by_hash[own]) for frame, own in database.rows(CHANGES) if own in by_hash)


def _outlines(rows: Iterator[tuple[Any, ...]], path: Path) -> Iterator[tuple[Any, str]]:
    """Yield the key and the outline of the walls in each row.

    Raises InputError if an outline is not text, or if the text exceeds the budget.
    """
    spent = Spending("walls_bytes", "write simpler outlines")
    for key, wkt in rows:
        if not isinstance(wkt, str):
            raise InputError(
                f"{path}: table geometry: the column wkt must be text (got {wkt!r:.40}). Correct the table."
            )
        if limit_message := spent.excess(len(wkt)):
            raise InputError(f"{path}: table geometry: the outlines are too long: {limit_message}")
        yield key, wkt


def _frame(value: Any, path: Path) -> float:
    if not isinstance(value, int):
        raise InputError(
            f"{path}: frame_data: each frame must be a whole number (got {value!r:.40}). Correct or remove the row."
        )
    return float(value)
