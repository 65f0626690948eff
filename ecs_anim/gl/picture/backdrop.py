"""What lies behind the crowd: the ground and the sky."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource, delete, generate
from ecs_anim.gl.device.texture import SHADOW_UNIT


class Backdrop(Resource):
    """Both passes make their vertices in the shader; what they show comes from the frame block."""

    def __init__(self) -> None:
        self._vertex_array = generate("VertexArrays")  # core OpenGL draws nothing without one
        self._ground = Program("ground.vert", "ground.frag")
        self._ground.use()
        self._ground.set_int("shadow_map", SHADOW_UNIT)
        self._sky = Program("sky.vert", "sky.frag")

    def draw_ground(self) -> None:
        """The ground, where nothing is nearer."""
        self._ground.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def draw_sky(self) -> None:
        """The sky wherever nothing else was drawn; needs the depth test to let equal depths pass."""
        self._sky.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)

    def _release(self) -> None:
        delete("VertexArrays", self._vertex_array)
        self._ground.free()
        self._sky.free()
