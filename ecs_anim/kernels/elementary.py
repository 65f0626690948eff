"""Elementary functions in kernels: those of `ecs_anim.maths.elementary`, compiled, in place of the C library's.

Single float64 in and out; float32 are widened, as numpy does with Python's numbers.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined
from ecs_anim.maths import elementary

_sin_cos, _bearing = inlined(elementary.sin_cos), inlined(elementary.bearing)
_exponential_parts = inlined(elementary.exponential_parts)


@helper
def sin_cos(angle):
    """Sine and cosine of an angle [rad]."""
    return _sin_cos(np.float64(angle))


@helper
def arctan2(y, x):
    """The angle of the point x, y [rad], -pi to pi."""
    return _bearing(np.float64(y), np.float64(x))


@njit(inline="always")
def arccos(cosine):
    """The angle of a cosine of -1 to 1 [rad], 0 to pi."""
    return arctan2(np.sqrt((1.0 - cosine) * (1.0 + cosine)), cosine)


@helper
def exp(x):
    """e^x."""
    near_one, power = _exponential_parts(np.float64(x))
    return np.ldexp(near_one, np.int32(power))
