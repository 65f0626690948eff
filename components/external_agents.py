"""ExternalAgents: the component of crowds whose actors are external agents, such as robots."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from ecs_anim.ecs.bounds import NumberColumn, Within
from ecs_anim.ecs.columns import Column
from ecs_anim.external.footprint import Footprint
from ecs_anim.external.records import DRIVES, Contacts, no_contacts


@dataclass
class ExternalAgents:
    """The footprint, the commands and the state of external agents. All coordinates are on the plan.

    A command of the kind "velocity" is x and y [m/s] and the turn rate [rad/s]. A command of the kind "unicycle" is the
    speed [m/s] and the turn rate [rad/s]. A command of the kind "pose" is x and y [m] and the heading [rad].

    Written by: the scene loader, the system `external_agents`, and user code (only commands). Read by: the systems
    `external_agents` and `steering`.
    """

    footprint: Footprint
    slides: bool  # whether agents slide along obstacles; otherwise, agents stop in front of obstacles
    avoided: bool  # whether steered actors avoid the agents
    height: float  # [m], distance of the translations above the ground
    facing: float  # [rad] about +Y from +Z, forward direction of the unrotated rig
    drive: Annotated[Column[np.int32], Within(0, len(DRIVES) - 1)]  # [actor_count] i32, kind of the command
    command: NumberColumn  # [actor_count, 3] f32
    velocity: NumberColumn  # [actor_count, 3] f32, of the last step: x and y [m/s], turn rate [rad/s]
    heading: NumberColumn  # [actor_count] f32, [rad]
    contacts: Contacts = field(default_factory=no_contacts)  # at the end of the last step
