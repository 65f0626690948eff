"""Parquet with columns by their usual names; needs pyarrow, the extra `parquet`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.columns import SAY, Columns, agreed_unit, asked_columns, clear_columns, shown
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Label, Reals, Rows, checked
from ecs_anim.trajectories.source import TRAJECTORIES, Block, Layout, Pieces, said_rate

MAGIC = b"PAR1"
RATE_KEY, SIMULATED_KEY = "framerate", "simulated"  # of the schema's metadata, where a file has these


@dataclass(frozen=True)
class ParquetSource:
    """A Parquet file. Its pieces are its row groups, and their numbers the addresses."""

    path: Path
    layout: Layout
    columns: dict[str, str]  # names by roles
    firsts: tuple[int, ...]  # rows before each group

    @property
    def label(self) -> Label:
        return Label(str(self.path), "row")

    def blocks(self) -> Iterator[Block]:
        """The whole file, a row group at a time."""
        with _content(self.path) as content:
            for group, first in enumerate(self.firsts):
                rows = self._read(content, group)
                own = Pieces(np.array([group]), np.array([group + 1]), np.array([first + 1]))
                yield Block(own, rows, np.zeros(len(rows.ids), np.intp))

    def rows(self, pieces: Pieces) -> Iterator[Rows]:
        """What is in these row groups."""
        with _content(self.path) as content:
            for group in pieces.starts.tolist():
                yield self._read(content, group)

    def _read(self, content: Any, group: int) -> Rows:
        table = content.read_row_group(group, list(self.columns.values()))
        lines = self.firsts[group] + 1 + np.arange(table.num_rows)
        return checked(
            {role: self._numbers(table, role, name) for role, name in self.columns.items()}, lines, self.label
        )

    def _numbers(self, table: Any, role: str, name: str) -> Reals:
        column = table.column(name)
        if column.null_count:
            raise InputError(f"{self.path}: column {name!r}, the {role}, has {column.null_count} empty values")
        values = column.to_numpy()
        if values.dtype.kind not in "iuf":
            raise InputError(f"{self.path}: column {name!r}, the {role}, should hold numbers (it holds {column.type})")
        found: Reals = values.astype(np.float64)
        return found


def parquet_source(path: Path, options: ReadOptions) -> ParquetSource:
    """The source of a Parquet file. Raises InputError."""
    with _content(path) as content:
        names, said = content.schema_arrow.names, content.schema_arrow.metadata or {}
        counts = [content.metadata.row_group(k).num_rows for k in range(content.metadata.num_row_groups)]
    columns = _columns(names, options, path)
    rate = said_rate(said.get(RATE_KEY.encode()), f"{path}: metadata: {RATE_KEY}") if columns.counts_frames else None
    layout = Layout(
        "Parquet",
        columns.counts_frames,
        agreed_unit(columns.units),
        columns.time_rate or rate,
        (),
        columns.notes,
        is_simulated=SIMULATED_KEY.encode() in said,
    )
    firsts = np.cumsum([0, *counts])[:-1].tolist()
    return ParquetSource(path, layout, {role: names[k] for role, k in columns.where.items()}, tuple(firsts))


def pyarrow_for(path: Path) -> Any:
    """pyarrow, to read or to write a file. Raises InputError where it is missing."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(f"{path}: Parquet files need pyarrow; install it: pip install 'ecs-anim[parquet]'") from None
    return pyarrow


def _columns(names: list[str], options: ReadOptions, path: Path) -> Columns:
    if options.columns is not None:
        columns = asked_columns(options.columns, names, str(path))
        if max(columns.where.values()) >= len(names):
            raise InputError(f"{path}: {len(names)} columns, where columns = {options.columns!r} names more")
        return columns
    columns_found = clear_columns(names, (), str(path))
    if columns_found is None or columns_found.footsteps:
        raise InputError(f"{path}: its columns are {shown(names)}; {SAY}, or 'id=NAME x=NAME ...'")
    return columns_found


@contextmanager
def _content(path: Path) -> Iterator[Any]:
    """The file. Raises InputError where it is damaged, or pyarrow is missing."""
    pyarrow = pyarrow_for(path)
    with opened(path, TRAJECTORIES) as file:
        try:
            yield pyarrow.parquet.ParquetFile(file.stream)
        except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
            raise InputError(f"{path}: damaged or cut short: {error}") from None
