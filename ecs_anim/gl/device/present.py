"""Drawing of a finished picture in a window."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget


class Presenter(Resource):
    """A drawing pass that copies the picture of a render target to a window.

    The pass works with and without sRGB encoding in the framebuffer of the window.
    """

    def __init__(self) -> None:
        self._vertex_array = self.generate("VertexArrays")
        self._program = self.keep(Program("present.vert", "present.frag"))
        self._program.use()
        self._program.set_int("picture", 0)

    def draw(self, target: RenderTarget, width: int, height: int) -> None:
        """Draw the picture of `target` on the window's framebuffer, which has `width` x `height` pixels.

        If the sizes of picture and framebuffer differ, the method scales the picture with filtering.
        """
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glViewport(0, 0, width, height)
        for feature in (gl.GL_FRAMEBUFFER_SRGB, gl.GL_DEPTH_TEST, gl.GL_CULL_FACE, gl.GL_BLEND):
            gl.glDisable(feature)
        self._program.use()
        target.texture.bind(0)
        smooth = gl.GL_NEAREST if target.size == (width, height) else gl.GL_LINEAR
        gl.glTexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MAG_FILTER, smooth)
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)
