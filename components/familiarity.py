"""Familiarity: the component that stores which goals each actor knows."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import Within
from ecs_anim.ecs.columns import Column

MOST_GOALS = 31  # goals of a crowd, one bit of `known` for each


@dataclass
class Familiarity:
    """The goals that each actor knows. Actors choose only among the goals that they know.

    Written by: the scene loader and the system `routing`. Read by: the systems `routing` and `congestion`.
    """

    # [actor_count] i32, bit k = the actor knows the goal k
    known: Annotated[Column[np.int32], Within(0, 2**MOST_GOALS - 1)]

    def knows(self, rows: NDArray[np.intp], goal_count: int) -> NDArray[np.bool_]:
        """Return whether the actors in `rows` [n] know each goal, [goal, n]."""
        bits = np.int32(1) << np.arange(goal_count, dtype=np.int32)
        return (self.known[rows] & bits[:, None]) != 0
