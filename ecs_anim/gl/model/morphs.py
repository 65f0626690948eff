"""Morph targets and figures on the GPU, for shaders/morph.glsl.

The GPU data are the vertex offsets, and the used morph targets of each actor.
"""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.figures import MeshFigures
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource, get_integer
from ecs_anim.gl.device.texture import FIGURES_UNIT, MORPH_UNIT, MORPH_WEIGHTS_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.support.errors import InputError


class MorphBuffers(Resource):
    """The morph targets of one mesh on the GPU, as vertex offsets."""

    def __init__(self, morphs: MeshMorphs) -> None:
        self._layout = morphs.first, *morphs.positions.shape[:2]
        self._deltas = self.keep(_delta_buffer(morphs, "morph targets"))

    def bind(self, program: Program, stride: int) -> None:
        """Bind the morph targets for the current shader program.

        `stride` is the number of (target, weight) pairs per actor in the uploaded morph weights.
        """
        program.set_int("morph_deltas", MORPH_UNIT)
        program.set_int("morph_weights", MORPH_WEIGHTS_UNIT)
        program.set_int("morph_stride", stride)
        program.set_int("morph_mesh", *self._layout)
        self._deltas.bind(MORPH_UNIT)


class FigureBuffers(Resource):
    """The figures of one mesh on the GPU, as vertex offsets."""

    def __init__(self, figures: MeshFigures) -> None:
        self._layout = figures.positions.shape[:2]
        self._deltas = self.keep(_delta_buffer(figures, "figures"))

    def bind(self, program: Program) -> None:
        """Bind the figures for the current shader program. The variant number of an actor selects its figure."""
        program.set_int("figure_deltas", FIGURES_UNIT)
        program.set_int("figure_mesh", *self._layout)
        self._deltas.bind(FIGURES_UNIT)


def delta_texels(shapes: MeshMorphs | MeshFigures) -> NDArray[np.float32]:
    """Return the position offsets and normal offsets of all shapes, [shape_count, vertex_count, 2, 4] f32.

    The fourth component is unused.
    """
    texels = np.zeros((*shapes.positions.shape[:2], 2, 4), np.float32)
    texels[:, :, 0, :3] = shapes.positions
    texels[:, :, 1, :3] = shapes.normals
    return texels


def _delta_buffer(shapes: MeshMorphs | MeshFigures, kind: str) -> TextureBuffer:
    """Return a texture buffer with the offsets in `shapes`.

    Raise InputError if the offsets need more texels than OpenGL allows.
    """
    shape_count, vertex_count = shapes.positions.shape[:2]
    needed, limit = 2 * shape_count * vertex_count, get_integer(gl.GL_MAX_TEXTURE_BUFFER_SIZE)
    if needed > limit:
        raise InputError(
            f"{shape_count} {kind} of {vertex_count} vertices need {needed} texels, but this OpenGL allows at most"
            f" {limit} texels. Use fewer {kind}, or a mesh with fewer vertices."
        )
    buffer = TextureBuffer()
    buffer.write(delta_texels(shapes))
    return buffer


def used_targets(weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a list of the used morph targets for each actor. A used morph target has a weight other than 0.

    `weights` [actor_count, target_count] are the morph weights. The result is an array [actor_count, stride, 2] f32:
    `stride` pairs (target, weight) for each actor. The target -1 ends the list of an actor. If no actor has a used
    morph target, `stride` is 0.
    """
    actors, targets = np.nonzero(weights)
    counts = np.bincount(actors, minlength=len(weights))
    most = int(counts.max(initial=0))
    rows = np.full((len(weights), most + 1 if most else 0, 2), -1, np.float32)
    column = np.arange(len(actors)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows[actors, column, 0] = targets
    rows[actors, column, 1] = weights[actors, targets]
    return rows
