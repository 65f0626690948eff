"""The system that keeps actors on escalators and in lifts at the height of the steps or of the car."""

from typing import ClassVar

from ecs_anim.components.footing import Footing
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class StandOnSteps:
    """Move each actor on an escalator or in a lift vertically to the step or the car that carries the actor."""

    name: ClassVar[str] = "carried"
    components: ClassVar[tuple[type, ...]] = (Storeyed, Footing, Transforms)

    def run(self, chunk: Chunk, storeyed: Storeyed, footing: Footing, transforms: Transforms) -> None:
        """Write the height of `transforms.translation`."""
        if not storeyed.has_carried:
            return
        from ecs_anim.kernels.riders import stand_on_steps  # compiled at first use

        stand_on_steps(chunk.read(storeyed.carried), footing.offset, chunk.write(transforms.translation))
