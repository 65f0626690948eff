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
    remembers: ClassVar[Memory] = "steps"

    def run(self, chunk: Chunk, look_at: LookAt, parameters: Parameters, transforms: Transforms) -> None:
        """Write `workspace.model`, and what the gazes remember."""
        from ecs_anim.kernels import look_at as kernels  # compiled where a crowd needs it

        actors = tuple(chunk.read(own) for own in (transforms.translation, transforms.rotation, transforms.scale))
        for look in look_at.looks:
            weight = weights_of(look, chunk, parameters)
            turn, goal = chunk.write(look.state.turn), chunk.write(look.state.goal)
            target = chunk.read(look.target.position)
            kernels.look_at(
                look.chain, look.settings, target, *actors, weight, chunk.dt, turn, goal, chunk.workspace.model
            )
