"""The sun's shadow map. Each texel of the map stores the depth of the surface that is nearest to the sun."""

from collections.abc import Sequence

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, PALETTE_UNIT, SHADOW_UNIT, TextureObject, smooth
from ecs_anim.gl.model.crowd import Drawable
from ecs_anim.gl.model.model import MeshBuffers
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.gl.picture.surface import SurfaceBuffers
from ecs_anim.view.quality import MAP_SIZE

SLOPE_OFFSET, UNIT_OFFSET = 2.0, 4.0  # depth offset, so that double-sided meshes do not cast shadows on themselves


class ShadowMap(Resource):
    """Drawing pass for the shadow map. The shadow map is a square depth image.

    For a closed mesh, the pass draws only the back faces. The lit side of the mesh is then nearer to the sun than the
    stored depth, so rounding errors cannot put the lit side in shadow. The shadow on the ground begins exactly where
    the mesh touches the ground.
    """

    def __init__(self, stream: CrowdStream) -> None:
        self._stream = stream
        self._texture: DepthTexture | None = None  # created for the first shadow map, and again when the size changes
        self._framebuffer = self.generate("Framebuffers")
        self._surface_program = self.keep(Program("shadow_surface.vert", "shadow.frag"))
        self._programs = self.keep(
            Programs("shadow.vert", "shadow.frag", palettes=PALETTE_UNIT, base_texture=IMAGE_UNIT)
        )

    def draw(self, crowds: Sequence[Drawable], surfaces: Sequence[SurfaceBuffers], size: int = MAP_SIZE) -> None:
        """Draw the shadow map, and bind the map for the shaders of the picture. The uniform block of the picture must
        already contain the view of the sun.

        `size` is the width and height of the shadow map in texels.
        """
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        texture = self._texture = self._attached(size)
        gl.glViewport(0, 0, size, size)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_DEPTH_CLAMP)  # so that objects between the sun and the near side of the map also cast shadows
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        gl.glPolygonOffset(SLOPE_OFFSET, UNIT_OFFSET)
        self._surface_program.use()
        for surface in surfaces:
            _cull(closed=not surface.surface.double_sided)
            surface.draw()
        for crowd in crowds:
            if crowd.casts_shadow:
                self._draw_crowd(crowd)
        _cull(closed=True)
        gl.glCullFace(gl.GL_BACK)
        gl.glDisable(gl.GL_DEPTH_CLAMP)
        texture.bind(SHADOW_UNIT)

    def _attached(self, size: int) -> "DepthTexture":
        """Return the depth texture of the bound framebuffer.

        If the size of the depth texture is not `size`, a new texture replaces the old texture.
        """
        if self._texture is not None:
            if self._texture.size == size:
                return self._texture
            self._texture.free()
        texture = self.keep(DepthTexture(size))
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, texture.target, texture.name, 0)
        gl.glDrawBuffer(gl.GL_NONE)
        gl.glReadBuffer(gl.GL_NONE)
        return texture

    def _draw_crowd(self, crowd: Drawable) -> None:
        for part in crowd.casting(self._stream):
            for number, mesh in enumerate(part.model.meshes):
                if not _is_all_hole(mesh):
                    self._draw_mesh(part, number)

    def _draw_mesh(self, part: Part, number: int) -> None:
        mesh = part.model.meshes[number]
        material = mesh.mesh.material
        program = self._program(mesh, part)
        program.use()
        if _has_holes(mesh):
            if mesh.texture is not None:
                mesh.texture.bind(IMAGE_UNIT)
            program.set_float("base_color", *material.base_color)
            program.set_float("alpha_cutoff", material.alpha_cutoff or 0.0)
        _cull(closed=mesh.closed, by_shader=mesh.variant.mirrors)
        part.bind(program, number)
        mesh.draw(part.instances, number)

    def _program(self, mesh: MeshBuffers, part: Part) -> Program:
        variant = mesh.variant.skinned(part.skinning, fading=part.is_fading)
        hole = "BLENDED" if variant.blended else "CUTOUT"
        key = variant.skin_defines + ((*variant.color_defines, hole) if _has_holes(mesh) else ())
        if mesh.closed and variant.mirrors:
            key = (*key, "KEEPS_BACK")
        return self._programs.of(key)


class DepthTexture(TextureObject):
    """A square depth texture for shadow comparisons in shaders. `size` [texel] is the width and height."""

    def __init__(self, size: int) -> None:
        comparison = {
            gl.GL_TEXTURE_COMPARE_MODE: gl.GL_COMPARE_REF_TO_TEXTURE,
            gl.GL_TEXTURE_COMPARE_FUNC: gl.GL_LEQUAL,
        }
        super().__init__(gl.GL_TEXTURE_2D, smooth(gl.GL_LINEAR, gl.GL_CLAMP_TO_EDGE) | comparison)
        self.size = size
        rest = 0, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, None
        gl.glTexImage2D(self.target, 0, gl.GL_DEPTH_COMPONENT24, size, size, *rest)


def _has_holes(mesh: MeshBuffers) -> bool:
    """Return whether a mesh has holes, so that sunlight can pass through the mesh."""
    return mesh.variant.blended or (mesh.variant.cutout and (mesh.texture is not None or mesh.variant.colored))


def _is_all_hole(mesh: MeshBuffers) -> bool:
    """Return whether a mesh is invisible.

    A mesh is invisible if its alpha value is constant and below the cutoff of the alpha mask.
    """
    material = mesh.mesh.material
    return not _has_holes(mesh) and material.base_color[3] < (material.alpha_cutoff or 0.0)


def _cull(*, closed: bool, by_shader: bool = False) -> None:
    """Select the sides of triangles that are drawn into the shadow map.

    For a closed mesh, only the back faces are drawn. For an open mesh, both sides are drawn, with a depth offset away
    from the sun. If `by_shader` is True, the shader of a closed mesh discards the front faces, and OpenGL culls no
    faces.
    """
    if closed:
        (gl.glDisable if by_shader else gl.glEnable)(gl.GL_CULL_FACE)
        gl.glCullFace(gl.GL_FRONT)
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)
    else:
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
