"""The surface of a football pitch: one rectangle with a texture that shows mown stripes and white lines."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Texture
from ecs_anim.ground.surface import Surface
from ecs_anim.maths import elementary

Numbers = NDArray[np.float64]

PIXELS = 14  # pixels per metre of the texture
MOST_PIXELS = 4096  # largest number of pixels along a side
STRIPES = 14  # number of mown stripes over the length of the pitch
GREENS = (74, 128, 58), (86, 143, 66)  # sRGB
WHITE = (236, 240, 232)
LINE = 0.14  # [m], width of a line; wider than the rules of football allow, so that lines are visible from far away
LAWN = 1.5  # [m], width of the grass outside the lines

# Sizes as shares of the length (105 m) or the width (68 m) of a pitch.
CIRCLE = 9.15 / 68  # share of the width
AREAS = (16.5 / 105, 40.3 / 68), (5.5 / 105, 18.3 / 68)
SPOT = 11.0 / 105


def pitch_surface(size: tuple[float, float], height: float) -> Surface:
    """Return the surface of a pitch with `size` [m] along x and z, at `height` [m].

    The goals are at the short sides.
    """
    x, z = size[0] / 2, size[1] / 2
    corners = [(-x, height, z), (x, height, z), (x, height, -z), (-x, height, -z)]
    return Surface(
        np.array(corners, np.float32),
        np.tile(np.array([0, 1, 0], np.float32), (4, 1)),
        np.array([0, 1, 2, 0, 2, 3], np.uint32),
        uvs=np.array([(0, 1), (1, 1), (1, 0), (0, 0)], np.float32),
        texture=Texture(_picture(size), repeat=False),
    )


def _picture(size: tuple[float, float]) -> NDArray[np.uint8]:
    """Return the texture of the pitch [rows along z, columns along x, 4] u8, sRGB."""
    columns, rows = (min(round(length * PIXELS), MOST_PIXELS) for length in size)
    x = (np.arange(columns) + 0.5 - columns / 2) * size[0] / columns
    z = (np.arange(rows) + 0.5 - rows / 2) * size[1] / rows
    along, across = np.meshgrid(x, z)
    if size[1] > size[0]:
        along, across = across, along
    length, width = max(size) - 2 * LAWN, min(size) - 2 * LAWN
    stripe = np.floor(along / max(size) * STRIPES).astype(int) % 2
    share = _lines(along, across, length, width, min(rows / size[1], columns / size[0]))[..., None]
    color = np.array(GREENS)[stripe] * (1 - share) + np.array(WHITE) * share
    return np.concatenate([color, np.full((rows, columns, 1), 255)], axis=-1).round().astype(np.uint8)


def _lines(along: Numbers, across: Numbers, length: float, width: float, pixels: float) -> Numbers:
    """Return the share of each pixel that a white line covers, 0 to 1. `pixels` is the number of pixels per metre."""
    circle = CIRCLE * width
    radius = elementary.hypot(along, across)
    spot = elementary.hypot(np.abs(along) - (length / 2 - SPOT * length), across)
    away = [_box(along, across, length, width), np.where(np.abs(across) < width / 2, np.abs(along), np.inf)]
    away += [np.abs(radius - circle), radius - LINE / 2, spot - LINE / 2]
    for depth, breadth in AREAS:
        middle = length / 2 - depth * length / 2
        away.append(_box(np.abs(along) - middle, across, depth * length, breadth * width))
    beyond = np.abs(along) < length / 2 - AREAS[0][0] * length
    away.append(np.where(beyond, np.abs(spot - circle), np.inf))
    found: Numbers = np.clip((LINE / 2 - np.min(away, axis=0)) * pixels + 0.5, 0, 1)
    return found


def _box(along: Numbers, across: Numbers, length: float, width: float) -> Numbers:
    """Return the distances of points from the outline of a rectangle whose centre is the origin."""
    outside = np.abs(along) - length / 2, np.abs(across) - width / 2
    apart = elementary.hypot(np.maximum(outside[0], 0), np.maximum(outside[1], 0))
    found: Numbers = np.abs(apart + np.minimum(np.maximum(*outside), 0))
    return found
