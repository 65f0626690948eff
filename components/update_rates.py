"""Update rates: which actors to pose in a step, if far actors are posed in every second or fourth step only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NotNegativeColumn
from ecs_anim.ecs.columns import Column


@dataclass
class UpdateRates:
    """An actor that waits keeps its palette; all of its other state advances in each step.

    Written by: the scene loader, update_rates. Read by: the schedule.
    """

    pixel_error: float  # [pixels] that a limb may be behind
    size: float  # [rig units] of the body
    posed: Column[np.bool_]  # [actor_count], false = has just come and has no palette yet
    waits: Column[np.bool_]  # [actor_count], true = keeps the last palette in this step
    elapsed: NotNegativeColumn  # [actor_count] f32, [s] from the last pose to the end of this step; 0 = has just come

    @property
    def due(self) -> NDArray[np.int32]:
        """Rows [due_count] i32 of the actors to pose in this step, in order."""
        return np.flatnonzero(~self.waits).astype(np.int32)

    def due_by_time(self, dt: float) -> list[tuple[NDArray[np.int32], float]]:
        """Return the due rows grouped by the time [s] since their last pose: `dt`, the step's, or more."""
        rows, least = self.due, np.float32(dt)
        seconds = np.maximum(self.elapsed[rows], least)
        return [(rows[seconds == own], dt if own == least else float(own)) for own in np.unique(seconds)]


def new_update_rates(pixel_error: float, size: float, actor_count: int) -> UpdateRates:
    """Return the update rates of actors that have not been posed yet."""
    posed, waits = np.zeros((2, actor_count), np.bool_)
    return UpdateRates(pixel_error, size, posed, waits, np.zeros(actor_count, np.float32))
