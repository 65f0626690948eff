"""The look-at system: it turns chains of joints towards targets."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.look_at import Look, LookAt
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.runtime.clip_table import PoseLayout
from ecs_anim.systems.chunk import Chunk, Columns, Memory
from ecs_anim.systems.queries import weights_of
from ecs_anim.systems.stages import Stage, moves_fixed


class LookAtTargets:
    """Turn the joints of each chain towards its target. A chain is, for example, spine, neck and head."""

    name: ClassVar[str] = "look_at"
    components: ClassVar[tuple[type, ...]] = (Character, LookAt, Parameters, Transforms)
    remembers: ClassVar[Memory] = "spans"

    def stages(
        self, chunk: Chunk, character: Character, look_at: LookAt, parameters: Parameters, transforms: Transforms
    ) -> list[Stage]:
        """Write the model matrices and the gazes of the chains."""
        placement, layout = chunk.read_all(transforms.placement), character.motions.tables.layout
        return [_stage(chunk, look, weights_of(look, chunk, parameters), placement, layout) for look in look_at.looks]


def _stage(chunk: Chunk, look: Look, weight: NDArray[np.float32], placement: Columns, layout: PoseLayout) -> Stage:
    from ecs_anim.kernels import look_at as kernels  # compiled at first use

    target, gaze = chunk.read(look.target.position), chunk.write_all(look.gaze)
    looks = np.empty(chunk.actor_count, np.bool_)
    kernels.choose_lookers(weight, gaze, looks)
    arguments = look.chain, look.settings, target, placement, weight, chunk.dt, gaze
    return Stage(kernels.look_at, arguments, looks, moves_fixed(layout, look.chain.owned))
