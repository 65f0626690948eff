"""Skinned vertices read back from the GPU, so that tests see numbers and not only pictures."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer, address
from ecs_anim.gl.device.program import Programs
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.part import Part

CAPTURED = ("world_position", "world_normal")
FLOATS = 6  # of both


class SkinReadback(Resource):
    """Runs the drawing vertex shader under transform feedback, with nothing drawn."""

    def __init__(self) -> None:
        self._programs = self.keep(Programs("skinned.vert", captured=CAPTURED))
        self._buffer = self.keep(StreamBuffer(gl.GL_TRANSFORM_FEEDBACK_BUFFER))

    def run(self, part: Part, number: int) -> NDArray[np.float32]:
        """Positions and normals [actor_count, vertex_count, 6] f32 of a part's actors, of one of its meshes."""
        if not isinstance(part.instances, Instances):
            raise TypeError("only rows that the CPU counted can be read back")
        mesh = part.model.meshes[number]
        result = np.empty((part.instances.count, mesh.mesh.vertex_count, FLOATS), np.float32)
        program = self._programs.of(mesh.variant.skinned(part.skinning).defines)
        part.bind(program, number)
        self._buffer.reserve(result.nbytes)
        gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, self._buffer.name)
        gl.glEnable(gl.GL_RASTERIZER_DISCARD)
        gl.glBeginTransformFeedback(gl.GL_POINTS)
        mesh.draw_points(part.instances)
        gl.glEndTransformFeedback()
        gl.glDisable(gl.GL_RASTERIZER_DISCARD)
        gl.glGetBufferSubData(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, result.nbytes, address(result))
        gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0)
        return result
