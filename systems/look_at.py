"""Look-at: actors turn to their targets."""

from typing import ClassVar

from ecs_anim.components.look_at import LookAt
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.queries import weights_of


class LookAtTargets:
    """Turn spine, neck and head, or whatever the chains are, towards the targets."""

    name: ClassVar[str] = "look_at"
    components: ClassVar[tuple[type, ...]] = (LookAt, Parameters, Transforms)
    remembers: ClassVar[Memory] = "spans"

    def run(self, chunk: Chunk, look_at: LookAt, parameters: Parameters, transforms: Transforms) -> None:
        """Write `workspace.model`, and what the gazes remember."""
        from ecs_anim.kernels import look_at as kernels  # compiled where a crowd needs it

        placement, model = chunk.read_all(transforms.placement), chunk.workspace.model
        for look in look_at.looks:
            weight = weights_of(look, chunk, parameters)
            target, gaze = chunk.read(look.target.position), chunk.write_all(look.gaze)
            kernels.look_at(look.chain, look.settings, target, placement, weight, chunk.dt, gaze, model)
