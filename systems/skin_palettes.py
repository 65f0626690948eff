"""Skin palettes: what the GPU skins with."""

from typing import ClassVar, assert_never

from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.systems.chunk import Chunk


class BuildSkinPalettes:
    """Multiply model matrices by inverse bind matrices, once for all meshes of the rig.

    A crowd skinned with dual quaternions gets each matrix taken apart while it is at hand.
    """

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)

    def run(self, chunk: Chunk, character: Character, palette: Palette) -> None:
        """Write `palette.matrices`."""
        skeleton, model = character.rig.skeleton, chunk.workspace.model
        inverse_bind = skeleton.inverse_bind.reshape(-1, 12)
        out = chunk.fill(palette.matrices).reshape(chunk.actor_count, skeleton.palette_count, -1)
        match palette.method:
            case "linear":
                from ecs_anim.kernels.palette import skin_palettes  # compiled where a crowd needs it

                skin_palettes(skeleton.skin_joints, inverse_bind, model, out)
            case "dual_quaternion":
                from ecs_anim.kernels.dual_palette import dual_palettes  # compiled where a crowd asks for it

                places, base = skeleton.bind_places, skeleton.base_entries
                dual_palettes(skeleton.skin_joints, inverse_bind, places, base, model, out)
            case _:
                assert_never(palette.method)
