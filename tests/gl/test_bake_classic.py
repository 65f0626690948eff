"""Palette entries as the classic crowd shader reads them, against the bake's own."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.gl.crowds.bake_classic import BATCH, ClassicAtlas
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device import source
from ecs_anim.gl.device.buffers import StreamBuffer, address
from ecs_anim.gl.device.program import Program
from ecs_anim.gl.device.resource import delete, generate
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.bake.test_bake import RIG
from tests.gl.test_bake_palettes import ROUNDING, random_actors, times_of
from tests.helpers import characters
from tests.helpers.gl import context_fixture  # noqa: F401

SHADER = """
#include "classic.glsl"
out vec4 x;
out vec4 y;
out vec4 z;
void main() {
    Affine m = classic_entry(uint(gl_VertexID));
    x = m.x;
    y = m.y;
    z = m.z;
    gl_Position = vec4(0.0);
}
"""


@pytest.fixture(autouse=True)
def _shader(monkeypatch):
    read = source.read_shader
    monkeypatch.setattr(source, "read_shader", lambda name: SHADER if name == "classic_test.vert" else read(name))


def read_entries(atlas: ClassicAtlas, actors: np.ndarray, defines=()) -> np.ndarray:
    """Every entry [actor, entry, 3, 4] as a vertex shader gets it, batch by batch."""
    count, found = atlas.bake.skeleton.palette_count, []
    plays = atlas.plays(actors, nearest="NEAREST_ROW" in defines)
    vertex_array = generate("VertexArrays")
    gl.glBindVertexArray(vertex_array)
    gl.glEnable(gl.GL_RASTERIZER_DISCARD)
    with (
        Program("classic_test.vert", None, defines, ("x", "y", "z")) as program,
        StreamBuffer(gl.GL_TRANSFORM_FEEDBACK_BUFFER) as buffer,
    ):
        program.use()
        atlas.bind(program)
        for first in range(0, len(plays), BATCH):
            batch = plays[first : first + BATCH]
            atlas.send(program, batch)
            out = np.empty((len(batch), count, 3, 4), np.float32)
            buffer.reserve(out.nbytes)
            gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer.name)
            gl.glBeginTransformFeedback(gl.GL_POINTS)
            gl.glDrawArraysInstanced(gl.GL_POINTS, 0, count, len(batch))
            gl.glEndTransformFeedback()
            gl.glGetBufferSubData(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, out.nbytes, address(out))
            found.append(out)
    gl.glDisable(gl.GL_RASTERIZER_DISCARD)
    gl.glBindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0)
    delete("VertexArrays", vertex_array)
    return np.concatenate(found)


def mixed(bake, actors):
    """Palettes of both clips, mixed."""
    both = [np.stack([bake.palette(*play, loop=False) for play in times_of(bake, actors, which)]) for which in (0, 1)]
    return both[0] + (both[1] - both[0]) * actors["fade"][:, None, None, None]


@pytest.mark.exhaustive
@pytest.mark.parametrize("number_format", ["f32", "u8"])
def test_entries_are_the_bakes(context, number_format):
    bake = bake_rig(RIG, BakeOptions("model", number_format))
    actors = random_actors(np.random.default_rng(1), bake, 2 * BATCH + 5)
    with ClassicAtlas(bake, context.capabilities) as atlas:
        got = read_entries(atlas, actors)
    wanted = mixed(bake, actors)
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("model", characters("Woman.gltf"))
def test_characters(context, model):
    bake = bake_rig(load_model(model), BakeOptions("model", "f16", rate=10))
    actors = random_actors(np.random.default_rng(2), bake, BATCH)
    with ClassicAtlas(bake, context.capabilities) as atlas:
        got = read_entries(atlas, actors)
    wanted = mixed(bake, actors)
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("space", ["local", "model"])
def test_rows_are_the_bakes_in_either_space(context, space):
    bake = bake_rig(RIG, BakeOptions(space))
    actors = random_actors(np.random.default_rng(3), bake)
    actors["fade"] = 0
    rows = [bake.space.palette(bake.decoded(number)) for number in range(len(bake.clips))]
    places = actors["phase"][:, 0].astype(np.float64) * [len(rows[k]) - 1 for k in actors["clip"][:, 0]]
    wanted = np.stack([rows[k][int(np.floor(p + 0.5))] for k, p in zip(actors["clip"][:, 0], places, strict=True)])
    with ClassicAtlas(bake, context.capabilities) as atlas:
        got = read_entries(atlas, actors, ("NEAREST_ROW",))
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


def test_what_does_not_fit_is_told(context):
    bake = bake_rig(RIG, BakeOptions("model"))
    with pytest.raises(InputError, match=r"the classic crowd shader needs a texture .* fewer clips"):
        ClassicAtlas(bake, replace(context.capabilities, max_texture_size=16))
    with ClassicAtlas(bake, context.capabilities) as atlas, pytest.raises(ValueError, match="batch"):
        atlas.send(None, np.zeros((BATCH + 1, 2, 4), np.float32))
