"""Planes of views and of the sun's map, against the matrices that they come from."""

import numpy as np
import pytest

from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.frustum import frustum_planes, map_planes
from ecs_anim.view.style import View
from ecs_anim.view.sun_fit import fit_sun


def a_view() -> View:
    return View.of(OrbitCamera(distance=12, azimuth=0.7, elevation=0.4, near=0.5, far=80), 1.6)


def homogeneous(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points, np.ones((len(points), 1))], axis=1)


def test_inside_all_planes_is_inside_clip_space():
    view = a_view()
    matrix = view.projection.astype(np.float64) @ view.view
    points = np.random.default_rng(0).uniform(-40, 40, (4000, 3))
    clip = homogeneous(points) @ matrix.T
    inside = (np.abs(clip[:, :3]) <= clip[:, 3:]).all(axis=1)
    held = (homogeneous(points) @ frustum_planes(matrix).T >= 0).all(axis=1)
    assert 50 < inside.sum() < 3950
    np.testing.assert_array_equal(held, inside)


def test_distances_are_metres():
    view = a_view()
    near, far = frustum_planes(view.projection @ view.view)[4:]
    ahead = view.eye - 7.0 * view.view[2, :3]  # 7 m along the way that the eye looks
    assert near @ [*ahead, 1] == pytest.approx(6.5, abs=1e-3)
    assert far @ [*ahead, 1] == pytest.approx(73, abs=1e-2)


def test_the_suns_planes_hold_what_its_map_shows_or_what_is_nearer_to_the_sun():
    fit = fit_sun(a_view(), (0.3, 0.8, 0.2), 2048)
    points = np.random.default_rng(1).uniform(-60, 60, (4000, 3))
    across, up, away = (homogeneous(points) @ fit.rows.T).T
    shown = (across >= 0) & (across <= 1) & (up >= 0) & (up <= 1) & (away <= 1)
    held = (homogeneous(points) @ map_planes(fit.rows).T >= 0).all(axis=1)
    assert 50 < shown.sum() < 3950
    assert (shown & (away < 0)).any()
    np.testing.assert_array_equal(held, shown)
