"""Areas of the plan. An area is a goal, or multiplies the speed of the people in the area by a factor."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Ring = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Area:
    """An area of the plan: one or several polygons, which can have holes. A point is in the area if an odd number of
    rings encloses it.
    """

    rings: tuple[Ring, ...]  # corners x, y [m] on the plan; the first corner is not repeated
    inner: tuple[float, float]  # x, y [m] of a point inside

    @cached_property
    def bounds(self) -> Reals:
        """Return the corners of the bounding box [2, 2] [m]: least x, y, then greatest x, y."""
        corners = np.concatenate([np.array(ring) for ring in self.rings])
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    def contains(self, points: Reals) -> NDArray[np.bool_]:
        """Return a mask of the points [n, 2] [m] that are inside the area."""
        (left, lower), (right, upper) = self.bounds
        rows = np.flatnonzero((left <= points[:, 0]) & (points[:, 0] <= right))
        rows = rows[(lower <= points[rows, 1]) & (points[rows, 1] <= upper)]
        mask = np.zeros(len(points), bool)
        mask[rows] = self._encloses(points[rows])
        return mask

    def _encloses(self, points: Reals) -> NDArray[np.bool_]:
        """Return a mask of the points [n, 2] [m] that an odd number of rings encloses."""
        inside = np.zeros(len(points), bool)
        x, y = points[:, 0], points[:, 1]
        for ring in self.rings:
            for (ax, ay), (bx, by) in zip(ring, (*ring[1:], ring[0]), strict=True):
                if ay != by:
                    inside ^= ((ay <= y) != (by <= y)) & (ax + (y - ay) / (by - ay) * (bx - ax) < x)
        return inside

    def moved(self, x: float, y: float) -> "Area":
        """Return the area, moved by the vector x, y [m]."""
        rings = tuple(tuple((own_x + x, own_y + y) for own_x, own_y in ring) for ring in self.rings)
        return Area(rings, (self.inner[0] + x, self.inner[1] + y))


@dataclass(frozen=True)
class SpeedArea:
    """An area, such as stairs, that multiplies the speed of people by a factor."""

    area: Area
    speed_factor: float  # factor on the speed of people
