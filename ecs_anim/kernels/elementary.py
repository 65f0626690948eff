"""Elementary functions of single float64 numbers: compiled versions of `ecs_anim.maths.elementary`. C libraries of
different machines give different bits, so this module does not call C libraries. Only `short_exp` computes in float32,
also for lanes.
"""

import numpy as np
from numba import njit

from ecs_anim.kernels import helper, inlined
from ecs_anim.maths import elementary
from ecs_anim.maths.elementary import LOG_2_E, LOG_2_HIGH
from ecs_anim.simd import maximum, minimum, power_of_two

_sin_cos, _bearing = inlined(elementary.sin_cos), inlined(elementary.bearing)
_exponential_parts = inlined(elementary.exponential_parts)

_LEAST, _MOST = np.float32(-87.0), np.float32(88.0)  # range of x in which e^x is a normal float32
_LOG_2_E, _HALF, _ONE = np.float32(LOG_2_E), np.float32(0.5), np.float32(1)
_LOG_2 = np.float32(0.693359375)  # log(2), rounded to nine bits, so that products with exponents are exact
_LOG_2_REST = np.float32(LOG_2_HIGH - 0.693359375)
_SERIES = [np.float32(1 / factorial) for factorial in (720, 120, 24, 6, 2)]
_SIXTH, _FIFTH, _FOURTH, _THIRD, _SECOND = _SERIES


@helper
def sin_cos(angle):
    """Return the sine and the cosine of an angle [rad]."""
    return _sin_cos(np.float64(angle))


@helper
def arctan2(y, x):
    """Return the angle of the point x, y [rad], -pi to pi."""
    return _bearing(np.float64(y), np.float64(x))


@njit(inline="always")
def arccos(cosine):
    """Return the angle [rad], 0 to pi, of a cosine in the range from -1 to 1."""
    return arctan2(np.sqrt((1.0 - cosine) * (1.0 + cosine)), cosine)


@helper
def exp(x):
    """Return e^x."""
    near_one, power = _exponential_parts(np.float64(x))
    return np.ldexp(near_one, np.int32(power))


@inlined
def short_exp(x):
    """Return e^x, -87 to 88, for a float32 or for lanes, with an error of a few units in the last place."""
    x = minimum(maximum(_LEAST, x), _MOST)
    power = np.floor(x * _LOG_2_E + _HALF)
    rest = (x - power * _LOG_2) - power * _LOG_2_REST
    series = (((_SIXTH * rest + _FIFTH) * rest + _FOURTH) * rest + _THIRD) * rest + _SECOND
    near_one = _ONE + (rest + rest * rest * series)
    return near_one * power_of_two(power)
