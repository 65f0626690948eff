"""Reach: chains of joints bend until their ends are where the targets are."""

from typing import ClassVar

import numpy as np

from ecs_anim.components.parameters import Parameters
from ecs_anim.components.reach import Goal, Reach
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class ReachForTargets:
    """Bend every chain towards its target, as far as limits and weights allow."""

    name: ClassVar[str] = "reach"
    components: ClassVar[tuple[type, ...]] = (Reach, Parameters, Transforms)

    def run(self, chunk: Chunk, reach: Reach, parameters: Parameters, transforms: Transforms) -> None:
        """Write `workspace.model`, and of each goal how near it came."""
        for goal in reach.goals:
            if goal.weight_parameter >= 0:
                column = parameters.value[chunk.rows, goal.weight_parameter]
                np.clip(column, 0, 1, out=goal.weight[chunk.rows])
            _reach(chunk, goal, transforms)


def _reach(chunk: Chunk, goal: Goal, transforms: Transforms) -> None:
    from ecs_anim.kernels.reach import bring_to_actors, reach  # compiled where a crowd needs it

    rows = chunk.rows
    target = np.empty((chunk.actor_count, 3), np.float32)
    tolerance = np.empty(chunk.actor_count, np.float32)
    actors = transforms.translation[rows], transforms.rotation[rows], transforms.scale[rows]
    bring_to_actors(goal.target.position[rows], *actors, goal.tolerance, target, tolerance)
    distance = goal.distance[rows]
    reach(
        goal.chain,
        goal.solver,
        target,
        goal.weight[rows],
        tolerance,
        goal.iterations,
        chunk.workspace.model,
        distance,
        goal.iterations_used[rows],
    )
    np.less_equal(distance, tolerance, out=goal.reached[rows])
    distance *= transforms.scale[rows]
