"""Elementary functions in kernels: those of `ecs_anim.maths.elementary`, compiled, in place of the C library's.

Single float64 in and out; float32 are widened, as numpy does with Python's numbers. `short_exp` alone is of float32,
for loops that LLVM works on many lanes at once.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined
from ecs_anim.maths import elementary
from ecs_anim.maths.elementary import LOG_2_E, LOG_2_HIGH
from ecs_anim.simd import power_of_two, select

_sin_cos, _bearing = inlined(elementary.sin_cos), inlined(elementary.bearing)
_exponential_parts = inlined(elementary.exponential_parts)

_LEAST, _MOST = np.float32(-87.0), np.float32(88.0)  # what e^x of a float32 may be taken of, to stay a normal number
_LOG_2_E, _HALF, _ONE = np.float32(LOG_2_E), np.float32(0.5), np.float32(1)
_LOG_2 = np.float32(0.693359375)  # in nine bits, which times a power of 2 are exact
_LOG_2_REST = np.float32(LOG_2_HIGH - 0.693359375)
_SERIES = [np.float32(1 / factorial) for factorial in (720, 120, 24, 6, 2)]
_SIXTH, _FIFTH, _FOURTH, _THIRD, _SECOND = _SERIES


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


@inlined
def short_exp(x):
    """e^x of a float32, or of lanes, within a few units in its last place; of less than -87 or more than 88, what it
    is there.
    """
    x = select(x > _LEAST, x, _LEAST)
    x = select(x < _MOST, x, _MOST)
    power = np.floor(x * _LOG_2_E + _HALF)
    rest = (x - power * _LOG_2) - power * _LOG_2_REST
    series = (((_SIXTH * rest + _FIFTH) * rest + _FOURTH) * rest + _THIRD) * rest + _SECOND
    near_one = _ONE + (rest + rest * rest * series)
    return near_one * power_of_two(power)
