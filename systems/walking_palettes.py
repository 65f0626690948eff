"""Palettes straight from local poses of crowds that walk on flat ground."""

from typing import ClassVar

from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.movers import Movers
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.chunk import Chunk, Memory


class WalkingPalettes:
    """What poise, steps and the systems about them do."""

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Crowd, Body, Movers, Transforms, Palette)
    remembers: ClassVar[Memory] = "nothing"

    def run(
        self,
        chunk: Chunk,
        character: Character,
        crowd: Crowd,
        body: Body,
        movers: Movers,
        transforms: Transforms,
        palette: Palette,
    ) -> None:
        """Write `palette.matrices`; `workspace.model` stays."""
        from ecs_anim.kernels.walking_palettes import walking_palettes  # compiled where a crowd needs it

        skeleton, ids = character.rig.skeleton, chunk.read(crowd.ids)
        walking_palettes(
            (
                character.motions.tables.layout.traversal,
                skeleton.skin_joints,
                skeleton.inverse_bind.reshape(-1, 12),
            ),
            (body.plan, body.legs, body.spine, ids, movers.clock.now, chunk.read_all(body.columns)),
            chunk.workspace.pose,
            chunk.read_all(transforms.placement),
            (
                chunk.palette_row_numbers(),
                palette.is_streamed,
                palette.matrices.reshape(-1, skeleton.palette_count, 12),
            ),
        )
