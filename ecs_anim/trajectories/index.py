"""The index of a file: who is in it and when, and which piece of it holds which time."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ecs_anim.support.budgets import require
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.floors import Floor, FloorCount
from ecs_anim.trajectories.rows import Reals, Rows, Whole
from ecs_anim.trajectories.source import NO_POSITIONS, NO_ROWS, Block, Pieces, Source

PENDING = 1 << 13  # people of blocks that are put together at once


@dataclass(frozen=True, eq=False)
class Index:
    """What one pass over a file finds out, in the file's own units."""

    ids: Whole  # [people], rising
    first: Reals  # [people], ticks
    last: Reals  # [people], ticks
    counts: Whole  # [people], rows
    low: Reals  # [2], the least x and y
    high: Reals  # [2]
    pieces: Pieces  # [k]
    piece_first: Reals  # [k], the least tick of each piece; inf where it holds no row
    piece_last: Reals  # [k]
    unseen: int  # rows without a position
    floors: tuple[Floor, ...]  # of the building, where rows tell several

    @property
    def row_count(self) -> int:
        return int(self.counts.sum())

    def pieces_between(self, start: float, stop: float) -> Pieces:
        """The pieces that may hold ticks of at least `start` and less than `stop`."""
        chosen = (self.piece_first < stop) & (self.piece_last >= start)
        return Pieces(*(column[chosen] for column in self.pieces))


class _People(NamedTuple):
    """People of some blocks."""

    ids: Whole
    first: Reals
    last: Reals
    counts: Whole


def built_index(source: Source, metres: float = 1.0) -> Index:
    """Return the index of a file, whose unit has so many metres.

    Raises InputError where it holds no row, or more people than the budget allows.
    """
    parts: list[_People] = []
    pieces = [array(code) for code in "qqqdd"]  # by column; arrays that grow where they are are in memory once
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    waiting = known = unseen = 0
    floors = FloorCount(metres)
    for whole in source.blocks():
        block = whole.seen()
        unseen += len(whole.rows.ids) - len(block.rows.ids)
        for column, own in zip(pieces, (*block.pieces, *_ticks_of_pieces(block)), strict=True):
            column.frombytes(own.astype(column.typecode).tobytes())
        if not len(block.rows.ids):
            continue
        floors.add(block.rows)
        low, high = np.minimum(low, block.rows.xy.min(axis=0)), np.maximum(high, block.rows.xy.max(axis=0))
        parts.append(_people(block.rows))
        waiting += len(parts[-1].ids)
        if waiting > max(PENDING, known):
            parts = [_merged(parts)]
            waiting, known = 0, len(parts[0].ids)
            require("trajectory_people", known, source.label.path, "name a file of fewer")
    if not parts:
        raise InputError(f"{source.label.path}: {NO_POSITIONS if unseen else NO_ROWS}")
    people = _merged(parts)
    require("trajectory_people", len(people.ids), source.label.path, "name a file of fewer")
    starts, stops, lines = (np.frombuffer(column, np.int64) for column in pieces[:3])
    piece_first, piece_last = (np.frombuffer(column, np.float64) for column in pieces[3:])
    return Index(
        *people,
        low,
        high,
        Pieces(starts, stops, lines),
        piece_first,
        piece_last,
        unseen,
        floors.floors(source.layout.levels),
    )


def _ticks_of_pieces(block: Block) -> tuple[Reals, Reals]:
    """The least and the greatest tick of each piece of a block."""
    count = len(block.pieces.starts)
    first, last = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(first, block.piece, block.rows.ticks)
    np.maximum.at(last, block.piece, block.rows.ticks)
    return first, last


def _people(rows: Rows) -> _People:
    ids, row = np.unique(rows.ids, return_inverse=True)
    first, last = np.full(len(ids), np.inf), np.full(len(ids), -np.inf)
    np.minimum.at(first, row, rows.ticks)
    np.maximum.at(last, row, rows.ticks)
    return _People(ids, first, last, np.bincount(row, minlength=len(ids)))


def _merged(parts: Iterable[_People]) -> _People:
    """People of all parts, each once."""
    ids, first, last, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    own, row = np.unique(ids, return_inverse=True)
    merged_first, merged_last = np.full(len(own), np.inf), np.full(len(own), -np.inf)
    np.minimum.at(merged_first, row, first)
    np.maximum.at(merged_last, row, last)
    total = np.zeros(len(own), np.int64)
    np.add.at(total, row, counts)
    return _People(own, merged_first, merged_last, total)
