"""Volumes of a view and of the sun's map, as planes: rows a, b, c, d with a x + b y + c z + d >= 0 inside.

The normals [a b c] are unit vectors, so that the sum is a distance in metres.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Planes = NDArray[np.float64]


def frustum_planes(view_projection: ArrayLike) -> Planes:
    """The planes [6, 4] of what a matrix [4, 4] maps into OpenGL's clip space: left, right, bottom, top, near, far.

    G. Gribb and K. Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix" (2001).
    """
    x, y, z, w = np.asarray(view_projection, np.float64)
    return _unit(np.stack([w + x, w - x, w + y, w - y, w + z, w - z]))


def map_planes(rows: ArrayLike) -> Planes:
    """The planes [5, 4] of the sun's map: `SunFit.rows` [3, 4], across, up and away from the sun, 0 to 1 inside.

    The sixth side is open: objects between the sun and the map's near side also cast shadows.
    """
    across, up, away = np.asarray(rows, np.float64)
    end = np.array([0.0, 0.0, 0.0, 1.0])
    return _unit(np.stack([across, end - across, up, end - up, end - away]))


def _unit(planes: NDArray[np.float64]) -> Planes:
    return planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
