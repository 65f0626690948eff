"""A skyline: a panorama of buildings around the scene, below the sky of the scene's light."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.elementary import power, sin
from ecs_anim.view.panorama import sky_pixels
from ecs_anim.view.style import Lighting

WIDTH, HEIGHT = 4096, 2048  # [pixel]
DEGREE = WIDTH / 360  # [pixel]
# Rows of buildings, from far to near: number; ranges of width and height [degrees]; share of the horizon's colour.
ROWS = ((70, (3.0, 9.0), (1.5, 6.0), 0.62), (34, (5.0, 14.0), (2.5, 10.0), 0.40), (12, (9.0, 20.0), (4.0, 14.0), 0.22))
# Linear reflectances of facades.
FACADES = np.array(
    [
        (0.42, 0.36, 0.30),
        (0.30, 0.16, 0.11),
        (0.52, 0.50, 0.46),
        (0.24, 0.26, 0.28),
        (0.46, 0.40, 0.26),
        (0.34, 0.38, 0.40),
    ]
)
LIT = np.array((1.0, 0.72, 0.36))  # linear colour of lit windows
NIGHT = 0.12  # luminance of the sky light below which many windows are lit
Colors = NDArray[np.float64]


def skyline(lighting: Lighting, seed: int) -> NDArray[np.uint8]:
    """Return an equirectangular picture [HEIGHT, WIDTH, 4] u8 of a city. `seed` determines the buildings."""
    rng = np.random.default_rng((seed, 4_417))
    picture = np.repeat(_sky(lighting)[:, None], WIDTH, axis=1)
    light = 0.5 * np.array(lighting.sun_color) + np.array(lighting.sky_color)
    lit_share = 0.45 if light.mean() < NIGHT else 0.02
    for count, widths, heights, haze in ROWS:
        for start in rng.uniform(0, WIDTH, count):
            high = int(DEGREE * rng.uniform(*heights) * rng.uniform(0.5, 1.0))
            facade = _facade(rng, int(DEGREE * rng.uniform(*widths)), high, light, lit_share)
            facade += haze * (np.array(lighting.horizon_color) - facade)
            columns = (int(start) + np.arange(facade.shape[1])) % WIDTH
            picture[HEIGHT // 2 - high : HEIGHT // 2, columns] = facade  # the haze at the horizon hides the lower edge
    return sky_pixels(picture)


def _sky(lighting: Lighting) -> Colors:
    """Return the linear colours [HEIGHT, 3] of the sky without buildings, as in shaders/sky.glsl."""
    elevation = np.pi * (0.5 - (np.arange(HEIGHT) + 0.5) / HEIGHT)
    up = np.maximum(sin(elevation), 0)
    share = (1 - power(2.0, -6.5 * up * up / (up + 0.12)))[:, None]
    low, high = np.array(lighting.horizon_color), np.array(lighting.zenith_color)
    return low + share * (high - low)


def _facade(rng: np.random.Generator, width: int, height: int, light: Colors, lit_share: float) -> Colors:
    """Return the linear colours [height, width, 3] of a building with rows of windows and a cornice."""
    wall = FACADES[rng.integers(len(FACADES))] * rng.uniform(0.7, 1.15) * light
    colors = np.tile(wall, (height, width, 1))
    storey, bay = rng.integers(8, 15), rng.integers(7, 16)  # [pixel]
    row, column = np.arange(height) - 5, np.arange(width) - 4
    opening = (row % storey < 0.55 * storey)[:, None] & (column % bay < rng.uniform(0.4, 0.8) * bay)
    opening &= ((row >= 0)[:, None]) & ((column >= 0) & (column < width - 6))
    lit = rng.random((height // storey + 2, width // bay + 2)) < lit_share
    panes = np.where(lit[..., None], LIT * rng.uniform(0.5, 1.0), light * rng.uniform(0.12, 0.35))
    window = panes[np.maximum(row, 0)[:, None] // storey, np.maximum(column, 0) // bay]
    colors = np.where(opening[..., None], window, colors)
    colors[:3] = 0.7 * wall  # the cornice
    side = int(rng.uniform(0.6, 0.9) * width)
    colors[:, side:] *= 0.75  # a second face of the building, away from the light
    return colors
