"""Controller: the component with each actor's current state in the crowd's state machine."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, NotNegativeColumn
from ecs_anim.ecs.columns import Column
from ecs_anim.runtime.state_machine import StateMachine


@dataclass
class Controller:
    """The current state of each actor in the crowd's state machine.

    Written by: the scene loader and the system `control`. Read by: reports and the system `control`.
    """

    machine: StateMachine
    state: Annotated[Column[np.int32], Index("machine.state_names")]  # [actor_count] i32, index of the state
    elapsed: NotNegativeColumn  # [actor_count] f32, [s], time since the actor entered the state
