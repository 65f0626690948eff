"""The locomotion system: it moves actors in the directions of their headings with the root motion of their clips."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class Locomote:
    """Move each actor over the ground with the root motion of its clips.

    At the edge of the walking area, an actor turns back towards the centre.
    """

    name: ClassVar[str] = "locomotion"
    components: ClassVar[tuple[type, ...]] = (Locomotion, Character, Parameters, Playback, Transforms)

    def run(
        self,
        chunk: Chunk,
        locomotion: Locomotion,
        character: Character,
        parameters: Parameters,
        playback: Playback,
        transforms: Transforms,
    ) -> None:
        """Write `transforms.translation` and `transforms.rotation`."""
        from ecs_anim.kernels.locomotion import walk  # compiled at first use

        walk(
            character.motions.arrays,
            chunk.read(parameters.columns.value),
            chunk.read_all(playback.queue),
            chunk.read(locomotion.turn_rate),
            locomotion.facing,
            locomotion.area,
            chunk.dt,
            chunk.write_all(transforms.placement),
        )
