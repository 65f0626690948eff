"""Arcs: a root that goes and turns evenly."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import quaternion
from ecs_anim.maths.elementary import cos, sin

Reals = NDArray[np.floating]
UP = np.array([0.0, 1.0, 0.0])


class Arc(NamedTuple):
    """A root that goes and turns evenly, from the origin on: straight on, or round."""

    velocity: Reals  # [3], level, as the root sees it, which looks as at the beginning [rig units/s]
    turn: float = 0.0  # [rad/s] to the left

    def rotations(self, time: Reals) -> Reals:
        """How the root is turned [time, 4]."""
        return quaternion.from_axis_angle(UP, self.turn * time)

    def places(self, time: Reals) -> Reals:
        """Where the root is [time, 3]."""
        if self.turn == 0:
            return time[:, None] * self.velocity
        ahead, aside = sin(self.turn * time) / self.turn, (1 - cos(self.turn * time)) / self.turn
        x, _, z = self.velocity
        return np.stack([x * ahead + z * aside, np.zeros(len(time)), z * ahead - x * aside], axis=-1)

    def gone(self, places: Reals, time: Reals) -> Reals:
        """Where places [time, ..., 3] that the root sees are."""
        each = (len(time), *[1] * (places.ndim - 2))
        turned = places if self.turn == 0 else quaternion.rotate(self.rotations(time).reshape(*each, 4), places)
        return turned + self.places(time).reshape(*each, 3)

    def seen(self, places: Reals, time: Reals) -> Reals:
        """Places [time, 3] as the root sees them."""
        return quaternion.rotate(quaternion.conjugate(self.rotations(time)), places - self.places(time))

    def taken_out(self, rotations: Reals, time: Reals) -> Reals:
        """Rotations [time, 4] as the root sees them."""
        return quaternion.multiply(quaternion.conjugate(self.rotations(time)), rotations)
