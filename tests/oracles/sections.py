"""The area of a cut through a closed mesh."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def section_area(
    positions: NDArray[np.floating], indices: NDArray[np.integer], point: ArrayLike, normal: ArrayLike
) -> float:
    """Area of the cut of closed triangles, of positions [vertex, 3], by a plane.

    Each triangle that the plane cuts gives one side of the cut's outline, run in the same sense all round.
    """
    unit = np.asarray(normal, np.float64) / np.linalg.norm(normal)
    points = positions.astype(np.float64) - np.asarray(point, np.float64)
    corners = indices.reshape(-1, 3)
    above = (points @ unit >= 0)[corners]
    corners = corners[above.any(axis=1) & ~above.all(axis=1)]
    begin = _crossings(points, points @ unit, corners, upwards=True)
    end = _crossings(points, points @ unit, corners, upwards=False)
    return float(abs(np.sum(np.cross(begin, end) @ unit)) / 2)


def _crossings(
    points: NDArray[np.float64], height: NDArray[np.float64], corners: NDArray[np.integer], *, upwards: bool
) -> NDArray[np.float64]:
    """Where the one edge of each triangle that leads up, or down, through height 0 meets it, [triangle, 3]."""
    first, second = corners, np.roll(corners, -1, axis=1)
    crosses = (height[first] >= 0) != (height[second] >= 0)
    edge = np.argmax(crosses & ((height[second] >= 0) == upwards), axis=1)
    rows = np.arange(len(corners))
    a, b = first[rows, edge], second[rows, edge]
    share = height[a] / (height[a] - height[b])
    return points[a] + share[:, None] * (points[b] - points[a])
