"""Motion of a root along an arc, with constant speed and turning rate."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import quaternion
from ecs_anim.maths.elementary import cos, sin

Reals = NDArray[np.floating]
UP = np.array([0.0, 1.0, 0.0])


class Arc(NamedTuple):
    """The motion of a root joint with constant speed and constant turning rate. The path starts at the origin and is a
    straight line or a circle.
    """

    velocity: Reals  # [3], horizontal, in the root's coordinate frame at time 0 [rig units/s]
    turn: float = 0.0  # turning rate to the left [rad/s]

    def rotations(self, time: Reals) -> Reals:
        """Return the rotations of the root [time, 4]."""
        return quaternion.from_axis_angle(UP, self.turn * time)

    def places(self, time: Reals) -> Reals:
        """Return the positions of the root [time, 3]."""
        if self.turn == 0:
            return time[:, None] * self.velocity
        ahead, aside = sin(self.turn * time) / self.turn, (1 - cos(self.turn * time)) / self.turn
        x, _, z = self.velocity
        return np.stack([x * ahead + z * aside, np.zeros(len(time)), z * ahead - x * aside], axis=-1)

    def gone(self, places: Reals, time: Reals) -> Reals:
        """Transform points [time, ..., 3] from the coordinate frame of the moving root to the fixed
        coordinate frame.
        """
        each = (len(time), *[1] * (places.ndim - 2))
        turned = places if self.turn == 0 else quaternion.rotate(self.rotations(time).reshape(*each, 4), places)
        return turned + self.places(time).reshape(*each, 3)

    def seen(self, places: Reals, time: Reals) -> Reals:
        """Transform points [time, 3] from the fixed coordinate frame to the coordinate frame of the root."""
        return quaternion.rotate(quaternion.conjugate(self.rotations(time)), places - self.places(time))

    def taken_out(self, rotations: Reals, time: Reals) -> Reals:
        """Transform rotations [time, 4] from the fixed coordinate frame to the coordinate frame of the root."""
        return quaternion.multiply(quaternion.conjugate(self.rotations(time)), rotations)
