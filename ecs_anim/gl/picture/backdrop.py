"""Drawing of the ground plane and the sky."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, SHADOW_UNIT, ImageTexture, TextureCache
from ecs_anim.view.style import GroundPicture


class Backdrop(Resource):
    """Drawing passes for the ground plane and the sky.

    The shaders compute the vertices from the uniform block `FrameBlock`. The ground can show a picture.
    """

    def __init__(self, textures: TextureCache) -> None:
        self._textures = textures
        self._vertex_array = self.generate("VertexArrays")  # core OpenGL requires a vertex array for each draw call
        self.quick_shadows = False
        self._grounds = self.keep(Programs("ground.vert", "ground.frag", shadow_map=SHADOW_UNIT, picture=IMAGE_UNIT))
        self._ground()  # compiles the shader program now, so that the first picture is faster
        self._picture: GroundPicture | None = None
        self._texture: ImageTexture | None = None  # texture of the ground picture
        self._sky = self.keep(Program("sky.vert", "sky.frag"))

    def draw_ground(self, picture: GroundPicture | None = None) -> None:
        """Draw the ground plane. If `picture` is given, the ground shows this picture.

        Objects that are already drawn hide the ground.
        """
        if picture is None:
            self._ground()
        else:
            self._use_picture(picture)
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def draw_sky(self) -> None:
        """Draw the sky on all pixels without an object. The depth test must allow equal depths."""
        self._sky.use()
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)

    def _use_picture(self, picture: GroundPicture) -> None:
        if picture is not self._picture:
            self._give_back()
            self._picture, self._texture = picture, self._textures.acquire(picture.texture)
        assert self._texture is not None
        program = self._ground("PICTURE")
        self._texture.bind(IMAGE_UNIT)
        for row, numbers in enumerate(picture.from_world.tolist()):
            program.set_float(f"picture_rows[{row}]", *numbers)

    def _ground(self, *defines: str) -> Program:
        """Return the shader program of the ground with the defines `defines`.

        The program becomes the current program.
        """
        return self._grounds.of((*defines, *defines_of(QUICK_SHADOWS=self.quick_shadows)))

    def _give_back(self) -> None:
        if self._texture is not None:
            self._textures.release(self._texture)
        self._picture = self._texture = None

    def _release(self) -> None:
        self._give_back()
        super()._release()
