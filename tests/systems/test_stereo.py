"""Stereo pairs: rectified pictures, and disparity from depth."""

import numpy as np
import pytest

import ecs_anim as ea
from tests.view.test_wide_lenses import SCENE

FX, BASELINE = 180.0, 0.3
PAIR = f"""
[[cameras]]
name = "front"
size = [200, 150]
eye = [0.3, 1.5, 5.0]
look_at = [0.1, 0.9, 0.0]
fx = {FX}
stereo = {{ baseline = {BASELINE} }}
"""


@pytest.fixture(scope="module")
def pair():
    with ea.load_scene(SCENE + PAIR, threads=1) as world:
        assert ea.cameras(world) == ["front_left", "front_right"]
        yield ea.capture(world, None, ["ids", "depth"], keypoints=True)


def test_cameras_are_a_baseline_apart_around_the_given_eye(pair):
    left, right = (seen.camera.pose for seen in pair)
    np.testing.assert_array_equal(left[:, :3], right[:, :3])
    np.testing.assert_allclose(right[:, 3] - left[:, 3], BASELINE * left[:, 0])
    np.testing.assert_allclose((right[:, 3] + left[:, 3]) / 2, [0.3, 1.5, 5.0])


def test_points_have_equal_rows_and_the_disparity_of_their_depth(pair):
    left, right = pair
    points = left.keypoints[0].joints_3d
    (first, depths), (second, others) = left.camera.project(points), right.camera.project(points)
    np.testing.assert_allclose(first[..., 1], second[..., 1], atol=1e-9)
    np.testing.assert_allclose(depths, others)
    np.testing.assert_allclose(first[..., 0] - second[..., 0], FX * BASELINE / depths, atol=1e-9)


def test_the_disparity_of_the_depth_pass_leads_to_the_other_picture(pair):
    left, right = pair
    rows, columns = np.nonzero((left.depth > 0) & (left.depth < 20))
    shifted = columns + 0.5 - FX * BASELINE / left.depth[rows, columns]
    rows, columns, shifted = (own[shifted >= 0] for own in (rows, columns, shifted))
    there = right.depth[rows, shifted.astype(int)]
    off = there - left.depth[rows, columns]
    same = left.ids[rows, columns] == right.ids[rows, shifted.astype(int)]
    assert np.mean(off > 0.1) < 0.03, "behind a point, the other camera sees nothing but outlines"
    assert np.mean(np.abs(off) < 0.1) > 0.7, "the other points are hidden from the other camera"
    assert same[np.abs(off) < 0.1].mean() > 0.98


def test_names_of_pairs_are_different_from_others():
    with pytest.raises(ea.InputError, match="the names of cameras must be different .got 'front_left' twice"):
        ea.load_scene(SCENE + PAIR + "[[cameras]]\nname='front_left'\neye=[0,1,3]\nlook_at=[0,1,0]\n")
