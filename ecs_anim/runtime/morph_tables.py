"""Tables of morph weights that are sampled at constant rates.

A clip has the same number in `MorphTables` and in `ClipTables`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.ecs.records import Shape, sealed
from ecs_anim.runtime.even_times import QUARTERS, even_times
from ecs_anim.runtime.row_counts import check_rows, is_above_max_rate, key_interval_count

TOLERANCE = 1e-3  # largest error of a weight


class MorphArrays(NamedTuple):
    """The arrays of the morph tables, as an argument of kernels. All arrays are read-only."""

    rows: Annotated[NDArray[np.float32], Shape("row", "column")]
    columns: Annotated[NDArray[np.int32], Shape("column")]
    first_row: Annotated[NDArray[np.int32], Shape("clip")]
    interval_count: Annotated[NDArray[np.int32], Shape("clip")]


@dataclass(frozen=True, eq=False)
class MorphTables:
    """The values of all morph weights that at least one clip of a crowd animates. Each clip has its own number of rows
    per second.
    """

    columns: NDArray[np.int32]  # [n] i32, morph target of each column of a row
    rows: NDArray[np.float32]  # [row_count, n] f32; a clip has interval_count + 1 rows, from start to end
    first_row: NDArray[np.int32]  # [clip_count] i32, first row of each clip
    interval_count: NDArray[np.int32]  # [clip_count] i32, intervals between rows of each clip

    @cached_property
    def arrays(self) -> MorphArrays:
        """The arrays of the morph tables as a record for kernels."""
        return sealed(MorphArrays(self.rows, self.columns, self.first_row, self.interval_count))

    def clip_rows(self, clip_index: int) -> NDArray[np.float32]:
        """Return the rows of one clip, [interval_count + 1, n], from its start to its end."""
        first = int(self.first_row[clip_index])
        return self.rows[first : first + int(self.interval_count[clip_index]) + 1]


def build_morph_tables(clips: Sequence[Clip], left_out: Collection[int] = ()) -> MorphTables | None:
    """Return the tables of all morph weights that clips animate, except the morph targets in `left_out`.

    If clips animate no morph weights, return None.

    If a clip does not animate a morph weight, the rows of this clip contain the default of the weight. The function
    doubles the number of rows of a clip until the errors at the quarter points between rows are within the tolerance.
    The errors of a clip with stepped keys never reach the tolerance, so this clip gets the largest number of rows per
    second. Raises InputError if the rows would need too much memory.
    """
    found = {int(c) for clip in clips for track in clip.morph_tracks for c in track.columns}
    columns = np.array(sorted(found.difference(left_out)), np.int32)
    if not len(columns):
        return None
    tables: list[NDArray[np.float32]] = []
    for clip in clips:
        tables.append(_resample(clip, columns, sum(map(len, tables))))
    counts = np.array([len(table) for table in tables], np.int32)
    return MorphTables(
        columns=columns,
        rows=np.ascontiguousarray(np.concatenate(tables)),
        first_row=(np.cumsum(counts) - counts).astype(np.int32),
        interval_count=counts - 1,
    )


def _resample(clip: Clip, columns: NDArray[np.int32], other_rows: int) -> NDArray[np.float32]:
    """Return the rows of one clip, [row_count, n]. A clip without animated morph weights has one row.

    `other_rows` is the number of rows of all other clips.
    """
    if clip.duration <= 0 or not clip.morph_tracks:
        return clip.sample_weights(np.array([clip.start]), loop=False)[:, columns]
    count = key_interval_count(clip, [track.curve.times for track in clip.morph_tracks])
    while True:
        check_rows(clip, count, len(columns), other_rows, "shorten the clip")
        if _is_good(clip, columns, count) or is_above_max_rate(clip, 2 * count):
            blocks = even_times(clip, count)
            return np.concatenate([clip.sample_weights(block, loop=False)[:, columns] for block in blocks])
        count *= 2


def _is_good(clip: Clip, columns: NDArray[np.int32], count: int) -> bool:
    """Return whether interpolation between `count` + 1 evenly spaced rows has errors within the tolerance.

    The function measures errors at the quarter points of each interval.
    """
    blocks = even_times(clip, QUARTERS * count, overlap=1)
    return all(_table_error(clip.sample_weights(block, loop=False)[:, columns]) <= TOLERANCE for block in blocks)


def _table_error(exact: NDArray[np.float32]) -> float:
    """Return the largest error of a table that contains only every fourth row of `exact`.

    The function interpolates between two rows of the table, and measures the errors at the three omitted rows between
    them.
    """
    a, b = exact[:-1:QUARTERS], exact[QUARTERS::QUARTERS]
    return max(float(np.abs(a + (b - a) * (k / QUARTERS) - exact[k::QUARTERS]).max()) for k in range(1, QUARTERS))
