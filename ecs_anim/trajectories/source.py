"""Sources: the interface of all formats, which one index and one reader use."""

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

NO_ROWS = "there are no rows in this file of trajectories"
NO_POSITIONS = "no row of this file of trajectories holds a position: every x or y is missing"
TRAJECTORIES = Kind("file of trajectories", "trajectory_bytes")


@dataclass(frozen=True)
class Layout:
    """Facts that a file states, or that follow from its format."""

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


@dataclass(frozen=True)
class Source(ABC):
    """A file of one format. Every method raises InputError of one line; the file is open only while it is read."""

    path: Path
    layout: Layout
    counted: ClassVar[str] = "row"  # what messages count

    @property
    def label(self) -> Label:
        """The words by which messages name a row."""
        return Label(str(self.path), self.counted, self.layout.ids)

    @abstractmethod
    def rows(self) -> Iterator[Rows]:
        """Yield all rows in the order of the file, some thousands at a time."""


def require_density(rows: int, path: Path) -> None:
    """Raise InputError if a file has more rows than its size allows: compression can store millions in a byte."""
    size = path.stat().st_size
    if text := excess("row_density", math.ceil(rows / max(size, 1)), "write the recording again"):
        raise InputError(f"{path}: {rows:,} rows in {size:,} bytes are {text}")


def too_large(path: Path, parts: str) -> InputError:
    """Return the error for a file with a part that does not fit into memory."""
    return InputError(
        f"{path}: one of its {parts} does not fit into memory; write the file with smaller {parts},"
        f" or raise {variable('chunk_bytes')}"
    )


def said_rate(value: object, what: str) -> float | None:
    """Return the frame rate that a file states, or None. Raises InputError if it is no positive number."""
    if value is None:
        return None
    try:
        rate = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        rate = 0.0
    if not 0 < rate < np.inf:
        raise InputError(f"{what} should be a positive number (got {value!r:.40})")
    return rate
