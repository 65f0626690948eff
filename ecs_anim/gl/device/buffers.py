"""Buffers of GPU memory: fixed, growing, and readable from shaders as a texture."""

import ctypes

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import Resource, delete, generate


class Buffer(Resource):
    """A buffer whose contents are set once."""

    def __init__(self, target: int, data: np.ndarray) -> None:
        self.target = target
        self.name = generate("Buffers")
        self.byte_count = data.nbytes
        gl.glBindBuffer(target, self.name)
        gl.glBufferData(target, data.nbytes, address(data), gl.GL_STATIC_DRAW)

    def bind(self) -> None:
        """Bind to the buffer's target."""
        gl.glBindBuffer(self.target, self.name)

    def _release(self) -> None:
        delete("Buffers", self.name)


class StreamBuffer(Resource):
    """A buffer written anew for every draw; its storage only grows, by doubling."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.name = generate("Buffers")
        self.capacity = 0  # [byte]

    def bind(self) -> None:
        """Bind to the buffer's target."""
        gl.glBindBuffer(self.target, self.name)

    def write(self, data: np.ndarray) -> None:
        """Replace the contents from a C-contiguous array; leaves the buffer bound.

        The storage is orphaned first, so that the driver need not wait for draws that still read it.
        """
        self.reserve(data.nbytes)
        gl.glBufferSubData(self.target, 0, data.nbytes, address(data))

    def reserve(self, byte_count: int) -> None:
        """Fresh storage for at least `byte_count` bytes; leaves the buffer bound."""
        if byte_count > self.capacity:
            self.capacity = max(byte_count, 2 * self.capacity)
        self.bind()
        gl.glBufferData(self.target, self.capacity, None, gl.GL_STREAM_DRAW)

    def _release(self) -> None:
        delete("Buffers", self.name)


class TextureBuffer(Resource):
    """A stream buffer that shaders read as a `samplerBuffer` of RGBA texels, floats unless another format is named."""

    def __init__(self, texel_format: int | None = None) -> None:
        self.buffer = StreamBuffer(gl.GL_TEXTURE_BUFFER)
        self.texture = generate("Textures")
        self.buffer.bind()
        gl.glBindTexture(gl.GL_TEXTURE_BUFFER, self.texture)
        gl.glTexBuffer(gl.GL_TEXTURE_BUFFER, texel_format or gl.GL_RGBA32F, self.buffer.name)

    def write(self, data: np.ndarray) -> None:
        """Replace the texels from a C-contiguous array of their format."""
        self.buffer.write(data)

    def bind(self, unit: int) -> None:
        """Bind to a texture unit."""
        gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
        gl.glBindTexture(gl.GL_TEXTURE_BUFFER, self.texture)

    def _release(self) -> None:
        delete("Textures", self.texture)
        self.buffer.free()


def address(data: np.ndarray) -> ctypes.c_void_p:
    """Where a C-contiguous array lies. Raises ValueError for any other array."""
    if not data.flags.c_contiguous:
        raise ValueError("an array for the GPU must be C-contiguous")
    return ctypes.c_void_p(data.ctypes.data)
