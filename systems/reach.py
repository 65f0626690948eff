"""The reach system: it bends chains of joints, so that their last joints are at the targets."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.reach import Goal, Reach
from ecs_anim.components.transforms import Transforms
from ecs_anim.ik.arrays import FREE
from ecs_anim.runtime.clip_table import PoseLayout
from ecs_anim.systems.chunk import Chunk, Columns, Memory
from ecs_anim.systems.queries import weights_of
from ecs_anim.systems.stages import Stage, moves_fixed


class ReachForTargets:
    """Bend each chain towards its target, within the joint limits and the weights."""

    name: ClassVar[str] = "reach"
    components: ClassVar[tuple[type, ...]] = (Character, Reach, Parameters, Transforms)
    remembers: ClassVar[Memory] = "results"

    def stages(
        self, chunk: Chunk, character: Character, reach: Reach, parameters: Parameters, transforms: Transforms
    ) -> list[Stage]:
        """Write the model matrices. Write the distance, `reached` and the iterations of each chain."""
        placement, layout = chunk.read_all(transforms.placement), character.motions.tables.layout
        return [_stage(chunk, goal, weights_of(goal, chunk, parameters), placement, layout) for goal in reach.goals]


def _stage(chunk: Chunk, goal: Goal, weight: NDArray[np.float32], placement: Columns, layout: PoseLayout) -> Stage:
    from ecs_anim.kernels import reach as kernels  # compiled at first use

    target, tolerance = np.empty((chunk.actor_count, 3), np.float32), np.empty(chunk.actor_count, np.float32)
    kernels.bring_to_actors(chunk.read(goal.target.position), placement, goal.tolerance, target, tolerance)
    chain, (_, _, scale) = goal.chain, placement
    limited = bool((chain.kinds != FREE).any())
    room = chunk.workspace.kept(kernels.new_room, layout.skeleton.joint_count, len(chain.parents))
    results = chunk.write(goal.distance), chunk.write(goal.reached), chunk.write(goal.iterations_used)
    bends = chain, goal.solver, limited, goal.iterations, target, weight, tolerance, scale, room
    return Stage(kernels.reach, (*bends, *results), moves_fixed=moves_fixed(layout, chain.moved))
