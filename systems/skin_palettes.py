"""Skin palettes: what the GPU skins with."""

from typing import ClassVar

from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.kernels.palette import skin_palettes
from ecs_anim.systems.chunk import Chunk


class BuildSkinPalettes:
    """Multiply model matrices by inverse bind matrices, once for all meshes of the rig."""

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)

    def run(self, chunk: Chunk, character: Character, palette: Palette) -> None:
        """Write `palette.matrices`."""
        skeleton = character.rig.skeleton
        out = palette.matrices[chunk.rows]
        skin_palettes(
            skeleton.skin_joints,
            skeleton.inverse_bind.reshape(-1, 12),
            chunk.workspace.model,
            out.reshape(chunk.actor_count, -1, 12),
        )
