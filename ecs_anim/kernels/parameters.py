"""Parameters of a chunk of actors approach their targets."""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import COUNT, FLOATS, FLOATS_2D, OUT, PARAMETERS, REAL, void
from ecs_anim.runtime.records import ParameterColumns
from ecs_anim.simd import any_true, borrow, load, pointer, store

ZERO, ONE = np.float32(0), np.float32(1)


@kernel(void(FLOATS_2D, COUNT, OUT))
def take_share(values, column, out_share):
    """Write a column of values [chunk, parameter] to out_share [chunk], limited to 0 to 1."""
    for actor in range(out_share.shape[0]):
        value = values[actor, column]
        out_share[actor] = ZERO if value < ZERO else ONE if value > ONE else value


@inlined
def _approach(values, targets, at, most):
    """Move one value by at most that much."""
    apart = targets[at] - values[at]
    if abs(apart) <= most:
        values[at] = targets[at]
    else:
        values[at] += most if apart > 0 else -most


@kernel(void(FLOATS, REAL, PARAMETERS))
def approach_targets(rate, dt, parameters):
    """Move each value of the `ParameterColumns` towards its target by at most rate x dt.

    rate [parameter], a second, inf = at once.
    """
    parameters = ParameterColumns(*borrow(parameters))
    value, target = parameters.value, parameters.target
    values, targets, columns = pointer(value), pointer(target), value.shape[1]
    count = value.shape[0] * columns
    for first in range(0, count, 8):
        if first + 8 <= count:
            aims = load(targets, first)
            if not any_true(~(load(values, first) == aims)):  # as most are, most of the time
                store(values, first, aims)
                continue
        for at in range(first, min(first + 8, count)):
            own = rate[at % columns]
            _approach(values, targets, at, np.float32(own * dt) if own < np.inf else np.float32(np.inf))
