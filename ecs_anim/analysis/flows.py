"""People that cross a line on the plan, and the flow over the line."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.analysis.samples import LONGEST_GAP, RATE, Reals, Samples
from ecs_anim.profiling.validation.crowd_measures import FASTEST, crossings, flow

Line = tuple[tuple[float, float], tuple[float, float]]  # two points on the plan [m]


@dataclass(frozen=True)
class Crossings:
    """The crossings of one line, in the order of time. n is the number of crossings."""

    name: str
    line: Line
    times: Reals  # [n] [s]
    # [n]; right is the right side in the direction from the first point of the line to its second point
    to_right: NDArray[np.bool_]

    @property
    def length(self) -> float:
        """The length of the line [m]."""
        return float(_lengths(np.subtract(*self.line)))

    @property
    def per_second(self) -> float:
        """The mean flow in both directions [1/s], between the first crossing and the last crossing."""
        return flow(self.times, (0.0, 1.0))


def crossings_of(people: Samples, name: str, line: Line) -> Crossings:
    """Return the crossings of the line. The function assumes that people move straight from sample to sample."""
    order = np.lexsort((people.frames, people.people))
    frames, xy = people.frames[order], people.xy[order]
    steps = np.diff(frames)
    is_way = (np.diff(people.people[order]) == 0) & (steps <= LONGEST_GAP * RATE)
    is_way &= _lengths(np.diff(xy, axis=0)) <= FASTEST * steps / RATE
    ways = np.flatnonzero(is_way)
    rows, share, to_right = crossings(xy[ways], xy[ways + 1], line, most=np.inf)
    times = (frames[ways[rows]] + share * steps[ways[rows]]) / RATE
    order = np.argsort(times, kind="stable")
    return Crossings(name, line, times[order], to_right[order])


def _lengths(vectors: Reals) -> Reals:
    """Return the lengths [...] of vectors [..., 2]."""
    return np.asarray(np.sqrt(vectors[..., 0] ** 2 + vectors[..., 1] ** 2))
