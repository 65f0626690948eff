"""Events of actors: the arguments of handlers that user code adds with `World.on`."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.plan import plan_from_space
from ecs_anim.roles.names import Side


@dataclass(frozen=True)
class CrowdEvent:
    """An event that happened to some actors of one crowd during one step."""

    crowd: str
    time: float  # [s], time of the world at the end of the step
    actors: NDArray[np.int32]  # [n] i32, sorted rows of the crowd at the end of the step
    ids: NDArray[np.int64]  # [n] i64, ids of these actors


@dataclass(frozen=True)
class StateChange(CrowdEvent):
    """The argument of "state_change" handlers: actors that went from one state of their state machine to another."""

    left: str  # name of the state before the step
    entered: str  # name of the state after the step


@dataclass(frozen=True)
class FootStrike(CrowdEvent):
    """The argument of "foot_strike" handlers: actors whose foot has landed on the ground."""

    foot: str  # name of the foot's joint
    side: Side  # side of the actor on which the foot is
    positions_in_space: NDArray[np.float64]  # [n, 3] f64 [m], x east, y up, z south, position of the foot on the ground

    @property
    def positions(self) -> NDArray[np.float64]:
        """The positions of the feet on the plan, [n, 2] f64 [m], x east, y north."""
        return plan_from_space(self.positions_in_space)


@dataclass(frozen=True)
class Arrival(CrowdEvent):
    """The argument of "arrival" handlers: actors that have reached a goal."""

    goal: int  # index of the goal in the scene file; -1 = the point that `go_to` gave to the actor
