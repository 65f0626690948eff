"""Studios: the camera frames a rig in all shown clips, and clips are shown in turn."""

from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import rest_bounds, skin_linear
from ecs_anim.maths.transform import Pose
from ecs_anim.scenes.rigs import BUILT_IN, load_model
from ecs_anim.scenes.studio import NEAR_FLOOR, PLAIN_HEIGHT, is_plausible, points_of, studio_of
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import stage_of
from tests.helpers import ASSETS, needs_assets


def scaled(rig, factor):
    """The rig with all roots scaled."""
    rest, roots = rig.skeleton.rest_pose, rig.skeleton.parents < 0
    scale = np.where(roots[:, None], factor * rest.scale, rest.scale).astype(np.float32)
    move = np.where(roots[:, None], factor * rest.translation, rest.translation).astype(np.float32)
    return rig.posed(Pose(move, rest.rotation, scale))


@pytest.mark.parametrize("model", BUILT_IN)
def test_all_vertices_of_the_rest_pose_are_in_the_picture(model):
    aspect = 1.5
    rig = load_model(model)
    with ea.load_scene(studio_of(rig, aspect=aspect).scene, threads=1) as world:
        camera, handle = stage_of(world).camera, ea.crowd(world, "shown")
        matrix = camera.projection_matrix(aspect).astype(np.float64) @ camera.view_matrix().astype(np.float64)
        place = handle.positions_in_space[0]
    low, high = rest_bounds(rig)
    corners = points_of(rig) + place * [1, 0, 1]
    clip = np.concatenate([corners, np.ones((8, 1))], axis=1) @ matrix.T
    assert (clip[:, 3] > 0).all()
    assert (np.abs(clip[:, :2]) <= clip[:, 3:]).all()
    assert np.ptp(corners[:, 1]) >= (high - low)[1] * 0.999


def test_points_contain_the_mesh_in_the_poses_of_a_clip():
    rig = load_model("mannequin")
    low, high = (points_of(rig, ["wave"]).min(axis=0), points_of(rig, ["wave"]).max(axis=0))
    for share in (0, 0.3, 0.7):
        clip = rig.clips["wave"]
        palette = skin_palette(rig.skeleton, clip.sample(clip.start + share * clip.duration))
        for mesh in rig.level(0):
            vertices, _ = skin_linear(mesh, palette)
            slack = 0.1 * (high - low)  # the distance from joints to the surface is estimated
            assert (vertices >= low - slack).all()
            assert (vertices <= high + slack).all()


def test_clips_follow_one_another_and_begin_again():
    rig = load_model("mannequin")
    studio = studio_of(rig, ["walk", "idle", "wave"])
    assert studio.starts[0] == 0
    assert [studio.clip_at(time + 0.01) for time in studio.starts] == ["walk", "idle", "wave"]
    assert studio.clip_at(studio.seconds + 0.01) == "walk"
    playing = []
    with ea.load_scene(studio.scene, threads=1) as world:
        for _ in range(round(60 * (studio.seconds + 1))):
            world.step(1 / 60)
            playing.append(studio.clip_at(world.time - 1 / 60))
    assert list(dict.fromkeys(playing)) == ["walk", "idle", "wave"]


def test_a_rig_below_the_floor_is_raised_and_a_floating_rig_is_not():
    rig = load_model("mannequin")
    rest, roots = rig.skeleton.rest_pose, rig.skeleton.parents < 0
    low = {
        height: points_of(
            rig.posed(replace(rest, translation=rest.translation + roots[:, None] * np.float32([0, height, 0])))
        )
        for height in (-1.0, 0.0, 1.0)
    }
    assert low[-1.0][:, 1].min() == pytest.approx(0.0, abs=1e-5)
    assert low[0.0][:, 1].min() == pytest.approx(0.0, abs=NEAR_FLOOR * 1.8)
    assert low[1.0][:, 1].min() == pytest.approx(1.0, abs=NEAR_FLOOR * 1.8)


@pytest.mark.parametrize("factor", [0.001, 100.0])
def test_very_small_and_tall_rigs_are_shown_at_a_plain_height(factor):
    rig = scaled(load_model("mannequin"), factor)
    assert not is_plausible(rig)
    assert np.ptp(points_of(rig)[:, 1]) == pytest.approx(PLAIN_HEIGHT, rel=0.01)


def test_plausible_heights():
    assert is_plausible(load_model("mannequin"))
    assert not is_plausible(scaled(load_model("mannequin"), 2.0))


@needs_assets
def test_a_fox_in_centimetres_is_not_plausible():
    assert not is_plausible(load_model(str(ASSETS / "Fox.glb")))


def test_a_rig_without_meshes_is_an_error():
    with pytest.raises(InputError, match="must have triangles"):
        studio_of(replace(load_model("ball"), meshes=()))
