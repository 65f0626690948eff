"""Impostors of people posed on the CPU: the nearest pose by plain loops, with the error that is reported."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.assets.figures import MeshFigures
from ecs_anim.assets.mesh import Texture
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.presence import Presence
from ecs_anim.gl.impostors.draw import ImpostorPass
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.levels.impostors import axes
from ecs_anim.levels.posed import NEWCOMER, Chosen
from ecs_anim.levels.posed_impostors import (
    LEAST_POSES,
    MARGIN,
    MOST_POSES,
    PosedImpostors,
    farthest_apart,
    picture_far,
    plan_posed_impostors,
    why_unpictured,
)
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.posed_impostors import pictured_clips
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import View
from tests.helpers import EXHAUSTIVE
from tests.helpers.gl import context_fixture, renderer_fixture, shared_context  # noqa: F401

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 24
layout = { kind = "scatter", radius = 4.0, min_distance = 0.8 }
heading_degrees = "random"
scale_range = [0.8, 1.2]
tints = ["#c8553d", "#3d6fa5", "#e0a93b"]
level = "auto"
detail = { update_rates = false, impostors = true }
clips = [{ name = "walk" }, { name = "run" }, { name = "dance" }]
"""
MESHES = SCENE.replace("impostors = true", "impostors = false")
FAR, NEAR = (OrbitCamera((0.0, 0.9, 0.0), distance, elevation=0.2, far=3000) for distance in (25.0, 5.0))
SIZE = (240, 90)


def world_of(text=SCENE, steps=20):
    """People some frames on."""
    world = load_scene(text, threads=1)
    for _ in range(steps):
        world.step(1 / 30)
    return world


@pytest.fixture(scope="module")
def world():
    with world_of() as world:
        yield world


@pytest.fixture(scope="module")
def sheet(world) -> PosedImpostors:
    rig = rig_of(world)
    found = plan_posed_impostors(rig, pictured_clips(world, rig), 1000)
    assert found is not None
    return found


def rig_of(world) -> Rig:
    ((_, (character,)),) = world.query(Character)
    return character.rig


def palettes_of(world):
    ((_, (palette,)),) = world.query(Palette)
    return palette.matrices


@pytest.fixture(scope="module")
def stands():
    """With impostors and without: a world, and what draws it."""
    renderer = Renderer(shared_context())
    with renderer, world_of() as pictured, world_of(MESHES) as meshes:
        yield [(world, DrawWorld(renderer), renderer) for world in (pictured, meshes)]


def picture(stand, camera=FAR):
    """[height, width, 3] int, as if it were the first."""
    world, drawing, renderer = stand
    shared_context()
    drawing.forget_pictures()
    with renderer.target(*SIZE) as target:
        drawing.draw(world, target, camera=camera)
        return target.read_pixels().astype(int)


def presence(leaving: float, count: int) -> Presence:
    """Return the presence of 24 actors, there from the start. The first `count` leave at `leaving` [s] of the world."""
    leaves = np.full(24, 1e9, np.float32)
    leaves[:count] = leaving
    return Presence(np.full(24, -9, np.float32), leaves, 0.5)


@pytest.fixture
def quads(monkeypatch):
    """How many impostors each call draws."""
    drawn, original = [], ImpostorPass.draw
    monkeypatch.setattr(
        ImpostorPass, "draw", lambda own, part: (drawn.append(part.instances.count), original(own, part))
    )
    return drawn


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=12), st.integers(1, 12))
def test_picked_are_those_farthest_from_all_picked_before(places, count):
    points = np.array(places, float)[:, None]
    chosen = farthest_apart(points, count).tolist()
    expected = [0]
    while len(expected) < count:
        away = [min(np.hypot(*(points[k, 0] - points[j, 0])) for j in expected) for k in range(len(points))]
        if max(away) == 0:
            break
        expected.append(away.index(max(away)))
    assert chosen == expected


def test_a_pose_of_the_sheet_is_its_own_nearest_wherever_it_is_moved_to(sheet):
    palettes = sheet.impostors.clips[0].palettes.copy()
    rng = np.random.default_rng(1)
    moved = rng.uniform(-2, 2, (len(palettes), 3)).astype(np.float32)
    palettes[..., 3] += moved[:, None]
    found = sheet.nearest(palettes, np.arange(len(palettes)))
    np.testing.assert_array_equal(found.poses, np.arange(len(palettes)))
    np.testing.assert_allclose(found.apart, 0, atol=1e-5)
    np.testing.assert_allclose(found.shifts, moved, atol=1e-5)
    assert len(palettes) == MOST_POSES


def test_the_nearest_pose_is_that_of_plain_loops(world, sheet):
    palettes = palettes_of(world)
    rows = np.array([3, 0, 17, 9])
    found = sheet.nearest(palettes, rows)
    body = sheet.body

    def points(palette):
        own = np.array([palette[e] @ p for e, p in zip(body.entries, body.places, strict=True)], float)
        return own - own.mean(axis=0)

    poses = [points(palette) for palette in sheet.impostors.clips[0].palettes]
    for row, pose, apart in zip(rows, found.poses, found.apart, strict=True):
        away = [np.sqrt(((points(palettes[row]) - other) ** 2).sum(axis=1).mean()) for other in poses]
        assert pose == int(np.argmin(away))
        assert apart == pytest.approx(min(away), rel=1e-3)


def test_poses_are_off_in_the_picture_by_about_what_is_told(world, sheet):
    """All but a twentieth of the vertices, each from the nearest that is shown, from eight sides."""
    palettes = palettes_of(world)
    found = sheet.nearest(palettes, np.arange(len(palettes)))
    meshes = rig_of(world).level(2)
    shown = sheet.impostors.clips[0].palettes[found.poses]
    shown[..., 3] += found.shifts[:, None]
    told, seen = [], []
    for own, other, apart in zip(palettes, shown, found.apart, strict=True):
        there, here = (np.concatenate([skin_linear(m, p)[0] for m in meshes])[::3] for p in (own, other))
        off = []
        for yaw in np.arange(8) * np.pi / 4:
            right_up = axes(yaw, 0.2)[:2].T
            away = np.linalg.norm((there @ right_up)[:, None] - (here @ right_up)[None], axis=-1)
            off.append(max(np.quantile(away.min(axis=axis), 0.95) for axis in (0, 1)))
        told.append(apart)
        seen.append(np.mean(off))
    ratios = np.array(seen) / told
    assert 0.8 < np.median(ratios) < 1.5
    assert ratios.max() < 2
    assert 0.01 < np.median(told) < 0.1


def test_who_is_pictured_is_off_by_no_more_than_is_allowed_and_changes_by_a_margin(world, sheet):
    palettes = palettes_of(world)
    count = len(palettes)
    error = np.hypot(sheet.nearest(palettes, np.arange(count)).apart, sheet.impostors.error)
    levels = np.arange(count) % 4
    allowed = np.random.default_rng(2).uniform(0.5, 2.0, count).astype(np.float32) * error
    seen = tuple(np.flatnonzero((levels == number) & (np.arange(count) != 5)) for number in range(4))
    chosen = Chosen(seen, np.arange(3), levels, allowed)
    for before in (0, 4, NEWCOMER):
        revised, who = picture_far(chosen, sheet, palettes, np.full(count, before))
        margin = MARGIN if before == 0 else 1
        expected = [row for row in range(count) if row != 5 and error[row] <= allowed[row] / margin]
        assert 0 < len(expected) < count
        assert who.rows.tolist() == expected
        assert (revised.levels == np.where(np.isin(np.arange(count), expected), 4, levels)).all()
        for number, rows in enumerate(revised.seen):
            assert rows.tolist() == [row for row in seen[number] if row not in expected]
        assert revised.casting is chosen.casting


@EXHAUSTIVE
@pytest.mark.parametrize("shadows", ["map", "contact"])
def test_far_people_are_quads_that_look_as_their_meshes_do(stands, quads, shadows):
    """In colour and size, by sums over the picture."""
    for world, _, _ in stands:
        stage_of(world).lighting = replace(stage_of(world).lighting, shadows=shadows)
    impostors, meshes = (picture(stand) for stand in stands)
    assert quads == [24]
    world, *_ = stands[1]
    ((entity, _),) = world.query(Character)
    world.attach(entity, presence(-1.0, 24))
    empty = picture(stands[1])
    world.detach(entity, Presence)
    people = np.abs(meshes - empty).max(axis=-1) > 8
    assert people.sum() > 300
    shares = (impostors - empty).sum(axis=(0, 1)) / (meshes - empty).sum(axis=(0, 1))
    np.testing.assert_allclose(shares, 1.05, atol=0.25)
    assert 0 < np.abs(impostors - meshes)[people].mean() < 30


def test_near_people_are_meshes_to_the_byte(stands, quads):
    np.testing.assert_array_equal(*(picture(stand, NEAR) for stand in stands))
    assert not quads


def test_passes_are_of_meshes(stands, quads):
    found = []
    for stand in stands:
        picture(stand)
        world, drawing, renderer = stand
        with renderer.pass_target(*SIZE) as target:
            drawing.draw_passes(world, target, View.of(FAR, target.aspect))
            found.append(target.read())
    assert quads == [24]
    assert len(np.unique(found[0].ids)) > 15
    for name in ("ids", "depth", "normals"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))


def test_who_changes_waits_for_a_margin_from_picture_to_picture(stands, quads):
    """The camera goes away and comes back; what is shown between depends on where it came from, unless forgotten."""
    world, drawing, renderer = stands[0]
    counts = []
    with renderer.target(*SIZE) as target:
        drawing.forget_pictures()
        for distance in (5, 14, 25, 14):
            quads.clear()
            drawing.draw(world, target, camera=replace(FAR, distance=distance))
            counts.append(sum(quads))
        quads.clear()
        picture(stands[0], replace(FAR, distance=14))
    assert counts[0] == 0
    assert counts[1] < counts[3] <= counts[2] == 24
    assert sum(quads) == counts[3]


def test_who_fades_out_is_a_mesh(stands, quads):
    world, *_ = stands[0]
    ((entity, _),) = world.query(Character)
    world.attach(entity, presence(world.time + 0.1, 5))
    picture(stands[0])
    world.detach(entity, Presence)
    assert quads == [19]


@EXHAUSTIVE
def test_each_look_is_its_own_picture(renderer, quads):
    """Two looks of two figures, one in red, one in blue."""
    text = SCENE.replace('"mannequin"', '"people"').replace("tints", "# tints")
    with world_of(text, steps=2) as world:
        ((entity, (character, appearance)),) = world.query(Character, Appearance)
        world.attach(entity, replace(character, rig=in_red_and_blue(character.rig)))
        stand, means = (world, DrawWorld(renderer), renderer), []
        for look in (0, 1):
            appearance.variant[:] = look
            means.append(picture(stand).mean(axis=(0, 1)))
        appearance.variant[:] = np.arange(24) % 2
        both = picture(stand).mean(axis=(0, 1))
    assert quads == [24] * 3
    red, _, blue = means[0] - means[1]
    assert red > 0.5
    assert blue < -0.5
    np.testing.assert_allclose(both, np.mean(means, axis=0), atol=0.3)


def in_red_and_blue(rig: Rig) -> Rig:
    """Return the rig with its first two figures only, and two textures of one colour each."""
    colors = np.array([[250, 10, 10, 255], [10, 10, 250, 255]], np.uint8).reshape(2, 1, 1, 4)
    meshes = []
    for mesh in rig.meshes:
        figures = mesh.figures
        if figures is not None:
            figures = MeshFigures(figures.positions[:2], figures.normals[:2])
        meshes.append(replace(mesh, figures=figures, material=replace(mesh.material, texture=Texture(colors))))
    return replace(rig, meshes=tuple(meshes), figures=rig.figures[:2])


@EXHAUSTIVE
def test_sheets_have_as_many_poses_as_there_is_room_for(world):
    rig, clips = rig_of(world), pictured_clips(world, rig_of(world))
    assert [clip.name for clip in clips] == ["walk", "run", "dance"]
    few = plan_posed_impostors(rig, clips, LEAST_POSES)
    assert len(few.points) == few.impostors.row_count == LEAST_POSES
    assert plan_posed_impostors(rig, clips, LEAST_POSES - 1) is None
    assert len(plan_posed_impostors(rig, [], 100).points) == 1
    assert plan_posed_impostors(rig, clips, 100).impostors.error < few.impostors.error + 0.05


@EXHAUSTIVE
def test_all_looks_of_people_fit(world):
    with load_scene(SCENE.replace('"mannequin"', '"people"'), actors=2) as people:
        rig = rig_of(people)
        plan = plan_posed_impostors(rig, pictured_clips(people, rig), 450)
        assert [clip.variant for clip in plan.impostors.clips] == list(range(rig.variant_count))
        assert len(plan.points) == 450 // rig.variant_count
        rows = [clip.first_row for clip in plan.impostors.clips]
        assert rows == list(range(0, plan.impostors.row_count, len(plan.points)))


def test_what_has_too_many_looks_is_refused(world):
    rig = rig_of(world)
    assert why_unpictured(rig) is None
    mesh = rig.meshes[0]
    texture = Texture(np.zeros((80, 1, 1, 4), np.uint8))
    many = replace(rig, meshes=(replace(mesh, material=replace(mesh.material, texture=texture)),))
    assert why_unpictured(many) == "rig 'people' must have at most 49 variants for pictures (got 80)"
    assert plan_posed_impostors(many, [], 10_000) is None


def test_what_has_morph_targets_is_refused_in_a_line():
    text = SCENE.replace('model = "mannequin"', 'model = "blob"').replace(
        '"walk" }, { name = "run" }, { name = "dance"', '"hop"'
    )
    with pytest.raises(InputError, match=r"crowds\[0\]\.detail\.impostors: rig .* must not have morph targets"):
        load_scene(text)
