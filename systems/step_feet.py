"""Steps: feet are where the body's steps are, and the clips' contacts with them."""

from typing import ClassVar

import numpy as np

from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory


class StepFeet:
    """Move pelvis and legs so that standing feet stand still, and others swing from stand to stand."""

    name: ClassVar[str] = "step_feet"
    components: ClassVar[tuple[type, ...]] = (Body, Transforms)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, body: Body, transforms: Transforms) -> None:
        """Write `workspace.model`, on flat ground."""
        from ecs_anim.kernels.step_feet import GOAL_WIDTH, step_feet  # compiled where a crowd needs it

        workspace = chunk.workspace
        goals = workspace.scratch("foot_goals", chunk.actor_count, len(body.legs.joints), GOAL_WIDTH)
        state, placement = chunk.read_all(body.columns), chunk.read_all(transforms.placement)
        step_feet(body.plan, body.legs, state, placement, goals, workspace.model)


class PinSteps:
    """Feet stand as the body's steps say, as far as the gait is what the actor plays."""

    name: ClassVar[str] = "step_contacts"
    components: ClassVar[tuple[type, ...]] = (Body, FootContacts)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, body: Body, contacts: FootContacts) -> None:
        """Write `contacts.pin`."""
        from ecs_anim.kernels.step_feet import GOAL_WIDTH, NEEDED, TOUCH

        legs = len(body.legs.joints)
        goals = chunk.workspace.scratch("foot_goals", chunk.actor_count, legs, GOAL_WIDTH)
        pin, weight = chunk.write(contacts.pin), chunk.read(body.columns.walk)[:, None, None, WEIGHT]
        planned = goals[..., [TOUCH, TOUCH + 1, NEEDED]]
        pin[:] = np.where(weight > 0, planned * weight + pin * (1 - weight), pin)  # others have no goals
