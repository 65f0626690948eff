"""Levels of detail and culling, as seen: nothing pops, and no actor with a visible vertex is culled."""

import numpy as np
import pytest

from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import bake_rig
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gltf.load import load_rig
from ecs_anim.levels.culler import Culler
from ecs_anim.levels.levels import Levels, build_levels
from ecs_anim.mannequin import PATH
from ecs_anim.maths import affine
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import PIXEL_ERROR, CullView
from ecs_anim.view.style import Lighting, View
from tests.helpers import EXHAUSTIVE
from tests.helpers.culling import random_actors
from tests.helpers.gl import context_fixture, instances_at, renderer_fixture, take_picture  # noqa: F401

SIZE = (160, 720)  # [pixel]


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig(PATH)


@pytest.fixture(scope="module")
def bake(rig: Rig) -> Bake:
    return bake_rig(rig)


@pytest.fixture(scope="module")
def levels(rig: Rig, bake: Bake) -> Levels:
    return build_levels(rig, bake)


def moment(bake: Bake, clip: int, share: float) -> np.ndarray:
    """The palette [1, entry, 3, 4] of a moment of a clip."""
    span = bake.clips[clip].span
    return bake.palette(clip, np.array([span.start + share * span.duration]), loop=False)


@pytest.mark.parametrize("clip", [0, 1, 3])
@pytest.mark.parametrize("level", [1, 2, 3])
@EXHAUSTIVE
def test_a_change_of_level_is_less_than_a_step_aside_of_half_a_pixel(renderer, bake, levels, level, clip):
    """At the distance where the level begins, in the mean over the pixels of the figure."""
    pixels = CullView.of(OrbitCamera().projection_matrix(1), SIZE[1]).pixels
    distance = float(levels.errors[level] * pixels / PIXEL_ERROR)
    camera = OrbitCamera(target=np.array([0, 0.9, 0]), distance=distance, azimuth=np.pi - 0.6, elevation=0.15, far=3000)
    aside = 0.5 * distance / pixels * camera.axes()[0]
    palettes = moment(bake, clip, 0.3)

    def picture(number: int, place: np.ndarray) -> np.ndarray:
        rows = instances_at(place[None])
        rows[:, 8:11] = 0.7, 0.15, 0.1
        with renderer.upload(levels.meshes[number]) as model:
            crowd = CrowdDraw(model, rows, palettes, shadow_radius=0.0)
            shown = take_picture(renderer, [crowd], camera, SIZE, Lighting(shadows="none"), ground=None)
        return shown[..., :3].astype(float)

    finer, coarser, moved, none = (
        picture(number, place)
        for number, place in ((level - 1, 0 * aside), (level, 0 * aside), (level - 1, aside), (level, -1e3 * aside))
    )
    figure = (np.abs(finer - none).max(axis=-1) > 2) | (np.abs(coarser - none).max(axis=-1) > 2)
    popped, stepped = (np.abs(other - finer).mean(axis=-1)[figure].mean() for other in (coarser, moved))
    assert figure.sum() > 50
    assert 0 < popped < stepped


def test_every_vertex_of_who_is_culled_is_outside_the_view(rig, bake, levels):
    """Actors play single moments of their clips; each one that is not drawn is wholly outside one plane of the view."""
    rng = np.random.default_rng(2)
    actors = random_actors(rng, 400, spread=25.0)
    actors["clip"] = rng.integers(0, len(bake.clips), (400, 1))
    actors["share"] = 0
    actors["phase"] = rng.uniform(0, 1, (400, 1))
    camera = OrbitCamera(distance=9, azimuth=np.pi - 1.0)
    view = View.of(camera, 1.5)
    matrix = view.projection.astype(np.float64) @ view.view
    cull_view = CullView.of(matrix, 300)
    culled = Culler(levels, is_dense=False).cull(actors, cull_view, cull_view.settings(0))
    drawn = set(culled.instances["actor"].tolist())
    assert 20 < len(drawn) < 380
    wasted = 0
    for number, actor in enumerate(actors):
        palette = moment(bake, int(actor["clip"][0]), float(actor["phase"][0]))
        points = np.concatenate([skin_linear(mesh, palette)[0][0] for mesh in rig.level(3)])
        place = affine.compose(actor["translation"], actor["rotation"], np.repeat(actor["scale"], 3))
        clip = np.concatenate([affine.transform_points(place, points), np.ones((len(points), 1))], axis=1) @ matrix.T
        seen = (np.abs(clip[:, :3]) <= clip[:, 3:]).all(axis=1).any()
        assert not seen or number in drawn
        wasted += number in drawn and not seen
    assert wasted < 0.5 * len(drawn)
