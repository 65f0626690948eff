"""Boxes that actors can stand on: stepping blocks, ramps, bridges."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ground.surface import Surface, quad_surface
from ecs_anim.maths import quaternion

# The six faces of a cube from -1 to 1. Seen from outside, corners are counter-clockwise.
_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_FACES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


@dataclass(frozen=True)
class Box:
    """A box that is rotated about the middle of its top face."""

    top: tuple[float, float, float]  # [m], middle of the top face
    size: tuple[float, float, float]  # [m], along the axes x, y, z of the box
    turn: float = 0.0  # [rad] about the vertical, from +Z towards +X
    pitch: float = 0.0  # [rad] about the x axis of the box; a positive angle raises the side at -z
    roll: float = 0.0  # [rad] about the z axis of the box; a positive angle raises the side at +x

    def rotation(self) -> NDArray[np.floating]:
        """Return the rotation of the box as a quaternion [4]."""
        turn, pitch, roll = (
            quaternion.from_axis_angle(axis, angle)
            for axis, angle in zip(np.eye(3)[[1, 0, 2]], (self.turn, self.pitch, self.roll), strict=True)
        )
        return quaternion.multiply(turn, quaternion.multiply(pitch, roll))


def box_surface(boxes: Sequence[Box]) -> Surface:
    """Return one surface that contains all faces of the boxes."""
    return quad_surface([_corners(box) for box in boxes])


def _corners(box: Box) -> NDArray[np.floating]:
    """Return the corners [6, 4, 3] [m] of the six faces of a box."""
    local = (_CORNERS - [0, 1, 0]) * np.array(box.size) / 2
    found: NDArray[np.floating] = (quaternion.rotate(box.rotation(), local) + box.top)[_FACES]
    return found
