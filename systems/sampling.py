"""Sampling: what actors play becomes local poses."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.sampling import sample_motions
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.queries import in_flight


class SampleMotions:
    """Mix all clips that each actor has in flight, from the uniform tables, into the workspace."""

    name: ClassVar[str] = "sampling"
    components: ClassVar[tuple[type, ...]] = (Character, Parameters, Playback)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, parameters: Parameters, playback: Playback) -> None:
        """Write `workspace.pose`."""
        tables = character.motions.tables
        sample_motions(
            tables.rows,
            tables.first_row,
            tables.interval_count,
            tables.layout.rotation_width,
            character.motions.arrays,
            chunk.read(parameters.value),
            *in_flight(playback, chunk),
            chunk.workspace.pose,
        )
