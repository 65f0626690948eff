"""Locomotion: actors walk where they face."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk


class Locomote:
    """Move each actor over the ground as what it plays says, turning back where the area ends."""

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
        from ecs_anim.kernels.locomotion import walk  # compiled where a crowd needs it

        walk(
            character.motions.arrays,
            chunk.read(parameters.value),
            chunk.read(transforms.scale),
            chunk.read(playback.slot_count),
            chunk.read(playback.motion),
            chunk.read(playback.phase),
            chunk.read(playback.speed),
            chunk.read(playback.fade_time),
            chunk.read(playback.fade_duration),
            chunk.read(locomotion.turn_rate),
            locomotion.facing,
            *locomotion.area_center,
            locomotion.area_radius,
            chunk.dt,
            chunk.write(transforms.translation),
            chunk.write(transforms.rotation),
        )
