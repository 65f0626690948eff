"""Footprints of external agents on the plan: discs, capsules and boxes.

A footprint is a rectangle whose sides lie along and across the heading of the agent. A margin with round corners
surrounds the rectangle. The rectangle of a disc is a point, and the rectangle of a capsule is a line.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Footprint(NamedTuple):
    """The size of a footprint."""

    half_length: float  # [m], half of the rectangle's length along the heading
    half_width: float  # [m], half of the rectangle's width
    radius: float  # [m], width of the margin

    @property
    def reach(self) -> float:
        """The largest distance [m] of a point of the footprint from its middle."""
        half_length, half_width, radius = self
        return math.sqrt(half_length * half_length + half_width * half_width) + radius


def cover(footprint: Footprint) -> tuple[NDArray[np.float64], float]:
    """Return discs that cover a footprint: their offsets [n] from its middle along the heading [m], and their radius
    [m].
    """
    half_length, half_width, radius = footprint
    if half_width == 0:  # a disc or a capsule; gaps between the discs are narrower than people
        count = 1 + math.ceil(2 * half_length / radius)
        return half_length * np.linspace(-1.0, 1.0, count).astype(np.float64), radius
    count = math.ceil(half_length / half_width)
    step = half_length / count  # [m], half of the distance between two discs
    offsets = step * (2 * np.arange(count) + 1) - half_length
    return offsets.astype(np.float64), math.sqrt(step * step + half_width * half_width) + radius
