"""Whom of a baked crowd is drawn: chosen by the CPU or the GPU, on any OpenGL, in pictures, passes and picking."""

from itertools import pairwise

import numpy as np
import pytest

from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.crowds.baked_crowd import BakedCrowd, BakedDraw, Precision
from ecs_anim.gl.crowds.crowd_lists import CpuLists, GpuLists
from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device.capabilities import query_capabilities
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.levels.levels import build_levels
from ecs_anim.support.errors import InputError
from ecs_anim.systems import baked_drawing
from ecs_anim.systems.baked_actors import packed_actors
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.instances import INSTANCE
from ecs_anim.view.style import View
from tests.gl.test_calls import counted_calls
from tests.gl.test_context import STRICT_ENVIRONMENT, run_python
from tests.gl.test_ownership import live_names
from tests.helpers import EXHAUSTIVE
from tests.helpers.baked import (
    CLASSIC,
    CROWD,
    FADING,
    HEAD,
    MODEL_SPACE,
    SCENE,
    SIZE,
    STEP,
    draw,
    draw_passes,
    load,
    mean_apart,
    module_renderer_fixture,  # noqa: F401
    other_pixels,
    picture,
)
from tests.helpers.gl import context_fixture, shared_context  # noqa: F401

BAKED = 'path = "baked"'
LEVELS = 'path = "baked"\nlevel = "auto"\ndetail = { update_rates = false }'
HYBRID = 'path = "auto"\nnear_actors = { count = 4 }'
WIDE = FADING.replace("distance = 6.5", "distance = 30.0").replace("spacing = 1.3", "spacing = 3.0")


@pytest.fixture
def culled_by_gpu(monkeypatch, context) -> list[BakedCrowd]:
    """Crowds whose lists the GPU makes, though it is none."""
    if not query_capabilities().has_compute:
        pytest.skip("needs compute shaders, OpenGL 4.3")
    made: list[BakedCrowd] = []

    def build(*arguments, **options):
        made.append(BakedCrowd(*arguments, **options, culls_on_gpu=True))
        return made[-1]

    monkeypatch.setattr(baked_drawing, "BakedCrowd", build)
    return made


def pictures_of(renderer, text, keys, *, actors=60, turns=4):
    """A world from several sides, a step further each time."""
    found = []
    with load(text, keys, steps=6, actors=actors) as world:
        drawing_of = DrawWorld(renderer)
        for turn in range(turns):
            stage_of(world).camera.azimuth += turn
            found.append(draw(drawing_of, world, renderer))
            world.step(STEP)
        passes = draw_passes(drawing_of, world, renderer)
        drawing_of.forget()
    return found, passes


@EXHAUSTIVE
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param(FADING, f'{HYBRID}\nlevel = "auto"', id="hybrid"),
        pytest.param(FADING, BAKED, id="clips"),
        pytest.param(WIDE, LEVELS, id="far"),
        pytest.param(WIDE, MODEL_SPACE, id="model space"),
    ],
)
def test_lists_of_the_gpu_draw_what_lists_of_the_cpu_do(renderer, request, text, keys):
    """The order of the GPU's lists is undefined, and it decides how the tones of overlapping shadows are rounded."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GpuCuller, "fits", staticmethod(lambda *_: False))  # on a GPU too, the CPU culls first
        expected, expected_passes = pictures_of(renderer, text, keys)
    made = request.getfixturevalue("culled_by_gpu")
    found, passes = pictures_of(renderer, text, keys)
    assert [type(crowd._lists) for crowd in made] == [GpuLists]
    for own, right in zip(found, expected, strict=True):
        assert other_pixels(own, right) == 0
        assert mean_apart(own, right) < 0.05
        assert right.std() > 10
    assert (passes.ids == expected_passes.ids).mean() > 0.9999
    assert len(np.unique(passes.ids)) > 10
    assert max(mean_apart(one, other) for one, other in pairwise(found)) > 0.5


@EXHAUSTIVE
def test_a_crowd_too_large_for_the_gpus_lists_is_culled_by_the_cpu(renderer, culled_by_gpu, monkeypatch):
    level_count = 1
    limit = (level_count + 1) * 9 * INSTANCE.itemsize
    fits = staticmethod(lambda capabilities, levels, actors: (levels + 1) * actors * INSTANCE.itemsize <= limit)
    monkeypatch.setattr(GpuCuller, "fits", fits)
    shown = {}
    for actors in (9, 10):
        with load(SCENE, BAKED, steps=9, actors=actors) as world:
            drawing_of = DrawWorld(renderer)
            shown[actors] = draw(drawing_of, world, renderer)
            drawing_of.forget()
    assert [type(crowd._lists) for crowd in culled_by_gpu] == [GpuLists, CpuLists]
    for actors, found in shown.items():
        assert other_pixels(found, picture(renderer, SCENE, "", actors=actors)) < 0.0005


@EXHAUSTIVE
def test_a_crowd_of_more_actors_than_palettes_fit_is_drawn_while_those_in_view_fit(renderer, monkeypatch):
    """All actors in the picture share the palette rows. One actor too many is an error."""
    text = SCENE.replace("spacing = 1.3", "spacing = 4.0")
    seen = picture(renderer, text, "", actors=100)
    narrow = PosedPalettes.__init__

    def init(self, entry_count, capabilities):
        narrow(self, entry_count, capabilities)
        self.max_rows = limit

    monkeypatch.setattr(PosedPalettes, "__init__", init)
    limit = 60
    assert other_pixels(picture(renderer, text, BAKED, actors=100), seen) < 0.001
    limit = 2
    with pytest.raises(InputError, match=r"this OpenGL can draw at most 2 actors of one crowd.*Split the crowd"):
        picture(renderer, SCENE, BAKED)


STRICT = """
import numpy as np
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.systems import drawing
from tests.helpers.baked import picture, shared_context
from tests.gl.test_baked_lists import ALIKE
drawing.CASTER = 0
with Renderer(shared_context()) as renderer:
    assert not renderer.context.capabilities.has_compute, renderer.context.capabilities
    np.savez(OUT, **{name: picture(renderer, *scene) for name, scene in ALIKE.items()})
"""
MORPHS = """
title = "x"
seed = 3
[rigs.blob]
model = "blob"
[camera]
target = [0.0, 0.4, 0.0]
distance = 4.0
[[crowds]]
rig = "blob"
count = 9
layout = { kind = "grid", spacing = 1.2 }
clips = [{ name = "grin" }, { name = "hop" }]
parameters = { fat = [0.0, 0.4] }
morphs = { squash = "fat" }
KEYS
"""
# Some actors are out of view and none casts a shadow, so palette rows are not rows of the crowd.
ASIDE = MORPHS.replace("[0.0, 0.4, 0.0]", "[1.2, 0.4, 1.2]").replace(
    "4.0\n", '1.5\nazimuth_degrees = 330.0\n[light]\nshadows = "none"\n'
)

# Texts and keys that the palette pass of OpenGL 3.3 and that of 4.3 are to draw alike.
ALIKE = {
    "clips": (FADING, BAKED),
    "hybrid": (FADING, f'{HYBRID}\nlevel = "auto"'),
    "far": (WIDE, LEVELS),
    "morphs": (ASIDE, HYBRID),
}


@EXHAUSTIVE
def test_opengl_3_3_draws_the_same(renderer, tmp_path):
    out = tmp_path / "pictures.npz"
    done = run_python(STRICT.replace("OUT", repr(str(out))), **STRICT_ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    strict = np.load(out)
    for name, scene in ALIKE.items():
        right = picture(renderer, *scene)
        assert mean_apart(strict[name], right) < 0.01, name
        assert right.std() > 10


@pytest.mark.parametrize("keys", [BAKED, HYBRID, CLASSIC])
def test_passes_tell_the_same_of_baked_actors_as_of_posed_ones(renderer, keys):
    """Two crowds: ids are rows, counted on from crowd to crowd."""
    second = CROWD.replace("spacing = 1.3 }", "spacing = 1.3, center = [0.6, -0.7] }")
    found = []
    for own in ("", keys):
        with load(HEAD + CROWD + second, own, steps=9) as world:
            drawing_of = DrawWorld(renderer)
            found.append(draw_passes(drawing_of, world, renderer))
            drawing_of.forget()
    posed, baked = found
    same = posed.ids == baked.ids
    assert same.mean() > 0.998
    assert len(np.unique(posed.ids)) > 15
    assert posed.ids.max() == baked.ids.max() == 18
    shown = same & (posed.ids > 0)
    np.testing.assert_allclose(baked.depth[shown], posed.depth[shown], rtol=0.02)
    assert np.median(np.abs(baked.depth[shown] - posed.depth[shown])) < 1e-3
    assert np.median(np.sum(baked.normals[shown] * posed.normals[shown], axis=-1)) > 0.9999


@EXHAUSTIVE
@pytest.mark.parametrize("keys", [LEVELS, f'{HYBRID}\nlevel = "auto"'])
def test_picking_finds_whoever_is_seen_also_far_away_and_while_paused(renderer, keys):
    """No step between: the camera alone moves."""
    rng = np.random.default_rng(5)
    with load(WIDE, keys, steps=4, actors=60) as world:
        drawing_of = DrawWorld(renderer)
        ((entity, _),) = world.query(Baked)
        before = draw(drawing_of, world, renderer)
        for azimuth in (0.0, 2.0, 4.0):
            stage_of(world).camera.azimuth = np.pi - azimuth
            ids = draw_passes(drawing_of, world, renderer).ids
            seen = np.argwhere(ids)
            assert len(seen) > 100
            for y, x in seen[rng.permutation(len(seen))[:12]]:
                picked = drawing_of.pick(world, int(x), int(y), SIZE)
                assert picked is not None
                assert (picked.entity, picked.row) == (entity, ids[y, x] - 1)
            y, x = np.argwhere(ids == 0)[0]
            assert drawing_of.pick(world, int(x), int(y), SIZE) is None
        stage_of(world).camera.azimuth = np.deg2rad(160.0)
        assert mean_apart(draw(drawing_of, world, renderer), before) < 0.15  # levels stay where they had come to
        drawing_of.forget()


@pytest.mark.parametrize("culls_on_gpu", [False, True])
@EXHAUSTIVE
def test_odd_views_and_counts(renderer, request, culls_on_gpu):
    """No actor in view, a camera inside a body, all actors behind it, one actor: no error, and a right picture."""
    if culls_on_gpu:
        request.getfixturevalue("culled_by_gpu")
    with load(SCENE, LEVELS, steps=9) as world, load(SCENE, steps=9) as posed:
        drawings = DrawWorld(renderer), DrawWorld(renderer)
        places = next(iter(world.query(Transforms)))[1][0].translation
        views = {
            "inside": (places[4] + [0, 1.0, 0], 1e-3),
            "behind": (np.array([0, 0.9, -60.0]), 3.0),
            "above": (np.array([0, 80.0, 0]), 5.0),
            "plain": (np.array([0, 0.9, 0]), 7.0),
        }
        ids = {}
        for name, (target, distance) in views.items():
            for own in (world, posed):
                camera = stage_of(own).camera
                camera.target, camera.distance, camera.azimuth = target.astype(np.float32), distance, np.pi
            found, right = (draw_passes(d, own, renderer).ids for d, own in zip(drawings, (world, posed), strict=True))
            assert (found > 0).sum() == pytest.approx((right > 0).sum(), rel=0.05, abs=3), name
            draw(drawings[0], world, renderer)
            ids[name] = set(np.unique(found))
        assert ids["behind"] == {0}
        assert ids["plain"] >= set(range(10))
        for d in drawings:
            d.forget()
    with load(SCENE, LEVELS, steps=2, actors=1) as world:
        drawing_of = DrawWorld(renderer)
        assert set(np.unique(draw_passes(drawing_of, world, renderer).ids)) == {0, 1}
        drawing_of.forget()


@EXHAUSTIVE
@pytest.mark.parametrize("culls_on_gpu", [False, True])
def test_the_number_of_actors_may_change_between_pictures(renderer, culls_on_gpu):
    """Each picture is the one that a crowd of its own shows."""
    with load(WIDE, BAKED, steps=4, actors=80) as world:
        ((entity, (character, baked)),) = world.query(Character, Baked)
        actors, view = packed_actors(world, entity), View.of(stage_of(world).camera, 1.0)
    levels = build_levels(character.rig, baked.bake)
    models = [renderer.upload(meshes) for meshes in levels.meshes]

    def shown(crowd: BakedCrowd, count: int) -> np.ndarray:
        with renderer.pass_target(90, 90) as target:
            precision, ids = Precision(update_rates=True, seconds=1.0), np.arange(1, count + 1)
            draw = BakedDraw(crowd, actors[:count], precision=precision, ids=ids)
            renderer.draw_passes(target, view, None, [draw])
            return target.read().ids

    def build() -> BakedCrowd:
        capabilities = renderer.context.capabilities
        return BakedCrowd(baked.bake, levels, models, capabilities, culls_on_gpu=culls_on_gpu)

    with build() as crowd:
        for count in (80, 10, 0, 1, 80, 79):
            found = shown(crowd, count)
            with build() as fresh:
                np.testing.assert_array_equal(found, shown(fresh, count))
            assert len(np.unique(found)) > 0.4 * count
            assert found.max() <= count


@EXHAUSTIVE
def test_nothing_is_left_on_the_gpu(context, tmp_path, monkeypatch):
    """No GPU object is left after another world is drawn, nor after the renderer is freed without `forget`."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before = live_names()
    with Renderer(shared_context()) as renderer:
        drawing_of, counts = DrawWorld(renderer), []
        for _ in range(3):
            for keys in (LEVELS, HYBRID, CLASSIC):
                with load(SCENE, keys) as world:
                    draw(drawing_of, world, renderer)
                    draw_passes(drawing_of, world, renderer)
            counts.append(live_names())
        assert counts[1] == counts[2]
        assert counts[2] != before
    assert live_names() == before


@EXHAUSTIVE
def test_a_reloaded_world_is_drawn_anew(renderer):
    with load(SCENE, LEVELS, steps=9) as one, load(SCENE, LEVELS, steps=9) as two, load(SCENE, steps=20) as later:
        drawing_of = DrawWorld(renderer)
        first, second, third, again = (draw(drawing_of, world, renderer) for world in (one, two, later, one))
        drawing_of.forget()
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(first, again)
    assert mean_apart(first, third) > 0.5


def calls_of(renderer, keys, actors):
    """Count the calls of the third picture. Nothing is compiled or created for it."""
    with load(WIDE, keys, actors=actors) as world:
        drawing_of = DrawWorld(renderer)
        with renderer.target(*SIZE) as target:
            for _ in range(2):
                world.step(STEP)
                drawing_of.draw(world, target)
            names = live_names()
            with counted_calls() as calls:
                world.step(STEP)
                drawing_of.draw(world, target)
            assert live_names() == names
        drawing_of.forget()
    assert not {name for name in calls if name.startswith(("glGen", "glCreate", "glCompile", "glLink"))}
    return calls


@pytest.mark.parametrize("keys", [BAKED, HYBRID])
@EXHAUSTIVE
def test_the_number_of_gl_calls_does_not_depend_on_the_number_of_actors(renderer, keys):
    few, many = calls_of(renderer, keys, 20), calls_of(renderer, keys, 1000)
    assert few == many
    assert few.total() > 50


@EXHAUSTIVE
def test_crowds_of_a_rig_share_models_whatever_they_play(renderer):
    third = CROWD.replace('[{ name = "walk" }, { name = "wave" }, { name = "dance" }]', '[{ name = "idle" }]')
    with load(HEAD + CROWD + CROWD + third, BAKED) as world:
        bakes = [baked.bake for _, (baked,) in world.query(Baked)]
        assert bakes[0] is bakes[1] is not bakes[2]
        drawing_of = DrawWorld(renderer)
        draw(drawing_of, world, renderer)
        crowds = [*drawing_of._baked._crowds.values()]
        assert len(crowds) == 3
        assert len({id(crowd._models[0]) for crowd in crowds}) == 1
        drawing_of.forget()
