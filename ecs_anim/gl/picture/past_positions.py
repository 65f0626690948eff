"""Vertex positions in the previous picture.

A vertex shader writes the previous positions into a buffer. The label passes read the buffer of previous positions.
"""

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Programs
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import PAST_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.stream import CrowdStream

FLOATS = 3  # texels per vertex
MOST_TEXELS = 1 << 24  # 64 MB; a crowd with more vertices is drawn in several batches


class PastPositions(Resource):
    """Buffer with the previous world positions of vertices, for a batch of actors."""

    def __init__(self, stream: CrowdStream, max_texels: int) -> None:
        self._stream = stream
        self._max_texels = min(max_texels, MOST_TEXELS)
        self._texels = self.keep(TextureBuffer(gl.GL_R32F))
        self._programs = self.keep(Programs("skinned.vert", captured=("world_position",)))

    def most_actors(self, crowd: CrowdDraw) -> int:
        """Return the number of actors whose vertices fit into the buffer. The result is at least 1."""
        fitting = self._max_texels // max(1, FLOATS * sum(mesh.mesh.vertex_count for mesh in crowd.model.meshes))
        return max(1, min(fitting, self._stream.most_actors(crowd.posed)))

    def fill(self, crowd: CrowdDraw) -> list[dict[str, int]]:
        """Write the vertex positions of a crowd into the buffer. The crowd can have at most `most_actors` actors.

        Return the uniforms that tell the shaders where each mesh begins in the buffer.
        """
        counts = [FLOATS * crowd.actor_count * mesh.mesh.vertex_count for mesh in crowd.model.meshes]
        starts = np.cumsum([0, *counts]).tolist()
        buffer = self._texels.buffer
        buffer.reserve(4 * starts[-1])
        gl.glEnable(gl.GL_RASTERIZER_DISCARD)
        for part in crowd.shown(self._stream):
            # for a `CrowdDraw`, the CPU knows the number of actors, so the part has no indirect draw call
            assert isinstance(part.instances, Instances)
            for number, mesh in enumerate(part.model.meshes):
                program = self._programs.of(mesh.variant.skinned(part.skinning).defines)
                part.bind(program, number)
                span = 4 * starts[number], 4 * counts[number]
                gl.glBindBufferRange(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer.name, *span)
                gl.glBeginTransformFeedback(gl.GL_POINTS)
                mesh.draw_points(part.instances)
                gl.glEndTransformFeedback()
        gl.glDisable(gl.GL_RASTERIZER_DISCARD)
        gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0)
        return [
            {"past": PAST_UNIT, "past_first": start, "past_vertices": mesh.mesh.vertex_count}
            for start, mesh in zip(starts, crowd.model.meshes, strict=False)
        ]

    def bind(self) -> None:
        """Bind the buffer for the shaders. The buffer contains the positions from the last call of `fill`."""
        self._texels.bind(PAST_UNIT)
