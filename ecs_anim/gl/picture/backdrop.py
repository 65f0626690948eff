"""The backdrop of the crowd: the ground and the sky."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, SHADOW_UNIT, ImageTexture, TextureCache
from ecs_anim.view.style import GroundPicture


class Backdrop(Resource):
    """Both passes make their vertices in the shader; what they show comes from the frame block, and a picture."""

    def __init__(self, textures: TextureCache) -> None:
        self._textures = textures
        self._vertex_array = self.generate("VertexArrays")  # core OpenGL draws nothing without one
        self.quick_shadows = False
        self._grounds = self.keep(Programs("ground.vert", "ground.frag", shadow_map=SHADOW_UNIT, picture=IMAGE_UNIT))
        self._ground()  # compiled now, not in the first picture
        self._picture: GroundPicture | None = None
        self._texture: ImageTexture | None = None  # of the picture
        self._sky = self.keep(Program("sky.vert", "sky.frag"))

    def draw_ground(self, picture: GroundPicture | None = None) -> None:
        """The ground, where nothing is nearer, with the picture that lies on it."""
        if picture is None:
            self._ground()
        else:
            self._use_picture(picture)
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def draw_sky(self) -> None:
        """The sky wherever nothing else was drawn; needs the depth test to let equal depths pass."""
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
        """The program of the ground, in use."""
        return self._grounds.of((*defines, *defines_of(QUICK_SHADOWS=self.quick_shadows)))

    def _give_back(self) -> None:
        if self._texture is not None:
            self._textures.release(self._texture)
        self._picture = self._texture = None

    def _release(self) -> None:
        self._give_back()
        super()._release()
