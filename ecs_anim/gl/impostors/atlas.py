"""The impostor pictures of a character on the GPU. The program draws these pictures once, with the character's vertex
shaders.
"""

import ctypes

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import IMAGE_UNIT, TextureObject, smooth
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.gl.impostors.target import ImpostorTarget
from ecs_anim.gl.model.crowd import INSTANCE_FLOATS, CrowdDraw
from ecs_anim.gl.model.frame import FRAME, FrameBlock
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.skinned import SkinnedPass
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.levels.impostors import (
    CELL,
    ELEVATIONS,
    MEMORY,
    YAWS,
    ClipPictures,
    Impostors,
    axes,
    elevation_of,
    most_rows,
)

# texture units of the impostor program; meshes can use the same units, because this program draws no meshes
COLOR_UNIT, NORMAL_UNIT, CLIPS_UNIT, BOXES_UNIT = 1, 3, 4, 5
UNITS = {"colors": COLOR_UNIT, "normals": NORMAL_UNIT, "clips": CLIPS_UNIT, "boxes": BOXES_UNIT}
SAMPLES = 4  # samples per texel; a fixed number, so that impostors are equal on all machines
COARSER = 2  # number of mipmap levels at which neighbouring cells (impostor pictures) do not overlap


class ImpostorAtlas(Resource):
    """Two texture arrays with the impostor pictures of a character.

    The first array contains colours. The alpha value of a colour is the strength of the tint. The second array contains
    normals in the actor's axes. A normal n is stored as (n + 1) / 2. The alpha value of a normal is the fraction of the
    texel that the character covers. All other values of both arrays are multiplied by this fraction. Unlit surfaces
    have no normals. The clip table contains five values of each clip. Three values describe the bounding cylinder of
    all poses: its centre, its radius and half of its height. The other two values are the first row of the clip's
    pictures in a layer, and the number of phases. A cell is the area of one impostor picture in a layer. For each cell,
    the box table contains the rectangle outside of which the cell is empty. The rectangles are sorted by clip,
    elevation, phase and yaw. The caller owns the model. Raises ValueError if the pictures need more rows than a texture
    can have.
    """

    def __init__(self, impostors: Impostors, model: ModelBuffers, capabilities: Capabilities) -> None:
        width, height = impostors.cell
        if impostors.row_count * height > capabilities.max_texture_size:
            most = capabilities.max_texture_size // height
            raise ValueError(
                f"the impostor pictures have {impostors.row_count} rows, but a texture of this OpenGL can contain at"
                f" most {most} rows of impostor pictures. Use fewer clips."
            )
        self.impostors = impostors
        size = YAWS * width, impostors.row_count * height
        self._colors, self._normals = (self.keep(Layers(kind, size)) for kind in (gl.GL_SRGB8_ALPHA8, gl.GL_RGBA8))
        self._clips, self._boxes = self.keep(TextureBuffer()), self.keep(TextureBuffer())
        self._clips.write(clip_texels(impostors))
        self._boxes.write(np.concatenate([clip.boxes.reshape(-1, 4) for clip in impostors.clips]))
        self._model, self._capabilities, self._is_drawn = model, capabilities, False

    def prepare(self) -> None:
        """Draw the impostor pictures in the first call. Later calls do nothing.

        Call this method before the first drawing pass of a picture.
        """
        if not self._is_drawn:
            self._draw(self._model, self._capabilities)
            self._is_drawn = True

    def bind(self, program: Program) -> None:
        """Bind the impostor textures and tables for the current shader program."""
        for uniform, unit in UNITS.items():
            program.set_int(uniform, unit)
        program.set_float("cell", *self.impostors.cell)
        program.set_int("some_unlit", any(mesh.variant.unlit or mesh.variant.emissive for mesh in self._model.meshes))
        self._colors.bind(COLOR_UNIT)
        self._normals.bind(NORMAL_UNIT)
        self._clips.bind(CLIPS_UNIT)
        self._boxes.bind(BOXES_UNIT)

    def _draw(self, model: ModelBuffers, capabilities: Capabilities) -> None:
        most = max(clip.phase_count for clip in self.impostors.clips)
        width, height = self.impostors.cell
        with (
            CrowdStream(capabilities.max_texture_buffer_size) as stream,
            ImpostorTarget((YAWS * width, most * height), min(SAMPLES, capabilities.max_samples)) as target,
            SkinnedPass("impostor_texel.frag", is_shaded=False) as skinned,
            FrameBlock() as frame,
        ):
            for clip in self.impostors.clips:
                for layer in range(ELEVATIONS):
                    target.clear(clip.phase_count * height)
                    frame.write(_straight(clip, elevation_of(layer)))
                    for part in _all_sides(clip, elevation_of(layer), model).shown(stream):
                        skinned.draw(part)
                    target.resolve(self._colors, self._normals, layer, clip.first_row * height)
        for layers in (self._colors, self._normals):
            layers.bind(IMAGE_UNIT)
            gl.glGenerateMipmap(layers.target)


class Layers(TextureObject):
    """Texture array with mipmaps and empty layers. `size` [texel] is the width and the height of a layer."""

    def __init__(self, storage: int, size: tuple[int, int]) -> None:
        filters = smooth(gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_CLAMP_TO_EDGE)
        super().__init__(gl.GL_TEXTURE_2D_ARRAY, {gl.GL_TEXTURE_MAX_LEVEL: COARSER} | filters)
        for level in range(COARSER + 1):
            width, height = (side >> level for side in size)
            rest = 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, ctypes.c_void_p()
            gl.glTexImage3D(self.target, level, storage, width, height, ELEVATIONS, *rest)


def max_rows(capabilities: Capabilities, cell: tuple[int, int] = CELL, memory: int = MEMORY) -> int:
    """Return the largest number of rows of impostor pictures in a layer.

    `cell` [texel] is the size of an impostor picture. `memory` is the memory limit in bytes.
    """
    return min(most_rows(cell, memory), capabilities.max_texture_size // cell[1])


def clip_texels(impostors: Impostors) -> NDArray[np.float32]:
    """Return the clip table [clip_count, 2, 4] f32 in the format of shaders/impostor.vert."""
    texels = np.zeros((len(impostors.clips), 2, 4), np.float32)
    for texel, clip in zip(texels, impostors.clips, strict=True):
        texel[0] = *clip.centre, clip.radius
        texel[1, :3] = clip.half_height, clip.first_row, clip.phase_count
    return texels


def _all_sides(clip: ClipPictures, elevation: float, model: ModelBuffers) -> CrowdDraw:
    """Return a crowd with one copy of the character for each phase and each yaw.

    Each copy is in the cell of its picture. One camera that looks along -z draws all pictures. Each copy is rotated so
    that the camera sees the copy from the yaw angle of its picture.
    """
    phase, turn = np.divmod(np.arange(clip.phase_count * YAWS), YAWS)
    yaws = 2 * np.pi * turn / YAWS
    width, height = 2 * clip.half_size(elevation)
    right, up, _ = axes(0.0, elevation)
    middles = ((turn + 0.5) * width)[:, None] * right + ((phase + 0.5) * height)[:, None] * up
    rows = np.zeros((len(phase), INSTANCE_FLOATS), np.float32)
    # A rotation about the actor's origin also moves the middle of the bounding cylinder. This translation puts the
    # middle back into the middle of the cell.
    rows[:, :3] = middles - axes(yaws, 0.0) @ clip.centre
    rows[:, 3] = 1
    rows[:, 5], rows[:, 7] = np.sin(-yaws / 2), np.cos(yaws / 2)
    variants = np.full(len(rows), clip.variant, np.int32)
    return CrowdDraw(model, rows, clip.palettes[phase], variants=variants)


def _straight(clip: ClipPictures, elevation: float) -> NDArray[np.void]:
    """Return an orthographic view that contains all cells of a clip at one elevation."""
    width, height = 2 * clip.half_size(elevation) * (YAWS, clip.phase_count)
    right, up, back = axes(0.0, elevation)
    matrix = np.zeros((4, 4))
    matrix[0], matrix[1] = (*(2 / width * right), -1), (*(2 / height * up), -1)
    matrix[2, :3] = -back / (2 * (clip.radius + clip.half_height))
    matrix[3, 3] = 1
    frame = np.zeros(1, FRAME)
    frame["view_projection"] = matrix.T
    return frame
