"""Skin palettes: the system that computes the palettes for the GPU."""

from typing import ClassVar

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.systems.chunk import Chunk, Memory
from ecs_anim.systems.skinning import entry_module
from ecs_anim.systems.stages import Stage


class BuildSkinPalettes:
    """Multiply model matrices and inverse bind matrices. All meshes of the rig use the results.

    Each matrix is immediately converted to the layout of the crowd's skinning method.
    """

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)
    remembers: ClassVar[Memory] = "nothing"

    def stages(self, chunk: Chunk, character: Character, palette: Palette) -> tuple[Stage, ...]:
        """Write `palette.matrices`."""
        skeleton, rows, matrices = character.rig.skeleton, chunk.palette_row_numbers(), palette.matrices
        out = matrices.reshape(len(matrices), skeleton.palette_count, 4 * matrices.shape[2])
        if not keeps_matrices(palette.method):
            kernels = entry_module(palette.method)  # compiled at first use
            places, base, room = skeleton.bind_places, skeleton.base_entries, chunk.workspace.kept(kernels.new_room)
            bind = skeleton.skin_joints, skeleton.inverse_bind.reshape(-1, 12), places, base
            return (Stage(kernels.write_entries, (*bind, rows, out, room)),)
        from ecs_anim.kernels.palettes import write_palettes  # compiled at first use

        joints, inverse_bind = skeleton.skin_joints, skeleton.inverse_bind.reshape(-1, 12)
        if chunk.skins_alone:
            shortest = character.motions.tables.layout.skin_traversal
            joints, inverse_bind = shortest.joints, shortest.inverse_bind
        piece = chunk.workspace.scratch("palettes", 8 * out.shape[1] * out.shape[2])
        return (Stage(write_palettes, (joints, inverse_bind, rows, palette.is_streamed, out, piece)),)
