"""The system for footsteps: it moves the feet of a body along the planned footsteps."""

from typing import ClassVar

from ecs_anim.body.state import WEIGHT
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.stages import Stage, moves_fixed


class StepFeet:
    """Move the pelvis and the legs. Standing feet do not move, and all other feet swing from footstep to footstep."""

    name: ClassVar[str] = "step_feet"
    components: ClassVar[tuple[type, ...]] = (Character, Body, Transforms)
    remembers: ClassVar[Memory] = "nothing"

    def stages(self, chunk: Chunk, character: Character, body: Body, transforms: Transforms) -> tuple[Stage, ...]:
        """Write the model matrices of the legs for flat ground."""
        from ecs_anim.kernels.foot_goals import goals_size
        from ecs_anim.kernels.step_feet import step_feet  # compiled at first use

        legs, state, placement = body.legs, chunk.read_all(body.columns), chunk.read_all(transforms.placement)
        goals = chunk.scratch("foot_goals", goals_size(len(legs.joints)))
        asked = chunk.scratch("asked_feet", chunk.actor_count, len(legs.joints), 3)
        fixed = moves_fixed(character.motions.tables.layout, legs.pelvis, legs.owned)
        walks = state[0][:, WEIGHT] > 0
        return (Stage(step_feet, (body.plan, legs, state, placement, goals, asked), walks, fixed),)
