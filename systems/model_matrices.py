"""Model matrices: the system that composes local poses along the joint hierarchy."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.stages import Stage


class BuildModelMatrices:
    """Compute the model matrices from the local poses in the workspace, parents before children.

    If only the skin palettes use the model matrices, the system leaves out joints without skin.
    """

    name: ClassVar[str] = "model_matrices"
    components: ClassVar[tuple[type, ...]] = (Character,)
    remembers: ClassVar[Memory] = "nothing"

    def stages(self, chunk: Chunk, character: Character) -> tuple[Stage, ...]:
        """Write the model matrices."""
        from ecs_anim.kernels.palettes import build_model_matrices  # compiled at first use

        layout = character.motions.tables.layout
        traversal = layout.skin_traversal.arrays if chunk.skins_alone else layout.traversal
        channels, begun = chunk.scratch("channels", traversal.rest.size), chunk.workspace.kept(_new_counter)
        begun[0] = 0
        return (Stage(build_model_matrices, (traversal, chunk.workspace.pose, channels, begun)),)


def _new_counter() -> NDArray[np.int32]:
    return np.empty(1, np.int32)
