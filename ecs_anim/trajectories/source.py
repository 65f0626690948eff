"""The interface `Source`, through which the index and the reader use files of all formats."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ecs_anim.support.budgets import excess, variable
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind
from ecs_anim.trajectories.names import Names
from ecs_anim.trajectories.rows import Label, Rows

NO_ROWS = "a file of trajectories must contain rows"
NO_POSITIONS = "a file of trajectories must contain at least one row with a position (each row lacks x or y)"
TRAJECTORIES = Kind("file of trajectories", "trajectory_bytes")


@dataclass(frozen=True)
class Layout:
    """Facts that a file states, or that follow from the format of the file."""

    format: str  # common name of the format
    counts_frames: bool  # whether ticks are frames; otherwise ticks are times
    unit: str | None = None  # unit of lengths, one of `options.UNITS`
    rate: float | None = None  # ticks per second
    walls: tuple[tuple[float, str], ...] = ()  # first tick of validity, and WKT in the file's units
    notes: tuple[str, ...] = ()  # facts from names or from the format's definition
    footsteps: bool = False  # whether rows are footsteps: the end of one is the start of the next
    is_simulated: bool = False  # whether a simulator wrote the file: positions are bodies, not heads
    ids: Names | None = None  # names of people, if the file's ids are texts
    levels: Names | None = None  # names of floors, if the file has them
    axes: str = "x y"  # axes that point east and north
    pixel_metres: float = 0.0  # [m] per pixel, from the height of people; 0 = positions are not in a picture
    likely_rate: float | None = None  # ticks per second at which velocities and positions agree


@dataclass(frozen=True)
class Source(ABC):
    """A file of one format. Every method raises InputError for invalid files. The file is open only during reading."""

    path: Path
    layout: Layout
    counted: ClassVar[str] = "row"  # word for a row in messages

    @property
    def label(self) -> Label:
        """Return the words that identify a row in messages."""
        return Label(str(self.path), self.counted, self.layout.ids)

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """Yield all rows in the order of the file. Each yielded item contains thousands of rows."""


def require_density(rows: int, path: Path) -> None:
    """Raise InputError if a file has too many rows for its size.

    A small compressed file can contain millions of rows per byte, and these rows could fill the memory.
    """
    size = path.stat().st_size
    if limit_message := excess("row_density", math.ceil(rows / max(size, 1)), "write the recording again"):
        raise InputError(f"{path}: {rows:,} rows in a file of {size:,} bytes are too many: {limit_message}")


def too_large(path: Path, parts: str) -> InputError:
    """Return the error for a file whose `parts`, such as row groups, do not fit into memory."""
    return InputError(
        f"{path}: one of the {parts} of the file does not fit into memory. Write the file with smaller {parts}, or"
        f" raise {variable('chunk_bytes')}."
    )


def said_rate(value: object, name: str) -> float | None:
    """Return the value `value` from a file as a frame rate, or None if the file states no frame rate.

    Raises InputError if the rate is not a positive number.
    """
    if value is None:
        return None
    try:
        rate = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        rate = 0.0
    if not 0 < rate < np.inf:
        raise InputError(f"{name} must be a finite number above 0 (got {value!r:.40})")
    return rate
