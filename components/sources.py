"""Sources: where people come into a crowd, and when."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import TALLY
from ecs_anim.ecs.columns import Kept

EARLY = 1e-6  # share of a person by which they may be due too early, as times are rounded


@dataclass
class Source:
    """Lets people in, at a rate or by a timetable, as soon as there is room for them."""

    area: NDArray[np.float64]  # [corner, 2] f64, x and y of the map [m]: a point, a line, or a polygon
    times: NDArray[np.float64]  # [n] f64, [s] of the world, rising: from then on...
    rates: NDArray[np.float64]  # [n] f64, [1/s]: so many come...
    counts: NDArray[np.float64]  # [n] f64: besides so many at that moment
    most: int  # that ever come
    together: int = 1  # at a rate, so many come at once
    let_in: Annotated[Kept[int], TALLY] = 0  # so far

    def due(self, time: float) -> int:
        """How many are to have come by a time [s] of the world."""
        ends = np.append(self.times[1:], np.inf)
        went_by = np.clip(np.minimum(time, ends) - self.times, 0, None)
        batches = np.floor(self.rates * went_by / self.together + EARLY)
        come = np.sum(batches * self.together + self.counts, where=self.times <= time)
        return int(min(come, self.most))


@dataclass
class Sources:
    """The sources of a crowd.

    Written by: the scene loader, turnover (`let_in`). Read by: turnover.
    """

    radius: float  # [m] of the room that each takes who comes
    sources: list[Source]
    begins_empty: bool = False  # nobody is there before the first one comes
