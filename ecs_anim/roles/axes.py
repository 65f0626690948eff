"""The axes of a body, computed from its joints.

The up axis points from the hips to the head. The left axis points from right limbs to left limbs.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.maths.small_matrices import inner, length, unit

Reals = NDArray[np.floating]
PAIRS = ("thigh", "shank", "upper_arm")  # roles whose left and right joints lie on both sides of the body


class BodyAxes(NamedTuple):
    """Unit vectors [..., 3] along the axes of a body. The axes are perpendicular."""

    up: Reals
    left: Reals

    @property
    def ahead(self) -> Reals:
        """Return the forward direction [..., 3] of the body."""
        return np.cross(self.left, self.up)

    @property
    def facing(self) -> Reals:
        """Return the angle of the forward direction about +Y, measured from +Z [rad, ...].

        The angle is valid only if the body is upright along +Y.
        """
        ahead = self.ahead
        return elementary.arctan2(ahead[..., 0], ahead[..., 2])


def measured_axes(points: Reals, joints: Mapping[str, int]) -> BodyAxes | None:
    """Return the axes of a body with joints at the points `points` [..., joint, 3].

    If the joints do not define the axes, return None.

    `joints` maps each role to a joint index, as in `Roles.joints`. The hips and the head define the up axis. The left
    and right thighs, shanks and upper arms define the left axis. The leading axes of `points` can be the frames of a
    clip.
    """
    sides = [pair for pair in ((f"left_{part}", f"right_{part}") for part in PAIRS) if {*pair} <= joints.keys()]
    if not {"hips", "head"} <= joints.keys() or not sides:
        return None
    up = unit(points[..., joints["head"], :] - points[..., joints["hips"], :])
    across = sum(points[..., joints[left], :] - points[..., joints[right], :] for left, right in sides)
    left = unit(across - inner(across, up)[..., None] * up)
    return BodyAxes(up, left) if (length(up) > 0).all() and (length(left) > 0).all() else None
