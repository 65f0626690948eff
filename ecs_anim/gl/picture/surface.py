"""Surfaces on the GPU. A surface consists of triangles. Uneven ground and walls are examples of surfaces."""

import numpy as np

from ecs_anim.assets.mesh import Texture
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer
from ecs_anim.gl.device.program import Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, NOISE_UNIT, SHADOW_UNIT, TILE_UNIT, ImageTexture, TextureCache
from ecs_anim.gl.model.triangle_order import reuse_order
from ecs_anim.gl.model.vertices import interleaved, point_vertex_attributes
from ecs_anim.gl.picture.floor_look import surface_look, surface_material
from ecs_anim.ground.surface import Surface
from ecs_anim.view.style import Color, GroundStyle


class SurfaceBuffers(Resource):
    """The vertex buffers of one surface on the GPU."""

    def __init__(self, surface: Surface, textures: TextureCache) -> None:
        self.surface = surface
        self._textures = textures
        self.texture: ImageTexture | None = None
        if surface.texture is not None and surface.uvs is not None:
            self.texture = textures.acquire(surface.texture)
        self._vertex_array = self.generate("VertexArrays")
        gl.glBindVertexArray(self._vertex_array)
        named = (
            ("position", surface.positions),
            ("normal", surface.normals),
            ("uv", surface.uvs),
            ("color", surface.colors),
        )
        vertices = interleaved({name: column.astype(np.float32) for name, column in named if column is not None})
        self.keep(Buffer(gl.GL_ARRAY_BUFFER, vertices))
        point_vertex_attributes(vertices.dtype)
        indices = np.ascontiguousarray(surface.indices, np.uint32).reshape(-1)
        self._index_count = len(indices)
        self.defines = defines_of(
            TEXTURED=self.texture is not None, VERTEX_COLORS=surface.colors is not None, UNLIT=surface.unlit
        )
        self.keep(Buffer(gl.GL_ELEMENT_ARRAY_BUFFER, reuse_order(indices, len(surface.positions))))
        gl.glBindVertexArray(0)

    def draw(self) -> None:
        """Draw the surface with the current shader program and one GL call."""
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawElements(gl.GL_TRIANGLES, self._index_count, gl.GL_UNSIGNED_INT, None)

    def _release(self) -> None:
        super()._release()
        if self.texture is not None:
            self._textures.release(self.texture)


class SurfacePass(Resource):
    """A drawing pass for surfaces. The uniform block `FrameBlock` contains the light."""

    def __init__(self, textures: TextureCache) -> None:
        self._textures = textures
        self._tiles: dict[bool, ImageTexture] = {}  # tiles of floors (False) and of walls (True) in the last picture
        self.picture_defines: tuple[str, ...] = ()  # preprocessor defines of the present picture
        self._programs = self.keep(
            Programs(
                "surface.vert",
                "surface.frag",
                base_texture=IMAGE_UNIT,
                shadow_map=SHADOW_UNIT,
                noise=NOISE_UNIT,
                tile=TILE_UNIT,
            )
        )

    def prepare(self, surface: SurfaceBuffers) -> None:
        """Compile the shader program of the surface. An early call makes the first picture faster."""
        self._programs.of((*surface.defines, surface_material(surface.surface, GroundStyle()).upper()))

    def draw(self, surface: SurfaceBuffers, style: GroundStyle) -> None:
        """Draw one surface. If the surface has no colour, the ground colour in `style` is used."""
        look = surface_look(surface.surface, style)
        wet = style.wetness > 0 and not surface.surface.is_wall and look.material not in ("glass", "water")
        flags = defines_of(UPRIGHT=look.upright, WET=wet)
        program = self._programs.of((*surface.defines, look.material.upper(), *flags, *self.picture_defines))
        tile, line = surface_colors(surface.surface, style)
        program.set_float("tile_color", *tile)
        program.set_float("line_color", *line)
        if look.texture is not None:
            self._tile(look.texture, look.upright).bind(TILE_UNIT)
            program.set_float("tile_size", style.texture_size)
        if surface.texture is not None:
            surface.texture.bind(IMAGE_UNIT)
        if surface.surface.double_sided:
            gl.glDisable(gl.GL_CULL_FACE)
        surface.draw()
        gl.glEnable(gl.GL_CULL_FACE)

    def _tile(self, image: Texture, upright: bool) -> ImageTexture:
        """Return the texture of a tile. The tile replaces the previous tile of floors or of walls."""
        if upright not in self._tiles or self._tiles[upright].image is not image:
            if upright in self._tiles:
                self._textures.release(self._tiles.pop(upright))
            self._tiles[upright] = self._textures.acquire(image)
        return self._tiles[upright]


def surface_colors(surface: Surface, style: GroundStyle) -> tuple[Color, Color]:
    """Return two colours: the colour of a surface and the colour of its lines.

    The contrast of the lines is the same on surfaces and on the ground. The lines of a surface have the hue of the
    surface.
    """
    if surface.color is None:
        return ((1.0, 1.0, 1.0),) * 2 if surface.texture is not None else (style.color, style.line_color)
    darker = _luminance(style.line_color) / max(_luminance(style.color), 1e-6)
    red, green, blue = np.minimum(np.multiply(surface.color, darker), 1.0)
    return surface.color, (float(red), float(green), float(blue))


def _luminance(color: Color) -> float:
    """Return the relative luminance of a colour (ITU-R BT.709)."""
    red, green, blue = color
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
