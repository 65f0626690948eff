"""Render targets of pictures. A render target is an sRGB image with several samples per pixel. After a picture is
drawn, the mean of each pixel's samples is written to a texture.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import TextureObject, exact
from ecs_anim.support.budgets import memory_excess
from ecs_anim.support.errors import InputError

READ = 12  # main memory [byte per pixel] that reading, flipping and writing a picture needs


class RenderTarget(Resource):
    """A render target with `width` x `height` pixels and at most `samples` samples per pixel.

    Shaders write linear colours, and the image stores sRGB-encoded colours. Raises InputError if the size is not
    positive, if OpenGL does not support the size, or if the memory is too small.
    """

    def __init__(self, context: Context, width: int, height: int, samples: int = 4) -> None:
        self.width, self.height = width, height
        self.samples = max(1, min(samples, context.capabilities.max_samples))
        require_size(context, width, height, 4 + 8 * self.samples)
        self.texture = self.keep(TextureObject(gl.GL_TEXTURE_2D, exact()))
        rest = 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_SRGB8_ALPHA8, width, height, *rest)
        self._resolved = self.generate("Framebuffers")
        self._drawn = self.generate("Framebuffers") if self.samples > 1 else self._resolved
        self._attach()

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and the height of the target in pixels."""
        return self.width, self.height

    @property
    def aspect(self) -> float:
        """Return the width of the target divided by its height."""
        return self.width / self.height

    def bind(self) -> None:
        """Make this target the current render target."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        gl.glViewport(0, 0, self.width, self.height)
        gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)

    def resolve(self) -> None:
        """Write the mean of each pixel's samples to `RenderTarget.texture`.

        Call this method after all draw calls of a picture.
        """
        if self._drawn == self._resolved:
            return
        box = (0, 0, self.width, self.height)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._drawn)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._resolved)
        gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def read_pixels(self) -> NDArray[np.uint8]:
        """Return the finished picture [height, width, 3] u8 with sRGB-encoded colours. Row 0 is the top row."""
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._resolved)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)  # without padding for rows of odd widths
        gl.glReadPixels(0, 0, self.width, self.height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, address(pixels))
        return np.ascontiguousarray(pixels[::-1])

    def _attach(self) -> None:
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._resolved)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture.name, 0)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        attach(self, gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24, self.size, self.samples)
        if self.samples > 1:
            attach(self, gl.GL_COLOR_ATTACHMENT0, gl.GL_SRGB8_ALPHA8, self.size, self.samples)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            self.free()
            raise InputError(
                f"OpenGL cannot draw a picture of {self.width}x{self.height} pixels. Use a smaller picture size."
            )


def attach(owner: Resource, attachment: int, storage: int, size: tuple[int, int], samples: int = 1) -> None:
    """Attach a new image with the size `size` [pixel] to the bound framebuffer.

    When `owner` is freed, the image is freed.
    """
    name = owner.generate("Renderbuffers")
    gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, name)
    gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples if samples > 1 else 0, storage, *size)
    gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, name)


def require_size(context: Context, width: int, height: int, pixel_bytes: int) -> None:
    """Raise InputError if a picture is too large for OpenGL or for the memory.

    Drawing needs `pixel_bytes` bytes per pixel. A software renderer uses main memory for drawing. The read-back of a
    picture needs `READ` additional bytes of main memory per pixel.
    """
    limit = context.capabilities.max_texture_size
    if not (1 <= width <= limit and 1 <= height <= limit):
        raise InputError(
            f"a picture must have 1x1 to {limit}x{limit} pixels with this OpenGL (got {width}x{height})."
            " Choose a size in this range."
        )
    needed = width * height * (READ + (pixel_bytes if context.capabilities.is_software else 0))
    if limit_message := memory_excess(needed, "draw a smaller picture"):
        raise InputError(f"a picture of {width}x{height} pixels takes too much memory: {limit_message}")
