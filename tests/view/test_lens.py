"""Lenses against a calibration's formulas in plain numpy, and scipy's root finder for the way back."""

import math

import numpy as np
import pytest
from scipy.optimize import root

import ecs_anim as ea
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.lens import distorted, undistorted
from ecs_anim.view.pinhole import pinhole_of
from ecs_anim.view.resampling import resampling_of
from tests.oracles.pinhole import bent, seen_at

BENT = (-0.28, 0.09, 0.002, -0.0015, -0.01)
SIZE = (64, 48)
LENS = ea.Lens(SIZE, 50.0, 52.0, 30.0, 25.0, BENT)
EYE, LOOK_AT = np.array([1.0, 2.0, 5.0]), np.array([0.2, 0.5, -0.3])


def test_distortion_is_browns():
    points = np.random.default_rng(0).uniform(-0.8, 0.8, (40, 2))
    expected = [bent(x, y, *BENT) for x, y in points]
    np.testing.assert_allclose(distorted(points, BENT), expected, rtol=1e-13)


@pytest.mark.parametrize("distortion", [BENT, (0.4, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.03, 0.02, 0.0), (0.0,) * 5])
def test_the_way_back_is_the_one_that_a_root_finder_finds(distortion):
    points = np.random.default_rng(1).uniform(-0.7, 0.7, (25, 2))
    expected = [root(lambda p, own=own: np.array(bent(*p, *distortion)) - own, own, tol=1e-13).x for own in points]
    np.testing.assert_allclose(undistorted(points, distortion), expected, atol=1e-9)


def test_what_a_fold_hides_has_no_direction():
    assert np.isnan(undistorted([[0.6, 0.0]], (-1.0, 0, 0, 0, 0))).all()  # x - x^3 is 0.385 at most
    assert np.isfinite(undistorted([[0.38, 0.0]], (-1.0, 0, 0, 0, 0))).all()


def test_points_of_the_world_are_seen_where_a_calibration_says():
    camera = ea.PinholeCamera.looking(LENS, EYE, LOOK_AT)
    points = np.random.default_rng(2).uniform(-1.5, 1.5, (30, 3))
    pixels, depths = camera.project(points)
    k = np.array([[50.0, 0, 30.0], [0, 52.0, 25.0], [0, 0, 1]])
    for point, pixel, depth in zip(points, pixels, depths, strict=True):
        expected, z = seen_at(point, EYE, LOOK_AT, k, BENT)
        np.testing.assert_allclose(pixel, expected, atol=1e-9)
        assert depth == pytest.approx(z)
    assert np.isnan(camera.project(2 * EYE - LOOK_AT)[0]).all(), "what is behind has no pixel"


def test_the_middle_of_a_pixel_is_half_a_pixel_from_its_corner():
    """So the middle of a picture of 4 x 2 is where its pixels 1 and 2, and its rows 0 and 1, meet."""
    camera = ea.PinholeCamera.looking(ea.Lens.of_view((4, 2), 1.0), [0, 0, 1], [0, 0, 0])
    np.testing.assert_allclose(camera.project([0, 0, 0])[0], [2.0, 1.0])
    seen = camera.lens.directions()
    np.testing.assert_allclose(seen[0, 1], [-0.5 / camera.lens.fx, -0.5 / camera.lens.fy])


@pytest.mark.parametrize("size", [SIZE, (128, 96), (96, 48), (30, 60)])
def test_clip_space_shows_points_where_pixels_are(size):
    lens = ea.Lens(SIZE, 50.0, 52.0, 30.0, 25.0, near=0.5, far=20.0)
    points = np.random.default_rng(3).uniform(-1, 1, (20, 3)) - [0, 0, 3]
    clip = np.concatenate([points, np.ones((20, 1))], axis=1) @ lens.projection_matrix(size[0] / size[1]).T
    pixels = (clip[:, :2] / clip[:, 3:] * [1, -1] + 1) / 2 * size
    np.testing.assert_allclose(lens.fitted(size).pixels(points), pixels, atol=1e-4)
    depths = np.array([[0, 0, -0.5, 1], [0, 0, -20, 1]]) @ lens.projection_matrix(1.0).T
    np.testing.assert_allclose(depths[:, 2] / depths[:, 3], [-1, 1], atol=1e-5)


def test_another_size_is_as_high_and_shows_more_or_less_at_both_sides():
    points = np.array([[0.1, 0.2, -1.0], [0.0, 0.0, -1.0]])
    here, wider = LENS.pixels(points), LENS.fitted((80, 48))
    np.testing.assert_allclose(wider.pixels(points) - here, [[8, 0], [8, 0]])
    np.testing.assert_allclose(LENS.fitted((128, 96)).pixels(points), 2 * here)
    with pytest.raises(ea.InputError, match="lens distortion must keep the border of the picture within"):
        LENS.fitted((200, 48))


def test_a_flat_picture_has_all_that_the_bent_one_has():
    for lens in (LENS, ea.Lens(SIZE, 40.0, 40.0, 20.0, 20.0, (0.3, 0.1, 0.0, 0.01, 0.0))):
        own = resampling_of(lens)
        rows, columns = np.indices((SIZE[1], SIZE[0]))
        expected = np.stack([columns, rows], axis=-1) + 0.5
        rays = np.concatenate([own.at, np.ones((*own.at.shape[:2], 1))], axis=-1)
        rays = (rays - [own.flat.cx, own.flat.cy, 0]) / [own.flat.fx, own.flat.fy, 1]
        np.testing.assert_allclose(lens.pixels(rays * [1, -1, -1]), expected, atol=1e-3)
        assert own.at.min() >= 1
        assert (own.at.max(axis=(0, 1)) <= np.array(own.flat.size) - 1).all()
        steps = [np.linalg.norm(np.diff(own.at, axis=axis), axis=-1).min() for axis in (0, 1)]
        assert min(steps) >= 1.5, "it is finer everywhere"


def test_colours_mix_in_linear_light_and_numbers_do_not():
    own = resampling_of(LENS)
    flat = np.zeros((own.flat.size[1], own.flat.size[0], 3), np.uint8)
    column = int(own.at[20, 30, 0])
    flat[:, column + 1 :] = 255
    ids = own.nearest(flat[..., 0])
    assert set(np.unique(ids)) == {0, 255}
    share = np.clip(own.at[20, 30, 0] - 0.5 - column, 0, 1)
    linear = share if share <= 0.0031308 / 12.92 else 1.055 * share ** (1 / 2.4) - 0.055
    assert own.mixed(flat)[20, 30, 1] == pytest.approx(255 * linear, abs=0.6)


def test_an_orbit_camera_has_a_lens_too():
    orbit = OrbitCamera(azimuth=math.pi - 0.7, elevation=0.2, distance=6.0, vertical_fov=0.8)
    camera = pinhole_of(orbit, (320, 180))
    np.testing.assert_allclose(camera.view_matrix(), orbit.view_matrix(), atol=1e-6)
    np.testing.assert_allclose(camera.projection_matrix(320 / 180), orbit.projection_matrix(320 / 180), rtol=1e-6)
    assert camera.lens.fy == pytest.approx(90 / math.tan(0.4))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"size": (0, 5)}, r"lens size must be at least 1 x 1 pixels \(got \(0, 5\)\)"),
        ({"size": (10**6, 10**6)}, "lens size: "),
        ({"fx": 0.0}, "lens fx and fy must be above 0"),
        ({"fy": math.inf}, "lens fy must be finite"),
        ({"near": 2.0, "far": 1.0}, "lens near must be above 0 and below far"),
        ({"near": 1e-9, "far": 1.0}, "lens near must be at least far / 1,000,000 .* Raise near"),
        (
            {"distortion": (0.1, 0.2)},
            r"lens distortion must be the five coefficients k1, k2, p1, p2, k3 \(got \(0.1, 0.2\)\)",
        ),
        ({"distortion": (-1.0, 0, 0, 0, 0)}, "lens distortion must keep the border of the picture within"),
    ],
)
def test_lenses_that_cannot_be_are_told(change, told):
    given = {"size": SIZE, "fx": 50.0, "fy": 52.0, "cx": 30.0, "cy": 25.0} | change
    with pytest.raises((ValueError, ea.InputError), match=told):
        ea.Lens(**given)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: ea.PinholeCamera.looking(LENS, [0, 0, 0], [0, 0, 0]), "eye and look_at must be different points"),
        (lambda: ea.PinholeCamera.looking(LENS, [0, 5, 0], [0, 0, 0]), "Choose another direction for up"),
        (lambda: ea.PinholeCamera.looking(LENS, [0, 5], [0, 0, 0]), "eye must be three numbers x, y, z"),
        (
            lambda: ea.PinholeCamera(LENS, 2 * np.eye(3, 4)),
            "the axes of the camera pose must be perpendicular unit vectors",
        ),
        (lambda: ea.PinholeCamera(LENS, np.diag([1, 1, -1]) @ np.eye(3, 4)), "right-handed"),
        (lambda: ea.PinholeCamera(LENS, np.eye(3)), "three rows and four"),
    ],
)
def test_poses_that_cannot_be_are_told(call, told):
    with pytest.raises(ValueError, match=told):
        call()
