"""Whole scenes: what the GPU skins, what the picture shows, where the feet are."""

from pathlib import Path

import numpy as np
import pytest

from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.maths.quaternion import rotate
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.shipped import shipped_scenes
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.style import View
from tests.characters import OWN
from tests.helpers import ASSETS, FEW, some
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401
from tests.helpers.readback import gpu_vertices

VISITORS = f"""
title = "Visitors"
[rigs.woman]
model = "{ASSETS / "Woman.gltf"}"
texture = "{ASSETS / "Woman.png"}"
height = 1.7
[rigs.fox]
model = "{ASSETS / "Fox.glb"}"
height = 0.7
[rigs.man]
model = "{ASSETS / "cesium_man.gltf"}"
height = 1.8
facing_degrees = 90
[[crowds]]
rig = "woman"
count = 3
layout = {{ kind = "points", points = [[-2, 0], [-1, -1], [-1.5, -2]] }}
clips = [{{ name = "Walking" }}, {{ name = "Idle" }}]
locomotion = {{}}
[[crowds]]
rig = "fox"
count = 2
layout = {{ kind = "points", points = [[0, -1.5], [0.7, 0]] }}
clips = [{{ name = "Walk" }}]
locomotion = {{}}
[[crowds]]
rig = "man"
count = 2
layout = {{ kind = "points", points = [[2, 0], [1.5, -1]] }}
clips = [{{ name = "clip_0" }}]
locomotion = {{}}
"""

DOLLS = "".join(
    f"""
[rigs.{path.stem}]
model = "{path}"
height = 1.7
[[crowds]]
rig = "{path.stem}"
count = 2
layout = {{ kind = "points", points = [[{x}, 0], [{x}, -1.2]] }}
clips = [{{ name = "{clip}" }}]
"""
    for path, x, clip in zip(OWN, (-1.5, 0, 1.5), ("walk", "talk", "greet"), strict=True)
)

SCENES = [
    *some(shipped_scenes(), "crossing", "foot_course", "hills", "materials", "morph", "throng", "twist"),
    pytest.param(parse_scene(DOLLS, "dolls.toml", Path()), id="dolls"),
    *[pytest.param(parse_scene(VISITORS, "visitors.toml", Path()), id="visitors")][: ASSETS.is_dir()],
]


@pytest.fixture(params=SCENES, scope="module")
def world(request):
    """A scene after half a second; nothing here changes it."""
    with load_scene(request.param, threads=2, actors=FEW) as world:
        for _ in range(30):
            world.step(1 / 60)
        yield world


def world_vertices(mesh, palette, transforms, actors, weights=None):
    """Where the CPU puts each vertex in the world, and its normal, both [actor, vertex, 3]."""
    skin = {"linear": skin_linear, "dual_quaternion": skin_dual_quaternion}[palette.method]
    positions, normals = skin(mesh, palette.matrices[actors].astype(np.float64), weights)
    turn = transforms.rotation[actors, None].astype(np.float64)
    turned = rotate(turn, positions.astype(np.float64))
    places = turned * transforms.scale[actors, None, None] + transforms.translation[actors, None]
    return places, rotate(turn, normals)


def weights_of(world, entity, actors):
    found = [component.weights[actors] for component in world.components(entity) if isinstance(component, Morphs)]
    return found[0] if found else None


def test_the_gpu_skins_as_the_cpu_does(world, renderer):
    for entity, row in world.query(Character, Transforms, Palette, Appearance):
        character, transforms, palette, appearance = row
        actors = np.arange(min(3, len(transforms.scale)))
        if not len(actors):
            continue  # no actor has come yet
        meshes = character.rig.level(character.level)
        model = renderer.upload(meshes)
        rows, weights = instance_rows(transforms, appearance)[actors], weights_of(world, entity, actors)
        how = {"skinning": palette.method, "morph_weights": weights}
        if meshes[0].figures is not None:
            how["variants"] = appearance.variant[actors]
        draw = CrowdDraw(model, rows, palette.matrices[actors], **how)
        for index, mesh in enumerate(meshes):
            positions, normals = gpu_vertices(renderer, draw, index)
            shapes = [mesh] * len(actors)
            if mesh.figures is not None:
                shapes = [
                    mesh.of_figure(own % len(character.rig.figures)) for own in appearance.variant[actors].tolist()
                ]
            expected, turned = (
                np.stack([own[row] for row, own in enumerate(both)])
                for both in zip(
                    *(world_vertices(one, palette, transforms, actors, weights) for one in shapes), strict=True
                )
            )
            size = np.ptp(expected[0], axis=0).max()
            reach = np.abs(expected).max()  # float32 loses digits away from the origin
            np.testing.assert_allclose(positions, expected, atol=1e-5 * size + 4e-7 * reach)
            assert np.median(np.sum(turned * normals, axis=-1)) > 0.9999


def test_the_picture_shows_the_crowd(world, renderer):
    drawing = DrawWorld(renderer)
    stage = stage_of(world)
    with renderer.target(320, 180) as target:
        drawing.draw(world, target)
        full = target.read_pixels().astype(int)
        surfaces = [renderer.upload_surface(surface) for surface in stage.surfaces]
        renderer.draw(target, View.of(stage.camera, target.aspect), stage.lighting, stage.ground, [], surfaces)
        empty = target.read_pixels().astype(int)
    changed = np.abs(full - empty).max(axis=-1) > 12
    assert 0.01 < changed.mean() < 0.7
    assert changed[60:150].any(axis=0).mean() > 0.05
    assert full[changed].std(axis=0).max() > 15, "a crowd has light and shade"


@pytest.mark.exhaustive
def test_a_scene_is_one_draw_a_mesh_whatever_the_number_of_actors(renderer, monkeypatch):
    def calls(actors):
        made = []
        original = gl.glDrawElementsInstanced
        monkeypatch.setattr(gl, "glDrawElementsInstanced", lambda *a: (made.append(a[-1]), original(*a)))
        with load_scene("throng", actors=actors, threads=1) as world, renderer.target(64, 64) as target:
            DrawWorld(renderer).draw(world, target)
        monkeypatch.undo()
        return made

    assert calls(2000) == [2000, 2000]  # into the shadow map, into the picture
    assert calls(3) == [3, 3]


def test_shadows_are_drawn_with_the_coarsest_meshes(renderer, monkeypatch):
    counts = []
    original = gl.glDrawElementsInstanced
    monkeypatch.setattr(gl, "glDrawElementsInstanced", lambda *a: (counts.append(a[1]), original(*a)))
    with load_scene("throng", actors=3, threads=1) as world, renderer.target(64, 64) as target:
        DrawWorld(renderer).draw(world, target)
        ((_, (character,)),) = world.query(Character)
    levels = [sum(len(mesh.indices) for mesh in character.rig.level(level)) for level in (2, 0)]
    assert counts == levels


@pytest.mark.exhaustive
def test_feet_stand_on_the_ground():
    """The lowest vertex of each actor that stands or walks is at the ground. No actor sinks into the ground."""
    with load_scene("throng", actors=FEW or 60, threads=1) as world:
        for _ in range(10):
            for _ in range(7):
                world.step(1 / 60)
            ((_, row),) = world.query(Character, Transforms, Palette, Playback)
            character, transforms, palette, playback = row
            (mesh,) = character.rig.level(0)
            lowest = world_vertices(mesh, palette, transforms, np.arange(len(transforms.scale)))[0][..., 1].min(axis=1)
            clips = np.array(list(character.motions.index))[playback.motion[:, 0]]
            assert lowest.min() > -0.008
            assert lowest[clips != "run"].max() < 0.012


@pytest.mark.exhaustive
def test_walking_feet_do_not_skate():
    """In world space, the lower foot of a walking actor stands still: its sole's vertices hardly move."""
    dt = 1 / 240
    with load_scene("throng", actors=20, threads=1) as world:
        ((_, row),) = world.query(Character, Transforms, Palette, Playback)
        character, transforms, palette, playback = row
        (mesh,) = character.rig.level(0)
        walking = np.flatnonzero(playback.motion[:, 0] == character.motions.index["walk"])[:10]
        stillest = []
        for _ in range(20):
            for _ in range(11):
                world.step(dt)
            before = world_vertices(mesh, palette, transforms, walking)[0]
            heading = transforms.rotation[walking].copy()
            world.step(dt)
            after = world_vertices(mesh, palette, transforms, walking)[0]
            velocity = np.linalg.norm((after - before)[..., [0, 2]], axis=-1) / dt
            on_ground = before[..., 1] < 0.004
            straight = np.all(transforms.rotation[walking] == heading, axis=-1)  # others turn on the planted foot
            stillest += [v[g].min() for v, g in zip(velocity[straight], on_ground[straight], strict=True) if g.any()]
        assert len(stillest) > 10 * len(walking)
        assert np.percentile(stillest, 95) < 0.01  # the rest: a step in which a foot lands or leaves
