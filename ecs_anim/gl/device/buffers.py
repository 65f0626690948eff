"""Buffers in GPU memory. The contents of a buffer are constant, or its size can grow."""

import ctypes

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import Resource


class Buffer(Resource):
    """A GPU buffer with constant contents."""

    def __init__(self, target: int, data: np.ndarray) -> None:
        self.target = target
        self.name = self.generate("Buffers")
        gl.glBindBuffer(target, self.name)
        gl.glBufferData(target, data.nbytes, address(data), gl.GL_STATIC_DRAW)

    def bind(self) -> None:
        """Bind the buffer to its OpenGL target."""
        gl.glBindBuffer(self.target, self.name)


class StreamBuffer(Resource):
    """A GPU buffer whose contents change for every draw call.

    The storage of the buffer grows by doubling and never shrinks.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.name = self.generate("Buffers")
        self.capacity = 0  # [byte]

    def bind(self) -> None:
        """Bind the buffer to its OpenGL target."""
        gl.glBindBuffer(self.target, self.name)

    def write(self, data: np.ndarray) -> None:
        """Replace the contents of the buffer with the C-contiguous array `data`. The buffer stays bound.

        The method first allocates new storage. Therefore, the driver does not wait for draw calls that read the old
        contents.
        """
        self.reserve(data.nbytes)
        gl.glBufferSubData(self.target, 0, data.nbytes, address(data))

    def reserve(self, byte_count: int) -> None:
        """Allocate new storage with at least `byte_count` bytes. The buffer stays bound."""
        if byte_count > self.capacity:
            self.capacity = max(byte_count, 2 * self.capacity)
        self.bind()
        gl.glBufferData(self.target, self.capacity, None, gl.GL_STREAM_DRAW)


def address(data: np.ndarray) -> ctypes.c_void_p:
    """Return the memory address of a C-contiguous array. Raise ValueError for an array that is not C-contiguous."""
    if not data.flags.c_contiguous:
        raise ValueError("an array for the GPU must be C-contiguous. Convert the array with np.ascontiguousarray.")
    return ctypes.c_void_p(data.ctypes.data)
