"""The renderer of pictures. A picture shows the ground, contact shadows, actors and the sky."""

from collections.abc import Sequence
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skinning import Method
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.pass_timer import NO_MARKS, PassMarks
from ecs_anim.gl.device.program import defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.device.texture import NOISE_UNIT, TextureCache
from ecs_anim.gl.impostors.draw import ImpostorPass
from ecs_anim.gl.model.crowd import Drawable
from ecs_anim.gl.model.frame import FrameBlock, frame_data
from ecs_anim.gl.model.lamps import LampsBlock
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.skinned import SkinnedPass
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.gl.picture.backdrop import Backdrop
from ecs_anim.gl.picture.contact import ContactShadows
from ecs_anim.gl.picture.noise import NoiseTexture
from ecs_anim.gl.picture.passes import PassDrawing
from ecs_anim.gl.picture.shadow_map import ShadowMap
from ecs_anim.gl.picture.silhouettes import SilhouetteDrawing
from ecs_anim.gl.picture.surface import SurfaceBuffers, SurfacePass
from ecs_anim.ground.surface import Surface
from ecs_anim.view.cull_view import CullView
from ecs_anim.view.quality import FINEST, Quality
from ecs_anim.view.silhouettes import Page
from ecs_anim.view.style import GroundStyle, Lighting, Shadows, View
from ecs_anim.view.sun_fit import SunFit, fit_sun

FRONT_DEPTH = 1 / 64  # fraction of the depth range for crowds that are drawn in front of all other objects


class Renderer(Resource):
    """Renderer with the shader programs and the shared buffers of one context.

    Free the renderer before you close the context. The number of GL calls depends on the number of meshes, and not on
    the number of actors. All pictures use the same buffers. `max_palette_texels` lowers OpenGL's limit on the size of
    texture buffers. `marks` receives the start of each drawing pass.
    """

    def __init__(
        self, context: Context, samples: int = 4, max_palette_texels: int | None = None, marks: PassMarks = NO_MARKS
    ) -> None:
        self.context = context
        self.samples = samples
        self._marks = marks
        limit = context.capabilities.max_texture_buffer_size
        self._textures = self.keep(TextureCache(context.capabilities))
        self._stream = self.keep(CrowdStream(min(limit, max_palette_texels or limit), marks))
        self._frame = self.keep(FrameBlock())
        self._lamps = self.keep(LampsBlock())
        self._lamp_defines: tuple[str, ...] = ()
        self._contacts = self.keep(ContactShadows(self._stream))
        self._shadow_map: ShadowMap | None = None  # created for the first picture with shadows
        self._impostors: ImpostorPass | None = None  # created when impostors are first drawn
        # key: whether the pass writes previous positions; created at first use
        self._passes: dict[bool, PassDrawing] = {}
        self._silhouettes: SilhouetteDrawing | None = None  # created when silhouettes are first drawn
        self._backdrop = self.keep(Backdrop(self._textures))
        self._skinned = self.keep(SkinnedPass("skinned.frag"))
        self._surface_pass = self.keep(SurfacePass(self._textures))
        self._noise = self.keep(NoiseTexture())

    def target(self, width: int, height: int) -> RenderTarget:
        """Return a new render target with the renderer's number of samples per pixel.

        The caller must free the target.
        """
        return RenderTarget(self.context, width, height, self.samples)

    def pass_target(self, width: int, height: int, *, has_past: bool = False) -> PassTarget:
        """Return a new render target for `draw_passes`. The caller must free the target."""
        return PassTarget(self.context, width, height, has_past=has_past)

    def upload(self, meshes: tuple[Mesh, ...], skinning: Method = "linear") -> ModelBuffers:
        """Upload meshes to the GPU. Return the model, which contains the uploaded meshes.

        When the renderer is freed, it also frees the model, unless the caller has already freed the model. All skinning
        methods can draw the model. The call also compiles the shader programs for the skinning method `skinning`, so
        that the first picture is faster.
        """
        model = self.keep(ModelBuffers(meshes, self._textures))
        for mesh in model.meshes:
            self._skinned.prepare(mesh.variant.skinned(skinning))
        return model

    def upload_surface(self, surface: Surface) -> SurfaceBuffers:
        """Upload a surface to the GPU. Return the buffers of the surface.

        When the renderer is freed, it also frees the buffers, unless the caller has already freed the buffers.
        """
        buffers = self.keep(SurfaceBuffers(surface, self._textures))
        self._surface_pass.prepare(buffers)
        return buffers

    def draw(
        self,
        target: RenderTarget,
        view: View,
        lighting: Lighting,
        ground: GroundStyle | None,
        crowds: Sequence[Drawable],
        surfaces: Sequence[SurfaceBuffers] = (),
        quality: Quality = FINEST,
        time: float = 0.0,
        *,
        keeps_shadows: bool = False,
    ) -> None:
        """Draw one picture into `target`, and compute the mean of the samples of each pixel.

        `target` defines the size and the number of samples per pixel. `time` [s] is the simulation time, which moves
        the ripples of water. If `keeps_shadows` is True, the picture has the shadow map of the previous picture, which
        must show the same moment from the same position (for the faces of a wide lens).
        """
        self._marks.begin("cull and pose")
        for crowd in crowds:
            crowd.check()
        has_map = _has_map(lighting.shadows)
        sun_fit = fit_sun(view, lighting.sun_direction, quality.map_size) if has_map else None
        _prepare(crowds, view, target.height, sun_fit)
        frame = frame_data(view, lighting, ground, sun_fit, uneven=_is_uneven(surfaces), time=time)
        self._frame.write(frame)
        if sun_fit is not None:
            self._marks.begin("shadow map")
            self._shadow_map = self._shadow_map or self.keep(ShadowMap(self._stream))
            if not keeps_shadows:
                self._shadow_map.draw(crowds, surfaces, quality.map_size)
        self._skinned.has_shadows = sun_fit is not None
        if lighting.lamps is not None:
            self._lamps.write(lighting.lamps, view)
        lamps = self._lamp_defines = defines_of(LAMPS=lighting.lamps is not None)
        for shaded in (self._skinned, self._surface_pass, self._backdrop):
            shaded.picture_defines = (*defines_of(QUICK_SHADOWS=quality.quick_shadows), *lamps)
        self._marks.begin("ground")
        target.bind()
        gl.glClear(gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        self._noise.bind(NOISE_UNIT)
        for surface in surfaces:
            self._surface_pass.draw(surface, ground or GroundStyle())
        if ground is not None and ground.plane:  # drawn last, because surfaces hide a large part of the plane
            gl.glDepthFunc(gl.GL_LESS)  # at equal depths, surfaces hide the plane
            self._backdrop.draw_ground(ground)
            gl.glDepthFunc(gl.GL_LEQUAL)
        if ground is not None and lighting.shadows != "none":
            self._marks.begin("contact shadows")
            self._contacts.draw(crowds)
        self._marks.begin("crowds")
        for crowd in crowds:
            if not crowd.in_front:
                self._draw_crowd(crowd)
        self._marks.begin("sky")
        self._backdrop.draw_sky(lighting.panorama)
        self._draw_in_front([crowd for crowd in crowds if crowd.in_front], frame)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)
        self._marks.begin("resolve")
        target.resolve()
        self._marks.end()

    def draw_passes(
        self,
        target: PassTarget,
        view: View,
        ground: GroundStyle | None,
        crowds: Sequence[Drawable],
        surfaces: Sequence[SurfaceBuffers] = (),
        props: Sequence[Drawable] = (),
    ) -> None:
        """Draw the label passes of the ground, of `props` and of all crowds with ids, up to the far plane.

        `props` are static objects without ids. If the target has the flag `has_past`, the method also draws the
        positions in the previous picture. Such positions exist only for static objects, and for crowds whose state in
        the previous picture is known.
        """
        for crowd in (*crowds, *props):
            crowd.check()
        _prepare((*crowds, *props), view, target.height, exact=True)
        frame = frame_data(view, Lighting(), ground, uneven=_is_uneven(surfaces))
        # without this, the ground would end where the fog hides it, but label passes have no fog
        frame["fog"][0, 1] = max(view.far, frame["fog"][0, 1])
        self._frame.write(frame)
        past = target.has_past
        if past not in self._passes:
            self._passes[past] = self.keep(PassDrawing(self._stream, self.context.capabilities, has_past=past))
        self._passes[past].draw(target, crowds, surfaces, props, plane=ground is not None and ground.plane)

    def draw_silhouettes(self, crowds: Sequence[Drawable], page: Page, picture: tuple[int, int]) -> NDArray[np.uint8]:
        """Draw the silhouettes of actors. Return the drawn page [height, width] u8. Row 0 is the lowest row.

        `crowds` must be the crowds of the last call of `draw_passes`. `picture` is the width and the height of the
        render target in that call, in pixels.
        """
        self._silhouettes = self._silhouettes or self.keep(SilhouetteDrawing(self._stream))
        return self._silhouettes.draw(crowds, page, picture)

    def _draw_in_front(self, crowds: Sequence[Drawable], frame: np.ndarray) -> None:
        """Draw the crowds with the flag `in_front`. Such crowds hide all other objects.

        Crowds with this flag can hide each other, and have no shadows.
        """
        if not crowds:
            return
        self._marks.begin("in front")
        frame["shadow"] = 0
        self._frame.write(frame)
        gl.glDepthRange(0.0, FRONT_DEPTH)
        for crowd in crowds:
            self._draw_crowd(crowd)
        gl.glDepthRange(0.0, 1.0)

    def _draw_crowd(self, crowd: Drawable) -> None:
        for part in crowd.shown(self._stream):
            if part.is_impostor:
                self._draw_impostors(part)
            else:
                self._skinned.draw(part)

    def _draw_impostors(self, part: Part) -> None:
        samples = min(self.samples, self.context.capabilities.max_samples)
        self._impostors = self._impostors or self.keep(ImpostorPass(samples))
        self._impostors.has_shadows = self._skinned.has_shadows
        self._impostors.picture_defines = self._lamp_defines
        self._impostors.draw(part)


def _is_uneven(surfaces: Sequence[SurfaceBuffers]) -> bool:
    return not all(buffers.surface.is_wall for buffers in surfaces)


def _prepare(
    crowds: Sequence[Drawable], view: View, height: int, sun: SunFit | None = None, *, exact: bool = False
) -> None:
    """Prepare each crowd for a picture: the crowd chooses its visible actors.

    `height` is the picture's height in pixels.
    """
    seen = CullView.of(view.view_projection, height, None if sun is None else sun.rows, exact=exact)
    for crowd in crowds:
        crowd.prepare(seen, sun)


def _has_map(shadows: Shadows) -> bool:
    match shadows:
        case "map":
            return True
        case "contact" | "none":
            return False
        case _:
            assert_never(shadows)
