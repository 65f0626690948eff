"""Whose turn it is to be posed, where far actors are posed in every second or fourth step only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.columns import Column


@dataclass
class Turns:
    """An actor whose turn it is not keeps the palette that he has; all else of him advances as ever.

    Written by: the scene loader, turns. Read by: the schedule.
    """

    pixel_error: float  # [pixels] that a limb may be behind
    size: float  # [rig units] of the body
    posed: Column[np.bool_]  # [actor_count], false = he has just come and has no palette yet
    waits: Column[np.bool_]  # [actor_count], whose turn it is not in this step

    @property
    def rows(self) -> NDArray[np.int32]:
        """[due_count] i32, in order: whose turn it is."""
        return np.flatnonzero(~self.waits).astype(np.int32)


def new_turns(pixel_error: float, size: float, actor_count: int) -> Turns:
    """Nobody has been posed yet."""
    return Turns(pixel_error, size, np.zeros(actor_count, np.bool_), np.zeros(actor_count, np.bool_))
