"""Draws crowds and ground as numbers: ids, classes, depths and normals at once, by the vertex shaders of pictures."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import TextureBuffer
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource, delete, generate
from ecs_anim.gl.device.texture import ACTOR_IDS_UNIT
from ecs_anim.gl.model.crowd import Drawable
from ecs_anim.gl.model.skinned import SkinnedPass
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.gl.picture.surface import SurfaceBuffers
from ecs_anim.support.errors import InputError
from ecs_anim.view.passes import GROUND, WALL

MOST_ID = 2**32 - 1


class PassDrawing(Resource):
    """Whoever has an id, and the ground, with one sample a pixel; the sky, markers and soft shadows stay out."""

    def __init__(self, stream: CrowdStream, capabilities: Capabilities) -> None:
        self._stream = stream
        self._ids = TextureBuffer(gl.GL_R32UI)
        self._most_actors = capabilities.max_texture_buffer_size
        self._skinned = SkinnedPass("passes.frag", ("ACTORS",), is_shaded=False)
        self._surface = Program("surface.vert", "passes.frag", ("SURFACE",))
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
            if crowd.ids is not None:
                self._draw_crowd(crowd, crowd.ids)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)

    def _draw_plane(self) -> None:
        self._plane.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def _draw_surface(self, surface: SurfaceBuffers) -> None:
        self._surface.use()
        self._surface.set_int("surface_class", WALL if surface.surface.is_wall else GROUND)
        if surface.surface.double_sided:
            gl.glDisable(gl.GL_CULL_FACE)
        surface.draw()
        gl.glEnable(gl.GL_CULL_FACE)

    def _draw_crowd(self, crowd: Drawable, ids: NDArray[np.int64]) -> None:
        self._ids.write(self._checked(ids))
        for part in crowd.shown(self._stream):
            self._ids.bind(ACTOR_IDS_UNIT)  # here, as textures that the crowd makes now unbind the unit in use
            self._skinned.draw(part, actor_ids=ACTOR_IDS_UNIT)

    def _checked(self, ids: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Ids as the GPU takes them. Raises InputError for those that it cannot."""
        if len(ids) > self._most_actors:
            raise InputError(
                f"{len(ids):,} actors of a crowd: this OpenGL draws ids of {self._most_actors:,}; lower --actors"
            )
        highest = int(ids.max(initial=0))
        if highest > MOST_ID:
            raise InputError(f"actor {highest:,}: the GPU counts ids to {MOST_ID:,}; let fewer actors come and go")
        return ids.astype(np.uint32)

    def _release(self) -> None:
        delete("VertexArrays", self._vertex_array)
        for resource in (self._ids, self._skinned, self._surface, self._plane):
            resource.free()
