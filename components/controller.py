"""Controller: the component with each actor's current state in the crowd's state machine."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.bounds import Index, NotNegativeColumn
from ecs_anim.ecs.columns import Column
from ecs_anim.runtime.state_machine import StateMachine


@dataclass
class Controller:
    """The current state of each actor in the crowd's state machine.

    Written by: the scene loader, and the systems `control`, `listening` (only `is_heard`) and `dispatch` (only
    `changes`). Read by: reports, and the systems `control` and `dispatch`.
    """

    machine: StateMachine
    state: Annotated[Column[np.int32], Index("machine.state_names")]  # [actor_count] i32, index of the state
    elapsed: NotNegativeColumn  # [actor_count] f32, [s], time since the actor entered the state
    is_heard: bool = False  # true = the event "state_change" has a handler
    # [n, 3] i32 for each chunk of the current step: actor, state that the actor left, and state that it entered
    changes: list[NDArray[np.int32]] = field(default_factory=list)
