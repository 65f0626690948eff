"""Update rates: who is due to be posed, where far actors are posed in every second or fourth step only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Column


@dataclass
class UpdateRates:
    """An actor who waits keeps the palette that they have; all else of them advances as ever.

    Written by: the scene loader, update_rates. Read by: the schedule.
    """

    pixel_error: float  # [pixels] that a limb may be behind
    size: float  # [rig units] of the body
    posed: Column[np.bool_]  # [actor_count], false = has just come and has no palette yet
    waits: Column[np.bool_]  # [actor_count], true = keeps the last palette in this step

    @property
    def due(self) -> NDArray[np.int32]:
        """Rows [due_count] i32 of those who are posed in this step, in order."""
        return np.flatnonzero(~self.waits).astype(np.int32)


def new_update_rates(pixel_error: float, size: float, actor_count: int) -> UpdateRates:
    """Update rates of actors of whom nobody has been posed yet."""
    return UpdateRates(pixel_error, size, np.zeros(actor_count, np.bool_), np.zeros(actor_count, np.bool_))
