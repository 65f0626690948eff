"""Skylines: the sky above the buildings follows the shader's formula, and the seed selects the buildings."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.maths.color import linear_to_srgb
from ecs_anim.view.skyline import DEGREE, HEIGHT, WIDTH, skyline
from ecs_anim.view.style import Lighting

NIGHT = replace(
    Lighting(), sun_color=(0.02, 0.02, 0.03), sky_color=(0.05, 0.06, 0.07), horizon_color=(0.01, 0.02, 0.03)
)


@pytest.fixture(scope="module")
def day() -> np.ndarray:
    return skyline(Lighting(), 1)


def test_the_sky_has_the_colours_of_the_light_at_all_heights(day):
    light = Lighting()
    np.testing.assert_allclose(day[0, 0, :3] / 255, linear_to_srgb(np.array(light.zenith_color)), atol=0.01)
    assert (day[: int(HEIGHT / 2 - 15 * DEGREE)] == day[: int(HEIGHT / 2 - 15 * DEGREE), :1]).all()
    up = np.sin(np.radians(30))
    share = 1 - 2 ** (-6.5 * up * up / (up + 0.12))
    linear = (1 - share) * np.array(light.horizon_color) + share * np.array(light.zenith_color)
    np.testing.assert_allclose(day[HEIGHT // 3, 0, :3] / 255, linear_to_srgb(linear), atol=0.01)


@pytest.mark.exhaustive
def test_the_seed_selects_buildings_that_hide_most_of_the_horizon(day):
    np.testing.assert_array_equal(day, skyline(Lighting(), 1))
    assert (day != skyline(Lighting(), 2)).any()
    above = day[int(HEIGHT / 2 - DEGREE), :, :3]
    sky = day[int(HEIGHT / 2 - 20 * DEGREE) :, :, :3][0, 0]
    assert (np.abs(above.astype(int) - sky).max(axis=1) > 8).mean() > 0.6
    assert day.shape == (HEIGHT, WIDTH, 4)


@pytest.mark.exhaustive
def test_more_windows_are_lit_at_night(day):
    def warm(picture: np.ndarray) -> float:
        red, _, blue = np.moveaxis(picture[int(HEIGHT / 2 - 10 * DEGREE) : HEIGHT // 2, :, :3].astype(int), -1, 0)
        return float(((red > 140) & (red - blue > 40)).mean())

    assert warm(skyline(NIGHT, 1)) > 3 * warm(day) > 0
