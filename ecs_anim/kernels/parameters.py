"""Parameters of a chunk of actors approach their targets."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, OUT_2D, REAL, void


@kernel(void(FLOATS_2D, FLOATS, REAL, OUT_2D))
def approach_targets(target, rate, dt, out_value):
    """Move each value towards its target by at most rate x dt.

    target, out_value [chunk, parameter]; rate [parameter], a second, inf = at once.
    """
    for actor in range(out_value.shape[0]):
        for column in range(out_value.shape[1]):
            apart = target[actor, column] - out_value[actor, column]
            most = np.float32(rate[column] * dt) if rate[column] < np.inf else np.float32(np.inf)
            if abs(apart) <= most:
                out_value[actor, column] = target[actor, column]
            else:
                out_value[actor, column] += most if apart > 0 else -most
