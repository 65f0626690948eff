"""Places of actors in the numbers of the channels."""

import numpy as np

from ecs_anim.maths import quaternion
from ecs_anim.sharing.series import Reals

PLACE, TURN, SCALE = slice(0, 3), slice(3, 6), 6  # numbers of channels


def rotations(turns: Reals) -> Reals:
    """Return quaternions [n, 4] from `turns` [3, n]: a heading about +Y, and x and z of the quaternion of a tilt."""
    heading, x, z = turns
    w = np.sqrt(np.maximum(1 - x * x - z * z, 0))
    c, s = np.cos(heading / 2), np.sin(heading / 2)
    return np.stack([c * x + s * z, s * w, c * z - s * x, c * w], axis=-1)


def placed(points: Reals, positions: Reals, turned: Reals, scales: Reals) -> Reals:
    """Return points [n, joint, 3] [rig units] in the world [m], for actors with positions [n, 3], rotations [n, 4] and
    scales [n].
    """
    return np.asarray(quaternion.rotate(turned[:, None], points * scales[:, None, None]) + positions[:, None])
