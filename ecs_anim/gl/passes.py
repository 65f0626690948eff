"""Draws crowds and ground as numbers: ids, depths and normals in one go, by the vertex shaders of the picture."""

from collections.abc import Sequence

from ecs_anim.gl import api as gl
from ecs_anim.gl.crowd import Drawable
from ecs_anim.gl.pass_target import PassTarget
from ecs_anim.gl.program import Program
from ecs_anim.gl.resource import Resource, delete, generate
from ecs_anim.gl.skinned import SkinnedPass
from ecs_anim.gl.stream import CrowdStream
from ecs_anim.gl.surface import SurfaceBuffers


class PassDrawing(Resource):
    """Whoever has an id, and the ground, with one sample a pixel; the sky, markers and soft shadows stay out."""

    def __init__(self, stream: CrowdStream) -> None:
        self._stream = stream
        self._skinned = SkinnedPass("passes.frag", ("ACTORS",), is_shaded=False)
        self._surface = Program("surface.vert", "passes.frag")
        self._plane = Program("ground.vert", "passes.frag", ("PLANE",))
        self._vertex_array = generate("VertexArrays")  # of the plane, which has no vertices of its own

    def draw(
        self, target: PassTarget, crowds: Sequence[Drawable], surfaces: Sequence[SurfaceBuffers], *, plane: bool
    ) -> None:
        """Fill the target as the frame block says."""
        target.clear()
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        if plane:
            self._draw_plane()
        for surface in surfaces:
            self._draw_surface(surface)
        for crowd in crowds:
            if crowd.first_id:
                self._draw_crowd(crowd)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)

    def _draw_plane(self) -> None:
        self._plane.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def _draw_surface(self, surface: SurfaceBuffers) -> None:
        self._surface.use()
        if surface.surface.double_sided:
            gl.glDisable(gl.GL_CULL_FACE)
        surface.draw()
        gl.glEnable(gl.GL_CULL_FACE)

    def _draw_crowd(self, crowd: Drawable) -> None:
        for part in crowd.shown(self._stream):
            self._skinned.draw(part, first_id=crowd.first_id)

    def _release(self) -> None:
        delete("VertexArrays", self._vertex_array)
        for resource in (self._skinned, self._surface, self._plane):
            resource.free()
