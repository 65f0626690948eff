"""Glass and water: reflections against Fresnel's law, and ripples against the simulation time."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.maths.color import srgb_to_linear
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import Lighting, View
from tests.gl.test_surface import BARE, PLAIN, floor_at, quad
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401

WATER = (0.1, 0.3, 0.4)
PANE = dataclasses.replace(
    quad((-50.0, -50.0, 0.0), (100.0, 0, 0), (0, 100.0, 0), color=(0.2, 0.3, 0.4), material="glass"),
    uvs=None,
)


def seen(renderer, surface, camera, lighting=PLAIN, time=0.0) -> np.ndarray:
    with renderer.upload_surface(surface) as buffers, renderer.target(160, 120) as picture:
        renderer.draw(picture, View.of(camera, 4 / 3), lighting, BARE, [], [buffers], time=time)
        return picture.read_pixels()


def test_a_pane_without_curtains_mixes_the_room_and_the_reflection(renderer):
    pane = dataclasses.replace(PANE, uvs=np.tile(np.array([[0.5, 1.0]], np.float32), (4, 1)))
    camera = OrbitCamera(target=np.array([0.0, 1.5, 0.0]), distance=3.0, elevation=0.0, vertical_fov=0.02)
    middle = srgb_to_linear(seen(renderer, pane, camera)[60, 80] / 255)
    room, around = 0.5 * np.array([0.2, 0.3, 0.4]), 0.3 * 0.5
    np.testing.assert_allclose(middle, 0.8 * room + 0.2 * around, atol=0.01)


@pytest.mark.parametrize("elevation", [0.7, 1.2, 1.45])
def test_glass_reflects_more_of_the_sky_at_grazing_angles(renderer, elevation):
    camera = OrbitCamera(target=np.array([0.0, 30.0, 0.0]), distance=20.0, elevation=-elevation, ground_clearance=None)
    share = 0.2 + 0.8 * (1.0 - np.cos(elevation)) ** 5
    room = 0.4 * 0.5 * np.array([0.2, 0.3, 0.4])
    up = np.sin(elevation)
    zenith = 1 - 2 ** (-6.5 * up * up / (up + 0.12))  # the share of the zenith's colour in sky.glsl
    sky = zenith * np.array(Lighting().zenith_color) + (1 - zenith) * np.array(Lighting().horizon_color)
    picture = srgb_to_linear(seen(renderer, PANE, camera)[60, 80] / 255)
    np.testing.assert_allclose(picture, (1 - share) * room + share * sky, atol=0.01)


def test_water_moves_with_the_simulation_time_and_repeats_after_a_minute(renderer):
    pool = floor_at(0.0, color=WATER, material="water")
    camera = OrbitCamera(target=np.zeros(3), distance=4.0, elevation=0.5)
    first, later, again = (seen(renderer, pool, camera, Lighting(), time).astype(int) for time in (0.0, 0.3, 60.0))
    assert np.abs(later - first).max() > 10
    assert np.abs(again - first).max() <= 1
    np.testing.assert_array_equal(seen(renderer, pool, camera, Lighting()), first)


def test_far_water_has_no_ripples_that_would_flicker(renderer):
    pool = floor_at(0.0, color=WATER, material="water")
    camera = OrbitCamera(target=np.zeros(3), distance=400.0, elevation=0.6)
    first, later = (seen(renderer, pool, camera, Lighting(), time).astype(int) for time in (0.0, 0.3))
    assert np.abs(later - first).max() <= 1


@pytest.mark.parametrize("material", ["plain", "paving", "grass"])
def test_the_time_changes_no_other_material(renderer, material):
    floor = floor_at(0.0, material=material)
    camera = OrbitCamera(target=np.zeros(3), distance=4.0, elevation=0.5)
    np.testing.assert_array_equal(*(seen(renderer, floor, camera, Lighting(), time) for time in (0.0, 7.3)))


def test_sides_of_water_are_dull(renderer):
    side = dataclasses.replace(PANE, material="water")
    camera = OrbitCamera(target=np.array([0.0, 1.5, 0.0]), distance=3.0, elevation=0.0)
    picture = srgb_to_linear(seen(renderer, side, camera) / 255)
    np.testing.assert_allclose(picture[60, 80], 0.5 * np.array([0.2, 0.3, 0.4]), atol=0.01)
