"""Drawing of the ground plane and the sky."""

from ecs_anim.assets.floor_material import FloorMaterial
from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program, Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, NOISE_UNIT, SHADOW_UNIT, ImageTexture, TextureCache
from ecs_anim.view.style import GroundPicture, GroundStyle, Panorama


class Backdrop(Resource):
    """Drawing passes for the ground plane and the sky.

    The shaders compute the vertices from the uniform block `FrameBlock`. The ground can show a picture.
    """

    def __init__(self, textures: TextureCache) -> None:
        self._textures = textures
        self._vertex_array = self.generate("VertexArrays")  # core OpenGL requires a vertex array for each draw call
        self.quick_shadows = False
        self._grounds = self.keep(
            Programs("ground.vert", "ground.frag", shadow_map=SHADOW_UNIT, picture=IMAGE_UNIT, noise=NOISE_UNIT)
        )
        self._images: dict[str, ImageTexture] = {}  # textures of the last picture, by purpose
        self._skies = self.keep(Programs("sky.vert", "sky.frag", panorama=IMAGE_UNIT))

    def draw_ground(self, style: GroundStyle) -> None:
        """Draw the ground plane with the material and the picture of `style`.

        Objects that are already drawn hide the ground.
        """
        if style.picture is None:
            self._ground(style.material)
        else:
            self._use_picture(style.picture, style.material)
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

    def _use_picture(self, picture: GroundPicture, material: FloorMaterial) -> None:
        program = self._ground(material, "PICTURE")
        self._bind("ground", picture.texture)
        for row, numbers in enumerate(picture.from_world.tolist()):
            program.set_float(f"picture_rows[{row}]", *numbers)

    def _bind(self, purpose: str, image: Texture) -> None:
        """Bind the texture of an image. The image replaces the previous image with the same purpose."""
        if purpose not in self._images or self._images[purpose].image is not image:
            if purpose in self._images:
                self._textures.release(self._images.pop(purpose))
            self._images[purpose] = self._textures.acquire(image)
        self._images[purpose].bind(IMAGE_UNIT)

    def _ground(self, material: FloorMaterial, *defines: str) -> Program:
        """Return the shader program that draws the ground with a material. `defines` are additional preprocessor
        defines.

        The program becomes the current program.
        """
        return self._grounds.of((material.upper(), *defines, *defines_of(QUICK_SHADOWS=self.quick_shadows)))

    def _release(self) -> None:
        while self._images:
            self._textures.release(self._images.popitem()[1])
        super()._release()
