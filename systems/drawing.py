"""Drawing: crowds go to the GPU, one instanced draw for each mesh and material."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.model import ModelBuffers
from ecs_anim.gl.renderer import Renderer
from ecs_anim.gl.style import View
from ecs_anim.gl.target import RenderTarget
from ecs_anim.mesh import Mesh
from ecs_anim.systems.queries import stage_of
from ecs_anim.world import World

INSTANCE_WIDTH = 12  # translation 3, scale 1, rotation 4, tint 4


class DrawWorld:
    """Draws the palettes that the last step left.

    It stands outside the stepped order: a run that keeps only its last picture steps without drawing.
    """

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._models: dict[tuple[Mesh, ...], ModelBuffers] = {}  # crowds of one rig share them

    def draw(self, world: World, target: RenderTarget) -> None:
        """One picture of the world as its stage sees it."""
        stage = stage_of(world)
        crowds = [self._crowd(*row) for _, row in world.query(Character, Transforms, Palette, Appearance)]
        self._renderer.draw(target, View.of(stage.camera, target.aspect), stage.lighting, stage.ground, crowds)

    def _crowd(
        self, character: Character, transforms: Transforms, palette: Palette, appearance: Appearance
    ) -> CrowdDraw:
        meshes = character.rig.level(character.level)
        if meshes not in self._models:
            self._models[meshes] = self._renderer.upload(meshes)
        instances = instance_rows(transforms, appearance)
        return CrowdDraw(self._models[meshes], instances, palette.matrices, appearance.shadow_radius)


def instance_rows(transforms: Transforms, appearance: Appearance) -> NDArray[np.float32]:
    """What the vertex shader reads of each actor, [actor_count, 12] f32."""
    rows = np.empty((len(transforms.scale), INSTANCE_WIDTH), np.float32)
    rows[:, 0:3] = transforms.translation
    rows[:, 3] = transforms.scale
    rows[:, 4:8] = transforms.rotation
    rows[:, 8:12] = appearance.tint
    return rows
