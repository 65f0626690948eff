"""Texture buffers: buffers that shaders read through texture units."""

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.texture import TextureObject


class TextureBuffer(TextureObject):
    """A stream buffer that shaders read as a `samplerBuffer`.

    By default, the texels of the buffer are RGBA with 32-bit floats.
    """

    def __init__(self, texel_format: int | None = None) -> None:
        super().__init__(gl.GL_TEXTURE_BUFFER)
        self.buffer = self.keep(StreamBuffer(gl.GL_TEXTURE_BUFFER))
        self.buffer.bind()
        gl.glTexBuffer(gl.GL_TEXTURE_BUFFER, texel_format or gl.GL_RGBA32F, self.buffer.name)

    def write(self, data: np.ndarray) -> None:
        """Replace all texels with the C-contiguous array `data`. The array must have the format of the texels."""
        self.buffer.write(data)
