"""Orthographic lenses against plain geometry: a metre is equally long everywhere."""

import json

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.view.camera_record import camera_facts, recorded_camera
from tests.view.test_wide_lenses import SCENE

PLAN = """
[[cameras]]
name = "plan"
size = [160, 120]
eye = [0.0, 20.0, 0.0]
look_at = [0.0, 0.0, 0.0]
up = [0.0, 0.0, -1.0]
lens = "orthographic"
view_width = 8.0
"""
LENS = ea.OrthographicLens((160, 120), 8.0, near=0.5, far=60.0)


@pytest.fixture(scope="module")
def world():
    with ea.load_scene(SCENE + PLAN, threads=1) as loaded:
        yield loaded


def test_pixels_are_lengths():
    np.testing.assert_allclose(LENS.pixels([[1, 0.5, -3], [1, 0.5, -30]]), [[100, 50], [100, 50]])
    assert np.isnan(LENS.pixels([0, 0, 1])).all()
    points = LENS.unproject(LENS.pixel_centers(), 7.0)
    np.testing.assert_allclose(LENS.pixels(points), LENS.pixel_centers())
    np.testing.assert_allclose(LENS.depths(points), 7)
    wider = LENS.fitted((320, 120))
    assert (wider.view_width, wider.pixels_per_metre) == (16, 20)


def test_clip_space_shows_points_where_pixels_are():
    points = np.random.default_rng(3).uniform(-3, 3, (20, 3)) - [0, 0, 6]
    clip = np.concatenate([points, np.ones((20, 1))], axis=1) @ LENS.projection_matrix(160 / 120).T
    np.testing.assert_allclose((clip[:, :2] * [1, -1] + 1) / 2 * LENS.size, LENS.pixels(points), atol=1e-4)
    ends = np.array([[0, 0, -0.5, 1], [0, 0, -60, 1]]) @ LENS.projection_matrix(1.0).T
    np.testing.assert_allclose(ends[:, 2], [-1, 1], atol=1e-5)


def test_a_plan_shows_actors_at_their_places(world):
    (plan,) = ea.capture(world, ["plan"], ["rgb", "ids", "depth", "normals"], keypoints=True, amodal=True)
    (people,) = plan.keypoints
    for place, actor in zip(ea.crowd(world, "people").positions, ea.crowd(world, "people").ids, strict=True):
        if np.all(np.abs(place) < [3.5, 2.5]):
            rows, columns = np.nonzero(plan.ids == actor)
            middle = [columns.mean() + 0.5, rows.mean() + 0.5]
            np.testing.assert_allclose(middle, [80 + 20 * place[0], 60 - 20 * place[1]], atol=6)
            height = 20 - plan.depth[rows, columns].min()
            assert 1.6 < height < 2.0, "the top of the head"
            np.testing.assert_array_equal(plan.amodal_mask(actor), plan.ids == actor)
    ground = plan.ids == 0
    np.testing.assert_allclose(plan.depth[ground], 20, atol=1e-3)
    joints, depths = plan.camera.project(people.joints_3d)
    np.testing.assert_allclose(joints, people.joints_2d)
    np.testing.assert_allclose(depths, 20 - people.joints_3d[..., 1], atol=1e-6)
    assert plan.rgb[ground].std(axis=0).max() < 60, "no fog, no missing ground"


def test_oblique_views_show_the_depth_of_the_ground(world):
    lens = ea.OrthographicLens((96, 72), 6.0)
    camera = ea.PinholeCamera.looking(lens, [5.0, 6.0, 7.0], [0.0, 0.5, 0.0])
    (seen,) = ea.capture(world, [camera], ["rgb", "depth", "classes", "ids"], size=lens.size)
    starts = camera.unproject(lens.pixel_centers(), 0.0)
    ahead = camera.pose[:, :3] @ [0, 0, -1]
    ground = seen.classes == 1
    assert ground.mean() > 0.4
    np.testing.assert_allclose(seen.depth[ground], (starts[..., 1] / -ahead[1])[ground], atol=2e-3)
    points = camera.unproject(lens.pixel_centers(), seen.depth)
    assert np.abs(points[ground][:, 1]).max() < 2e-3


def test_flow_and_records(world):
    with ea.load_scene(SCENE + PLAN, threads=1) as own:
        own.step(0.1)
        for _ in range(2):
            (plan,) = ea.capture(own, ["plan"], ["ids", "flow"])
            own.step(0.1)
    assert np.abs(plan.flow[plan.ids == 0]).max() < 0.01
    again = recorded_camera(json.loads(json.dumps(camera_facts(plan.camera, 160, 120))), 160, 120)
    np.testing.assert_allclose(again.project([1, 0.5, 2])[0], plan.camera.project([1, 0.5, 2])[0], atol=1e-4)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("lens='orthographic'", "orthographic lenses need view_width"),
        ("view_width=3", "view_width is not a key of pinhole lenses"),
        ("lens='orthographic'\nview_width=3\nfx=3", "fx is not a key of orthographic lenses"),
    ],
)
def test_scenes_with_other_keys_are_told(keys, told):
    with pytest.raises(ea.InputError, match=told):
        ea.load_scene(SCENE + "[[cameras]]\nname='f'\neye=[0,2,3]\nlook_at=[0,1,0]\n" + keys)
