"""Reach: chains of joints bend until their ends are where the targets are."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.parameters import Parameters
from ecs_anim.components.reach import Goal, Reach
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.queries import weights_of


class ReachForTargets:
    """Bend every chain towards its target, as far as limits and weights allow."""

    name: ClassVar[str] = "reach"
    components: ClassVar[tuple[type, ...]] = (Reach, Parameters, Transforms)
    remembers: ClassVar[Memory] = "results"

    def run(self, chunk: Chunk, reach: Reach, parameters: Parameters, transforms: Transforms) -> None:
        """Write `workspace.model`, and of each goal how near it came."""
        for goal in reach.goals:
            _reach(chunk, goal, weights_of(goal, chunk, parameters), transforms)


def _reach(chunk: Chunk, goal: Goal, weight: NDArray[np.float32], transforms: Transforms) -> None:
    from ecs_anim.kernels.reach import bring_to_actors, reach  # compiled where a crowd needs it

    target = np.empty((chunk.actor_count, 3), np.float32)
    tolerance = np.empty(chunk.actor_count, np.float32)
    placement, distance = chunk.read_all(transforms.placement), chunk.write(goal.distance)
    bring_to_actors(chunk.read(goal.target.position), placement, goal.tolerance, target, tolerance)
    reach(
        goal.chain,
        goal.solver,
        target,
        weight,
        tolerance,
        goal.iterations,
        chunk.workspace.model,
        distance,
        chunk.write(goal.iterations_used),
    )
    np.less_equal(distance, tolerance, out=chunk.write(goal.reached))
    _, _, scale = placement
    distance *= scale
