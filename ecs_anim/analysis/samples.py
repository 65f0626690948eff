"""Positions of people at evenly spaced times, and the area where people can walk."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from ecs_anim.trajectories import Recording, Trajectories
from ecs_anim.trajectories.even_samples import positions_and_speeds
from ecs_anim.walls.outline import outline_wkt
from ecs_anim.walls.walls import Walls

RATE = 10  # [1/s], samples per second
# [s]; a speed is the distance between the positions at the start and at the end of this time window, divided by the
# length of the window (PedPy's method)
WINDOW = 0.4
LONGEST_GAP = 1.0  # [s]; if two rows of a person are farther apart in time, the positions between them are unknown
MARGIN = 1.0  # [m]; without walls, the area is a rectangle that extends this far beyond all positions

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """Positions and speeds of people at the times k / `RATE`, ordered by time. n is the number of samples."""

    frames: NDArray[np.intp]  # [n], number k of the time, ascending
    people: NDArray[np.intp]  # [n], number of the person
    xy: Reals  # [n, 2], plan points [m]
    speeds: Reals  # [n] [m/s], mean speed over `WINDOW` around the time; NaN = the person has a single sample
    arrivals: Reals  # [people] [s], time of the first sample of each person
    departures: Reals  # [people] [s], time of the last sample of each person
    end: float  # [s], end of the run or of the recording
    ids: tuple[str, ...]  # [people], ids in the file
    area: BaseGeometry  # walkable area, on the plan [m]
    has_walls: bool  # false = the area is a rectangle around all positions

    @property
    def begin(self) -> float:
        """The time of the first sample [s]."""
        return float(self.arrivals.min())

    @property
    def departed(self) -> NDArray[np.bool_]:
        """True for each person that departs before the end, [people]."""
        return self.departures < self.end - 1 / RATE

    def at(self, frame: int) -> slice:
        """The samples at the time `frame` / `RATE`."""
        first, end = np.searchsorted(self.frames, [frame, frame + 1])
        return slice(int(first), int(end))


def samples_of(
    found: Recording, *, walls: Walls | None = None, end: float | None = None, area: str | None = None
) -> Samples:
    """Return the people of a recording at evenly spaced times, with linear interpolation between two rows of the file.

    The walkable area is the union of all outlines in the recording. `walls` or `area` (well-known text) replaces the
    outlines. `end` [s] is the end of the run. Without `end`, the recording ends at the time of its last row. If only
    one person has a row at that time, this person counts as departed, because many recordings end with the departure of
    the last person. Raises InputError if the file cannot be read.
    """
    people = found.whole()
    parts = [_of_person(people, number) for number in range(len(people.ids))]
    frames, rows, xy, speeds = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((rows, frames))
    first, last = people.starts[:-1], people.starts[1:] - 1
    low, high = people.xy.min(axis=0), people.xy.max(axis=0)
    outlines = [own.wkt for own in people.walls] if walls is None else [outline_wkt(walls, low, high)]
    outlines = outlines if area is None else [area]
    return Samples(
        frames=frames[order],
        people=rows[order],
        xy=xy[order],
        speeds=speeds[order],
        arrivals=people.times[first],
        departures=people.times[last],
        end=_end(people.times[last]) if end is None else end,
        ids=tuple(found.person(number) for number in people.ids.tolist()),
        area=shapely.union_all(shapely.from_wkt(outlines)) if outlines else shapely.box(*low - MARGIN, *high + MARGIN),
        has_walls=bool(outlines),
    )


def _end(departures: Reals) -> float:
    """Return the end [s] of a recording, from the time of the last row of each person."""
    last = float(departures.max())
    is_alone = (departures > last - 1 / RATE).sum() == 1
    return last + 2 / RATE if is_alone else last


def _of_person(people: Trajectories, number: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Reals, Reals]:
    """Return the frames [n], the number of the person [n], the points [n, 2] and the speeds [n] of one person."""
    part = slice(people.starts[number], people.starts[number + 1])
    times, xy = people.times[part], people.xy[part]
    frames = np.arange(np.ceil(times[0] * RATE), np.floor(times[-1] * RATE) + 1)
    frames = frames[_is_known(times, frames / RATE)]
    now, speeds = positions_and_speeds(times, xy, frames / RATE, WINDOW)
    return frames.astype(np.intp), np.full(len(frames), number, np.intp), now, speeds


def _is_known(times: Reals, asked: Reals) -> NDArray[np.bool_]:
    """Return whether the times `asked` [n] are times of rows, or lie between rows at most `LONGEST_GAP` apart."""
    row = np.searchsorted(times, asked, side="right") - 1
    following = np.minimum(row + 1, len(times) - 1)
    return (times[row] == asked) | (times[following] - times[row] <= LONGEST_GAP)
