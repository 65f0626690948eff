"""Sources: the positions and times at which new actors join a crowd."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import floor, isfinite
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import TALLY
from ecs_anim.ecs.columns import Kept

EARLY = 1e-6  # fraction of an actor; an actor can be due this fraction early, because times are rounded


@dataclass
class Source:
    """A source adds new actors at a rate or by a timetable. New actors wait until `area` has free space."""

    area: NDArray[np.float64]  # [corner, 2] f64, plan points [m] of a point, a line or a polygon
    times: NDArray[np.float64]  # [n] f64, [s], rising, world times at which rates change
    rates: NDArray[np.float64]  # [n] f64, [1/s], arrival rate from each of the `times` to the next
    counts: NDArray[np.float64]  # [n] f64, number of actors that arrive at each of the `times`, in addition to the rate
    most: int  # maximum number of actors that the source adds in total
    together: int = 1  # number of actors that arrive together, for arrivals at a rate
    let_in: Annotated[Kept[int], TALLY] = 0  # number of actors that the source has added so far
    level: int = 0  # number of the level in a building; then, `area` is on the unfolded plan

    def due(self, time: float) -> int:
        """Return how many actors the source must have added until the world time `time` [s]."""
        last = bisect_right(self.times, time) - 1
        if last < 0:
            return 0
        return min(self._before[last] + self._come(last, time), self.most)

    @property
    def total(self) -> int:
        """The number of actors that the source adds in total."""
        last = float(self.times[-1])
        return self.due(last) if isfinite(last) else self.most

    @cached_property
    def _before(self) -> list[int]:
        """The number of actors that the source must have added before each of the `times`.

        The list ends at the first infinite time.
        """
        ends = enumerate(self.times[1:][np.isfinite(self.times[1:])])
        return [0, *accumulate(self._come(number, end) for number, end in ends)]

    def _come(self, number: int, until: float) -> int:
        """Return the number of actors due between `times[number]` and the world time `until` [s]."""
        batches: int = floor(self.rates[number] * (until - self.times[number]) / self.together + EARLY)
        return batches * self.together + int(self.counts[number])


@dataclass
class Sources:
    """The sources of a crowd: the areas where new actors join.

    Written by: the scene loader and the system `turnover` (only `let_in`). Read by: the system `turnover`.
    """

    radius: float  # [m], radius of the free disc that each new actor needs
    sources: list[Source]
    begins_empty: bool = False  # true = the crowd has no actors before the first arrival
