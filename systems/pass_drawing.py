"""Passes of a world as a camera sees them, whatever its lens."""

from dataclasses import replace

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera, ViewCamera
from ecs_anim.view.resampling import resampling_of
from ecs_anim.view.style import View


class PassDrawer(Resource):
    """Draws passes with a renderer, and keeps what they are drawn into from frame to frame."""

    def __init__(self, renderer: Renderer, drawing: DrawWorld | None = None) -> None:
        self._renderer = renderer
        self._drawing = drawing or DrawWorld(renderer)
        self._target: PassTarget | None = None

    def draw(self, world: World, camera: ViewCamera, size: tuple[int, int]) -> Passes:
        """Ids, depths and normals in a picture of this size, as the last step left the world.

        Where the lens bends lines they are those of the nearest pixels of a finer picture without that. Raises
        InputError for a size that cannot be drawn.
        """
        if not (isinstance(camera, PinholeCamera) and camera.lens.is_distorted):
            return self._flat(world, camera, size)
        resampling = resampling_of(camera.lens.fitted(size))
        flat = self._flat(world, replace(camera, lens=resampling.flat), resampling.flat.size)
        return flat.looked_up(resampling.nearest)

    def _flat(self, world: World, camera: ViewCamera, size: tuple[int, int]) -> Passes:
        if self._target is None or (self._target.width, self._target.height) != size:
            self._release()
            self._target = self._renderer.pass_target(*size)
        self._drawing.draw_passes(world, self._target, View.of(camera, self._target.aspect))
        return self._target.read()

    def _release(self) -> None:
        if self._target is not None:
            self._target.free()
            self._target = None
