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
NAMES = ("id", "frame", "x_m", "y_m", "ori_x", "ori_y")
WHOLE = ("id", "frame")


class ParquetWriter:
    """A Parquet file that is being written. Rows remain in memory until a row group is full."""

    def __init__(self, content: Any) -> None:
        self._content = content
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
            table = np.concatenate(self._waiting)
            columns = [own.astype(np.int64) if name in WHOLE else own for name, own in zip(NAMES, table.T, strict=True)]
            self._content.write_table(Table.from_arrays(columns, schema=self._content.schema))
            self._waiting, self._count = [], 0


@contextmanager
def parquet_writer(path: Path, rate: float) -> Iterator[ParquetWriter]:
    """Open a Parquet file for a recording with `rate` frames per second.

    Raises InputError if writing fails or if pyarrow is missing.
    """
    pyarrow = pyarrow_for(path)
    fields = [(name, pyarrow.int64() if name in WHOLE else pyarrow.float64()) for name in NAMES]
    schema = pyarrow.schema(fields, metadata={RATE_KEY: f"{rate:.17g}", SIMULATED_KEY: "positions are the bodies' own"})
    with complete_file(path) as file:
        content = pyarrow.parquet.ParquetWriter(file, schema)
        try:
            yield ParquetWriter(content)
            content.close()
        except BaseException:
            with suppress(OSError):  # the file is removed in any case
                content.close()
            raise
