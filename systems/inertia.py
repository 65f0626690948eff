"""Inertial blending: at the start of a fade, the pose has an offset from the new motion. The offset decays to 0."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.inertia import Inertia
from ecs_anim.components.playback import Playback
from ecs_anim.systems.chunk import Chunk, Memory


class SettleFades:
    """Add the decaying offset of each fade to the pose of the new motion."""

    name: ClassVar[str] = "inertia"
    components: ClassVar[tuple[type, ...]] = (Character, Playback, Inertia)
    remembers: ClassVar[Memory] = "steps"

    def run(self, chunk: Chunk, character: Character, playback: Playback, inertia: Inertia) -> None:
        """Write `workspace.pose` and `inertia.state`."""
        from ecs_anim.kernels.inertia import settle_fades  # compiled at first use

        assert playback.inertial is not None
        settle_fades(
            chunk.read_all(playback.queue),
            chunk.read(playback.inertial),
            character.motions.tables.layout.rotation_width,
            chunk.dt,
            chunk.write_all(inertia.columns),
            chunk.workspace.pose,
        )
