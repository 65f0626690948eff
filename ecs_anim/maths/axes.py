"""Coordinate axes by name."""

from collections.abc import Mapping
from typing import Literal

Axis = Literal["x", "y", "z", "-x", "-y", "-z"]
AXES: Mapping[Axis, tuple[float, float, float]] = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}
