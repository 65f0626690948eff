"""Volume of closed meshes."""

import numpy as np
from numpy.typing import NDArray


def volume(positions: NDArray[np.floating], indices: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return the volume [...] inside closed triangle meshes with positions [..., vertex, 3].

    The volume is a sum over tetrahedra. If triangles are counter-clockwise seen from outside, the volume is positive.
    """
    points = positions.astype(np.float64)
    points = points - points.mean(axis=-2, keepdims=True)
    a, b, c = np.moveaxis(points[..., indices.reshape(-1, 3), :], -2, 0)
    return np.sum(a * np.cross(b, c), axis=(-2, -1)) / 6
