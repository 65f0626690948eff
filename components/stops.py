"""Stops: the component with the waiting places at the goals of a crowd, and with the next goals of waiting actors."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import TALLY, Within
from ecs_anim.ecs.columns import Kept, Lengths

HELD = np.float32(1e9)  # [s], waiting time at a goal that holds its actors


@dataclass(frozen=True)
class Transition:
    """The next goals of actors that leave one goal, and the rule that selects the next goal of each actor."""

    goals: tuple[int, ...] = ()  # numbers of the next goals; empty = the journey ends
    weights: tuple[int, ...] = ()  # consecutive actors that take each next goal
    is_least_targeted: bool = False  # true = actors take the next goal that the fewest actors have; false = in turn


@dataclass
class Stops:
    """For each goal of a crowd: the waiting places, whether actors are held, and the next goals.

    Written by: the scene loader, the systems `journeys` and `timeline`, and user code (only `held`). Read by: the
    system `journeys`.
    """

    places: tuple[NDArray[np.float32], ...]  # for each goal, x and z [n, 2] [m] of its waiting places
    can_hold: NDArray[np.bool_]  # [goal], whether scene, timeline and user code can hold actors at the goal
    transitions: tuple[Transition, ...]  # for each goal; empty = actors visit the goals in the order of the list
    # [goal] i32, 1 = actors wait at the goal until they are released
    held: Annotated[Kept[NDArray[np.int32]], Within(0, 1), Lengths()]
    # [goal] i64, number of actors that have gone from the goal to a next goal
    taken: Annotated[Kept[NDArray[np.int64]], TALLY, Lengths()]

    def waits(self, wait: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the present minimum and maximum waiting times of the goals, [goal, 2] [s].

        `wait` [goal, 2] [s] contains the waiting times of the scene. At a goal that holds its actors, both times are
        `HELD`.
        """
        found: NDArray[np.float32] = np.where(self.held[:, None] == 1, HELD, wait).astype(np.float32)
        return found
