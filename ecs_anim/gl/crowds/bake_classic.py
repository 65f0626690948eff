"""Bake texture for the classic crowd shader (shaders/classic.glsl).

The texture contains the skin matrices of all bake rows. The classic shader interpolates between rows of the texture.
For a cross-fade of clips, the shader mixes matrices in model space. The classic shader has two uses: it is a reference
for comparisons, and it runs on OpenGL contexts that are too limited for all other crowd drawers.
"""

import ctypes

import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.gl.crowds.bake_atlas import ROWS_UNIT
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import TextureObject, exact
from ecs_anim.support.errors import InputError

BATCH = 80  # number of actors in one draw call; must equal the number in shaders/classic.glsl


class ClassicAtlas(Resource):
    """A 2D float texture with the skin matrices of a bake. Each texture row contains all skin matrices of one bake row.

    Raises InputError if the bake is too large for a texture.
    """

    def __init__(self, bake: Bake, capabilities: Capabilities) -> None:
        self.bake = bake
        row_count, width, limit = len(bake.rows), 3 * bake.skeleton.palette_count, capabilities.max_texture_size
        if max(row_count, width) > limit:
            raise InputError(
                f"{bake.name}: the classic crowd shader needs a texture of {width} x {row_count} pixels, but this"
                f" OpenGL allows at most {limit} pixels per side. Bake fewer clips, use a lower rate, or choose"
                " another shader."
            )
        frames = [bake.space.palette(bake.decoded(number)) for number in range(len(bake.clips))]
        texels = np.ascontiguousarray(np.concatenate(frames), np.float32)
        self._texture = self.keep(TextureObject(gl.GL_TEXTURE_2D, exact()))
        rest = 0, gl.GL_RGBA, gl.GL_FLOAT, address(texels)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA32F, width, row_count, *rest)
        self._first = np.array([clip.first_row for clip in bake.clips], np.int64)
        self._intervals = np.array([clip.span.interval_count for clip in bake.clips], np.int64)

    def plays(self, actors: NDArray[np.void], *, nearest: bool = False) -> NDArray[np.float32]:
        """Return the shader inputs [n, 2, 4] f32 for the `BAKED_ACTOR` rows [n]. Each actor has two clips.

        The first clip in the inputs of an actor is the clip with the larger weight. For a shader with the define
        NEAREST_ROW, `nearest` must be True.
        """
        clips = actors["clip"].astype(np.int64)
        plays = np.empty((len(actors), 2, 4), np.float32)
        at = np.clip(actors["phase"].astype(np.float64), 0, 1) * self._intervals[clips]
        row = np.minimum(at.astype(np.int64), np.maximum(self._intervals[clips] - 1, 0))
        share = at - row
        if nearest:
            row, share = np.floor(at + 0.5).astype(np.int64), np.zeros_like(share)
        plays[..., 0] = self._first[clips] + row
        plays[..., 1] = self._first[clips] + np.minimum(row + 1, self._intervals[clips])
        plays[..., 2] = share
        same = (clips[:, 0] == clips[:, 1]) & (actors["phase"][:, 0] == actors["phase"][:, 1])
        fade = np.where(same, 0, np.clip(actors["fade"], 0, 1))
        plays[..., 3] = np.stack([1 - fade, fade], axis=-1)
        return np.where((fade > 0.5)[:, None, None], plays[:, ::-1], plays)

    def bind(self, program: Program) -> None:
        """Bind the bake texture for the current shader program `program`."""
        program.set_int("classic_rows", ROWS_UNIT)
        self._texture.bind(ROWS_UNIT)

    def send(self, program: Program, plays: NDArray[np.float32]) -> None:
        """Send the shader inputs of at most BATCH actors to the current shader program.

        `plays` is an array [n, 2, 4] f32.
        """
        if len(plays) > BATCH:
            raise ValueError(
                f"a batch of the classic crowd shader must have at most {BATCH} actors (got {len(plays)}). Draw the"
                " actors in several batches."
            )
        rows = np.ascontiguousarray(plays, np.float32)
        pointer = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        gl.glUniform4fv(program.location("classic_plays"), 2 * len(rows), pointer)
