"""Sources: positions and times of actors that join a crowd."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import floor
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import TALLY
from ecs_anim.ecs.columns import Kept

EARLY = 1e-6  # fraction of an actor; actors can be due early by this fraction, because times are rounded


@dataclass
class Source:
    """A source that adds actors at a rate or by a timetable. New actors wait until there is free space in `area`."""

    area: NDArray[np.float64]  # [corner, 2] f64, plan points [m]: a point, a line, or a polygon
    times: NDArray[np.float64]  # [n] f64, [s], rising, times of the world at which rates change
    rates: NDArray[np.float64]  # [n] f64, [1/s], arrival rate from each time to the next
    counts: NDArray[np.float64]  # [n] f64, additional actors at each time
    most: int  # maximum total number of actors
    together: int = 1  # number of actors that arrive together at a rate
    let_in: Annotated[Kept[int], TALLY] = 0  # number of actors so far

    def due(self, time: float) -> int:
        """Return the total number of actors that are due until `time` [s] of the world."""
        last = bisect_right(self.times, time) - 1
        if last < 0:
            return 0
        return min(self._before[last] + self._come(last, time), self.most)

    @cached_property
    def _before(self) -> list[int]:
        """The number of due actors before each of the `times`. The list ends at the first infinite time."""
        ends = enumerate(self.times[1:][np.isfinite(self.times[1:])])
        return [0, *accumulate(self._come(number, end) for number, end in ends)]

    def _come(self, number: int, until: float) -> int:
        """Return the number of actors that become due from `times[number]` until `until` [s]."""
        batches: int = floor(self.rates[number] * (until - self.times[number]) / self.together + EARLY)
        return batches * self.together + int(self.counts[number])


@dataclass
class Sources:
    """The sources of a crowd.

    Written by: the scene loader, turnover (`let_in`). Read by: turnover.
    """

    radius: float  # [m], radius of the free space that each new actor needs
    sources: list[Source]
    begins_empty: bool = False  # true = the crowd has no actors before the first arrival
