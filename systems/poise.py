"""The poise system: standing actors shift their weight and turn their heads."""

from typing import ClassVar

from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.movers import Movers
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.stages import Stage, moves_fixed


class StandAtEase:
    """Move the hips, the spine and the head of standing actors. Different actors move at different times."""

    name: ClassVar[str] = "poise"
    components: ClassVar[tuple[type, ...]] = (Character, Crowd, Body, Movers)
    remembers: ClassVar[Memory] = "nothing"

    def stages(self, chunk: Chunk, character: Character, crowd: Crowd, body: Body, movers: Movers) -> tuple[Stage, ...]:
        """Write the model matrices."""
        if not body.plan.poise:
            return ()
        from ecs_anim.kernels.poise import stand_at_ease, take_poises  # compiled at first use

        poises = chunk.scratch("poises", chunk.actor_count, 4)
        walk, legs = chunk.read_all(body.columns)[0], body.legs
        take_poises(body.plan.poise, len(legs.joints), chunk.read(crowd.ids), movers.clock.now, walk, poises)
        fixed = moves_fixed(character.motions.tables.layout, legs.pelvis, body.spine.owned)
        return (Stage(stand_at_ease, (body.plan, legs, body.spine, poises), poises[:, 3] > 0, fixed),)
