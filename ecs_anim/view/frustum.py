"""Plane equations of a view's frustum and of the shadow map: rows a, b, c, d with a x + b y + c z + d >= 0 inside.

The normals [a b c] are unit vectors, so the sum is a distance in metres.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Planes = NDArray[np.float64]


def frustum_planes(view_projection: ArrayLike) -> Planes:
    """Return the planes [6, 4] of a view frustum: left, right, bottom, top, near, far.

    The matrix [4, 4] maps the frustum to OpenGL's clip space.
    G. Gribb and K. Hartmann, "Fast Extraction of Viewing Frustum Planes from the World-View-Projection Matrix" (2001).
    """
    x, y, z, w = np.asarray(view_projection, np.float64)
    return _unit(np.stack([w + x, w - x, w + y, w - y, w + z, w - z]))


def map_planes(rows: ArrayLike) -> Planes:
    """Return the planes [5, 4] of the shadow map from `SunFit.rows` [3, 4].

    The rows are across, up and away from the sun, with values from 0 to 1 inside. The sixth side is open, because
    objects between the sun and the map's near side also cast shadows.
    """
    across, up, away = np.asarray(rows, np.float64)
    end = np.array([0.0, 0.0, 0.0, 1.0])
    return _unit(np.stack([across, end - across, up, end - up, end - away]))


def _unit(planes: NDArray[np.float64]) -> Planes:
    return planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)
