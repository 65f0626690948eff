"""Drawing of the ground plane and the sky."""

from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, NOISE_UNIT, SHADOW_UNIT, TILE_UNIT, ImageTexture, TextureCache
from ecs_anim.gl.picture.floor_look import floor_look
from ecs_anim.view.style import GroundPicture, GroundStyle, Panorama


class Backdrop(Resource):
    """Drawing passes for the ground plane and the sky.

    The shaders compute the vertices from the uniform block `FrameBlock`. The ground can show a picture.
    """

    def __init__(self, textures: TextureCache) -> None:
        self._textures = textures
        self._vertex_array = self.generate("VertexArrays")  # core OpenGL requires a vertex array for each draw call
        self.picture_defines: tuple[str, ...] = ()  # preprocessor defines of the present picture
        self._grounds = self.keep(
            Programs(
                "ground.vert",
                "ground.frag",
                shadow_map=SHADOW_UNIT,
                picture=IMAGE_UNIT,
                noise=NOISE_UNIT,
                tile=TILE_UNIT,
            )
        )
        self._images: dict[str, ImageTexture] = {}  # textures of the last picture, by purpose
        self._skies = self.keep(Programs("sky.vert", "sky.frag", panorama=IMAGE_UNIT))

    def draw_ground(self, style: GroundStyle) -> None:
        """Draw the ground plane with the material and the picture of `style`.

        Objects that are already drawn hide the ground.
        """
        look = floor_look(style.material, style)
        wet = defines_of(WET=style.wetness > 0)
        program = self._ground(look.material, *wet, *defines_of(PICTURE=style.picture is not None))
        if look.texture is not None:
            self._bind("floor", look.texture, TILE_UNIT)
            program.set_float("tile_size", style.texture_size)
        if style.picture is not None:
            self._use_picture(program, style.picture)
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLE_STRIP, 0, 4)

    def draw_sky(self, panorama: Panorama | None = None) -> None:
        """Draw the sky on all pixels without an object. Before the call, the depth test must be set so that it allows
        equal depths.
        """
        program = self._skies.of(defines_of(PANORAMA=panorama is not None))
        if panorama is not None:
            self._bind("sky", panorama.texture)
            program.set_float("azimuth", panorama.azimuth)
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawArrays(gl.GL_TRIANGLES, 0, 3)

    def _use_picture(self, program: Program, picture: GroundPicture) -> None:
        self._bind("ground", picture.texture)
        for row, numbers in enumerate(picture.from_world.tolist()):
            program.set_float(f"picture_rows[{row}]", *numbers)

    def _bind(self, purpose: str, image: Texture, unit: int = IMAGE_UNIT) -> None:
        """Bind the texture of an image. The image replaces the previous image with the same purpose."""
        if purpose not in self._images or self._images[purpose].image is not image:
            if purpose in self._images:
                self._textures.release(self._images.pop(purpose))
            self._images[purpose] = self._textures.acquire(image)
        self._images[purpose].bind(unit)

    def _ground(self, material: str, *defines: str) -> Program:
        """Return the shader program that draws the ground with a material. `defines` are additional preprocessor
        defines.

        The program becomes the current program.
        """
        return self._grounds.of((material.upper(), *defines, *self.picture_defines))

    def _release(self) -> None:
        while self._images:
            self._textures.release(self._images.popitem()[1])
        super()._release()
