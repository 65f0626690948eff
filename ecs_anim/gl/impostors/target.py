"""Render target for impostor pictures: two images with several samples per texel. The means of the samples go to
texture layers.
"""

import ctypes

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import attach
from ecs_anim.gl.device.texture import TextureObject

# texels without an actor: no colour, and the encoded normal (0, 0, 0)
EMPTY = (0.0, 0.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.0)


class ImpostorTarget(Resource):
    """Render target for the colours and normals of a clip at one elevation.

    The pictures of the largest clip must fit into the size `size` [texel].
    """

    def __init__(self, size: tuple[int, int], samples: int) -> None:
        self.size = self._box = size
        self._drawn, self._resolved = self.generate("Framebuffers"), self.generate("Framebuffers")
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._drawn)
        storages = (gl.GL_SRGB8_ALPHA8, gl.GL_RGBA8, gl.GL_DEPTH_COMPONENT24)
        for attachment, storage in zip((*_images(), gl.GL_DEPTH_ATTACHMENT), storages, strict=True):
            attach(self, attachment, storage, size, samples)
        gl.glDrawBuffers(2, (ctypes.c_uint * 2)(*_images()))

    def clear(self, height: int) -> None:
        """Clear the lowest `height` texel rows of this target, and select these rows for drawing."""
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

    def resolve(self, colors: TextureObject, normals: TextureObject, layer: int, first: int) -> None:
        """Write the mean of each texel's samples to the layer `layer` of both textures.

        The lowest written row of the textures is the texel row `first`.
        """
        width, height = self._box
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, self._drawn)
        gl.glBindFramebuffer(gl.GL_DRAW_FRAMEBUFFER, self._resolved)
        for attachment, texture in zip(_images(), (colors, normals), strict=True):
            gl.glReadBuffer(attachment)
            gl.glFramebufferTextureLayer(gl.GL_DRAW_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, texture.name, 0, layer)
            gl.glBlitFramebuffer(
                0, 0, width, height, 0, first, width, first + height, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST
            )


def _images() -> tuple[int, int]:
    return gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1
