"""Skinned vertices that are read back from the GPU. Tests can then check numbers instead of pictures."""

from weakref import WeakKeyDictionary

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer, address
from ecs_anim.gl.device.program import Programs
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.part import Part
from ecs_anim.gl.picture.renderer import Renderer

CAPTURED = ("world_position", "world_normal")
FLOATS = 6  # number of floats for a position and a normal

_readbacks: WeakKeyDictionary[Renderer, "SkinReadback"] = WeakKeyDictionary()


def gpu_vertices(renderer: Renderer, crowd: CrowdDraw, mesh_index: int) -> tuple[np.ndarray, np.ndarray]:
    """Return world-space positions [m] and unit normals from the vertex shader that draws.

    Both have the shape [actor_count, vertex_count, 3] f32.
    """
    crowd.check()
    if renderer not in _readbacks:
        _readbacks[renderer] = renderer.keep(SkinReadback())
    readback = _readbacks[renderer]
    none = np.zeros((0, crowd.model.meshes[mesh_index].mesh.vertex_count, FLOATS), np.float32)
    whole = np.concatenate([none, *(readback.run(part, mesh_index) for part in crowd.shown(renderer._stream))])
    return whole[..., :3].copy(), whole[..., 3:].copy()


class SkinReadback(Resource):
    """Runner of the drawing vertex shader with transform feedback. It draws no pixels."""

    def __init__(self) -> None:
        self._programs = self.keep(Programs("skinned.vert", captured=CAPTURED))
        self._buffer = self.keep(StreamBuffer(gl.GL_TRANSFORM_FEEDBACK_BUFFER))

    def run(self, part: Part, number: int) -> np.ndarray:
        """Return positions and normals [actor_count, vertex_count, 6] f32 of one mesh for all actors of a part."""
        assert isinstance(part.instances, Instances), "only rows that the CPU counted can be read back"
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
