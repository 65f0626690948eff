"""Levels of crowds that the CPU poses: balls that hold all vertices, choices by plain loops."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.gl.crowds.baked_crowd import BakedDraw, Precision
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.model.levelled_crowd import LevelledDraw
from ecs_anim.levels.error import Comparison
from ecs_anim.levels.posed import NEWCOMER, LevelMemory, PosedLevels, choose
from ecs_anim.maths.quaternion import rotate
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.shipped import shipped_folder, shipped_text
from ecs_anim.systems.baked_drawing import coarser
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import MARGIN, CullView
from ecs_anim.view.quality import FINEST, LADDER, Quality
from ecs_anim.view.style import View
from ecs_anim.view.sun_fit import fit_sun
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401

COUNT = 24
NEAR = OrbitCamera((0.0, 1.0, 0.0), 6.0, elevation=0.2)  # most of the crowd is behind it or aside
MIDDLE = OrbitCamera((0.0, 1.0, 0.0), 30.0, elevation=0.4)


@pytest.fixture(scope="module")
def world():
    """People some frames on, of several clips and figures."""
    scene = """
[rigs.people]
model = "people"
[[crowds]]
rig = "people"
count = 24
layout = { kind = "scatter", radius = 12.0, min_distance = 0.8 }
heading_degrees = "random"
scale_range = [0.8, 1.2]
clips = [{ name = "walk" }, { name = "run" }, { name = "dance" }, { name = "jump" }]
"""
    with load_scene(scene, threads=1) as world:
        for _ in range(20):
            world.step(1 / 30)
        yield world


@pytest.fixture(scope="module")
def levels(world):
    return PosedLevels.of(rig_of(world))


def rig_of(world):
    ((_, (character,)),) = world.query(Character)
    return character.rig


def crowd_of(world, renderer, camera=MIDDLE):
    """The crowd as it is drawn whole."""
    ((_, draw),) = DrawWorld(renderer)._characters(world, View.of(camera, 1.0))
    return draw


def cull_view(camera, height=200):
    view = View.of(camera, 1.5)
    sun = fit_sun(view, (0.3, 0.8, 0.2), 512)
    return CullView.of(view.view_projection, height, sun.rows)


@pytest.mark.exhaustive
def test_balls_hold_every_vertex_that_is_drawn(world, levels, renderer):
    draw, rig = crowd_of(world, renderer), rig_of(world)
    balls = levels.bounds(draw.instances, draw.palettes)
    ((_, (palette,)),) = world.query(Palette)
    for mesh in rig.level(0):
        for actor, row in enumerate(draw.instances):
            own = mesh
            if mesh.figures is not None:
                shape = mesh.figures.positions[draw.variants[actor] % len(mesh.figures.positions)]
                own = replace(mesh, positions=(mesh.positions + shape).astype(np.float32), figures=None)
            points = rotate(row[4:8], row[3] * skin_linear(own, palette.matrices[actor])[0]) + row[:3]
            away = np.linalg.norm(points - balls[actor, :3], axis=1)
            assert away.max() <= balls[actor, 3]
            assert balls[actor, 3] < 1.6 * np.linalg.norm(points.max(axis=0) - points.min(axis=0)) / 2


def test_choices_are_those_of_plain_loops(levels):
    rng = np.random.default_rng(4)
    bounds = np.concatenate([rng.uniform(-20, 20, (200, 3)), rng.uniform(0.2, 2.0, (200, 1))], axis=1)
    scale = rng.uniform(0.7, 1.4, 200).astype(np.float32)
    view = cull_view(NEAR)
    found = choose(levels, bounds, scale, view, 0.75)
    for actor, (centre, radius) in enumerate(zip(bounds[:, :3], bounds[:, 3], strict=True)):
        ahead = [plane[:3] @ centre + plane[3] for plane in view.planes.astype(float)]
        is_seen = min(ahead[:6]) >= -radius
        assert (actor in found.casting) == (min(ahead[6:11]) >= -radius)
        level = next((k for k, rows in enumerate(found.seen) if actor in rows), None)
        assert (level is not None) == is_seen
        if is_seen:
            allowed = 0.75 * max(ahead[11] - radius, 0)
            pixels = levels.errors * scale[actor] * view.pixels
            assert level == max(k for k in range(len(levels.errors)) if pixels[k] <= allowed)
    assert sum(map(len, found.seen)) < 150
    assert len(choose(levels, bounds, scale, replace(view, has_sun=False), 0.75).casting) == 0


def test_coarser_levels_wait_for_a_margin_and_finer_ones_do_not(levels):
    """Along a line away from the eye and back: levels change farther out than they change back."""
    view = cull_view(OrbitCamera((0.0, 0.0, 0.0), 1.0, elevation=0.0))
    ahead, eye = view.planes[-1, :3].astype(float), -view.planes[-1, 3] * view.planes[-1, :3].astype(float)
    memory, ids, found = LevelMemory(), np.array([7]), []
    away = [*np.linspace(1, 90, 500), *np.linspace(90, 1, 500)]
    for distance in away:
        ball = np.array([[*(eye + distance * ahead), 0.5]])
        chosen = choose(levels, ball, np.ones(1, np.float32), view, 0.75, memory.of(ids))
        memory.keep(ids, chosen.levels)
        found.append(int(chosen.levels[0]))
    out, back = found[:500], found[500:][::-1]
    for level in range(1, len(levels.errors)):
        border = levels.errors[level] * view.pixels / 0.75
        assert away[out.index(level)] - 0.5 == pytest.approx(MARGIN * border, abs=0.3)
        assert away[back.index(level)] - 0.5 == pytest.approx(border, abs=0.3)


@given(st.lists(st.integers(0, 50), unique=True, max_size=20), st.lists(st.integers(0, 50), unique=True, max_size=20))
def test_levels_are_remembered_by_id(first, second):
    memory = LevelMemory()
    memory.keep(np.array(first, np.int64), np.array(first, np.intp) % 5)
    expected = [own % 5 if own in first else NEWCOMER for own in second]
    assert memory.of(np.array(second, np.int64)).tolist() == expected


def test_errors_are_those_of_the_surfaces(world, levels):
    """In poses of the crowd, which the comparison has not seen, levels are off by about as much as was told."""
    rig = rig_of(world)
    ((_, (palette,)),) = world.query(Palette)
    assert levels.errors[0] == 0
    for level in range(1, rig.level_count):
        meshes = rig.level(level)
        seen = Comparison(rig.level(0), meshes, palette.matrices[::6]).error(meshes)
        assert levels.errors[level] == pytest.approx(seen, rel=0.5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("camera", [NEAR, MIDDLE])
def test_who_is_left_out_is_not_missed(world, renderer, camera):
    """The finest meshes of the visible actors give the same bytes as all meshes, shadows included."""
    with renderer.target(160, 120) as target:
        drawing, pictures = DrawWorld(renderer), []
        for quality in (FINEST, Quality(level_error=1e-9)):
            drawing.draw(world, target, camera=camera, quality=quality)
            pictures.append(target.read_pixels())
    np.testing.assert_array_equal(*pictures)


@pytest.mark.exhaustive
def test_each_step_of_the_ladder_is_near_the_finest_picture(world, context, renderer):
    """Only edges differ: few pixels differ by much, and no face appears where the finest picture has none."""
    drawing, pictures = DrawWorld(renderer), []
    for quality in (FINEST, *LADDER[:3]):
        with renderer.target(480, 270) as target:
            drawing.draw(world, target, camera=MIDDLE, quality=quality)
            pictures.append(target.read_pixels().astype(int))
    shares = [(np.abs(picture - pictures[0]).max(axis=2) > 40).mean() for picture in pictures[1:]]
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert 0 < shares[2] < 0.02


@pytest.mark.exhaustive
def test_a_scene_that_asks_has_levels_in_every_picture(renderer, monkeypatch):
    """With a blend space, grounding and looks, at the place of each; and with fewer triangles."""
    text = shipped_text("hills")
    pictures, drawn = [], []
    original = gl.glDrawElementsInstanced
    monkeypatch.setattr(gl, "glDrawElementsInstanced", lambda *a: (drawn.append(a[1] * a[4]), original(*a)))
    for asked in ("", 'level = "auto"\n'):
        scene = parse_scene(text.replace("[[crowds]]\n", f"[[crowds]]\n{asked}"), "hills.toml", shipped_folder())
        drawn.clear()
        with load_scene(scene, threads=1, actors=40) as world, renderer.target(240, 135) as target:
            for _ in range(5):
                world.step(1 / 30)
            stage_of(world).lighting = replace(stage_of(world).lighting, shadows="contact")
            DrawWorld(renderer).draw(world, target)
            pictures.append((target.read_pixels().astype(int), sum(drawn)))
    (fine, many), (coarse, few) = pictures
    assert few < 0.5 * many
    off = np.abs(fine - coarse).max(axis=2)
    assert 0 < (off > 40).mean() < 0.01


def test_far_people_have_coarse_meshes_and_few_triangles(world, levels, renderer):
    draw, rig = crowd_of(world, renderer), rig_of(world)
    drawing = DrawWorld(renderer)
    models = [drawing._models.level(rig, level, "linear") for level in range(rig.level_count)]
    own = LevelledDraw(draw, levels, models, 0.75)
    own.prepare(cull_view(OrbitCamera((0.0, 1.0, 0.0), 100.0, elevation=0.4)), None)
    parts = list(own.shown(renderer._stream))
    assert sum(part.instances.count for part in parts) == COUNT
    assert all(part.model is models[-1] or part.model is models[-2] for part in parts)
    assert len(own.ids) == COUNT


def test_crowds_that_the_gpu_poses_become_coarser_than_their_scene_says_and_never_finer():
    draw = BakedDraw(None, np.zeros(0), precision=Precision(pixel_error=0.75, update_rates=True))
    assert coarser(draw, None) is draw
    assert coarser(draw, 0.5) is draw
    assert coarser(draw, 1.5).precision == Precision(pixel_error=1.5, update_rates=True)


@pytest.mark.exhaustive
def test_whose_balls_would_not_hold_are_drawn_whole(world, renderer, monkeypatch):
    ((entity, (character,)),) = world.query(Character)
    draw, levelling = crowd_of(world, renderer), DrawWorld(renderer)._levels
    assert isinstance(levelling.levelled(world, entity, draw, 0.75), LevelledDraw)
    assert levelling.levelled(world, entity, draw, None) is draw
    weights = np.full((COUNT, 1), 1.5, np.float32)
    for own in ({"skinning": "dual_quaternion"}, {"caster": None}, {"morph_weights": weights}):
        other = replace(draw, **own)
        assert levelling.levelled(world, entity, other, 0.75) is other
    bare = replace(character, rig=replace(character.rig, meshes=()))
    monkeypatch.setattr(world, "find", lambda entity, kind: bare if kind is Character else None)
    assert levelling.levelled(world, entity, draw, 0.75) is draw


def test_dual_quaternions_are_refused(world, levels, renderer):
    draw = crowd_of(world, renderer)
    with pytest.raises(ValueError, match="linear"):
        LevelledDraw(replace(draw, skinning="dual_quaternion"), levels, [], 0.75)
