"""The built-in chain and ball, and scenes that show bones."""

from pathlib import Path

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.rigs.simple_rigs import ball_rig, chain_rig
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile, parse_scene
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401


def scene(rig: str, crowd: str = 'clips = [{ name = "rest" }]') -> SceneFile:
    stage = '[light]\nshadows = "none"\n[camera]\ntarget = [0, 0.5, 0]\ndistance = 4\n'
    text = f'{stage}[rigs.it]\n{rig}\n[[crowds]]\nrig = "it"\n{crowd}\n'
    return parse_scene(text, "scene.toml", Path())


@pytest.mark.parametrize("joints", [1, 3, 8])
def test_a_chain_is_a_metre_of_equal_bones(joints):
    rig = chain_rig(joints)
    skeleton = rig.skeleton
    assert skeleton.joint_names == tuple(f"joint_{i}" for i in range(joints + 1))
    places = model_matrices(skeleton, skeleton.rest_pose)[..., 3]
    np.testing.assert_allclose(places[:, 1], np.linspace(0, 1, joints + 1), atol=1e-6)
    np.testing.assert_array_equal(places[:, [0, 2]], 0)
    for mesh in rig.meshes:
        assert set(np.unique(mesh.weights)) == {0.0, 1.0}


def test_a_ball_is_ten_centimetres():
    low, high = rest_bounds(ball_rig())
    np.testing.assert_allclose([low, high], [[-0.05] * 3, [0.05] * 3], atol=1e-6)


def test_the_rest_clip_is_the_rest_pose():
    for rig in (chain_rig(4), ball_rig()):
        with load_scene(scene(f'model = "{rig.name}"'), threads=1) as world:
            for _ in range(5):
                world.step(1 / 60)
            ((_, (character, palette)),) = world.query(Character, Palette)
            skeleton = character.rig.skeleton
            expected = np.tile(np.eye(3, 4), (1, skeleton.palette_count, 1, 1))
            np.testing.assert_allclose(palette.matrices, expected, atol=1e-6)


def test_a_scene_gives_the_number_of_joints():
    with load_scene(scene('model = "chain"\njoints = 9'), threads=1) as world:
        ((_, (character,)),) = world.query(Character)
    assert character.rig.skeleton.joint_count == 10
    assert load_model("chain").skeleton.joint_count == 6


@pytest.mark.parametrize(
    ("rig", "words"),
    [
        ('model = "mannequin"\njoints = 3', "joints needs model = 'chain'"),
        ('model = "chain"\njoints = 0', "rigs.it.joints"),
        ('model = "chian"', "'chain'"),
    ],
)
def test_mistakes_are_told(rig, words):
    with pytest.raises(InputError, match=words):
        load_scene(scene(rig), threads=1)


def seen(renderer, crowd: str) -> np.ndarray:
    with load_scene(scene('model = "mannequin"\nheight = 1.3', crowd), threads=1) as world:
        world.step(1 / 60)
        with renderer.target(160, 120) as target:
            DrawWorld(renderer).draw(world, target)
            return target.read_pixels().astype(int)


def test_bones_are_shown_over_the_skin_or_alone(renderer):
    clip = 'clips = [{ name = "idle", phase = 0.0 }]\n'
    skin, both, bones, nothing = (
        seen(renderer, f"{clip}show_skin = {skin}\nshow_joints = {joints}")
        for skin, joints in (("true", "false"), ("true", "true"), ("false", "true"), ("false", "false"))
    )
    has_skin, has_bones = ((picture != nothing).any(axis=-1) for picture in (skin, bones))
    over = (both != skin).any(axis=-1)
    body = slice(0, 68)  # above the shadow on the ground
    assert has_bones[body].sum() > 150
    assert has_skin[body].sum() > 1.5 * has_bones[body].sum(), "bones alone leave much of the body's place empty"
    assert (over & has_bones)[body].sum() > 0.95 * has_bones[body].sum(), "the skin hides no bone"


def test_targets_are_shown_as_balls_where_they_are(renderer):
    """A red ball of 0.15 m on the camera's axis fills the middle of the picture, and is not there unasked."""
    targets = '[crowds.targets.hand]\nkind = "point"\nat = [0, 0.5, 0]\ncolor = "#ff0000"\nmarker_radius = 0.15\n'
    shown, hidden = (
        seen(renderer, f'clips = [{{ name = "idle" }}]\nshow_skin = false\nshow_targets = {shows}\n{targets}')
        for shows in ("true", "false")
    )
    changed = (shown != hidden).any(axis=-1)
    radius = 0.15 / 4.0 / np.tan(np.radians(20)) * 60  # [pixel]
    rows, columns = np.nonzero(changed)
    np.testing.assert_allclose([rows.mean(), columns.mean()], [59.5, 79.5], atol=0.7)
    assert changed.sum() == pytest.approx(np.pi * radius**2, rel=0.2)
    assert shown[60, 80, 0] > 2 * shown[60, 80, 1]
