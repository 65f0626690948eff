"""Position and size of the sun's shadow map for a view. Shadow edges do not flicker while the camera moves."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.style import View

REACH, BEYOND = 1.6, 2.0  # shadows reach up to REACH x target distance + BEYOND [m]
STEPS = 4  # map sizes between two powers of two
HARMONICS, TENT = 8, 3.0  # harmonics of the stairs; half width [texel] of the filter in gl/shaders/sun.glsl
CLOSE = 0.002  # [m], offset of a receiver towards the sun, against rounding errors


@dataclass(frozen=True)
class SunFit:
    """An orthographic view of the world along the sunlight. The view has a square shadow map, which covers a sphere of
    the world.
    """

    rows: NDArray[np.float64]  # [3, 4], world to map: across, up and away from the sun, 0 to 1 inside
    texel: float  # [m]
    texel_count: int  # across the map
    bias: float  # depth bias in units of the map


def fit_sun(view: View, sun_direction: tuple[float, float, float], texel_count: int) -> SunFit:
    """Return the position and the size of the shadow map for the camera view `view`. The map has `texel_count` x
    `texel_count` texels.

    The map contains a sphere around the near part of the view frustum. The size of the sphere does not change while the
    camera rotates. The function rounds the size of the map to fixed steps. The map moves by whole texels, and its axes
    depend only on the sun. A shadow edge therefore does not move to other texels between two pictures (Valient, "Stable
    Rendering of Cascaded Shadow Maps", ShaderX 6, 2008).
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
    """Return the centre [3] and the radius [m] of the smallest sphere around the near part of the view frustum.

    The program draws shadows only in the near part. For a face, the sphere is around the camera.
    """
    depth = min(REACH * view.focus + BEYOND, view.far)
    if view.is_face:
        return view.eye.astype(np.float64), depth
    ahead = -view.view[2, :3].astype(np.float64)
    if view.is_parallel:
        half = math.hypot(1 / view.projection[0, 0], 1 / view.projection[1, 1])
        return view.eye + (view.far + depth / 2) * ahead, math.hypot(half, depth / 2)
    # Above 1 if the projection is off-centre.
    aside, above = 1 + abs(view.projection[0, 2]), 1 + abs(view.projection[1, 2])
    slope = math.hypot(aside / view.projection[0, 0], above / view.projection[1, 1])  # slope of the frustum's edges
    along = depth * (1 + slope * slope) / 2 if slope < 1 else depth
    return view.eye + along * ahead, along if slope < 1 else depth * slope


@lru_cache(maxsize=16)  # each picture needs the axes, and the sun seldom moves
def sun_axes(sun_direction: tuple[float, float, float]) -> NDArray[np.float64]:
    """Return the axes of the shadow map as three unit vectors [3, 3]: across, up, and away from the sun.

    All callers share the returned array, so the array is read-only.
    """
    sun = np.asarray(sun_direction, np.float64)
    away = -sun / np.linalg.norm(sun)
    helper = np.array([0.0, 1.0, 0.0]) if abs(away[1]) < 0.99 else np.array([0.0, 0.0, 1.0])
    right = np.cross(away, helper)
    right /= np.linalg.norm(right)
    level = right + 1j * np.cross(right, away)  # map direction of each world axis
    level *= smoothest_turn(level)
    axes = np.stack([level.real, level.imag, away])
    axes.flags.writeable = False
    return axes


def smoothest_turn(axes: NDArray[np.complex128]) -> complex:
    """Return the rotation of the shadow map for which the shadows of walls and eaves have the straightest edges.

    The rotation is a complex number. `axes` [3] are the directions of the world axes on the map. Edges of buildings are
    parallel to the world axes. The texels of the map show an edge as a staircase. A filter of a few texels hides short
    steps of the staircase, but not long steps. Long steps occur on edges that are nearly parallel to rows, columns or
    diagonals of texels.
    """
    turns = np.exp(-1j * np.radians(np.arange(90)))
    edges = turns[:, None] * axes
    low, high = np.sort(np.abs([edges.real, edges.imag]), axis=0)
    worst = np.max(stair_height(low / np.maximum(high, 1e-9)) * np.abs(edges), axis=1)
    return complex(turns[np.argmin(np.round(worst, 6))])  # rounding makes the first of equal values win on all machines


def stair_height(slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the visible height of the staircase pattern in filtered shadow edges, in arbitrary units.

    `slopes` are the slopes of the edges. The staircase of an edge is a sawtooth wave that is sampled at texels. The
    frequency of the n-th harmonic [periods per texel] is the distance from n x slope to the nearest integer. The tent
    filter removes high frequencies.
    """
    harmonics = np.arange(1, HARMONICS + 1)
    periods = harmonics * slopes[..., None]
    left = np.sinc(TENT * (periods - np.round(periods))) ** 2
    return np.sqrt(np.sum((left / harmonics) ** 2, axis=-1))
