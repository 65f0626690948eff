"""Tops that hang over the hollows of a trunk: loose clothes span the spine, the waist and the seat."""

import numpy as np

from ecs_anim.anny.body_places import mean_places
from ecs_anim.anny.skirt import around, extent, middle_of, trunk_of
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.shapes import smooth_step

COUNT = 48  # directions around the trunk
HEIGHTS = np.linspace(0.82, 1.34, 27)  # [m], of the sections of the trunk
STRAIGHT = (0.96, 1.22)  # [m], heights between which cloth can hang straight, without a waist
FADE = (1.20, 1.30)  # [m], heights between which the movement ends below the shoulders


def draped(points: Array, share: Array) -> Array:
    """Return the vertices [v, 3] of a body whose trunk grows towards its hull, by a share [v] of the distance.

    The hull is convex in each horizontal section, and straight between the hips and the chest.
    """
    at = mean_places()
    centre = middle_of(points)
    out = points[:, [0, 2]] - centre
    radius = np.maximum(np.linalg.norm(out, axis=1), 1e-6)
    y = points[:, 1]
    wanted = _of_vertices(_hull(trunk_of(points), centre), y, np.arctan2(out[:, 0], out[:, 1]))
    own = share * (1 - at.arm) * smooth_step(-at.points[:, 1], -FADE[1], -FADE[0])
    more = own * np.maximum(wanted - radius, 0) / radius
    return points + more[:, None] * np.stack([out[:, 0], np.zeros(len(out)), out[:, 1]], axis=1)


def _hull(trunk: Array, centre: Array) -> Array:
    """Return the distance [height, direction] from the centre to the hull of a trunk."""
    directions = around(COUNT)
    cosines = directions @ directions.T
    extents = np.stack([extent(trunk, height, directions, centre) for height in HEIGHTS])
    crossings = np.where(cosines > 0.2, extents[:, None] / np.maximum(cosines, 0.2), np.inf)
    radii: Array = crossings.min(axis=2)
    low, high = np.searchsorted(HEIGHTS, STRAIGHT)
    line = np.linspace(radii[low], radii[high], high - low + 1)
    radii[low : high + 1] = np.maximum(radii[low : high + 1], line)
    return radii


def _of_vertices(radii: Array, y: Array, angle: Array) -> Array:
    """Return the radii [v] at heights and at angles [rad], by bilinear interpolation."""
    row = np.clip((y - HEIGHTS[0]) / (HEIGHTS[1] - HEIGHTS[0]), 0, len(HEIGHTS) - 1.001)
    column = np.mod(angle / (2 * np.pi), 1) * COUNT
    (i, u), (j, v) = ((own.astype(int), np.mod(own, 1)) for own in (row, column))
    low, high = (radii[k, j % COUNT] * (1 - v) + radii[k, (j + 1) % COUNT] * v for k in (i, i + 1))
    found: Array = low * (1 - u) + high * u
    return found
