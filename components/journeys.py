"""Journeys: the stops of steering actors at waypoints, and their behaviour after arrival."""

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
    """The journeys of steering actors. Actors start after their premovement time, and can wait at waypoints.

    After arrival at the last waypoint, actors stay there or leave the crowd.

    Written by: the scene loader, steering. Read by: steering, turnover.
    """

    is_round: bool  # true = the first waypoint follows the last; false = actors arrive at the last waypoint
    stays: bool  # true = each actor stays at the waypoint that it has chosen
    leaves: bool  # actors leave the crowd on arrival
    exit: NDArray[np.float64]  # [corner, 2] f64, plan points [m] of the exit polygon; empty = no exit
    wait: NDArray[np.float32]  # [waypoint, 2] f32, [s], minimum and maximum waiting time
    # [waypoint] f32, rising to 1, cumulative probabilities of waypoints in the draw of the next waypoint; empty = no
    # draws. A draw excludes the actor's current waypoint.
    shares: NDArray[np.float32]
    queue: NDArray[np.float32]  # [waypoint, 2] f32, x and z [m], offset from one queue position to the next; 0 = none
    stage: Annotated[Column[np.int32], Within(0, ARRIVED)]  # [actor_count] i32, stage in `ecs_anim.steering.columns`
    rest: NotNegativeColumn  # [actor_count] f32, [s], time until the actor starts or walks on
    chance: Annotated[Column[np.int32], Within(0, 2**31 - 1)]  # [actor_count] i32, random state; changes with each draw
    # [actor_count] i32, ticket number in the waypoint's queue, rising in order of arrival; -1 = not in a queue
    ticket: Annotated[Column[np.int32], Within(-1, 2**31 - 1), Personal(-1)]

    @cached_property
    def columns(self) -> JourneyColumns:
        """The columns of journeys as a record for kernels."""
        return self.bound(JourneyColumns)
