"""Which state of its state machine each actor is in."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import Index, NotNegativeColumn
from ecs_anim.ecs.columns import Column
from ecs_anim.runtime.state_machine import StateMachine


@dataclass
class Controller:
    """Written by: the scene loader, control. Read by: control, reports."""

    machine: StateMachine
    state: Annotated[Column[np.int32], Index("machine.state_names")]  # [actor_count] i32, into the machine's states
    elapsed: NotNegativeColumn  # [actor_count] f32, [s] since the state was entered
