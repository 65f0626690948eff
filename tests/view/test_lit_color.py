"""Colours in the light, against pictures of a ball that has them."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.ndimage import binary_erosion

from ecs_anim.assets.mesh import Material
from ecs_anim.maths.color import hex_to_linear, linear_to_hex, srgb_to_linear
from ecs_anim.rigs.bones import ball_mesh
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.lit_color import lit_color
from ecs_anim.view.style import Lighting
from tests.gl.test_renderer import crowd_of
from tests.helpers.gl import context_fixture, renderer_fixture, take_picture  # noqa: F401

LOW_SUN = Lighting(sun_direction=(-0.8, 0.2, 0.1), sun_color=(1.0, 0.6, 0.3), shadows="none")


@pytest.mark.parametrize("lighting", [Lighting(shadows="none"), LOW_SUN], ids=["day", "evening"])
@pytest.mark.parametrize(("azimuth", "elevation"), [(0, 30), (90, 30), (200, 5), (0, 88)])
def test_it_is_the_mean_of_what_is_seen_of_a_ball(renderer, lighting, azimuth, elevation):
    color = (0.3, 0.6, 0.1)
    camera = OrbitCamera(np.zeros(3), 20.0, math.radians(azimuth), math.radians(elevation))
    ball = crowd_of(renderer, ball_mesh(3.0, Material(base_color=(*color, 1.0))))
    nothing, seen = (take_picture(renderer, crowd, camera, (160, 120), lighting, None) for crowd in ([], [ball]))
    covered = binary_erosion((nothing != seen).any(axis=-1))  # without the rim, through which the sky is seen
    assert covered.sum() > 1000
    mean = srgb_to_linear(seen[covered] / 255).mean(axis=0)
    np.testing.assert_allclose(lit_color(color, lighting, camera.axes()[2]), mean, rtol=0.08, atol=0.01)


def test_bright_light_ends_below_white():
    bright = dataclasses.replace(Lighting(), sun_color=(9.0, 9.0, 9.0))
    assert max(lit_color((1.0, 1.0, 1.0), bright, np.array([0.6, 0.7, 0.4]))) <= 1.0


def test_hexadecimal_colours_come_back():
    for color in ("#000000", "#3d6fa5", "#fde725", "#ffffff"):
        assert linear_to_hex(hex_to_linear(color)) == color
    assert linear_to_hex((-1.0, 2.0, 0.0)) == "#00ff00"
