"""Drawing of pictures and label passes of a world for cameras with any lens."""

from collections.abc import Callable, Iterator
from typing import TypeGuard

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
from ecs_anim.view.resampling import Resampling, faces_of, joined_passes
from ecs_anim.view.silhouettes import Page, Silhouettes, merged
from ecs_anim.view.style import View

Size = tuple[int, int]


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
        picture = np.zeros((size[1], size[0], 3), np.uint8)
        for number, face in enumerate(faces_of(camera.lens.fitted(size))):
            flat = self._flat_colors(world, face.camera(camera), face.flat.size, keeps_shadows=number > 0)
            face.paste(face.mixed(flat), picture)
        return picture

    def passes(self, world: World, camera: ViewCamera, size: Size, moment: Moment | None = None) -> Passes:
        """Return the ids, classes, depths and normals of the world after the last step.

        If `moment` is given, the passes also contain the positions that the visible points had at `moment`. If the lens
        bends lines, finer pictures without distortion are drawn first. Each pixel of the lens gets the value of the
        nearest pixel in a finer picture. Raises the same errors as `colors`.
        """
        if not bends(camera):
            return self._flat_passes(world, camera, size, moment)[0]
        drawn = self._faces(world, camera, size, moment)
        return joined_passes(((face, own) for face, own, _ in drawn), size)

    def passes_and_actors(
        self, world: World, camera: ViewCamera, size: Size, moment: Moment | None = None
    ) -> tuple[Passes, SeenActors]:
        """Return the passes, and the silhouette of each actor.

        A silhouette contains all pixels that the actor would cover if no other object was drawn.
        """
        if not bends(camera):
            passes, drawn = self._flat_passes(world, camera, size, moment)
            whole = self._silhouettes(world, pinhole_of(camera, size), passes, drawn, None)
        else:
            parts, windows = [], []
            for face, own, drawn in self._faces(world, camera, size, moment):
                parts.append((face, own))
                windows.append((face.corner, self._silhouettes(world, face.camera(camera), own, drawn, face)))
            passes, whole = joined_passes(parts, size), merged(windows, size)
        return passes, SeenActors.of(passes.ids).with_amodal(whole)

    def _faces(
        self, world: World, camera: PinholeCamera, size: Size, moment: Moment | None
    ) -> Iterator[tuple[Resampling, Passes, list[Drawable]]]:
        """Yield each undistorted picture of a lens: its window of the passes, and the crowds in it."""
        lens = camera.lens.fitted(size)
        for face in faces_of(lens):
            passes, drawn = self._flat_passes(world, face.camera(camera), face.flat.size, moment)
            own = passes.looked_up(face.nearest)
            yield face, own.with_ray_depths(face.sampled()) if lens.depth_along == "ray" else own, drawn

    def _silhouettes(
        self, world: World, flat: PinholeCamera, passes: Passes, drawn: list[Drawable], bent: Resampling | None
    ) -> Silhouettes:
        """Return the silhouettes in the picture that was drawn last, for the camera `flat` without distortion."""

        def draw(page: Page) -> NDArray[np.uint8]:
            return self._renderer.draw_silhouettes(drawn, page, flat.lens.size)

        return silhouettes(world, flat, passes.ids, SeenActors.of(passes.ids).ids, bent, draw)

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

    def _flat_colors(
        self, world: World, camera: ViewCamera, size: Size, *, keeps_shadows: bool = False
    ) -> NDArray[np.uint8]:
        target = self._target(RenderTarget, size, self._renderer.target)
        assert isinstance(target, RenderTarget)
        self._drawing.draw(world, target, camera=camera, keeps_shadows=keeps_shadows)
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
    """Return whether the lens of a camera bends straight lines."""
    return isinstance(camera, PinholeCamera) and not camera.lens.is_flat
