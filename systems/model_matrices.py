"""Model matrices: local poses, composed along the hierarchy."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.systems.chunk import Chunk, Memory


class BuildModelMatrices:
    """Compose the workspace's local poses into model space, parents first."""

    name: ClassVar[str] = "model_matrices"
    components: ClassVar[tuple[type, ...]] = (Character,)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character) -> None:
        """Write `workspace.model`."""
        from ecs_anim.kernels.palette import model_matrices  # compiled where a crowd needs it

        layout = character.motions.tables.layout
        model_matrices(layout.traversal, chunk.actor_count, chunk.workspace.pose, chunk.workspace.model)
