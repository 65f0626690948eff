"""Sources: where and when actors join a crowd."""

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

EARLY = 1e-6  # share of a person by which they may be due too early, as times are rounded


@dataclass
class Source:
    """Adds actors, at a rate or by a timetable, as soon as there is room for them."""

    area: NDArray[np.float64]  # [corner, 2] f64, plan points [m]: a point, a line, or a polygon
    times: NDArray[np.float64]  # [n] f64, [s] of the world, rising: from then on...
    rates: NDArray[np.float64]  # [n] f64, [1/s]: so many come...
    counts: NDArray[np.float64]  # [n] f64: besides so many at that moment
    most: int  # that ever come
    together: int = 1  # at a rate, so many come at once
    let_in: Annotated[Kept[int], TALLY] = 0  # so far

    def due(self, time: float) -> int:
        """Return how many actors must have come by a time [s] of the world."""
        last = bisect_right(self.times, time) - 1
        if last < 0:
            return 0
        return min(self._before[last] + self._come(last, time), self.most)

    @cached_property
    def _before(self) -> list[int]:
        """Return how many actors must have come before each of the times, up to one that never comes."""
        ends = enumerate(self.times[1:][np.isfinite(self.times[1:])])
        return [0, *accumulate(self._come(number, end) for number, end in ends)]

    def _come(self, number: int, until: float) -> int:
        """How many come from one of the times on until another one, before the next."""
        batches: int = floor(self.rates[number] * (until - self.times[number]) / self.together + EARLY)
        return batches * self.together + int(self.counts[number])


@dataclass
class Sources:
    """The sources of a crowd.

    Written by: the scene loader, turnover (`let_in`). Read by: turnover.
    """

    radius: float  # [m], radius of the room that each new actor takes
    sources: list[Source]
    begins_empty: bool = False  # the crowd has no actors before the first arrival
