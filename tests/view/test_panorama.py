"""The light of panoramas against integrals of simple skies."""

import numpy as np

from ecs_anim.view.panorama import horizon_color, linear_of, lit_by, panorama_light, sky_pixels
from ecs_anim.view.style import Lighting

USUAL = (np.array(Lighting().sun_color) * np.sin(np.radians(44)) + Lighting().sky_color) @ [0.2126, 0.7152, 0.0722]


def sky(height: int = 128) -> tuple[np.ndarray, np.ndarray]:
    """Return elevations [height, 1] and bearings [1, 2 height] of the pixels [rad]."""
    elevation = np.pi * (0.5 - (np.arange(height) + 0.5) / height)
    bearing = np.pi * ((np.arange(2 * height) + 0.5) / height - 1)
    return elevation[:, None], bearing[None]


def test_an_even_sky_has_no_sun_and_lights_the_ground_as_usual():
    light, scale = panorama_light(np.full((64, 128, 3), [0.2, 0.4, 0.6]))
    np.testing.assert_allclose(light.sun_color, 0, atol=1e-9)
    np.testing.assert_allclose(np.array(light.sky_color) @ [0.2126, 0.7152, 0.0722], USUAL, rtol=1e-6)
    np.testing.assert_allclose(
        light.sky_color, scale * np.array([0.2, 0.4, 0.6]), rtol=0.01
    )  # white ground is as bright
    np.testing.assert_allclose(light.bounce_color, light.sky_color, rtol=1e-6)


def test_a_bright_disc_is_the_sun():
    elevation, bearing = sky()
    sun = np.radians(35), np.radians(-70)
    cosine = np.sin(elevation) * np.sin(sun[0]) + np.cos(elevation) * np.cos(sun[0]) * np.cos(bearing - sun[1])
    picture = np.where((cosine > np.cos(0.06))[..., None], [900.0, 600.0, 300.0], [0.5, 0.5, 0.5])
    light, _ = panorama_light(picture)
    true = np.cos(sun[0]) * np.sin(sun[1]), np.sin(sun[0]), -np.cos(sun[0]) * np.cos(sun[1])
    assert np.degrees(np.arccos(np.dot(true, light.sun_direction))) < 1.0
    np.testing.assert_allclose(np.array(light.sun_color)[1:] / light.sun_color[0], [2 / 3, 1 / 3], atol=0.01)
    flux = 900 * 2 * np.pi * (1 - np.cos(0.06)) / np.pi  # radiance times solid angle
    np.testing.assert_allclose(light.sun_color[0] / light.sky_color[0], flux / 0.5, rtol=0.1)


def test_the_middle_of_the_picture_has_the_given_bearing():
    picture = np.full((64, 128, 3), 0.3)
    picture[20:22, 63:65] = 500.0  # north of the picture's middle
    light, _ = panorama_light(picture)
    east = lit_by(Lighting(), light, np.radians(90), 2.0, 0.5)
    assert east.sun_direction[0] > 0.5  # +X is east
    assert abs(east.sun_direction[2]) < 0.02
    np.testing.assert_allclose(east.sun_color, 2 * np.array(light.sun_color))
    np.testing.assert_allclose(east.sky_color, 0.5 * np.array(light.sky_color))


def test_clipped_pixels_of_8_bit_pictures_are_much_brighter_than_white():
    pixels = np.full((4, 8, 4), 255, np.uint8)
    pixels[0, 0, :3] = 128
    linear = linear_of(pixels)
    assert linear[1, 1, 0] == 100 * 1.0
    np.testing.assert_allclose(linear[0, 0], 0.2158605, rtol=1e-4)


def test_pixels_show_colours_of_any_range_and_the_horizon_is_their_mean():
    pixels = sky_pixels(np.stack([np.full((24, 3), 0.2), np.full((24, 3), 50.0)] * 6))
    assert pixels[0, 0].tolist() == [124, 124, 124, 255]  # sRGB of 0.2
    assert pixels[1, 0].tolist() == [255, 255, 255, 255]
    even = np.full((48, 96, 4), 124, np.uint8)
    np.testing.assert_allclose(horizon_color(even), 0.2, atol=0.003)
