"""Where pictures are drawn: a multisampled sRGB image that resolves into a texture."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.resource import Resource, delete, generate
from ecs_anim.support.budgets import memory_excess
from ecs_anim.support.errors import InputError

READ = 12  # bytes of a pixel that is read, turned over and written


class RenderTarget(Resource):
    """An image of `width` x `height` pixels, drawn with up to `samples` samples a pixel.

    What is written to it is linear light; it is stored sRGB-encoded. Raises InputError for a size that
    is not positive, that the implementation does not take, or that there is no memory for.
    """

    def __init__(self, context: Context, width: int, height: int, samples: int = 4) -> None:
        self.width, self.height = width, height
        self.samples = max(1, min(samples, context.capabilities.max_samples))
        require_size(context, width, height, 4 + 8 * self.samples)
        self.texture = _color_texture(width, height)
        self._resolved = generate("Framebuffers")
        self._drawn = generate("Framebuffers") if self.samples > 1 else self._resolved
        self._renderbuffers: list[int] = []
        self._attach()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.width, self.height

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    def bind(self) -> None:
        """Direct drawing at this target."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        gl.glViewport(0, 0, self.width, self.height)
        gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)

    def resolve(self) -> None:
        """Average the samples into `texture`; call it after drawing."""
        if self._drawn == self._resolved:
            return
        box = (0, 0, self.width, self.height)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._drawn)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._resolved)
        gl.glBlitFramebuffer(*box, *box, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)

    def read_pixels(self) -> NDArray[np.uint8]:
        """The resolved picture, [height, width, 3] u8, sRGB-encoded, top row first."""
        pixels = np.empty((self.height, self.width, 3), np.uint8)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._resolved)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)  # rows of odd widths are not padded
        gl.glReadPixels(0, 0, self.width, self.height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, address(pixels))
        return np.ascontiguousarray(pixels[::-1])

    def _attach(self) -> None:
        depth = self._renderbuffer(gl.GL_DEPTH_COMPONENT24)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._resolved)
        gl.glFramebufferTexture2D(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, self.texture, 0)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, gl.GL_RENDERBUFFER, depth)
        if self.samples > 1:
            color = self._renderbuffer(gl.GL_SRGB8_ALPHA8)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, color)
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            self.free()
            raise InputError(f"OpenGL cannot draw a picture of {self.width}x{self.height} pixels; try a smaller one")

    def _renderbuffer(self, storage: int) -> int:
        name = generate("Renderbuffers")
        self._renderbuffers.append(name)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, name)
        samples = self.samples if self.samples > 1 else 0
        gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, storage, self.width, self.height)
        return name

    def _release(self) -> None:
        delete("Framebuffers", *{self._drawn, self._resolved})
        delete("Renderbuffers", *self._renderbuffers)
        delete("Textures", self.texture)


def require_size(context: Context, width: int, height: int, pixel_bytes: int) -> None:
    """Raises InputError for a picture that OpenGL does not take, or that memory does not.

    `pixel_bytes` are those that drawing takes, from the machine's own memory where a processor draws; reading a
    picture takes READ more from it.
    """
    limit = context.capabilities.max_texture_size
    if not (1 <= width <= limit and 1 <= height <= limit):
        raise InputError(f"a picture of {width}x{height} pixels: this OpenGL draws 1x1 to {limit}x{limit}")
    needed = width * height * (READ + (pixel_bytes if context.capabilities.is_software else 0))
    if text := memory_excess(needed, "draw a smaller one"):
        raise InputError(f"a picture of {width}x{height} pixels takes {text}")


def _color_texture(width: int, height: int) -> int:
    name = generate("Textures")
    gl.glBindTexture(gl.GL_TEXTURE_2D, name)
    gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_SRGB8_ALPHA8, width, height, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, None)
    for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        gl.glTexParameteri(gl.GL_TEXTURE_2D, parameter, gl.GL_NEAREST)
    return name
