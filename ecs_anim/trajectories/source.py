"""Sources: what every format offers, so that one index and one reader serve them all."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.budgets import excess, variable
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, OpenFile
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.rows import Label, Rows, Whole

NO_ROWS = "there are no rows in this file of trajectories"
NO_POSITIONS = "no row of this file of trajectories holds a position: every x or y is missing"
TRAJECTORIES = Kind("file of trajectories", "trajectory_bytes")


@dataclass(frozen=True)
class Layout:
    """What a file says of itself."""

    format: str  # as people call it
    counts_frames: bool  # else its ticks are times
    unit: str | None = None  # of lengths, one of `options.UNITS`
    rate: float | None = None  # ticks a second
    walls: tuple[tuple[float, str], ...] = ()  # tick from which on it holds, and WKT in the file's units
    notes: tuple[str, ...] = ()  # what was taken from names or from the format's definition
    footsteps: bool = False  # rows are steps: the end of one is the beginning of the next
    is_simulated: bool = False  # by a simulator: positions are the bodies' own, and no heads
    ids: Names | None = None  # of people, where the file's ids are texts
    levels: Names | None = None  # of floors, where the file names them
    axes: str = "x y"  # that point east and north
    pixel_metres: float = 0.0  # [m] of a pixel, by how tall people are; 0: positions are none of a picture
    likely_rate: float | None = None  # ticks a second by which velocities and positions agree


class Pieces(NamedTuple):
    """Parts of a file that are read at once, in the file's order."""

    starts: Whole  # [k], addresses: bytes, or rows
    stops: Whole  # [k]
    lines: Whole  # [k], of the first row of each, from 1


class Block(NamedTuple):
    """Some pieces of a file and what is in them."""

    pieces: Pieces
    rows: Rows
    piece: NDArray[np.intp]  # [n], of each row

    def seen(self) -> "Block":
        """Return the block without rows that hold no position."""
        seen = self.rows.seen
        return self if seen.all() else Block(self.pieces, self.rows.taken(seen), self.piece[seen])


class Source(Protocol):
    """A file of one format. It is open only while it is read; every method raises InputError of one line."""

    @property
    def layout(self) -> Layout:
        """What the file says of itself."""

    @property
    def label(self) -> Label:
        """How messages name its rows."""

    def blocks(self) -> Iterator[Block]:
        """The whole file, in its order."""

    def rows(self, pieces: Pieces) -> Iterator[Rows]:
        """What is in these pieces, a part at a time."""


def bytes_between(file: OpenFile, start: int, stop: int, path: Path) -> bytes:
    """A part of a file, again. Raises InputError where it is not there any more."""
    file.stream.seek(start)
    data = file.stream.read(stop - start)
    if len(data) != stop - start:
        raise InputError(f"{path}: it has changed since it was first read; read it again from the beginning")
    return data


def require_density(rows: int, path: Path) -> None:
    """Raises InputError for more rows than a file of its size can hold: compression makes millions of one byte."""
    size = path.stat().st_size
    if text := excess("row_density", math.ceil(rows / max(size, 1)), "write the recording again"):
        raise InputError(f"{path}: {rows:,} rows in {size:,} bytes are {text}")


def too_large(path: Path, parts: str) -> InputError:
    """Return the error for a file of which one part does not fit into memory."""
    return InputError(
        f"{path}: one of its {parts} does not fit into memory; write the file with smaller {parts},"
        f" or raise {variable('chunk_bytes')}"
    )


def said_rate(value: object, what: str) -> float | None:
    """The frame rate that a file says, if it does. Raises InputError where it is no positive number."""
    if value is None:
        return None
    try:
        rate = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        rate = 0.0
    if not 0 < rate < np.inf:
        raise InputError(f"{what} should be a positive number (got {value!r:.40})")
    return rate


def even_pieces(first: int, count: int, size: int) -> Pieces:
    """Pieces of `size` rows each of `count` rows from row `first` on, counted from 0."""
    starts = np.arange(first, first + count, size, dtype=np.int64)
    return Pieces(starts, np.minimum(starts + size, first + count), starts + 1)


def spans(pieces: Pieces) -> Iterator[tuple[int, int]]:
    """Addresses (start, stop) of neighbouring pieces together."""
    if not len(pieces.starts):
        return
    breaks = np.flatnonzero(pieces.starts[1:] != pieces.stops[:-1])
    firsts = pieces.starts[np.concatenate([[0], breaks + 1])]
    lasts = pieces.stops[np.concatenate([breaks, [len(pieces.stops) - 1]])]
    yield from zip(firsts.tolist(), lasts.tolist(), strict=True)
