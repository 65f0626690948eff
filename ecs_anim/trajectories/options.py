"""Options for reading a trajectory file, such as the unit, the frame rate and the axes."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ecs_anim.support.arguments import FARTHEST, LARGEST
from ecs_anim.support.errors import InputError, nearest

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "in": 0.0254}  # metres per unit
MULTIPLE = re.compile(r"(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9}) ?(m|cm|mm|ft|in)")  # such as '0.02 m' for a pixel
LARGEST_RATE = 1e9  # ticks per second, enough for times in nanoseconds
COMPASS = {"x": (0, 1.0), "-x": (0, -1.0), "y": (1, 1.0), "-y": (1, -1.0)}  # axis of the file and its sign


@dataclass(frozen=True)
class ReadOptions:
    """Options of the user for reading a file. If an option is None, the reader uses the value in the file.

    - `unit` is the unit of lengths, such as m, cm, mm, ft or in. For positions in pixels, the unit is the size of a
      pixel, such as "0.02 m".
    - `rate` is the number of frames per second. For a file with times, `rate` is the number of time units per second.
    - `columns` contains the roles of the columns. To list the roles in the order of the columns, write, for example,
      "id frame x y". A "-" skips a column. To assign column names to roles, write, for example, "id=person x=px y=py".
    - `axes` contains the file axes that point east and north on the plan. For example, "x y" means that x points east
      and y points north. If y points down, as in a picture, write "x -y".
    - `origin` is the point (east, north) [m] that becomes the point 0, 0. The reader shifts the positions and the walls
      of the file by this point.
    - `level` is the name or the height [m] of the floor to read. If `level` is None, the reader reads all floors.
    - `level_heights` is the distance between two floors [m], or a dictionary with the height [m] of each floor by name.
      `level_heights` replaces the heights in the file.
    """

    unit: str | None = None
    rate: float | None = None
    columns: str | None = None
    axes: str | None = None
    origin: tuple[float, float] | None = None
    level: str | None = None
    level_heights: float | Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        """Raise InputError if an option is invalid."""
        if self.unit is not None and not metres_of(self.unit):
            guess = nearest(self.unit, UNITS)
            raise InputError(
                f"unit: the value must be one of {', '.join(UNITS)}, or a multiple such as '0.02 m' (got"
                f" {self.unit!r}{guess and ';'}{guess})"
            )
        if self.rate is not None and not (math.isfinite(self.rate) and 0 < self.rate <= LARGEST_RATE):
            raise InputError(
                f"rate: the number of frames per second must be above 0 and at most {LARGEST_RATE:g} (got {self.rate})."
                " Write a number such as 25."
            )
        if self.axes is not None and not _are_axes(self.axes):
            raise InputError(
                f"axes: the option must name the axes of the file that point east and north (got {self.axes!r})."
                " Write axes such as 'x -y'."
            )
        if self.origin is not None and not (len(self.origin) == 2 and all(abs(own) <= LARGEST for own in self.origin)):
            raise InputError(
                f"origin: the origin must be two coordinates of at most {LARGEST:g} m, east and north (got"
                f" {self.origin}). Write an origin such as 356000,5620000."
            )
        if self.level_heights is not None and not _are_heights(self.level_heights):
            raise InputError(
                f"level_heights: the value must be a positive distance between two floors, or a height of at most"
                f" {FARTHEST:g} m for each floor (got {self.level_heights}). Write a distance such as 3.5."
            )


def metres_of(unit: str) -> float:
    """Return the length [m] of a unit such as 'cm' or '0.02 m'. Return 0 if the text is not a unit."""
    if unit in UNITS:
        return UNITS[unit]
    match = MULTIPLE.fullmatch(unit)
    return float(match[1]) * UNITS[match[2]] if match else 0.0


def compass_of(axes: str) -> tuple[tuple[int, float], tuple[int, float]]:
    """Return the number and the sign of the file axis that points east, then of the file axis that points north."""
    east, north = axes.split()
    return COMPASS[east], COMPASS[north]


def _are_heights(asked: float | Mapping[str, float]) -> bool:
    if isinstance(asked, Mapping):
        return bool(asked) and all(abs(height) <= FARTHEST for height in asked.values())
    return 0 < asked <= FARTHEST


def _are_axes(text: str) -> bool:
    own = text.split()
    return sorted(axis.lstrip("-") for axis in own) == ["x", "y"] and all(axis in COMPASS for axis in own)
