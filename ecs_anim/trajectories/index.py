"""The index of a trajectory file: people, times, bounds, and a copy of the rows for access by time."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ecs_anim.support.budgets import require
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.floors import Floor, FloorCount
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.rows import Reals, Rows, Whole
from ecs_anim.trajectories.source import NO_POSITIONS, NO_ROWS
from ecs_anim.trajectories.store import RowStore

PENDING = 1 << 13  # number of people in the waiting parts at which the parts are merged


@dataclass(frozen=True, eq=False)
class Index:
    """A copy of the rows of a trajectory file, and a summary of these rows. All numbers have the units of the file."""

    ids: Whole  # [people], ascending
    first: Reals  # [people], first tick
    last: Reals  # [people], last tick
    counts: Whole  # [people], number of rows
    low: Reals  # [2], least x and y
    high: Reals  # [2], greatest x and y
    unseen: int  # rows without a position
    floors: tuple[Floor, ...]  # floors of the building, if the rows show several
    range: tuple[float, float]  # [m], heights of almost all rows, see `FloorCount`
    rows: RowStore

    @property
    def row_count(self) -> int:
        return int(self.counts.sum())


class _People(NamedTuple):
    """The people in one part of the rows."""

    ids: Whole
    first: Reals
    last: Reals
    counts: Whole


def built_index(parts: Iterable[Rows], path: str, levels: Names | None, metres: float = 1.0) -> Index:
    """Return the index of the rows of a file.

    `levels` contains the floor names. `metres` is the length [m] of one length unit. Raises InputError for a file
    without rows, and for a file with more people than the budget allows.
    """
    store, floors, people = RowStore(path), FloorCount(metres), list[_People]()
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    waiting = known = unseen = 0
    for part in parts:
        store.add(part)
        rows = part.taken(part.seen)
        unseen += len(part.ids) - len(rows.ids)
        if not len(rows.ids):
            continue
        floors.add(rows)
        low, high = np.minimum(low, rows.xy.min(axis=0)), np.maximum(high, rows.xy.max(axis=0))
        people.append(_merged([_People(rows.ids, rows.ticks, rows.ticks, np.ones(len(rows.ids), np.int64))]))
        waiting += len(people[-1].ids)
        if waiting > max(PENDING, known):
            people = [_merged(people)]
            waiting, known = 0, len(people[0].ids)
            require("trajectory_people", known, path, "use a file with fewer people")
    if not people:
        problem = NO_POSITIONS if unseen else NO_ROWS
        raise InputError(f"{path}: {problem}")
    everyone = _merged(people)
    require("trajectory_people", len(everyone.ids), path, "use a file with fewer people")
    return Index(*everyone, low, high, unseen, floors.floors(levels), floors.low_and_high, store)


def _merged(parts: Iterable[_People]) -> _People:
    ids, first, last, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    own, row = np.unique(ids, return_inverse=True)
    merged = _People(own, np.full(len(own), np.inf), np.full(len(own), -np.inf), np.zeros(len(own), np.int64))
    np.minimum.at(merged.first, row, first)
    np.maximum.at(merged.last, row, last)
    np.add.at(merged.counts, row, counts)
    return merged
