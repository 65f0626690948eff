"""Uneven ground on the GPU: uploaded once, drawn as it lies."""

import ctypes

import numpy as np

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer
from ecs_anim.gl.device.program import Programs, defines_of
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, SHADOW_UNIT, ImageTexture, TextureCache
from ecs_anim.gl.model.triangle_order import reuse_order
from ecs_anim.ground.surface import Surface
from ecs_anim.view.style import Color, GroundStyle

# Attribute locations of shaders/surface.vert, by field.
FIELDS = {"position": 3, "normal": 3, "uv": 2, "color": 3}


class SurfaceBuffers(Resource):
    """One surface on the GPU."""

    def __init__(self, surface: Surface, textures: TextureCache) -> None:
        self.surface = surface
        self._textures = textures
        self.texture: ImageTexture | None = None
        if surface.texture is not None and surface.uvs is not None:
            self.texture = textures.acquire(surface.texture)
        self._vertex_array = self.generate("VertexArrays")
        gl.glBindVertexArray(self._vertex_array)
        vertices = interleave(surface)
        self.keep(Buffer(gl.GL_ARRAY_BUFFER, vertices))
        _point_attributes(vertices.dtype)
        indices = np.ascontiguousarray(surface.indices, np.uint32).reshape(-1)
        self._index_count = len(indices)
        self.defines = defines_of(
            TEXTURED=self.texture is not None, VERTEX_COLORS=surface.colors is not None, UNLIT=surface.unlit
        )
        self.keep(Buffer(gl.GL_ELEMENT_ARRAY_BUFFER, reuse_order(indices, len(surface.positions))))
        gl.glBindVertexArray(0)

    def draw(self) -> None:
        """Draw it with the program in use: one GL call."""
        gl.glBindVertexArray(self._vertex_array)
        gl.glDrawElements(gl.GL_TRIANGLES, self._index_count, gl.GL_UNSIGNED_INT, None)

    def _release(self) -> None:
        super()._release()
        if self.texture is not None:
            self._textures.release(self.texture)


class SurfacePass(Resource):
    """Draws surfaces with the light of the frame block."""

    def __init__(self) -> None:
        self.quick_shadows = False
        self._programs = self.keep(
            Programs("surface.vert", "surface.frag", base_texture=IMAGE_UNIT, shadow_map=SHADOW_UNIT)
        )

    def prepare(self, surface: SurfaceBuffers) -> None:
        """Compile what the surface needs, so that the first picture need not."""
        self._programs.of(surface.defines)

    def draw(self, surface: SurfaceBuffers, style: GroundStyle) -> None:
        """One surface; where it has no colour of its own, in the ground's."""
        program = self._programs.of((*surface.defines, *defines_of(QUICK_SHADOWS=self.quick_shadows)))
        tile, line = _colors(surface.surface, style)
        program.set_float("tile_color", *tile)
        program.set_float("line_color", *line)
        if surface.texture is not None:
            surface.texture.bind(IMAGE_UNIT)
        if surface.surface.double_sided:
            gl.glDisable(gl.GL_CULL_FACE)
        surface.draw()
        gl.glEnable(gl.GL_CULL_FACE)


def interleave(surface: Surface) -> np.ndarray:
    """The vertex buffer of a surface, [vertex_count] of a structured type with those of `FIELDS` that it has."""
    columns = {"position": surface.positions, "normal": surface.normals, "uv": surface.uvs, "color": surface.colors}
    there = {name: column for name, column in columns.items() if column is not None}
    vertices = np.zeros(len(surface.positions), [(name, np.float32, FIELDS[name]) for name in there])
    for name, column in there.items():
        vertices[name] = column
    return vertices


def _colors(surface: Surface, style: GroundStyle) -> tuple[Color, Color]:
    """Of a surface and of the lines on it, which walls have none of; they darken every colour as the ground's."""
    if surface.color is None:
        return ((1.0, 1.0, 1.0),) * 2 if surface.texture is not None else (style.color, style.line_color)
    if surface.is_wall:
        return surface.color, surface.color
    darker = np.divide(style.line_color, np.maximum(style.color, 1e-6))
    red, green, blue = np.minimum(surface.color * darker, 1.0)
    return surface.color, (float(red), float(green), float(blue))


def _point_attributes(layout: np.dtype) -> None:
    fields = layout.fields
    assert fields is not None
    for location, (name, size) in enumerate(FIELDS.items()):
        if name in fields:
            gl.glEnableVertexAttribArray(location)
            offset = ctypes.c_void_p(fields[name][1])
            gl.glVertexAttribPointer(location, size, gl.GL_FLOAT, gl.GL_FALSE, layout.itemsize, offset)
