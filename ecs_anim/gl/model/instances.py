"""The actors of a draw call. Each actor is an `INSTANCE` row in a buffer.

The vertex shader reads the rows as attributes.
"""

import ctypes
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer, StreamBuffer
from ecs_anim.gl.device.resource import Resource
from ecs_anim.view.instances import INSTANCE

LOCATION = 5  # first attribute location in shaders/instance.glsl
COMMAND_BYTES = 20  # size of a DrawElementsIndirectCommand


@dataclass(frozen=True)
class Instances:
    """The actors of a draw call, as consecutive `INSTANCE` rows in a buffer."""

    buffer: StreamBuffer
    count: int
    first: int = 0

    def draw_triangles(self, vertex_array: "InstancedArray", index_count: int, number: int) -> None:
        """Draw all triangles of a mesh for each actor, with one GL call.

        `number` is the index of the mesh in its model.
        """
        vertex_array.bind(self.buffer, self.first)
        gl.glDrawElementsInstanced(gl.GL_TRIANGLES, index_count, gl.GL_UNSIGNED_INT, None, self.count)

    def draw_quad(self, quad: "InstancedQuad", number: int) -> None:
        """Draw a quad, which is a strip of four vertices, for each actor.

        `number` is the number of meshes in the model.
        """
        quad.bind(self.buffer, self.first)
        gl.glDrawArraysInstanced(gl.GL_TRIANGLE_STRIP, 0, 4, self.count)

    def draw_points(self, vertex_array: "InstancedArray", vertex_count: int) -> None:
        """Process all vertices of a mesh as points, actor by actor.

        Transform feedback needs this order: all vertices of one actor are next to each other in the record.
        """
        vertex_array.bind(self.buffer, self.first)
        gl.glDrawArraysInstanced(gl.GL_POINTS, 0, vertex_count, self.count)


@dataclass(frozen=True)
class IndirectInstances:
    """The actors of an indirect draw call (OpenGL 4.3). The GPU writes the `INSTANCE` rows and the draw commands.

    The CPU does not know the number of actors. Each mesh of the model has one draw command. The last draw command of
    the model draws a quad with four indices.
    """

    buffer: StreamBuffer
    commands: int  # GL name of a buffer with DrawElementsIndirectCommands; each command contains its first row
    first_command: int

    def draw_triangles(self, vertex_array: "InstancedArray", index_count: int, number: int) -> None:
        """Draw the mesh with the index `number`. The draw command of this mesh contains the number of actors."""
        self._draw(vertex_array, gl.GL_TRIANGLES, number)

    def draw_quad(self, quad: "InstancedQuad", number: int) -> None:
        """Draw a quad for each actor with the last draw command."""
        self._draw(quad, gl.GL_TRIANGLE_STRIP, number)

    def _draw(self, vertex_array: "InstancedArray", mode: int, number: int) -> None:
        vertex_array.bind(self.buffer, 0)
        gl.glBindBuffer(gl.GL_DRAW_INDIRECT_BUFFER, self.commands)
        offset = ctypes.c_void_p(COMMAND_BYTES * (self.first_command + number))
        gl.glDrawElementsIndirect(mode, gl.GL_UNSIGNED_INT, offset)


class InstancedArray(Resource):
    """A vertex array with instance attributes. The attributes can read any buffer, beginning with any row."""

    def __init__(self) -> None:
        self.name = self.generate("VertexArrays")
        # The buffer that the attributes read, and the first row. The object is stored and not its GL name: after the
        # deletion of a buffer, drivers give its name to a new buffer, but the attributes still read the deleted buffer.
        self._pointed: tuple[StreamBuffer, int] | None = None

    def bind(self, buffer: StreamBuffer, first: int) -> None:
        """Bind the vertex array.

        After the call, the instance attributes read `buffer`, and the first instance is the row `first`.
        """
        gl.glBindVertexArray(self.name)
        if self._pointed != (buffer, first):
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer.name)
            _point_attributes(INSTANCE.itemsize * first)
            self._pointed = buffer, first


class InstancedQuad(InstancedArray):
    """A vertex array that draws one quad for each instance row.

    The shader computes the corners from the vertex numbers.
    """

    def __init__(self) -> None:
        super().__init__()
        gl.glBindVertexArray(self.name)
        self.keep(Buffer(gl.GL_ELEMENT_ARRAY_BUFFER, np.arange(4, dtype=np.uint32)))
        gl.glBindVertexArray(0)


def all_instances(
    rows: NDArray[np.float32], variants: NDArray[np.int32] | None = None, coverage: NDArray[np.float32] | None = None
) -> NDArray[np.void]:
    """Convert the rows [actor_count, 12] of a crowd to `INSTANCE` rows [actor_count]. The order does not change."""
    instances = np.zeros(len(rows), INSTANCE)
    instances.view(np.float32).reshape(len(rows), INSTANCE.itemsize // 4)[:, : rows.shape[1]] = rows
    instances["palette_row"] = instances["actor"] = np.arange(len(rows))
    if variants is not None:
        instances["variant"] = variants
    if coverage is not None:
        instances["missing"] = np.rint(255 * (1 - coverage))
    return instances


def _point_attributes(start: int) -> None:
    """Set the instance attributes, so that they read the array buffer that is bound.

    The first instance begins at the byte `start` of the buffer. The order of the attributes is: translation with scale,
    rotation, tint, integers.
    """
    for index in range(4):
        offset = ctypes.c_void_p(start + 16 * index)
        gl.glEnableVertexAttribArray(LOCATION + index)
        if index < 3:
            gl.glVertexAttribPointer(LOCATION + index, 4, gl.GL_FLOAT, gl.GL_FALSE, INSTANCE.itemsize, offset)
        else:
            gl.glVertexAttribIPointer(LOCATION + index, 4, gl.GL_INT, INSTANCE.itemsize, offset)
        gl.glVertexAttribDivisor(LOCATION + index, 1)
