"""The playback system: it advances the motions that actors play."""

from typing import Any, ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels.playback import advance_playback
from ecs_anim.systems.chunk import Chunk


class AdvancePlayback:
    """Advance the phase and the fade in each fade slot.

    When a fade is complete, remove the motions that the fade has replaced.
    """

    name: ClassVar[str] = "playback"
    components: ClassVar[tuple[type, ...]] = (Playback, Character, Parameters, Transforms)

    def run(self, chunk: Chunk, playback: Playback, *others: Any) -> None:
        """Write the columns of the playback."""
        self.skip(chunk, 1, playback, *others)

    def can_skip(self, playback: Playback, *_: object) -> bool:
        """Return whether no actor is in a fade."""
        return bool((playback.slot_count == 1).all())

    def skip(
        self,
        chunk: Chunk,
        steps: int,
        playback: Playback,
        character: Character,
        parameters: Parameters,
        transforms: Transforms,
    ) -> None:
        """Write the columns of the playback."""
        values, scale = chunk.read(parameters.columns.value), chunk.read(transforms.placement.scale)
        queue = chunk.write_all(playback.queue)
        advance_playback(character.motions.arrays, values, scale, chunk.dt, steps, queue)
