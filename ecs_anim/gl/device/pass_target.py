"""Render targets of label passes.

Label passes have one sample per pixel and no blending, because each pixel contains an exact number.
"""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.context import Context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import attach, require_size
from ecs_anim.support.errors import InputError
from ecs_anim.view.label_passes import DRAWN, PAST, Attachment
from ecs_anim.view.passes import Passes

DEPTH_BYTES = 4  # bytes per pixel in the depth buffer


class PassTarget(Resource):
    """A render target for label passes. The target has one image for each label pass that the shader draws.

    If `has_past` is True, one more image contains the previous world position of each visible surface point. Raises
    InputError if the size is not positive or if OpenGL does not support the size.
    """

    def __init__(self, context: Context, width: int, height: int, *, has_past: bool = False) -> None:
        self._images = (*DRAWN.values(), *((PAST,) if has_past else ()))
        require_size(context, width, height, DEPTH_BYTES + sum(map(_bytes_of, self._images)))
        self.width, self.height, self.has_past = width, height, has_past
        self._framebuffer = self.generate("Framebuffers")
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        attach(self, gl.GL_DEPTH_ATTACHMENT, gl.GL_DEPTH_COMPONENT24, (width, height))
        places = [_attachment(number) for number in range(len(self._images))]
        for place, image in zip(places, self._images, strict=True):
            attach(self, place, _format(image)[0], (width, height))
        gl.glDrawBuffers(len(places), (ctypes.c_uint * len(places))(*places))
        if gl.glCheckFramebufferStatus(gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            self.free()
            raise InputError(f"OpenGL cannot draw passes of {width}x{height} pixels. Use a smaller picture size.")

    @property
    def aspect(self) -> float:
        """Return the width of the target divided by its height."""
        return self.width / self.height

    def clear(self) -> None:
        """Select this target as the render target, and clear its images."""
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        gl.glViewport(0, 0, self.width, self.height)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        for number, image in enumerate(self._images):
            if image.dtype.startswith("float"):
                gl.glClearBufferfv(gl.GL_COLOR, number, (ctypes.c_float * 4)())
            else:
                gl.glClearBufferuiv(gl.GL_COLOR, number, (ctypes.c_uint * 4)())

    def read(self) -> Passes:
        """Read the drawn images of all label passes from the GPU."""
        images = [self._pixels(number, image) for number, image in enumerate(self._images)]
        past = images.pop() if self.has_past else None
        return Passes(dict(zip(DRAWN, images, strict=True)), past)

    def _pixels(self, number: int, image: Attachment) -> NDArray[Any]:
        """Read the pixels of one image from the GPU. Row 0 is the top row."""
        _, channels, kind = _format(image)
        shape = (self.height, self.width, image.channels)[: 2 if image.channels == 1 else 3]
        out = np.zeros(shape, image.dtype)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._framebuffer)
        gl.glReadBuffer(_attachment(number))
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, self.width, self.height, channels, kind, address(out))
        return np.ascontiguousarray(out[::-1])


def _attachment(image: int) -> int:
    return int(gl.GL_COLOR_ATTACHMENT0) + image


def _bytes_of(image: Attachment) -> int:
    """Return the number of bytes that one pixel of an image needs during drawing and reading.

    The number includes three images: the drawn image, the image that OpenGL returns, and the flipped copy of the
    returned image. OpenGL stores images with three channels as images with four channels.
    """
    drawn = 4 if image.channels == 3 else image.channels
    return (drawn + 2 * image.channels) * np.dtype(image.dtype).itemsize


def _format(image: Attachment) -> tuple[int, int, int]:
    """Return three OpenGL constants for an image: its internal format, its pixel format and its pixel type."""
    formats = {
        Attachment("uint8", 1): (gl.GL_R8UI, gl.GL_RED_INTEGER, gl.GL_UNSIGNED_BYTE),
        Attachment("uint32", 1): (gl.GL_R32UI, gl.GL_RED_INTEGER, gl.GL_UNSIGNED_INT),
        Attachment("float32", 1): (gl.GL_R32F, gl.GL_RED, gl.GL_FLOAT),
        # OpenGL implementations are not required to support drawing to RGB32F.
        Attachment("float32", 3): (gl.GL_RGBA32F, gl.GL_RGB, gl.GL_FLOAT),
        Attachment("float32", 4): (gl.GL_RGBA32F, gl.GL_RGBA, gl.GL_FLOAT),
    }
    return formats[image]
