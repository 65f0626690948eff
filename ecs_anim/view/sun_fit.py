"""Which part of the world the sun's shadow map shows, so that shadows have steady edges."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.style import View

REACH, BEYOND = 1.6, 2.0  # shadows reach to REACH x the distance looked at + BEYOND [m]
STEPS = 4  # sizes of the map between two powers of two
HARMONICS, TENT = 8, 3.0  # of stairs; [texel] from the middle of the filter of gl/shaders/sun.glsl to its rim
CLOSE = 0.002  # [m] by which a receiver is taken nearer to the sun, against rounding


@dataclass(frozen=True)
class SunFit:
    """An orthographic look along the sun's light: a ball of the world in a square map."""

    rows: NDArray[np.float64]  # [3, 4], world to map: across, up, and away from the sun, each 0 to 1 inside
    texel: float  # [m]
    texel_count: int  # across the map
    bias: float  # of the depth, in the map's unit


def fit_sun(view: View, sun_direction: tuple[float, float, float], texel_count: int) -> SunFit:
    """The map for the near part of what is seen.

    A ball round the near part of the view's pyramid has one size however the view turns; sizes come in steps, and
    the map moves by whole texels along axes that only the sun decides. So an edge of a shadow always falls on the
    same texels (M. Valient, "Stable Rendering of Cascaded Shadow Maps", ShaderX 6, 2008).
    """
    center, radius = near_ball(view)
    radius = 2 ** (math.ceil(STEPS * math.log2(radius)) / STEPS)
    texel = 2 * radius / texel_count
    x, y, z = sun_direction
    axes = sun_axes((x, y, z))
    middle = np.round(axes @ center / texel) * texel
    rows = np.concatenate([axes, -middle[:, None]], axis=1) / (2 * radius)
    rows[:, 3] += 0.5
    return SunFit(rows, texel, texel_count, CLOSE / (2 * radius))


def near_ball(view: View) -> tuple[NDArray[np.float64], float]:
    """Middle [3] and radius [m] of the smallest ball round the view's pyramid, from the eye to where shadows end."""
    depth = min(REACH * view.focus + BEYOND, view.far)
    aside, above = 1 + abs(view.projection[0, 2]), 1 + abs(view.projection[1, 2])  # more than 1 where it is off-centre
    slope = math.hypot(aside / view.projection[0, 0], above / view.projection[1, 1])  # of the pyramid's edges
    ahead = -view.view[2, :3].astype(np.float64)
    along = depth * (1 + slope * slope) / 2 if slope < 1 else depth
    return view.eye + along * ahead, along if slope < 1 else depth * slope


@lru_cache(maxsize=16)  # each picture asks, and the sun seldom moves
def sun_axes(sun_direction: tuple[float, float, float]) -> NDArray[np.float64]:
    """Across the map, up it, and away from the sun, unit rows [3, 3], which are shared: read-only."""
    sun = np.asarray(sun_direction, np.float64)
    away = -sun / np.linalg.norm(sun)
    helper = np.array([0.0, 1.0, 0.0]) if abs(away[1]) < 0.99 else np.array([0.0, 0.0, 1.0])
    right = np.cross(away, helper)
    right /= np.linalg.norm(right)
    level = right + 1j * np.cross(right, away)  # of each of the world's axes, where on the map it leads
    level *= smoothest_turn(level)
    axes = np.stack([level.real, level.imag, away])
    axes.flags.writeable = False
    return axes


def smoothest_turn(axes: NDArray[np.complex128]) -> complex:
    """How to turn a map on which the world's axes [3] lead so, that walls and eaves throw straight shadows.

    Edges of what is built run along the world's axes. On a map they are stairs; a filter as wide as a few texels hides
    all but long ones, which edges have that are nearly parallel to rows, columns or diagonals of texels.
    """
    turns = np.exp(-1j * np.radians(np.arange(90)))
    edges = turns[:, None] * axes
    low, high = np.sort(np.abs([edges.real, edges.imag]), axis=0)
    worst = np.max(stair_height(low / np.maximum(high, 1e-9)) * np.abs(edges), axis=1)
    return complex(turns[np.argmin(np.round(worst, 6))])  # of equals the first, however they are rounded


def stair_height(slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """How high the filter leaves the stairs of edges that rise by `slopes` texels a texel, in some unit.

    A stair is a saw's wave that is sampled at texels: its harmonics have as many periods a texel as is left of a
    multiple of the slope, and the tent takes away those with many.
    """
    harmonics = np.arange(1, HARMONICS + 1)
    periods = harmonics * slopes[..., None]
    left = np.sinc(TENT * (periods - np.round(periods))) ** 2
    return np.sqrt(np.sum((left / harmonics) ** 2, axis=-1))
