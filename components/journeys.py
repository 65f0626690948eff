"""Journeys: the component that stores how far steered actors have come on their way over the waypoints."""

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
    """The journeys of steered actors. An actor starts after its premovement time. An actor can wait at waypoints.

    An actor that arrives at the last waypoint either stays there or leaves the crowd.

    Written by: the scene loader and the system `steering`. Read by: the systems `steering` and `turnover`.
    """

    is_round: bool  # true = actors walk from the last waypoint to the first; false = actors arrive at the last waypoint
    stays: bool  # true = each actor stays at the waypoint that it has chosen
    leaves: bool  # actors leave the crowd on arrival
    exit: NDArray[np.float64]  # [corner, 2] f64, plan points [m] of the exit polygon; empty = no exit
    wait: NDArray[np.float32]  # [waypoint, 2] f32, [s], minimum and maximum waiting time
    # [waypoint] f32, rising to 1, cumulative probabilities of the waypoints. An actor draws its next waypoint with
    # these probabilities; the draw excludes its current waypoint. Empty = actors do not draw waypoints.
    shares: NDArray[np.float32]
    queue: NDArray[np.float32]  # [waypoint, 2] f32, x and z [m], offset from one queue position to the next; 0 = none
    # [actor_count] i32, progress: a constant of `ecs_anim.steering.columns`
    stage: Annotated[Column[np.int32], Within(0, ARRIVED)]
    rest: NotNegativeColumn  # [actor_count] f32, [s], time until the actor starts or continues
    # [actor_count] i32, random state of the actor; changes with each draw
    chance: Annotated[Column[np.int32], Within(0, 2**31 - 1)]
    # [actor_count] i32, ticket number in the queue of the waypoint, rising in order of arrival; -1 = not in a queue
    ticket: Annotated[Column[np.int32], Within(-1, 2**31 - 1), Personal(-1)]

    @cached_property
    def columns(self) -> JourneyColumns:
        """The columns of the journeys as a record for kernels."""
        return self.bound(JourneyColumns)
