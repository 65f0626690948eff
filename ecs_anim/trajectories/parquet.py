"""Reader of Parquet files with usual column names. The reader needs pyarrow (the extra `parquet`)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.errors import InputError
from ecs_anim.support.files import opened
from ecs_anim.trajectories.columns import SET_COLUMNS, Columns, agreed_unit, asked_columns, clear_columns, shown
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.options import ReadOptions
from ecs_anim.trajectories.rows import Rows, checked
from ecs_anim.trajectories.source import TRAJECTORIES, Layout, Source, require_density, said_rate, too_large
from ecs_anim.trajectories.trial import tried

AT_ONCE = 1 << 16  # rows that are read together, independent of the size of row groups
BUFFER = 1 << 20  # bytes of a column that are read together
TEXTS = re.compile("string|dictionary")  # types of columns with texts
RATE_KEY, SIMULATED_KEY = "framerate", "simulated"  # optional keys in the schema's metadata


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file."""

    columns: dict[str, str]  # names of columns by role
    counts: tuple[int, ...]  # rows of each row group, from the header

    def rows(self) -> Iterator[Rows]:
        """Yield all rows of the file in batches.

        Raises InputError if a row group has fewer rows than the header states.
        """
        first = 0
        with _content(self.path) as content:
            for group, count in enumerate(self.counts):
                stop = first + count
                for table in content.iter_batches(AT_ONCE, [group], [*self.columns.values()], use_threads=False):
                    columns = {role: self._values(table, role, name) for role, name in self.columns.items()}
                    yield checked(columns, first + 1 + np.arange(table.num_rows), self.label)
                    first += table.num_rows
                if first != stop:
                    raise InputError(
                        f"{self.path}: the header states that row group {group} ends at row {stop:,} of the file, but"
                        f" its data end at row {first:,}. Write the file again."
                    )

    def _values(self, table: Any, role: str, name: str) -> NDArray[Any]:
        """Return the column `name` of a table.

        Raises InputError if a value in the column is invalid for the role `role`.
        """
        column = table.column(name)
        if column.null_count and role in ("id", "frame", "time"):
            raise InputError(
                f"{self.path}: column {name!r}, the {role}, must have a value in each row (got {column.null_count}"
                " empty values). Remove the rows without a value."
            )
        if (texts := {"id": self.layout.ids, "level": self.layout.levels}.get(role)) is not None:
            return texts.numbers("" if value is None else str(value) for value in column.to_pylist())
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        if values.dtype.kind not in "iuf":
            raise InputError(
                f"{self.path}: column {name!r}, the {role}, must contain numbers (got {column.type}). Write the"
                " column as numbers."
            )
        return values if values.dtype == np.int64 else values.astype(np.float64)


def parquet_source(path: Path, options: ReadOptions) -> Source:
    """Return the source for a Parquet file. Raises InputError if the file is damaged or lacks a required column."""
    return tried(opened_source, path, options, "pyarrow.parquet")


def opened_source(path: Path, options: ReadOptions) -> ParquetSource:
    """Open a Parquet file in this process.

    Some damaged files fill the memory of the process that reads them. Therefore, `parquet_source` first calls this
    function in a child process.
    """
    with _content(path) as content:
        schema = content.schema_arrow
        names, said = schema.names, schema.metadata or {}
        counts = [content.metadata.row_group(k).num_rows for k in range(content.metadata.num_row_groups)]
    require_density(sum(counts), path)
    columns = _columns(names, options, path).without("heading")
    id_type = str(schema.types[columns.where["id"]])
    rate = said_rate(said.get(RATE_KEY.encode()), f"{path}: metadata: {RATE_KEY}") if columns.counts_frames else None
    layout = Layout(
        "Parquet",
        columns.counts_frames,
        agreed_unit(columns.units),
        columns.time_rate or rate,
        (),
        columns.notes,
        is_simulated=SIMULATED_KEY.encode() in said,
        ids=Names(str(path)) if TEXTS.search(id_type) else None,
        levels=Names(str(path)) if "level" in columns.where else None,
    )
    return ParquetSource(path, layout, {role: names[k] for role, k in columns.read.items()}, tuple(counts))


def pyarrow_for(path: Path) -> Any:
    """Return the module pyarrow. If pyarrow is missing, raises an InputError that names the file `path`."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise InputError(
            f"{path}: Parquet files need the package pyarrow. Install pyarrow: pip install 'ecs-anim[parquet]'"
        ) from None
    return pyarrow


def _columns(names: list[str], options: ReadOptions, path: Path) -> Columns:
    if options.columns is not None:
        columns = asked_columns(options.columns, names, str(path))
        if max(columns.where.values()) >= len(names):
            raise InputError(
                f"{path}: columns = {options.columns!r} names more columns than the file has ({len(names)} columns)."
                " Remove names."
            )
        return columns
    columns_found = clear_columns(names, (), str(path))
    if columns_found is None or columns_found.footsteps:
        raise InputError(
            f"{path}: cannot find id, time, x and y in the columns {shown(names)}. {SET_COLUMNS}, or"
            " 'id=NAME x=NAME ...'."
        )
    return columns_found


@contextmanager
def _content(path: Path) -> Iterator[Any]:
    """Open a Parquet file for reading. Raises InputError if the file is damaged or pyarrow is missing."""
    pyarrow = pyarrow_for(path)
    with opened(path, TRAJECTORIES) as file:
        try:
            yield pyarrow.parquet.ParquetFile(file.stream, buffer_size=BUFFER)
        except MemoryError:  # also raised by pyarrow
            raise too_large(path, "row groups or pages") from None
        except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
            raise InputError(
                f"{path}: the file is damaged or incomplete: {error}. Copy or write the file again."
            ) from None
