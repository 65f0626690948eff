"""Skin palettes: the system that computes the palettes for the GPU."""

from typing import ClassVar

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.skinning import entry_module
from ecs_anim.systems.stages import Stage


class BuildSkinPalettes:
    """Multiply model matrices and inverse bind matrices. The products are the palettes for all meshes of the rig.

    Each product is immediately converted to the layout of the crowd's skinning method.
    """

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)
    remembers: ClassVar[Memory] = "nothing"

    def stages(self, chunk: Chunk, character: Character, palette: Palette) -> tuple[Stage, ...]:
        """Write `palette.matrices`."""
        skeleton, rows, out = character.rig.skeleton, chunk.palette_row_numbers(), palette.matrices
        if not keeps_matrices(palette.method):
            kernels = entry_module(palette.method)  # compiled at first use
            places, base, room = skeleton.bind_places, skeleton.base_entries, chunk.workspace.kept(kernels.new_room)
            bind = skeleton.skin_joints, skeleton.bind_rows, places, base
            return (Stage(kernels.write_entries, (*bind, rows, out, room)),)
        from ecs_anim.kernels.palettes import write_palettes  # compiled at first use

        joints, inverse_bind = skeleton.skin_joints, skeleton.bind_rows
        if chunk.skins_alone:
            shortest = character.motions.tables.layout.skin_traversal
            joints, inverse_bind = shortest.joints, shortest.inverse_bind
        piece = chunk.scratch("palettes", 8 * skeleton.palette_count * 12)
        return (Stage(write_palettes, (joints, inverse_bind, rows, palette.is_streamed, out, piece)),)
