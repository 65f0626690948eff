"""Where an impostor's layers are drawn: two images with many samples, which resolve into layers of textures."""

import ctypes

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import Resource, delete, generate

EMPTY = (0.0, 0.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.0)  # no colour; no normal


class ImpostorTarget(Resource):
    """Colours and normals of a clip from one elevation; `size` [texel] is the largest clip's."""

    def __init__(self, size: tuple[int, int], samples: int) -> None:
        self.size = self._box = size
        self._drawn, self._resolved = generate("Framebuffers"), generate("Framebuffers")
        self._renderbuffers: list[int] = []
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        storages = (gl.GL_SRGB8_ALPHA8, gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT24)
        for attachment, storage in zip((*_images(), gl.GL_DEPTH_ATTACHMENT), storages, strict=True):
            self._attach(attachment, storage, samples if samples > 1 else 0)
        gl.glDrawBuffers(2, (ctypes.c_uint * 2)(*_images()))

    def clear(self, height: int) -> None:
        """Direct drawing at so many texels of this target from below, and empty it."""
        self._box = self.size[0], height
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        gl.glViewport(0, 0, *self._box)
        gl.glEnable(gl.GL_FRAMEBUFFER_SRGB)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glDisable(gl.GL_BLEND)
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        for image, color in enumerate(EMPTY):
            gl.glClearBufferfv(gl.GL_COLOR, image, (ctypes.c_float * 4)(*color))

    def resolve(self, colors: int, normals: int, layer: int, first: int) -> None:
        """Average the samples of what was drawn into a layer of two textures, from the texel `first` up."""
        width, height = self._box
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._drawn)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._resolved)
        for attachment, texture in zip(_images(), (colors, normals), strict=True):
            gl.glReadBuffer(attachment)
            gl.glFramebufferTextureLayer(gl.GL_DRAW_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, texture, 0, layer)
            gl.glBlitFramebuffer(
                0, 0, width, height, 0, first, width, first + height, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST
            )

    def _attach(self, attachment: int, storage: int, samples: int) -> None:
        name = generate("Renderbuffers")
        self._renderbuffers.append(name)
        gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, name)
        gl.glRenderbufferStorageMultisample(gl.GL_RENDERBUFFER, samples, storage, *self.size)
        gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, attachment, gl.GL_RENDERBUFFER, name)

    def _release(self) -> None:
        delete("Framebuffers", self._drawn, self._resolved)
        delete("Renderbuffers", *self._renderbuffers)


def _images() -> tuple[int, int]:
    return gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1
