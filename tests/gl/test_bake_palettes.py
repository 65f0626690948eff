"""Palettes that the GPU makes of bakes against the bake's own, plain cross-fades, and exact clips."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import FORMATS, SPACES, BakeOptions
from ecs_anim.gl.crowds.bake_atlas import BakeAtlas
from ecs_anim.gl.crowds.pose_compute import GROUP, ComputePoser
from ecs_anim.gl.crowds.pose_feedback import FeedbackPoser
from ecs_anim.gl.crowds.pose_inputs import PoseInputs, PoseLevel
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device import api as gl
from ecs_anim.kernels.sampling import sample_motions
from ecs_anim.runtime.clip_table import ClipTables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.runtime.records import FadeQueue
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from ecs_anim.view.instances import BAKED_ACTOR
from tests.bake.test_bake import RIG
from tests.gl.test_context import STRICT_ENVIRONMENT, run_python
from tests.helpers import EXHAUSTIVE, characters, real, some
from tests.helpers.gl import context_fixture, shared_context  # noqa: F401

FILES = ("Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf")
CHARACTERS = ["mannequin", *characters(*FILES, "interpolation_test.gltf")]
EVERY = [(space, number_format) for space in SPACES for number_format in FORMATS]
POSERS = [ComputePoser, FeedbackPoser]
ROUNDING = 6e-6  # of the largest number
STRICT = """
import sys
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.gl.device.context import open_headless
from ecs_anim.scenes.rigs import load_model
from tests.helpers import characters
from tests.gl.test_bake_palettes import FILES, FeedbackPoser, worst_difference
context = open_headless()
assert not context.capabilities.has_compute, context.capabilities.summary
files = [name for case in characters(FILES[0]) for name in case.values]
for name in ["mannequin", *files]:
    for options in (BakeOptions("local", "u8", rate=10), BakeOptions("model", "f16", rate=10)):
        print("worst", worst_difference(context.capabilities, FeedbackPoser, bake_rig(load_model(name), options)))
"""


@cache
def baked(space: str, number_format: str) -> Bake:
    """Bake a synthetic rig with scales, translations, loops and a clip of one key."""
    return bake_rig(RIG, BakeOptions(space, number_format))


def read_palettes(palettes: PosedPalettes, row_count: int) -> np.ndarray:
    """The first palettes [row_count, palette_count, 3, 4] f32, read as OpenGL 3.3 can."""
    found = np.empty((row_count, palettes.entry_count, 3, 4), np.float32)
    gl.glBindBuffer(gl.GL_TEXTURE_BUFFER, palettes.buffer)
    gl.glGetBufferSubData(gl.GL_TEXTURE_BUFFER, 0, found.nbytes, found.ctypes.data)
    return found


def random_actors(rng: np.random.Generator, bake: Bake, count: int = 90) -> np.ndarray:
    """Any clips at any phases: some at the ends, some that do not fade, some that fade to themselves."""
    actors = np.zeros(count, BAKED_ACTOR)
    actors["clip"] = rng.integers(0, len(bake.clips), (count, 2))
    actors["phase"] = rng.choice([0.0, 1.0, np.nan], (count, 2), p=[0.1, 0.1, 0.8])
    actors["phase"] = np.where(np.isnan(actors["phase"]), rng.random((count, 2)), actors["phase"])
    actors["fade"] = np.where(rng.random(count) < 0.6, rng.random(count), rng.integers(0, 2, count))
    actors["clip"][:9, 0] = actors["clip"][:9, 1]
    actors["phase"][:4, 0] = actors["phase"][:4, 1]
    actors["variant"] = 65535
    return actors


def times_of(bake: Bake, actors: np.ndarray, which: int) -> list[tuple[int, float]]:
    """The clip that each actor plays and the time in it [s]."""
    spans = [bake.clips[number].span for number in actors["clip"][:, which]]
    phases = actors["phase"][:, which].astype(np.float64)
    return [
        (int(number), span.start + span.duration * phase)
        for number, span, phase in zip(actors["clip"][:, which], spans, phases, strict=True)
    ]


def expected(bake: Bake, actors: np.ndarray) -> np.ndarray:
    """Palettes of rows mixed as `kernels/sampling.py` mixes them: quaternions are normalised last."""
    palettes = []
    places = zip(*(times_of(bake, actors, which) for which in (0, 1)), actors["fade"].tolist(), strict=True)
    width = bake.space.rotation_width
    for first, second, fade in places:
        a, b = (bake.clips[k].span.read(bake.decoded(k), time).astype(np.float64) for k, time in (first, second))
        turned = np.sum(a[: 4 * width].reshape(4, width) * b[: 4 * width].reshape(4, width), axis=0) < 0
        a[: 4 * width] *= np.tile(np.where(turned & (0 < fade < 1), -1, 1), 4)
        palettes.append(bake.space.palette(a * (1 - fade) + b * fade))
    return np.stack(palettes)


def pose(capabilities, make, bake, actors, items=None, levels=None, entries=None, near=None, defines=(), before=None):
    """All palettes; `before` is what they are beforehand."""
    count = len(actors)
    items = np.repeat(np.arange(count, dtype=np.uint32), 2).reshape(-1, 2) if items is None else items
    row_count = int(items[:, 1].max()) + 1
    with BakeAtlas(bake, capabilities) as atlas, make(atlas, entries, defines) as poser, PoseInputs() as inputs:
        inputs.write_actors(actors)
        inputs.write_list(items)
        if near is not None:
            inputs.write_near(near)
        with PosedPalettes(atlas.entry_count, capabilities) as palettes:
            palettes.reserve(row_count)
            if before is not None:
                gl.glBindBuffer(gl.GL_TEXTURE_BUFFER, palettes.buffer)
                gl.glBufferSubData(gl.GL_TEXTURE_BUFFER, 0, before.nbytes, before.ctypes.data)
            poser.pose(inputs, palettes, levels or [PoseLevel(0, len(items))])
            return read_palettes(palettes, row_count)


def worst_difference(capabilities, make, bake: Bake, seed: int = 4) -> float:
    """Share of the largest number, over random actors."""
    actors = random_actors(np.random.default_rng(seed), bake)
    wanted = expected(bake, actors)
    return float(np.abs(pose(capabilities, make, bake, actors) - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize("make", POSERS)
@pytest.mark.parametrize(("space", "number_format"), EVERY)
def test_palettes_are_the_bakes(context, make, space, number_format):
    bake = baked(space, number_format)
    actors = np.zeros(5 * 21, BAKED_ACTOR)
    actors["clip"][:, 0], actors["phase"][:, 0] = np.repeat(np.arange(5), 21), np.tile(np.linspace(0, 1, 21), 5)
    actors["phase"][:, 1] = 0.77  # does not count
    wanted = np.stack([bake.palette(*place, loop=False) for place in times_of(bake, actors, 0)])
    for fade, column in ((0.0, [0, 1]), (1.0, [1, 0])):
        turned = actors.copy()
        turned["fade"] = fade
        turned["clip"], turned["phase"] = actors["clip"][:, column], actors["phase"][:, column]
        got = pose(context.capabilities, make, bake, turned)
        np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("make", POSERS)
@pytest.mark.parametrize(("space", "number_format"), EVERY)
def test_cross_fades_are_the_kernels(context, make, space, number_format):
    assert worst_difference(context.capabilities, make, baked(space, number_format)) < ROUNDING


@EXHAUSTIVE
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", CHARACTERS)
def test_characters(context, name, space):
    bake = bake_rig(load_model(name), BakeOptions(space, "f16", rate=12))
    actors = random_actors(np.random.default_rng(5), bake)
    wanted = expected(bake, actors)
    largest = np.abs(wanted).max()
    by_compute, by_feedback = (pose(context.capabilities, make, bake, actors) for make in POSERS)
    assert np.ptp(wanted, axis=0).max() > 0.01 * largest, "something moves"
    np.testing.assert_allclose(by_compute, wanted, atol=ROUNDING * largest)
    np.testing.assert_allclose(by_feedback, by_compute, atol=3e-6 * largest)


@EXHAUSTIVE
@pytest.mark.parametrize("name", some(["mannequin", *real(FILES[0])], "mannequin"))
@pytest.mark.parametrize(("space", "number_format"), EVERY)
def test_joints_are_the_clips_within_the_stated_error(context, name, space, number_format):
    rig = load_model(name)
    bake = bake_rig(rig, BakeOptions(space, number_format), list(rig.clips)[:1])
    actors = random_actors(np.random.default_rng(6), bake, 60)
    actors["fade"] = 0.0
    got = pose(context.capabilities, ComputePoser, bake, actors)
    clips = [rig.clips[clip.name] for clip in bake.clips]
    for palette, (number, time) in zip(got, times_of(bake, actors, 0), strict=True):
        exact = skin_palette(rig.skeleton, clips[number].sample(time, loop=False))
        stated = bake.clips[number].error
        apart = np.linalg.norm(joint_places(rig, palette) - joint_places(rig, exact), axis=-1)
        assert apart.max() <= 1.02 * stated.position + 3e-6 * bake.size
        got_axes, axes = (joint_axes(rig, each) for each in (palette, exact))
        turned = np.linalg.norm(got_axes - axes, axis=-2) / np.linalg.norm(axes, axis=-2)
        assert turned.max() <= 1.02 * 2 * math.sin(stated.angle / 2) + 2e-5


def joint_places(rig: Rig, palette: np.ndarray) -> np.ndarray:
    """Where each entry's bound joint goes [entry, 3]."""
    bound = np.concatenate([rig.skeleton.bind_places, np.ones((len(palette), 1))], axis=1)
    return np.einsum("eij,ej->ei", palette.astype(np.float64), bound)


def joint_axes(rig: Rig, palette: np.ndarray) -> np.ndarray:
    """The joint's axes, as columns [entry, 3, 3]."""
    inverse_bind = rig.skeleton.inverse_bind[..., :3].astype(np.float64)
    return palette[..., :3].astype(np.float64) @ np.linalg.inv(inverse_bind)


@pytest.mark.parametrize("make", POSERS)
def test_palettes_are_those_of_the_cpus_kernels(context, make):
    """The very kernels of crowds on the CPU, on the bake's rows."""
    bake, count = baked("local", "f32"), 80
    actors = random_actors(np.random.default_rng(12), bake, count)
    spans, clips = [clip.span for clip in bake.clips], tuple(RIG.clips.values())
    first = np.array([clip.first_row for clip in bake.clips], np.int32)
    intervals = np.array([span.interval_count for span in spans], np.int32)
    seconds = np.array([span.duration for span in spans], np.float32)
    tables = ClipTables(bake.space.layout, clips, bake.rows, first, intervals, seconds)
    motions = build_motion_set([Motion(clip.name, (Member(clip, (0, 0)),)) for clip in clips], tables, ()).arrays
    clip, phase = actors["clip"].astype(np.int32), np.ascontiguousarray(actors["phase"])
    fade = np.stack([np.zeros(count, np.float32), actors["fade"]], axis=1)
    in_use, none = np.full(count, 2, np.int32), np.zeros((count, 0), np.float32)
    layout, rows = tables.layout, np.zeros((count, tables.layout.row_width), np.float32)
    queue = FadeQueue(in_use, clip, phase, np.ones_like(phase), fade, np.ones_like(fade))
    sample_motions(tables.arrays, motions, none, tuple(queue), rows)
    wanted = skin_palette(bake.skeleton, layout.unpack(rows))
    got = pose(context.capabilities, make, bake, actors)
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


@cache
def standing(make):
    """A poser that stays, for examples in a row."""
    capabilities, bake = shared_context().capabilities, baked("local", "f32")
    atlas = BakeAtlas(bake, capabilities)
    palettes = PosedPalettes(atlas.entry_count, capabilities)
    return make(atlas), PoseInputs(), palettes


phases = st.floats(0, 1, width=32)
plays = st.tuples(st.integers(0, 4), st.integers(0, 4), phases, phases, phases)


@EXHAUSTIVE
@settings(max_examples=40)
@given(st.lists(plays, min_size=1, max_size=40), st.data())
def test_any_plays_in_any_order(played, data):
    bake, actors = baked("local", "f32"), np.zeros(len(played), BAKED_ACTOR)
    for actor, (from_, to, before, after, fade) in zip(actors, played, strict=True):
        actor["clip"], actor["phase"], actor["fade"] = (from_, to), (before, after), fade
    order = np.array(data.draw(st.permutations(range(len(played)))), np.uint32)
    shared_context()
    for make in POSERS:
        poser, inputs, palettes = standing(make)
        inputs.write_actors(actors)
        inputs.write_list(np.stack([order, np.arange(len(order), dtype=np.uint32)], axis=1))
        palettes.reserve(len(order))
        poser.pose(inputs, palettes, [PoseLevel(0, len(order))])
        wanted = expected(bake, actors)[order]
        np.testing.assert_allclose(read_palettes(palettes, len(order)), wanted, atol=ROUNDING * np.abs(wanted).max())


@pytest.mark.parametrize("make", POSERS)
@pytest.mark.parametrize("space", SPACES)
def test_shares_of_palettes_from_the_cpu(context, make, space):
    rng, bake = np.random.default_rng(7), baked(space, "f16")
    actors = random_actors(rng, bake, 30)
    actors["share"] = np.tile([0, 16384, 65535], 10)
    actors["near"] = rng.integers(0, 7, 30)
    near = rng.normal(size=(7, bake.skeleton.palette_count, 3, 4)).astype(np.float32)
    got = pose(context.capabilities, make, bake, actors, near=near)
    share = (actors["share"] / 65535)[:, None, None, None]
    own, others = expected(bake, actors), near[actors["near"]]
    np.testing.assert_allclose(got, own + (others - own) * share, atol=ROUNDING * np.abs(own).max())
    np.testing.assert_array_equal(got[2::3], others[2::3])


@pytest.mark.parametrize("make", POSERS)
@pytest.mark.parametrize("space", SPACES)
def test_levels_need_some_entries_of_some_actors(context, make, space):
    rng, bake = np.random.default_rng(8), baked(space, "f32")
    count = bake.skeleton.palette_count
    tables = [np.arange(count, dtype=np.int32), np.array([1, 4, 8], np.int32), np.array([6], np.int32)]
    actors = random_actors(rng, bake, 3 * GROUP)
    chosen = rng.permutation(len(actors))[: 2 * GROUP + 5].astype(np.uint32)
    items = np.stack([chosen, np.arange(len(chosen), dtype=np.uint32)], axis=1)
    levels = [PoseLevel(0, GROUP + 1, 0), PoseLevel(GROUP + 1, 0, 2), PoseLevel(GROUP + 1, GROUP + 4, 1)]
    before = np.full((len(items), count, 3, 4), 7, np.float32)
    got = pose(context.capabilities, make, bake, actors, items, levels, tables, before=before)
    wanted = expected(bake, actors)[chosen]
    left_out = np.setdiff1d(tables[0], tables[1])
    wanted[GROUP + 1 :, left_out] = 7 if make is ComputePoser else 0
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


def test_palette_rows_that_no_one_takes_stay(context):
    rng, bake = np.random.default_rng(9), baked("local", "f32")
    actors = random_actors(rng, bake, 40)
    items = np.stack([rng.permutation(40)[:12], rng.permutation(50)[:12]], axis=1).astype(np.uint32)
    items[0, 1] = 50
    before = rng.normal(size=(51, bake.skeleton.palette_count, 3, 4)).astype(np.float32)
    got = pose(context.capabilities, ComputePoser, bake, actors, items, before=before)
    wanted = before.copy()
    wanted[items[:, 1]] = expected(bake, actors)[items[:, 0]]
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())
    others = np.setdiff1d(np.arange(51), items[:, 1])
    np.testing.assert_array_equal(got[others], before[others])


@pytest.mark.parametrize("make", POSERS)
@pytest.mark.parametrize("space", SPACES)
def test_nearest_rows(context, make, space):
    bake = baked(space, "u8")
    actors = random_actors(np.random.default_rng(10), bake)
    actors["fade"] = 0.0
    got = pose(context.capabilities, make, bake, actors, defines=("NEAREST_ROW",))
    wanted = []
    for number, phase in zip(actors["clip"][:, 0].tolist(), actors["phase"][:, 0].tolist(), strict=True):
        rows = bake.decoded(number)
        wanted.append(bake.space.palette(rows[int(np.floor(phase * (len(rows) - 1) + 0.5))]))
    np.testing.assert_allclose(got, wanted, atol=ROUNDING * np.abs(wanted).max())


def test_storage_grows_and_stays(context):
    with PosedPalettes(3, context.capabilities) as palettes:
        assert palettes.reserve(10)
        assert not palettes.reserve(7)
        assert palettes.reserve(11)
        assert palettes.nbytes == 20 * 3 * 48
        with pytest.raises(ValueError, match="palettes with 3 entries"):
            palettes.reserve(palettes.max_rows + 1)


def test_what_does_not_fit_is_told(context):
    bake = baked("local", "f32")
    with pytest.raises(InputError, match=rf"{bake.name}: .* texels.* fewer clips"):
        BakeAtlas(bake, replace(context.capabilities, max_texture_buffer_size=100))
    with BakeAtlas(bake, context.capabilities) as atlas, PoseInputs() as inputs:
        with pytest.raises(ValueError, match="palette index"):
            ComputePoser(atlas, [np.array([atlas.entry_count], np.int32)])
        with FeedbackPoser(atlas) as poser, PosedPalettes(atlas.entry_count, context.capabilities) as palettes:
            palettes.reserve(2)
            with pytest.raises(ValueError, match="at most 2, the number of palette rows .got 3"):
                poser.pose(inputs, palettes, [PoseLevel(0, 2), PoseLevel(2, 1)])
        with pytest.raises(ValueError, match="BAKED_ACTOR"):
            inputs.write_actors(np.zeros(3, np.float32))
        with pytest.raises(ValueError, match="list of actors to pose"):
            inputs.write_list(np.zeros((3, 2), np.int64))
        with pytest.raises(ValueError, match="near"):
            inputs.write_near(np.zeros((3, 2, 4), np.float32))


@EXHAUSTIVE
def test_on_strict_gl_3_3():
    done = run_python(STRICT, **STRICT_ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    worst = [float(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("worst")]
    assert len(worst) in (8, 10)
    assert max(worst) < ROUNDING
