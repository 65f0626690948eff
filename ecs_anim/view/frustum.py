"""Bounding planes of view frustums (the regions that cameras see) and of the shadow map.

A plane is a row of four numbers a, b, c, d. The signed distance [m] of a point x, y, z from the plane is `a x + b y + c
z + d`. The distance is 0 or positive inside the frustum. The normal [a b c] is a unit vector.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Planes = NDArray[np.float64]


def frustum_planes(view_projection: ArrayLike) -> Planes:
    """Return the six planes [6, 4] of a view frustum in the order left, right, bottom, top, near, far.

    `view_projection` [4, 4] maps the frustum to OpenGL's clip space. Source: Gribb and Hartmann, "Fast Extraction of
    Viewing Frustum Planes from the World-View-Projection Matrix" (2001).
    """
    x, y, z, w = np.asarray(view_projection, np.float64)
    return _unit(np.stack([w + x, w - x, w + y, w - y, w + z, w - z]))


def map_planes(rows: ArrayLike) -> Planes:
    """Return the five bounding planes [5, 4] of a shadow map. `rows` [3, 4] are the rows of `SunFit.rows`.

    The three rows map a world point to map coordinates: across, up, and away from the sun. The coordinates are 0 to 1
    inside the map. The side towards the sun has no plane, because objects between the sun and the map also cast
    shadows.
    """
    across, up, away = np.asarray(rows, np.float64)
    end = np.array([0.0, 0.0, 0.0, 1.0])
    return _unit(np.stack([across, end - across, up, end - up, end - away]))


def _unit(planes: NDArray[np.float64]) -> Planes:
    return planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
