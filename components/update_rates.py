"""Update rates: the component that selects the actors to pose in a step. Far actors skip steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NotNegativeColumn
from ecs_anim.ecs.columns import Column


@dataclass
class UpdateRates:
    """The actors to pose in a step. All other actors keep their palettes. The rest of their state advances.

    Written by: the scene loader, update_rates. Read by: the schedule.
    """

    pixel_error: float  # [pixel], maximum error of a limb's position in the picture
    size: float  # [rig units], size of the body
    posed: Column[np.bool_]  # [actor_count], false = the actor is new and has no palette yet
    waits: Column[np.bool_]  # [actor_count], true = the actor keeps its last palette in this step
    elapsed: NotNegativeColumn  # [actor_count] f32, [s], time from the last pose to the end of this step; 0 = new actor

    @property
    def due(self) -> NDArray[np.int32]:
        """The sorted rows [due_count] i32 of the actors to pose in this step."""
        return np.flatnonzero(~self.waits).astype(np.int32)

    def due_by_time(self, dt: float) -> list[tuple[NDArray[np.int32], float]]:
        """Return groups of due rows, each with the time [s] since the last pose of its actors.

        The time is `dt` or more.
        """
        rows, least = self.due, np.float32(dt)
        seconds = np.maximum(self.elapsed[rows], least)
        return [(rows[seconds == own], dt if own == least else float(own)) for own in np.unique(seconds)]


def new_update_rates(pixel_error: float, size: float, actor_count: int) -> UpdateRates:
    """Return the update rates of actors before their first pose."""
    posed, waits = np.zeros((2, actor_count), np.bool_)
    return UpdateRates(pixel_error, size, posed, waits, np.zeros(actor_count, np.float32))
