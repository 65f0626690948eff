"""Poise: who stands shifts their weight and looks about."""

from typing import ClassVar

from ecs_anim.components.body import Body
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.movers import Movers
from ecs_anim.systems.chunk import Chunk, Memory


class StandAtEase:
    """Move hips, spine and head of those who stand, each in their own time."""

    name: ClassVar[str] = "poise"
    components: ClassVar[tuple[type, ...]] = (Crowd, Body, Movers)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, crowd: Crowd, body: Body, movers: Movers) -> None:
        """Write `workspace.model`."""
        from ecs_anim.kernels.poise import stand_at_ease  # compiled where a crowd needs it

        if body.plan.poise:
            ids, walk, now = chunk.read(crowd.ids), chunk.read(body.columns.walk), movers.clock.now
            stand_at_ease(body.plan, body.legs, body.spine, ids, now, walk, chunk.workspace.model)
