"""Update rates: the component that stores which actors get new poses in a step.

Actors far from the camera get new poses only in some steps.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NotNegativeColumn
from ecs_anim.ecs.columns import Column


@dataclass
class UpdateRates:
    """The actors that get new poses in the current step.

    All other actors keep their last palettes. All parts of an actor's state except the palette still change in every
    step.

    Written by: the scene loader and the system `update_rates`. Read by: the schedule.
    """

    pixel_error: float  # [pixel], maximum error of a limb's position in the picture, caused by a skipped pose
    size: float  # [rig units], size of the body
    posed: Column[np.bool_]  # [actor_count], true = the actor has a palette; false = the actor is new
    waits: Column[np.bool_]  # [actor_count], true = the actor keeps its last palette in this step
    # [actor_count] f32, [s], time from the last pose to the end of this step; 0 = the actor is new
    elapsed: NotNegativeColumn

    @property
    def due(self) -> NDArray[np.int32]:
        """The sorted rows of the actors that get new poses in this step, [due_count] i32."""
        return np.flatnonzero(~self.waits).astype(np.int32)

    def due_by_time(self, dt: float) -> list[tuple[NDArray[np.int32], float]]:
        """Return the rows of `due` in groups. All actors of a group had their last pose at the same time.

        The second value of a group is the time [s] from the last pose to the end of this step. This time is at least
        `dt`.
        """
        rows, least = self.due, np.float32(dt)
        seconds = np.maximum(self.elapsed[rows], least)
        return [(rows[seconds == own], dt if own == least else float(own)) for own in np.unique(seconds)]


def new_update_rates(pixel_error: float, size: float, actor_count: int) -> UpdateRates:
    """Return an `UpdateRates` component for `actor_count` actors that have no pose yet."""
    posed, waits = np.zeros((2, actor_count), np.bool_)
    return UpdateRates(pixel_error, size, posed, waits, np.zeros(actor_count, np.float32))
