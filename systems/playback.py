"""Playback: time goes on."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.playback import Playback
from ecs_anim.kernels.playback import advance_time
from ecs_anim.systems.chunk import Chunk


class AdvancePlayback:
    """Advance each actor's clip time by its speed; looping clips wrap, others stay at their ends."""

    name: ClassVar[str] = "playback"
    components: ClassVar[tuple[type, ...]] = (Character, Playback)

    def run(self, chunk: Chunk, character: Character, playback: Playback) -> None:
        """Write `clip_time`."""
        rows = chunk.rows
        advance_time(
            character.tables.duration,
            playback.clip_loops,
            playback.clip_index[rows],
            playback.speed[rows],
            chunk.dt,
            playback.clip_time[rows],
        )
