"""Look-at: actors turn to their targets."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.look_at import LookAt
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class LookAtTargets:
    """Turn spine, neck and head, or whatever the chains are, towards the targets."""

    name: ClassVar[str] = "look_at"
    components: ClassVar[tuple[type, ...]] = (LookAt, Parameters, Transforms)

    def run(self, chunk: Chunk, look_at: LookAt, parameters: Parameters, transforms: Transforms) -> None:
        """Write `workspace.model`, and what the gazes remember."""
        from ecs_anim.kernels import look_at as kernels  # compiled where a crowd needs it

        rows = chunk.rows
        actors = transforms.translation[rows], transforms.rotation[rows], transforms.scale[rows]
        for look in look_at.looks:
            weight = look.weight[rows]
            if look.weight_parameter >= 0:
                np.clip(parameters.value[rows, look.weight_parameter], 0, 1, out=weight)
            turn, goal = look.state.turn[rows], look.state.goal[rows]
            target = look.target.position[rows]
            kernels.look_at(
                look.chain, look.settings, target, *actors, weight, chunk.dt, turn, goal, chunk.workspace.model
            )
