"""Panoramas: equirectangular pictures of the sky and of distant objects, and the light that they give.

The light comes from a coarse copy of the picture. The brightest cell above the horizon and its surroundings are the
sun. All other cells are the sky light: their mean over the upper hemisphere, weighted with the cosine of the angle of
incidence, lights surfaces that face up. The mean over the lower hemisphere lights surfaces that face down.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.color import linear_to_srgb, srgb_to_linear
from ecs_anim.maths.elementary import cos, sin
from ecs_anim.view.lit_color import tone_mapped
from ecs_anim.view.style import Color, Lighting

CELLS = (32, 64)  # rows and columns of the coarse copy
SUN_RADIUS = math.radians(12.0)  # [rad], angle around the brightest cell that counts as the sun
LOWEST = 0.05  # least height of the sun, as the sine of its elevation
WHITE = 250  # value from which all three channels of an 8-bit pixel count as clipped
CLIPPED = 100.0  # estimated brightness of clipped pixels, relative to white

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class PanoramaLight:
    """The light of a panorama. Colours are linear."""

    sun_direction: tuple[float, float, float]  # unit vector towards the sun; the middle of the picture is north
    sun_color: Color
    sky_color: Color
    bounce_color: Color


def panorama_light(linear: NDArray[np.floating]) -> tuple[PanoramaLight, float]:
    """Return the light of a panorama [height, width, 3] with linear colours, and the scale of the light.

    With this scale, level ground is as bright as in the default light of a scene.
    """
    cells = _coarse(linear)
    ways, angles = _directions()
    above = ways[..., 1] > LOWEST
    peak = ways[np.unravel_index((_luminance(cells) * above).argmax(), CELLS)]
    near = above & (np.sum(ways * peak, axis=-1) > cos(SUN_RADIUS))
    clear = np.where(near[..., None], np.median(cells[above & ~near], axis=0), cells)  # the sky without the sun
    beams = np.maximum(cells - clear, 0) * angles[..., None] / math.pi
    sun = np.sum(ways * _luminance(beams)[..., None], axis=(0, 1)) + 1e-9 * peak
    sun /= math.sqrt(float(np.sum(sun * sun)))
    received = clear * angles[..., None] / math.pi
    sky, bounce = (np.sum(received * np.maximum(side * ways[..., 1:2], 0), axis=(0, 1)) for side in (1, -1))
    flux = np.sum(beams, axis=(0, 1))
    scale = _usual() / max(float(_luminance(sky + flux * sun[1])), 1e-9)
    x, y, z = sun.tolist()
    return PanoramaLight((x, y, z), _color(flux * scale), _color(sky * scale), _color(bounce * scale)), scale


def lit_by(lighting: Lighting, light: PanoramaLight, turn: float, sun: float, sky: float) -> Lighting:
    """Return `lighting` with the light of a panorama.

    `turn` [rad] is the compass bearing of the middle of the picture. `sun` and `sky` are factors for the light.
    """
    x, y, z = light.sun_direction
    c, s = float(cos(turn)), float(sin(turn))
    return replace(
        lighting,
        sun_direction=(c * x - s * z, y, s * x + c * z),
        sun_color=_color(sun * np.array(light.sun_color)),
        sky_color=_color(sky * np.array(light.sky_color)),
        bounce_color=_color(sky * np.array(light.bounce_color)),
    )


def sky_pixels(linear: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return the pixels [height, width, 4] u8 that show linear colours [height, width, 3] of any range."""
    pixels = np.full((*linear.shape[:2], 4), 255, np.uint8)
    for row, colors in zip(pixels, linear, strict=True):
        row[:, :3] = np.rint(255 * np.clip(linear_to_srgb(tone_mapped(np.asarray(colors, np.float64))), 0, 1))
    return pixels


def horizon_color(pixels: NDArray[np.uint8]) -> Color:
    """Return the mean linear colour of the pixels [height, width, 4] directly above the horizon."""
    height = len(pixels)
    band = pixels[max(height // 2 - max(height // 24, 1), 0) : height // 2 or 1, :, :3]
    return _color(srgb_to_linear(band / 255).mean(axis=(0, 1)))


def linear_of(pixels: NDArray[np.uint8]) -> Reals:
    """Return estimated linear colours [height, width, 3] of an 8-bit panorama [height, width, 4].

    Clipped pixels, such as the sun, are much brighter than white.
    """
    table = srgb_to_linear(np.arange(256) / 255)
    clipped = pixels[..., :3].min(axis=-1) >= WHITE
    brighter: Reals = table[pixels[..., :3]] * np.where(clipped, CLIPPED, 1.0)[..., None]
    return brighter


def _coarse(linear: NDArray[np.floating]) -> Reals:
    """Return the means [rows, columns, 3] of the picture over the cells of the coarse copy."""
    means: Reals = np.asarray(linear, np.float64)
    for axis, (size, count) in enumerate(zip(linear.shape[:2], CELLS, strict=True)):
        first = np.arange(count) * size // count
        widths = np.maximum(np.diff(first, append=size), 1)
        means = np.add.reduceat(means, first, axis=axis) / np.expand_dims(widths, tuple({0, 1, 2} - {axis}))
    return means


def _directions() -> tuple[Reals, Reals]:
    """Return the unit vectors [rows, columns, 3] to the cells, and the solid angles [rows, columns] [sr] of the cells.

    The middle of the picture is north (-Z), and its right half is east (+X).
    """
    rows, columns = CELLS
    height = math.pi * (0.5 - (np.arange(rows) + 0.5) / rows)[:, None]
    bearing = math.tau * ((np.arange(columns) + 0.5) / columns - 0.5)[None]
    up, flat = sin(height), cos(height)
    ways = np.stack(np.broadcast_arrays(flat * sin(bearing), up, -flat * cos(bearing)), axis=-1)
    return ways, np.broadcast_to(flat * (math.pi / rows) * (math.tau / columns), CELLS)


def _usual() -> float:
    """Return the luminance of white level ground in the default light of a scene."""
    usual, elevation = Lighting(), math.radians(44.0)
    color = np.array(usual.sun_color) * float(sin(elevation)) + np.array(usual.sky_color)
    return float(_luminance(color))


def _luminance(colors: Reals) -> Reals:
    """Return the relative luminances [...] of linear colours [..., 3] (ITU-R BT.709)."""
    luminance: Reals = np.sum(colors * np.array([0.2126, 0.7152, 0.0722]), axis=-1)
    return luminance


def _color(values: Reals) -> Color:
    red, green, blue = values.tolist()
    return red, green, blue
