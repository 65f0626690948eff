"""Journeys: where steering actors stop on their way, and what they do after their arrival."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import NotNegativeColumn, Within
from ecs_anim.ecs.columns import Column, Personal
from ecs_anim.ecs.records import Binding
from ecs_anim.steering.columns import ARRIVED, JourneyColumns


@dataclass
class Journeys(Binding):
    """Actors set off after their premovement time, wait at waypoints, and stay at the last one, or leave the crowd.

    Written by: the scene loader, steering. Read by: steering, turnover.
    """

    is_round: bool  # after the last waypoint comes the first one; else actors have arrived there
    stays: bool  # at the waypoint that each has chosen, whatever others there are
    leaves: bool  # actors leave the crowd on arrival
    exit: NDArray[np.float64]  # [corner, 2] f64, plan points [m], of the exit polygon; or of none
    wait: NDArray[np.float32]  # [waypoint, 2] f32, [s], least and most waiting time
    # [waypoint] f32, rising to 1, cumulative probabilities of drawing each waypoint as the next one; a draw excludes
    # the actor's current waypoint; empty = no draws
    shares: NDArray[np.float32]
    queue: NDArray[np.float32]  # [waypoint, 2] f32, x and z [m] from one queue position to the next, 0 = no queue
    stage: Annotated[Column[np.int32], Within(0, ARRIVED)]  # [actor_count] i32, of `ecs_anim.steering.columns`
    rest: NotNegativeColumn  # [actor_count] f32, [s] until they set off or go on
    chance: Annotated[Column[np.int32], Within(0, 2**31 - 1)]  # [actor_count] i32, random state; each draw advances it
    # [actor_count] i32, rising in order of arrival at the queue of the waypoint, -1 = not in a queue
    ticket: Annotated[Column[np.int32], Within(-1, 2**31 - 1), Personal(-1)]

    @cached_property
    def columns(self) -> JourneyColumns:
        """How far each actor is, as kernels take it."""
        return self.bound(JourneyColumns)
