"""Where passes are drawn: numbers in place of colours, one sample a pixel, nothing blended."""

import ctypes

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.resource import Resource, delete, generate
from ecs_anim.gl.device.target import require_size
from ecs_anim.support.errors import InputError
from ecs_anim.view.passes import Passes

PIXEL = 64  # bytes: an id, a class, a depth, four numbers of a normal, depth again; and what is read of them, twice
PAST_PIXEL = 48  # bytes more, where it is told where everything was


class PassTarget(Resource):
    """Four images of `width` x `height` pixels: ids, depths, normals, classes; `has_past`: and where everything was.

    Raises InputError for a size that is not positive or that the implementation does not take.
    """

    def __init__(self, context: Context, width: int, height: int, *, has_past: bool = False) -> None:
        require_size(context, width, height, PIXEL + has_past * PAST_PIXEL)
        self.width, self.height, self.has_past = width, height, has_past
        self._framebuffer = generate("Framebuffers")
        self._renderbuffers: list[int] = []
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        self._attach(gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24)
        kinds = (gl.GL_R32UI, gl.GL_R32F, gl.GL_RGBA32F, gl.GL_R8UI, *([gl.GL_RGBA32F] if has_past else ()))
        images = {_attachment(k): kind for k, kind in enumerate(kinds)}
        for attachment, kind in images.items():
            self._attach(attachment, kind)
        gl.glDrawBuffers(len(images), (ctypes.c_uint * len(images))(*images))
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            self.free()
            raise InputError(f"OpenGL cannot draw passes of {width}x{height} pixels; try a smaller size")

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    def clear(self) -> None:
        """Direct drawing at this target, and empty it."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        gl.glViewport(0, 0, self.width, self.height)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        for image in (0, 3):
            gl.glClearBufferuiv(gl.GL_COLOR, image, (ctypes.c_uint * 4)())
        for image in (1, 2, 4) if self.has_past else (1, 2):
            gl.glClearBufferfv(gl.GL_COLOR, image, (ctypes.c_float * 4)())

    def read(self) -> Passes:
        """What was drawn."""
        ids = self._pixels(0, np.zeros((self.height, self.width), np.uint32), gl.GL_RED_INTEGER, gl.GL_UNSIGNED_INT)
        depth = self._pixels(1, np.zeros((self.height, self.width), np.float32), gl.GL_RED, gl.GL_FLOAT)
        normals = self._pixels(2, np.zeros((self.height, self.width, 3), np.float32), gl.GL_RGB, gl.GL_FLOAT)
        classes = self._pixels(3, np.zeros(depth.shape, np.uint8), gl.GL_RED_INTEGER, gl.GL_UNSIGNED_BYTE)
        if not self.has_past:
            return Passes(ids, classes, depth, normals)
        past = self._pixels(4, np.zeros((self.height, self.width, 4), np.float32), gl.GL_RGBA, gl.GL_FLOAT)
        return Passes(ids, classes, depth, normals, past)

    def _pixels(self, image: int, out: np.ndarray, channels: int, kind: int) -> np.ndarray:
        """An image into `out`, top row first."""
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._framebuffer)
        gl.glReadBuffer(_attachment(image))
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, self.width, self.height, channels, kind, address(out))
        return np.ascontiguousarray(out[::-1])

    def _attach(self, attachment: int, storage: int) -> None:
        name = generate("Renderbuffers")
        self._renderbuffers.append(name)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, name)
        gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, storage, self.width, self.height)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, name)

    def _release(self) -> None:
        delete("Framebuffers", self._framebuffer)
        delete("Renderbuffers", *self._renderbuffers)


def _attachment(image: int) -> int:
    return int(gl.GL_COLOR_ATTACHMENT0) + image
