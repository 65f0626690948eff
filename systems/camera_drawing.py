"""Drawing of pictures and label passes of a world for cameras with any lens."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.model.crowd import Drawable
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.moments import NO_MOMENT, Moment
from ecs_anim.systems.silhouettes import silhouettes
from ecs_anim.view.capture import SeenActors
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera, ViewCamera, pinhole_of
from ecs_anim.view.resampling import Resampling, resampling_of
from ecs_anim.view.silhouettes import Page
from ecs_anim.view.style import View

Size = tuple[int, int]


class _Seen(NamedTuple):
    """The passes of a picture, the crowds in the picture, and the resampling for the distortion of the lens."""

    passes: Passes
    drawn: list[Drawable]
    flat: PinholeCamera
    bent: Resampling | None  # None = the lens has no distortion


class CameraDrawer(Resource):
    """Drawer of pictures for cameras. The drawer has one renderer, and stores its render targets for later pictures."""

    def __init__(self, renderer: Renderer, drawing: DrawWorld | None = None) -> None:
        self._renderer = renderer
        self._drawing = drawing or DrawWorld(renderer)
        self._targets: dict[type, PassTarget | RenderTarget] = {}

    def colors(self, world: World, camera: ViewCamera, size: Size) -> NDArray[np.uint8]:
        """Return a picture in sRGB, [height, width, 3] u8.

        Raises InputError if OpenGL cannot draw pictures of the size `size`.
        """
        if not bends(camera):
            return self._flat_colors(world, camera, size)
        resampling = resampling_of(camera.lens.fitted(size))
        return resampling.mixed(self._flat_colors(world, replace(camera, lens=resampling.flat), resampling.flat.size))

    def passes(self, world: World, camera: ViewCamera, size: Size, moment: Moment | None = None) -> Passes:
        """Return the ids, classes, depths and normals of the world after the last step.

        If `moment` is given, the passes also contain the positions that the visible points had at `moment`. If the lens
        has distortion, a finer picture without distortion is drawn first. Each pixel of a picture with distortion gets
        the value of the nearest pixel in the finer picture. Raises the same errors as `colors`.
        """
        return self._seen(world, camera, size, moment).passes

    def passes_and_actors(
        self, world: World, camera: ViewCamera, size: Size, moment: Moment | None = None
    ) -> tuple[Passes, SeenActors]:
        """Return the passes, and the silhouette of each actor.

        A silhouette contains all pixels that the actor would cover if no other object was drawn.
        """
        seen = self._seen(world, camera, size, moment)
        flat, ids = seen.flat, seen.passes.ids

        def draw(page: Page) -> NDArray[np.uint8]:
            return self._renderer.draw_silhouettes(seen.drawn, page, flat.lens.size)

        shown = SeenActors.of(ids)
        return seen.passes, shown.with_amodal(silhouettes(world, flat, ids, shown.ids, seen.bent, draw))

    def _seen(self, world: World, camera: ViewCamera, size: Size, moment: Moment | None) -> "_Seen":
        if not bends(camera):
            return _Seen(*self._flat_passes(world, camera, size, moment), pinhole_of(camera, size), None)
        bent = resampling_of(camera.lens.fitted(size))
        flat = replace(camera, lens=bent.flat)
        passes, drawn = self._flat_passes(world, flat, bent.flat.size, moment)
        return _Seen(passes.looked_up(bent.nearest), drawn, flat, bent)

    def _flat_passes(
        self, world: World, camera: ViewCamera, size: Size, moment: Moment | None
    ) -> tuple[Passes, list[Drawable]]:
        """Return the passes of a picture without distortion, and the crowds in this picture."""
        if moment is not None:
            with self._renderer.pass_target(*size, has_past=True) as past_target:
                return self._drawn_passes(world, past_target, camera, moment)
        target = self._target(PassTarget, size, self._renderer.pass_target)
        assert isinstance(target, PassTarget)
        return self._drawn_passes(world, target, camera, NO_MOMENT)

    def _drawn_passes(
        self, world: World, target: PassTarget, camera: ViewCamera, moment: Moment
    ) -> tuple[Passes, list[Drawable]]:
        drawn = self._drawing.draw_passes(world, target, View.of(camera, target.aspect), moment)
        return target.read(), drawn

    def _flat_colors(self, world: World, camera: ViewCamera, size: Size) -> NDArray[np.uint8]:
        target = self._target(RenderTarget, size, self._renderer.target)
        assert isinstance(target, RenderTarget)
        self._drawing.draw(world, target, camera=camera)
        return target.read_pixels()

    def _target(
        self, kind: type, size: Size, make: Callable[[int, int], PassTarget | RenderTarget]
    ) -> PassTarget | RenderTarget:
        """Return the stored render target of a kind, or a new render target if the stored target has another size."""
        kept = self._targets.get(kind)
        if kept is None or (kept.width, kept.height) != size:
            if kept is not None:
                self._targets.pop(kind).free()
            self._targets[kind] = self.keep(make(*size))
        return self._targets[kind]


def bends(camera: ViewCamera) -> TypeGuard[PinholeCamera]:
    """Return whether the lens of a camera distorts straight lines."""
    return isinstance(camera, PinholeCamera) and camera.lens.is_distorted
