"""Parameters of a chunk of actors: each value moves towards its target."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, OUT, PARAMETERS, REAL, void

ZERO, ONE = np.float32(0), np.float32(1)


@kernel(void(FLOATS_2D, COUNT, OUT))
def take_share(values, column, out_share):
    """Write the column `column` of values [chunk, parameter], limited to 0 to 1, to out_share [chunk]."""
    for actor in range(out_share.shape[0]):
        value = values[actor, column]
        out_share[actor] = ZERO if value < ZERO else ONE if value > ONE else value


@kernel(void(FLOATS, REAL, PARAMETERS))
def approach_targets(rate, dt, parameters):
    """Move each value in the `ParameterColumns` towards its target by at most `rate` [parameter] [1/s] x dt, or at once
    if the rate is inf.
    """
    value, target = parameters.value, parameters.target
    for column in range(value.shape[1]):
        most = np.float32(rate[column] * dt) if rate[column] < np.inf else np.float32(np.inf)  # inf x 0 is NaN
        for actor in range(value.shape[0]):
            apart = target[actor, column] - value[actor, column]
            if abs(apart) <= most:
                value[actor, column] = target[actor, column]
            else:
                value[actor, column] += most if apart > 0 else -most
