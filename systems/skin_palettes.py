"""Skin palettes: what the GPU skins with."""

from typing import ClassVar

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.skinning import entry_kernel


class BuildSkinPalettes:
    """Multiply model matrices by inverse bind matrices, once for all meshes of the rig.

    Each matrix is brought into the layout of the crowd's skinning method while it is at hand.
    """

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, palette: Palette) -> None:
        """Write `palette.matrices`."""
        skeleton, model = character.rig.skeleton, chunk.workspace.model
        inverse_bind = skeleton.inverse_bind.reshape(-1, 12)
        out = chunk.fill(palette.matrices).reshape(chunk.actor_count, skeleton.palette_count, -1)
        if keeps_matrices(palette.method):
            from ecs_anim.kernels.palette import skin_palettes  # compiled where a crowd needs it

            skin_palettes(skeleton.skin_joints, inverse_bind, model, out)
        else:
            places, base = skeleton.bind_places, skeleton.base_entries
            entry_kernel(palette.method)(skeleton.skin_joints, inverse_bind, places, base, model, out)
