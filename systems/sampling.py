"""Sampling: what actors play becomes local poses."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.sampling import sample_motions
from ecs_anim.systems.chunk import Chunk, Memory


class SampleMotions:
    """Mix all clips that each actor has in flight, from the uniform tables, into the workspace."""

    name: ClassVar[str] = "sampling"
    components: ClassVar[tuple[type, ...]] = (Character, Parameters, Playback)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, parameters: Parameters, playback: Playback) -> None:
        """Write `workspace.pose`."""
        motions, queue = character.motions, chunk.read_all(playback.queue)
        sample_motions(
            motions.tables.arrays, motions.arrays, chunk.read(parameters.columns.value), queue, chunk.workspace.pose
        )
