"""The system for stairs: walking bodies put each foot on one tread."""

from typing import ClassVar

from ecs_anim.components.body import Body
from ecs_anim.components.movers import Movers
from ecs_anim.components.transforms import Transforms
from ecs_anim.components.treads import Treads
from ecs_anim.systems.chunk import Chunk


class StepOnTreads:
    """Move the footholds of bodies near stairs to treads, and move the roots along the slope of the stairs.

    A walking body takes one step for each tread. Therefore, the going (the horizontal depth of a tread) and the speed
    determine the cadence.
    """

    name: ClassVar[str] = "treads"
    components: ClassVar[tuple[type, ...]] = (Treads, Body, Movers, Transforms)

    def run(self, chunk: Chunk, treads: Treads, body: Body, movers: Movers, transforms: Transforms) -> None:
        """Write `body.state`, and the height of `transforms.translation`."""
        from ecs_anim.kernels.treads import step_on_treads  # compiled at first use

        placement, kind = chunk.write_all(transforms.placement), chunk.read(movers.kind)
        legs = body.legs
        step_on_treads(
            treads.arrays, body.plan.floor, legs.contacts, legs.length, kind, placement, chunk.write_all(body.columns)
        )
