"""What kernels ask of a leg."""

import numpy as np
from numba import njit

from ecs_anim.kernels.vectors import dot, origin_of, subtract


@njit(inline="always")
def leg_length(row, joints, leg):
    """Length of thigh and shank [rig units]; row [joint, 12] model matrices, joints [leg, 4]."""
    knee = origin_of(row, joints[leg, 1])
    thigh, shank = subtract(knee, origin_of(row, joints[leg, 0])), subtract(origin_of(row, joints[leg, 2]), knee)
    return np.sqrt(dot(thigh, thigh)) + np.sqrt(dot(shank, shank))
