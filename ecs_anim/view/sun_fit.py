"""Which part of the world the sun's shadow map shows, so that shadows have steady edges."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.style import View

REACH, BEYOND = 1.6, 2.0  # shadows reach to REACH x the distance looked at + BEYOND [m]
STEPS = 4  # sizes of the map between two powers of two
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
    axes = sun_axes(np.asarray(sun_direction, np.float64))
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


def sun_axes(sun: NDArray[np.float64]) -> NDArray[np.float64]:
    """Right, up and away from the sun, unit rows [3, 3]."""
    away = -sun / np.linalg.norm(sun)
    helper = np.array([0.0, 1.0, 0.0]) if abs(away[1]) < 0.99 else np.array([0.0, 0.0, 1.0])
    right = np.cross(away, helper)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, away), away])
