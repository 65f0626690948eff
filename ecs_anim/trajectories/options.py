"""Reading options: what a file of trajectories may leave unsaid, and how its axes lie in the scene."""

import math
from dataclasses import dataclass

from ecs_anim.support.errors import InputError, nearest

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "ft": 0.3048, "in": 0.0254}  # metres of one
LARGEST_RATE = 1e9  # ticks a second: nanoseconds
COMPASS = {"x": (0, 1.0), "-x": (0, -1.0), "y": (1, 1.0), "-y": (1, -1.0)}  # axis of the file and its sign


@dataclass(frozen=True)
class ReadOptions:
    """What somebody says of a file. None: the file says it.

    unit     of lengths: m, cm, mm, ft, in
    rate     frames a second, or for a file of times how many of its units make a second
    columns  what the columns are: "id frame x y" in their order, - for one to skip, or by name "id=person x=px y=py"
    axes     which of the file's axes point east and north on the map: "x y", or "x -y" where y points down a picture
    """

    unit: str | None = None
    rate: float | None = None
    columns: str | None = None
    axes: str = "x y"

    def __post_init__(self) -> None:
        """Raises InputError for what is none of these."""
        if self.unit is not None and self.unit not in UNITS:
            raise InputError(f"unit:{nearest(self.unit, UNITS)} units are: {', '.join(UNITS)} (got {self.unit!r})")
        if self.rate is not None and not (math.isfinite(self.rate) and 0 < self.rate <= LARGEST_RATE):
            raise InputError(f"rate: should be frames a second, a positive number such as 25 (got {self.rate})")
        if sorted(axis.lstrip("-") for axis in self.axes.split()) != ["x", "y"] or not self._known_axes():
            raise InputError(f"axes: should be the file's axes to east and north, such as 'x -y' (got {self.axes!r})")

    def _known_axes(self) -> bool:
        return all(axis in COMPASS for axis in self.axes.split())

    @property
    def compass(self) -> tuple[tuple[int, float], tuple[int, float]]:
        """The file's axis and its sign, of what points east and of what points north."""
        east, north = self.axes.split()
        return COMPASS[east], COMPASS[north]
