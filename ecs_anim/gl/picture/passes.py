"""Drawing of label passes. One draw call writes ids, classes, depths and normals."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.pass_target import PassTarget
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import ACTOR_IDS_UNIT, PAST_ACTORS_UNIT, PAST_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.gl.model.crowd import CrowdDraw, Drawable
from ecs_anim.gl.model.palette_transport import batches
from ecs_anim.gl.model.skinned import SkinnedPass
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.gl.picture.past_positions import PastPositions
from ecs_anim.gl.picture.surface import SurfaceBuffers
from ecs_anim.support.errors import InputError
from ecs_anim.view.label_passes import CLASSES, shader_defines

MOST_ID = 2**32 - 1


class PassDrawing(Resource):
    """A drawing pass that writes the label passes.

    The pass draws the ground, props and all actors with ids, with one sample per pixel. The pass does not draw the sky,
    markers or contact shadows. If `has_past` is True, the pass also writes the world positions in the previous picture.
    Such positions exist only for static objects, and for crowds whose state in the previous picture is known.
    """

    def __init__(self, stream: CrowdStream, capabilities: Capabilities, *, has_past: bool = False) -> None:
        self._stream = stream
        self._ids = self.keep(TextureBuffer(gl.GL_R32UI))
        self._most_actors = capabilities.max_texture_buffer_size
        shared = (*shader_defines(), *(("PAST",) if has_past else ()))
        self._skinned = self._actors(*shared)
        self._props = self.keep(SkinnedPass("passes.frag", ("SURFACE", *shared), is_shaded=False))
        self._surface = self.keep(Program("surface.vert", "passes.frag", ("SURFACE", *shared)))
        self._plane = self.keep(Program("ground.vert", "passes.frag", ("PLANE", *shared)))
        known = ("PAST", *shader_defines())
        self._moved = self._actors(*known, "MOVED")
        self._posed_past = self._actors(*known, "POSED_PAST")
        self._past = self.keep(PastPositions(stream, self._most_actors)) if has_past else None
        # vertex array for the ground plane; the plane has no vertex buffer
        self._vertex_array = self.generate("VertexArrays")

    def draw(
        self,
        target: PassTarget,
        crowds: Sequence[Drawable],
        surfaces: Sequence[SurfaceBuffers],
        props: Sequence[Drawable] = (),
        *,
        plane: bool,
    ) -> None:
        """Draw the label passes into `target`. The camera is the camera in the uniform block `FrameBlock`."""
        target.clear()
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        if plane:
            self._draw_plane()
        for surface in surfaces:
            self._draw_surface(surface)
        for prop in props:
            for part in prop.shown(self._stream):
                self._props.draw(part, surface_class=CLASSES.index("prop"))
        for crowd in crowds:
            if crowd.ids is None:
                continue
            if self._past is not None and isinstance(crowd, CrowdDraw) and crowd.past is not None:
                self._draw_moved(self._past, crowd, crowd.ids, crowd.past)
            elif self._past is not None and (bind_past := crowd.posed_past()) is not None:
                self._draw_posed_past(crowd, crowd.ids, bind_past)
            else:
                self._draw_crowd(crowd, crowd.ids)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_CULL_FACE)

    def _actors(self, *defines: str) -> SkinnedPass:
        return self.keep(SkinnedPass("passes.frag", ("ACTORS", *defines), is_shaded=False))

    def _draw_plane(self) -> None:
        self._plane.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def _draw_surface(self, surface: SurfaceBuffers) -> None:
        self._surface.use()
        self._surface.set_int("surface_class", CLASSES.index(surface.surface.kind))
        if surface.surface.double_sided:
            gl.glDisable(gl.GL_CULL_FACE)
        surface.draw()
        gl.glEnable(gl.GL_CULL_FACE)

    def _draw_crowd(self, crowd: Drawable, ids: NDArray[np.int64]) -> None:
        self._send(ids)
        for part in crowd.shown(self._stream):
            self._skinned.draw(part, actor_ids=ACTOR_IDS_UNIT)

    def _draw_posed_past(self, crowd: Drawable, ids: NDArray[np.int64], bind_past: Callable[[], None]) -> None:
        self._send(ids)
        bind_past()
        for part in crowd.shown(self._stream):
            self._posed_past.draw(part, actor_ids=ACTOR_IDS_UNIT, past_palettes=PAST_UNIT, past_actors=PAST_ACTORS_UNIT)

    def _draw_moved(self, positions: PastPositions, crowd: CrowdDraw, ids: NDArray[np.int64], past: CrowdDraw) -> None:
        """Draw a crowd and its previous positions in batches of actors that fit into the buffer of previous positions.

        Actors that are new in this picture have no previous positions.
        """
        assert past.ids is not None
        order = np.argsort(past.ids)
        found = order[np.searchsorted(past.ids, ids, sorter=order).clip(max=len(order) - 1)] if len(order) else None
        known = np.zeros(len(ids), np.bool_) if found is None else past.ids[found] == ids
        rows = np.flatnonzero(known)
        most = min(positions.most_actors(crowd), positions.most_actors(past))
        for batch in batches(len(rows), most):
            assert found is not None
            now, then = crowd.only(rows[batch]), past.only(found[rows[batch]])
            each = positions.fill(then)
            self._send(ids[rows[batch]])
            positions.bind()
            for part in now.shown(self._stream):
                self._moved.draw(part, each, actor_ids=ACTOR_IDS_UNIT)
        if not known.all():
            others = np.flatnonzero(~known)
            self._draw_crowd(crowd.only(others), ids[others])

    def _send(self, ids: NDArray[np.int64]) -> None:
        """Upload the actor ids of a crowd for the shaders. Raise InputError for ids that the GPU cannot store."""
        if len(ids) > self._most_actors:
            raise InputError(
                f"a crowd that is drawn with actor ids must have at most {self._most_actors:,} actors with this"
                f" OpenGL (got {len(ids):,}). Lower --actors."
            )
        highest = int(ids.max(initial=0))
        if highest > MOST_ID:
            raise InputError(
                f"an actor id must be at most {MOST_ID:,} (got {highest:,}). Each new actor gets a new id, so let fewer"
                " actors arrive."
            )
        self._ids.write(ids.astype(np.uint32))
        self._ids.bind(ACTOR_IDS_UNIT)
