"""Palettes straight from local poses, where nobody needs the model matrices in between."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ecs_anim.assets.skinning import keeps_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.kernels.pose_palettes import pose_palettes
from ecs_anim.systems.chunk import Chunk, ChunkSystem, Memory
from ecs_anim.systems.model_matrices import BuildModelMatrices
from ecs_anim.systems.skin_palettes import BuildSkinPalettes

Bound = tuple[ChunkSystem, tuple[Any, ...]]  # a system and the components that it gets


class BuildPosePalettes:
    """What `BuildModelMatrices` and `BuildSkinPalettes` do, joints that carry no skin left out."""

    name: ClassVar[str] = "skin_palettes"
    components: ClassVar[tuple[type, ...]] = (Character, Palette)
    remembers: ClassVar[Memory] = "nothing"

    def run(self, chunk: Chunk, character: Character, palette: Palette) -> None:
        """Write `palette.matrices`; `workspace.model` stays as it was."""
        layout = character.motions.tables.layout
        traversal, skeleton = layout.skin_traversal, layout.skeleton
        pose_palettes(
            traversal.arrays,
            traversal.joints,
            traversal.inverse_bind,
            skeleton.joint_count,
            chunk.workspace.pose,
            chunk.palette_row_numbers(),
            palette.is_streamed,
            palette.matrices.reshape(-1, skeleton.palette_count, 12),
        )


FUSED = BuildPosePalettes()


def fuse(systems: Sequence[Bound]) -> list[Bound]:
    """A crowd's systems, the last two as one where they are model matrices and palettes of matrices.

    A system between them reads model matrices, one behind them might.
    """
    matrices, palettes = [system for system, _ in systems[-2:]] if len(systems) > 1 else (None, None)
    if not (isinstance(matrices, BuildModelMatrices) and isinstance(palettes, BuildSkinPalettes)):
        return list(systems)
    components = systems[-1][1]
    return [*systems[:-2], (FUSED, components)] if keeps_matrices(components[1].method) else list(systems)
