"""Locomotion: actors walk where they face."""

from typing import ClassVar

from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.kernels.locomotion import walk
from ecs_anim.systems.chunk import Chunk


class Locomote:
    """Move each actor along its heading at its clip's speed, turning back where the area ends."""

    name: ClassVar[str] = "locomotion"
    components: ClassVar[tuple[type, ...]] = (Locomotion, Playback, Transforms)

    def run(self, chunk: Chunk, locomotion: Locomotion, playback: Playback, transforms: Transforms) -> None:
        """Write `transforms.translation` and `transforms.rotation`."""
        rows = chunk.rows
        walk(
            locomotion.clip_ground_speed,
            playback.clip_index[rows],
            playback.speed[rows],
            transforms.scale[rows],
            locomotion.turn_rate[rows],
            locomotion.facing,
            *locomotion.area_center,
            locomotion.area_radius,
            chunk.dt,
            transforms.translation[rows],
            transforms.rotation[rows],
        )
