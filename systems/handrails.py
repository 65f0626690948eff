"""The system that puts hands on the handrails of stairs, ramps and escalators."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.handrails import HandRails
from ecs_anim.components.reach import Reach
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk

SECONDS = 0.4  # [s], time in which a hand moves to a handrail, or back to the body


class HoldHandrails:
    """Move a hand of each actor that uses handrails to the handrail beside it.

    The hand glides along the handrail with the body. An actor holds only one handrail, and only with the hand beside
    this handrail.
    """

    name: ClassVar[str] = "handrails"
    components: ClassVar[tuple[type, ...]] = (HandRails, Reach, Storeyed, Transforms)

    def run(self, chunk: Chunk, own: HandRails, reach: Reach, storeyed: Storeyed, transforms: Transforms) -> None:
        """Write `flight` and `grip`. Write the weights and the targets of both arms."""
        from ecs_anim.kernels.handrails import hold_handrails  # compiled at first use

        number = chunk.read(storeyed.space) - np.int32(own.rails.first)
        is_on = (number >= 0) & (number < own.rails.flights) & chunk.read(own.holds)  # lifts have no handrails
        hands = [
            (chunk.write(goal.weight), chunk.write(goal.target.position))
            for goal in (reach.goals[i] for i in own.goals)
        ]
        placement, state = chunk.read_all(transforms.placement), (chunk.write(own.flight), chunk.write(own.grip))
        on = np.where(is_on, number, np.int32(-1))
        hold_handrails(on, own.rails, own.arms, placement, chunk.dt / SECONDS, *state, *hands)
