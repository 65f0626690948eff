"""The area that the shadow map covers, and that this area moves by whole texels."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import View
from ecs_anim.view.sun_fit import BEYOND, REACH, fit_sun, near_ball, sun_axes

TEXELS = 1024
SUN = (0.62, 0.72, 0.42)

angles = st.floats(-math.pi, math.pi)
elevations = st.floats(-1.0, 1.5)
places = st.tuples(*[st.floats(-100, 100)] * 3)


def view_of(target=(0, 1, 0), distance=8.0, azimuth=math.pi, elevation=0.3, fov=40.0, aspect=16 / 9) -> View:
    camera = OrbitCamera(np.array(target), distance, azimuth, elevation, math.radians(fov))
    return View.of(camera, aspect)


def on_map(fit, points):
    return np.asarray(points) @ fit.rows[:, :3].T + fit.rows[:, 3]


@given(places, st.floats(1, 60), angles, elevations, st.floats(20, 100), st.floats(0.5, 2.5))
def test_the_ball_holds_the_near_part_of_the_view(target, distance, azimuth, elevation, fov, aspect):
    view = view_of(target, distance, azimuth, elevation, fov, aspect)
    middle, radius = near_ball(view)
    depth = REACH * distance + BEYOND
    corners = np.array([(x, y, -1) for x in (-1, 1) for y in (-1, 1)]) / [
        view.projection[0, 0],
        view.projection[1, 1],
        1,
    ]
    world = view.eye + depth * corners @ view.view[:3, :3]
    reached = np.linalg.norm([*(world - middle), view.eye - middle], axis=-1)
    assert reached.max() <= radius * (1 + 1e-5) + 1e-5
    assert reached[:4].max() >= radius * (1 - 1e-5)


@given(places, angles, elevations)
def test_the_map_holds_the_ball_whatever_the_view(target, azimuth, elevation):
    view = view_of(target, 8.0, azimuth, elevation)
    fit = fit_sun(view, SUN, TEXELS)
    middle, radius = near_ball(view)
    steps = np.random.default_rng(0).normal(size=(50, 3))
    rim = middle + radius * steps / np.linalg.norm(steps, axis=-1, keepdims=True)
    placed = on_map(fit, rim)
    assert placed.min() >= -1 / TEXELS
    assert placed.max() <= 1 + 1 / TEXELS
    assert fit.texel == fit_sun(view_of((0, 1, 0), 8.0), SUN, TEXELS).texel, "turning does not change the size"


@given(places, angles, elevations, st.tuples(*[st.floats(-3, 3)] * 3), st.floats(-0.5, 0.5))
def test_moving_and_turning_shift_the_map_by_whole_texels(target, azimuth, elevation, step, turn):
    before = fit_sun(view_of(target, 8.0, azimuth, elevation), SUN, TEXELS)
    after = fit_sun(view_of(np.add(target, step), 8.0, azimuth + turn, elevation), SUN, TEXELS)
    np.testing.assert_array_equal(before.rows[:, :3], after.rows[:, :3])
    shift = (after.rows[:, 3] - before.rows[:, 3]) * TEXELS
    np.testing.assert_allclose(shift, np.round(shift), atol=1e-6)


def test_sizes_come_in_steps():
    texels = {fit_sun(view_of(distance=d), SUN, TEXELS).texel for d in np.geomspace(5, 20, 200)}
    assert 6 <= len(texels) <= 10, "two powers of two, four steps each"


@pytest.mark.parametrize("sun", [SUN, (0, 1, 0), (1, 0.02, 0), (0, 0.05, -1), (1e-4, 5, 0)])
def test_the_axes_are_a_frame_that_looks_away_from_the_sun(sun):
    axes = sun_axes(sun)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes[2], -np.array(sun) / np.linalg.norm(sun), atol=1e-12)
    toward = fit_sun(view_of(), sun, TEXELS)
    near, far = on_map(toward, [np.array(sun) * 0.1, np.zeros(3)])
    assert near[2] < far[2]
    np.testing.assert_allclose(near[:2], far[:2], atol=1e-9)
