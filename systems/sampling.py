"""Sampling: clips become local poses."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.sampling import sample_tables
from ecs_anim.systems.chunk import Chunk


class SampleClips:
    """Sample each actor's clip at its time from the uniform tables into the workspace."""

    name: ClassVar[str] = "sampling"
    components: ClassVar[tuple[type, ...]] = (Character, Playback)

    def run(self, chunk: Chunk, character: Character, playback: Playback) -> None:
        """Write `workspace.pose`."""
        tables = character.tables
        sample_tables(
            tables.rows,
            tables.first_row,
            tables.interval_count,
            tables.duration,
            tables.layout.rotation_width,
            playback.clip_index[chunk.rows],
            playback.clip_time[chunk.rows],
            chunk.workspace.pose,
        )
