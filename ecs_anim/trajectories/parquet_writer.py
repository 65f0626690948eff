"""Writer of simulated trajectories as Parquet. The writer needs pyarrow (the extra `parquet`)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.support.pictures import complete_file
from ecs_anim.trajectories.frames import Frame
from ecs_anim.trajectories.parquet import RATE_KEY, SIMULATED_KEY, pyarrow_for
from ecs_anim.trajectories.rows import Reals

GROUP = 1 << 16  # approximate number of rows that are written together
NAMES, FLOORS = ("id", "frame", "x_m", "y_m", "ori_x", "ori_y"), ("z_m", "level")
WHOLE = ("id", "frame")


class ParquetWriter:
    """A Parquet file that is being written. The writer keeps rows in memory until a row group is full."""

    def __init__(self, content: Any, levels: Sequence[str]) -> None:
        self._content, self._levels = content, np.array(levels, object)
        self._waiting: list[Reals] = []
        self._count = 0

    def write(self, frame: Frame) -> None:
        """Add a row for each person of a frame."""
        if len(frame.ids):
            self._waiting.append(frame.table)
            self._count += len(frame.ids)
        if self._count >= GROUP:
            self._flush()

    def finish(self, bounds: Reals, areas: Sequence[str]) -> None:
        """Write the rows that are still in memory. A Parquet file stores neither bounds nor areas."""
        self._flush()

    def _flush(self) -> None:
        from pyarrow import Table

        if self._count:
            columns = dict(zip(self._content.schema.names, np.concatenate(self._waiting).T, strict=True))
            columns |= {name: columns[name].astype(np.int64) for name in WHOLE}
            if "level" in columns:
                columns["level"] = self._levels[columns["level"].astype(np.intp)]
            self._content.write_table(Table.from_arrays([*columns.values()], schema=self._content.schema))
            self._waiting, self._count = [], 0


@contextmanager
def parquet_writer(path: Path, rate: float, levels: Sequence[str]) -> Iterator[ParquetWriter]:
    """Open a Parquet file for a recording with `rate` frames per second, on levels with names.

    Raises InputError if writing fails or if pyarrow is missing.
    """
    pyarrow = pyarrow_for(path)
    names = (*NAMES, *FLOORS) if levels else NAMES
    kinds = dict.fromkeys(names, pyarrow.float64()) | dict.fromkeys(WHOLE, pyarrow.int64())
    fields = [(name, pyarrow.string() if name == "level" else kinds[name]) for name in names]
    schema = pyarrow.schema(fields, metadata={RATE_KEY: f"{rate:.17g}", SIMULATED_KEY: "positions are the bodies' own"})
    with complete_file(path) as file:
        content = pyarrow.parquet.ParquetWriter(file, schema)
        try:
            yield ParquetWriter(content, levels)
            content.close()
        except BaseException:
            with suppress(OSError):  # the file is removed in any case
                content.close()
            raise
