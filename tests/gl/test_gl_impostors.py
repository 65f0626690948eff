"""Impostors: pictures of far actors look like their meshes, and only far actors are impostors."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.mesh import Mesh, Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import bake_rig
from ecs_anim.gl.crowds.baked_crowd import BakedCrowd, BakedDraw, Precision
from ecs_anim.gl.crowds.culling import GpuCuller
from ecs_anim.gl.crowds.pose_inputs import PoseInputs
from ecs_anim.gl.impostors.atlas import ImpostorAtlas
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gltf.load import load_rig
from ecs_anim.levels.culler import Culler
from ecs_anim.levels.impostors import Impostors, plan_impostors, with_impostors
from ecs_anim.levels.levels import Levels, build_levels
from ecs_anim.mannequin import PATH
from ecs_anim.maths import quaternion
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import PIXEL_ERROR, CullView
from ecs_anim.view.instances import BAKED_ACTOR
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.helpers import EXHAUSTIVE
from tests.helpers.culling import drawn_rows, expected_choice, plain_levels, random_actors, view_of
from tests.helpers.gl import context_fixture, renderer_fixture, shared_context  # noqa: F401

CLIPS = ("walk", "idle", "cheer")
SIZE = (400, 120)  # [pixel]
ALWAYS = Precision(pixel_error=1e9)  # the coarsest level


@pytest.fixture(scope="module")
def rig() -> Rig:
    whole = load_rig(PATH)
    return replace(whole, clips={name: whole.clips[name] for name in CLIPS})


@pytest.fixture(scope="module")
def bake(rig: Rig) -> Bake:
    return bake_rig(rig)


@pytest.fixture(scope="module")
def levels(rig: Rig, bake: Bake) -> Levels:
    return build_levels(rig, bake)


@pytest.fixture(scope="module")
def plan(levels: Levels, bake: Bake) -> Impostors:
    found = plan_impostors(levels, bake)
    assert found is not None
    return found


def only(levels: Levels, number: int) -> Levels:
    """One of the levels as if there were no other."""
    return replace(
        levels, meshes=(levels.meshes[number],), entries=(levels.entries[number],), errors=np.zeros(1, np.float32)
    )


def crowd_of(
    renderer: Renderer, bake: Bake, levels: Levels, plan: Impostors | None = None, on_gpu: bool | None = None
) -> BakedCrowd:
    """With impostors where there is a plan."""
    capabilities = renderer.context.capabilities
    levels = levels if plan is None else with_impostors(levels, plan)
    models = [renderer.upload(meshes) for meshes in levels.meshes]
    atlas = None if plan is None else ImpostorAtlas(plan, models[plan.level], capabilities)
    return BakedCrowd(bake, levels, models, capabilities, impostors=atlas, culls_on_gpu=on_gpu)


def company(clip_count: int, count: int = 30) -> np.ndarray:
    """Actors in rows, turned all ways, at all moments of all clips."""
    rng = np.random.default_rng(3)
    actors = np.zeros(count, BAKED_ACTOR)
    actors["translation"][:, 0] = (np.arange(count) % 10 - 4.5) * 2.5
    actors["translation"][:, 2] = (np.arange(count) // 10 - count // 20) * 2.5
    actors["scale"] = 1
    actors["rotation"] = quaternion.from_axis_angle(np.array([0, 1, 0]), rng.uniform(0, 2 * np.pi, count))
    actors["tint"] = np.array([0.6, 0.05, 0.04, 1]) * 65535
    actors["clip"] = rng.integers(0, clip_count, (count, 1))
    actors["phase"] = rng.uniform(0, 1, (count, 1))
    return actors


def camera_for(pixels: float, elevation: float = 0.15) -> OrbitCamera:
    """From where a character of 1.75 m is this high in the picture."""
    per_metre = CullView.of(OrbitCamera().projection_matrix(1), SIZE[1]).pixels
    return OrbitCamera(
        target=np.array([0, 0.9, 0]),
        distance=1.75 * per_metre / pixels,
        azimuth=np.pi - 0.4,
        elevation=elevation,
        far=3000,
    )


def picture(
    renderer: Renderer,
    crowd: BakedCrowd,
    actors: np.ndarray,
    camera: OrbitCamera,
    precision: Precision = ALWAYS,
    lighting: Lighting | None = None,
) -> np.ndarray:
    """[height, width, 3] f64."""
    draw = BakedDraw(crowd, actors, precision=precision, shadow_radius=0.0)
    with renderer.target(*SIZE) as target:
        ground = GroundStyle(fog_start=1e4, fog_end=2e4)
        renderer.draw(target, View.of(camera, target.aspect), lighting or Lighting(), ground, [draw])
        return target.read_pixels().astype(float)


@pytest.mark.parametrize("elevation", [0.03, 0.6])
@EXHAUSTIVE
def test_a_change_to_impostors_is_no_more_than_a_step_aside_of_a_pixel(renderer, bake, levels, plan, elevation):
    """At the distance where they begin, in the mean over figures of the finest meshes; and no worse than the last's."""
    actors = company(len(CLIPS))
    pixels = PIXEL_ERROR * bake.size / float(with_impostors(levels, plan).errors[-1])
    camera = camera_for(pixels, elevation)
    aside = actors.copy()
    aside["translation"] += (1.75 / pixels * camera.axes()[0]).astype(np.float32)
    finest = crowd_of(renderer, bake, only(levels, 0))
    shown = picture(renderer, finest, actors, camera)
    stepped = picture(renderer, finest, aside, camera)
    coarse = picture(renderer, crowd_of(renderer, bake, only(levels, 3)), actors, camera)
    impostors = picture(renderer, crowd_of(renderer, bake, levels, plan), actors, camera)
    popped, moved, before = (np.abs(other - shown).mean() for other in (impostors, stepped, coarse))
    assert 0 < popped < moved
    assert popped < 1.3 * before


@pytest.mark.parametrize("lighting", [Lighting(sun_direction=(-0.7, 0.3, -0.6)), Lighting(shadows="none")])
@pytest.mark.parametrize("samples", [1, 4])
@EXHAUSTIVE
def test_light_and_tint_are_the_meshes(context, bake, levels, plan, samples, lighting):
    """Sums over the picture: figures take as much room, in the same colours, to few of 255 steps."""
    actors = company(len(CLIPS))
    camera = camera_for(18.0)
    with Renderer(context, samples) as renderer:
        meshes = picture(renderer, crowd_of(renderer, bake, only(levels, 0)), actors, camera, lighting=lighting)
        none = picture(renderer, crowd_of(renderer, bake, only(levels, 0)), actors[:0], camera, lighting=lighting)
        shown = picture(renderer, crowd_of(renderer, bake, levels, plan), actors, camera, lighting=lighting)
    figures = np.abs(meshes - none).max(axis=-1) > 8
    assert figures.sum() > 800
    off = (shown - meshes).sum(axis=(0, 1)) / figures.sum()
    assert np.abs(off).max() < (3 if samples > 1 else 6)  # with one sample pixels are covered or not


@pytest.mark.exhaustive
def test_where_shaders_cannot_choose_samples_alpha_does(tmp_path):
    """Run the test of light and tint in a context without ARB_sample_shading, OpenGL 3.3."""
    environment = {
        **os.environ,
        "MESA_GL_VERSION_OVERRIDE": "3.3",
        "MESA_GLSL_VERSION_OVERRIDE": "330",
        "MESA_EXTENSION_OVERRIDE": "-GL_ARB_sample_shading -GL_ARB_gpu_shader5",
    }
    test = f"{__file__}::test_light_and_tint_are_the_meshes"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "--exhaustive",
        "-p",
        "no:cacheprovider",
        test,
        "-k",
        "4-lighting0",
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path.anchor)
    assert "1 passed" in done.stdout, done.stdout[-3000:]


@EXHAUSTIVE
def test_passes_are_of_meshes(renderer, bake, levels, plan):
    """Ids, depths and normals do not depend on impostors, even after a picture that shows them."""
    actors, camera = company(len(CLIPS)), camera_for(18.0)
    found = []
    for wanted in (None, plan):
        crowd = crowd_of(renderer, bake, levels, wanted)
        picture(renderer, crowd, actors, camera)
        with renderer.pass_target(*SIZE) as target:
            draw = BakedDraw(crowd, actors, precision=ALWAYS, ids=np.arange(1, len(actors) + 1))
            renderer.draw_passes(target, View.of(camera, target.aspect), GroundStyle(), [draw])
            found.append(target.read())
    assert len(np.unique(found[0].ids)) == len(actors) + 1
    for name in ("ids", "depth", "normals"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))


@EXHAUSTIVE
def test_who_fades_or_has_a_palette_keeps_a_mesh(renderer, bake, levels, plan):
    actors, camera = company(len(CLIPS)), camera_for(18.0)
    actors["clip"] = 0, 1
    actors["fade"] = 0.5
    mixed = picture(renderer, crowd_of(renderer, bake, levels, plan), actors, camera)
    np.testing.assert_array_equal(mixed, picture(renderer, crowd_of(renderer, bake, levels), actors, camera))
    actors["fade"] = 0
    single = picture(renderer, crowd_of(renderer, bake, levels, plan), actors, camera)
    assert np.abs(single - mixed).max() > 20


def impostor_levels(*errors: float) -> Levels:
    return replace(plain_levels(*errors), has_impostors=True)


@EXHAUSTIVE
@pytest.mark.parametrize("exact", [False, True])
def test_choices_are_the_oracles_but_for_who_mixes(exact):
    """Impostors are never posed, and a view of numbers has no impostors."""
    rng = np.random.default_rng(4)
    levels, actors = impostor_levels(0.01, 0.02, 0.03), random_actors(rng, 3000)
    view = replace(view_of(OrbitCamera(distance=30.0)), exact=exact)
    settings = view.settings(0, last_mesh=levels.last_mesh)
    none = np.full((len(actors), 2), -1)
    choice, _, clear = expected_choice(levels, view, settings, actors, none)
    first, second = actors["clip"].T
    fading = (actors["fade"] > 0) & (actors["fade"] < 1) & ~((first == second) & (np.ptp(actors["phase"], axis=1) == 0))
    has_mesh = exact | fading | (actors["share"] > 0)
    expected = np.where(has_mesh, np.minimum(choice[:, 0], levels.last_mesh), choice[:, 0])
    culled = Culler(levels, is_dense=True).cull(actors, view, settings)
    drawn = np.full(len(actors), -1)
    for level in range(levels.count):
        drawn[drawn_rows(culled, level)["actor"]] = level
    certain = clear > 1e-3
    np.testing.assert_array_equal(drawn[certain], expected[certain])
    assert exact or (drawn == levels.count - 1).sum() > 200
    posed = set(culled.poses[:, 0].tolist())
    assert posed == set(np.flatnonzero((drawn >= 0) & (drawn <= levels.last_mesh)).tolist())


def test_who_comes_back_from_being_an_impostor_is_posed():
    levels, actors = impostor_levels(0.02), random_actors(np.random.default_rng(5), 400, spread=2.0)
    actors["share"] = actors["fade"] = 0
    culler = Culler(levels, is_dense=True)
    for distance, shown in ((6.0, 0), (400.0, 1), (6.0, 0)):
        view = view_of(OrbitCamera(distance=distance))
        culled = culler.cull(actors, view, view.settings(0, last_mesh=levels.last_mesh))
        assert len(drawn_rows(culled, shown)) == len(actors)
        assert len(culled.poses) == (0 if shown else len(actors))


@EXHAUSTIVE
def test_the_gpu_draws_alike(renderer, bake, levels, plan):
    if not renderer.context.capabilities.has_compute:
        pytest.skip("this OpenGL has no compute shaders")
    actors, camera = company(len(CLIPS)), camera_for(18.0)
    actors["fade"][::3] = 0.5  # these keep a mesh
    actors["clip"][::3] = 0, 1
    shown = [picture(renderer, crowd_of(renderer, bake, levels, plan, on_gpu), actors, camera) for on_gpu in (0, 1)]
    np.testing.assert_array_equal(*shown)


def test_the_gpu_chooses_alike(context):
    if not context.capabilities.has_compute:
        pytest.skip("this OpenGL has no compute shaders")
    levels, actors = impostor_levels(0.01, 0.02, 0.03), random_actors(np.random.default_rng(6), 3000)
    view = view_of(OrbitCamera(distance=30.0))
    settings = view.settings(0, last_mesh=levels.last_mesh)
    on_cpu = Culler(levels, is_dense=True).cull(actors, view, settings)
    with GpuCuller(levels, [[3], [3], [3], []]) as culler, PoseInputs() as inputs:
        inputs.write_actors(actors)
        culler.cull(inputs.actors.buffer.name, len(actors), inputs.list.buffer, view, settings)
        counts = culler.read_counts()
    rows, poses = np.diff(on_cpu.row_starts), np.append(np.diff(on_cpu.pose_starts), 0)
    np.testing.assert_allclose(counts[:, 0].astype(int), rows, atol=2)
    np.testing.assert_allclose(counts[:, 1].astype(int), poses, atol=2)
    assert rows[3] > 200
    assert poses[3] == counts[3, 1] == 0


def test_cells_hold_all_that_is_seen(bake, levels, plan):
    """Every vertex of every pictured pose is in its box, and no box leaves its cell."""
    for clip in plan.clips:
        assert np.abs(clip.boxes).max() <= 1 + 1e-6
        points = np.concatenate([skin_linear(mesh, clip.palettes)[0] for mesh in levels.meshes[plan.level]], axis=1)
        for step, yaw in ((0, 3), (2, 0), (4, 9)):
            elevation, turned = np.pi / 8 * step, np.pi / 8 * yaw
            eye = np.array([np.sin(turned) * np.cos(elevation), np.sin(elevation), np.cos(turned) * np.cos(elevation)])
            right = np.array([np.cos(turned), 0, -np.sin(turned)])
            seen = (points - clip.centre) @ np.stack([right, np.cross(eye, right)], axis=-1)
            places = seen / clip.half_size(elevation)
            box = clip.boxes[step, :, yaw]
            assert (places.min(axis=1) > box[:, :2]).all()
            assert (places.max(axis=1) < box[:, 2:]).all()


@EXHAUSTIVE
def test_too_many_pictures_or_actors_that_differ_have_none(bake, levels, plan):
    assert plan_impostors(levels, bake, plan.row_count) is not None
    assert plan_impostors(levels, bake, plan.row_count - 1) is None

    def varied(mesh: Mesh) -> Mesh:
        texture = Texture(np.zeros((2, 4, 4, 4), np.uint8))
        return replace(mesh, material=replace(mesh.material, texture=texture))

    meshes = tuple(tuple(varied(mesh) for mesh in level) for level in levels.meshes)
    assert plan_impostors(replace(levels, meshes=meshes), bake) is None


def test_levels_with_impostors_want_their_pictures(renderer, bake, levels, plan):
    models = [renderer.upload(meshes) for meshes in levels.meshes]
    with pytest.raises(ValueError, match="need an ImpostorAtlas"):
        BakedCrowd(bake, with_impostors(levels, plan), models, renderer.context.capabilities)


SCENE = """
title = "x"
[camera]
distance = 90.0
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
path = "baked"
level = "auto"
count = 60
layout = { kind = "grid", spacing = 3.0 }
clips = [{ name = "walk" }]
detail = { impostors = WANTED }
"""


@EXHAUSTIVE
def test_the_scene_key(renderer, tmp_path, monkeypatch):
    """Off unless it is asked for; the picture changes, but little; nothing is left when the drawing is forgotten."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    shown = []
    for text in (SCENE.replace("detail = { impostors = WANTED }", ""), SCENE.replace("WANTED", "true")):
        with load_scene(parse_scene(text, "x.toml", tmp_path), threads=1) as world, renderer.target(*SIZE) as target:
            drawing = DrawWorld(renderer)
            for _ in range(2):
                world.step(1 / 60)
                drawing.draw(world, target)
            shown.append(target.read_pixels().astype(float))
            drawing.forget()
    away = np.abs(shown[0] - shown[1])
    assert away.max() > 5
    assert away.mean() < 1
