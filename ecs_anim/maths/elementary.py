"""Elementary functions with bit-identical results on every machine.

The sines of the C library and of numpy depend on the version of the library and on the CPU. Additions, multiplications,
divisions and square roots give equal results on all machines, because IEEE 754 defines their rounding. The functions in
this module use only these four operations. All simulation code uses the functions in this module. A function reduces
its argument with a constant that is split into parts (Cody and Waite 1980), and then computes a Taylor series. The
errors are a few units in the last place of a float64.

All functions take and return float64 arrays or float64 numbers. The code has no branches, so that
`ecs_anim.kernels.elementary` can compile the functions of this module for kernels.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Reals = NDArray[np.float64]

# Pi / 2 and log 2, each as a sum of parts. The product of a part and an integer of up to 20 bits is exact, except for
# the last part.
HALF_PI_HIGH = float.fromhex("0x1.921fb544p+0")
HALF_PI_MIDDLE = float.fromhex("0x1.0b4611a6p-34")
HALF_PI_LOW = float.fromhex("0x1.3198a2e037073p-69")
LOG_2_HIGH = float.fromhex("0x1.62e42fefp-1")
LOG_2_LOW = float.fromhex("0x1.473de6af278edp-34")
QUARTER_TURNS = 2 / math.pi
LOG_2_E = 1 / (LOG_2_HIGH + LOG_2_LOW)
TAN_EIGHTH = math.sqrt(2) - 1  # tangent of pi / 8
MOST_FACTORS = 64  # up to this integer exponent, `power` multiplies
MOST = 0.8  # upper limit of a reduced angle [rad], a little more than pi / 4

# Coefficients of the Taylor series. The coefficient of the highest power is first.
SINE = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(8, 0, -1))
COSINE = tuple((-1) ** k / math.factorial(2 * k) for k in range(8, 0, -1))
ARCTANGENT = tuple((-1) ** k / (2 * k + 1) for k in range(21, 0, -1))
EXPONENTIAL = tuple(1 / math.factorial(k) for k in range(13, 1, -1))
LOGARITHM = tuple(2 / (2 * k + 1) for k in range(12, 0, -1))


def sin_cos(angle: Any) -> tuple[Any, Any]:
    """Return sine and cosine of float64 angles [rad].

    For angles up to a million, the results are exact to the last few bits. For larger angles, sine and cosine are still
    between -1 and 1.
    """
    turns = np.floor(angle * QUARTER_TURNS + 0.5)
    rest = ((angle - turns * HALF_PI_HIGH) - turns * HALF_PI_MIDDLE) - turns * HALF_PI_LOW
    rest = np.minimum(np.maximum(rest, -MOST), MOST)
    square = rest * rest
    sine, cosine = 0.0 * square, 0.0 * square
    for k in range(len(SINE)):
        sine = sine * square + SINE[k]
        cosine = cosine * square + COSINE[k]
    sine = rest + rest * (sine * square)
    cosine = 1.0 + cosine * square
    quarter = turns - 4.0 * np.floor(turns * 0.25)  # 0 to 3
    half = np.floor(quarter * 0.5)
    odd = quarter - 2.0 * half
    turned = half + odd - 2.0 * half * odd  # cosine is negative in the second and third quarter
    return (
        (1.0 - 2.0 * half) * (sine * (1.0 - odd) + cosine * odd),
        (1.0 - 2.0 * turned) * (cosine * (1.0 - odd) + sine * odd),
    )


def bearing(y: Any, x: Any) -> Any:
    """Return the angles [rad] of finite points x, y: -pi to pi, with the sign of y. The angle of the origin is 0."""
    up, aside = np.abs(y), np.abs(x)
    least, most = np.minimum(up, aside), np.maximum(up, aside)
    steep, behind, none = 1.0 * (up > aside), 1.0 * (x < 0.0), 1.0 * (most == 0.0)
    turned = 1.0 * (least > TAN_EIGHTH * most)  # subtract pi / 4 from the angle, so that the series is short
    ratio = (least - turned * most) / (most + turned * least + none)
    square = ratio * ratio
    series = 0.0 * square
    for k in range(len(ARCTANGENT)):
        series = series * square + ARCTANGENT[k]
    angle = turned * (math.pi / 4) + (ratio + ratio * (series * square))
    angle = angle * (1.0 - 2.0 * steep) + steep * (math.pi / 2)
    angle = angle * (1.0 - 2.0 * behind) + behind * math.pi
    return np.copysign(angle, y)


def exponential_parts(x: Any) -> tuple[Any, Any]:
    """Return e^x as two numbers: a factor near 1, and an integer exponent of 2."""
    power = np.minimum(np.maximum(np.floor(x * LOG_2_E + 0.5), -1100.0), 1100.0)
    rest = (x - power * LOG_2_HIGH) - power * LOG_2_LOW
    rest = np.minimum(np.maximum(rest, -1.0), 1.0)
    series = 0.0 * rest
    for k in range(len(EXPONENTIAL)):
        series = series * rest + EXPONENTIAL[k]
    return 1.0 + (rest + rest * (series * rest)), power


def sin(angle: ArrayLike) -> Any:
    """Return the sine of angles [rad]."""
    return sin_cos(_reals(angle))[0]


def cos(angle: ArrayLike) -> Any:
    """Return the cosine of angles [rad]."""
    return sin_cos(_reals(angle))[1]


def arctan2(y: ArrayLike, x: ArrayLike) -> Any:
    """Return the angles [rad] of finite points x, y, from -pi to pi. Special cases follow `numpy.arctan2`."""
    return bearing(_reals(y), _reals(x))


def arccos(cosine: ArrayLike) -> Any:
    """Return the angle [rad] whose cosine is `cosine`. The angle is from 0 to pi, and `cosine` is from -1 to 1."""
    share = _reals(cosine)
    return bearing(np.sqrt((1 - share) * (1 + share)), share)


def exp(x: ArrayLike) -> Any:
    """Return e^x."""
    near_one, power = exponential_parts(_reals(x))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        return np.ldexp(near_one, np.asarray(power).astype(np.int32))


def tan(angle: ArrayLike) -> Any:
    """Return the tangent of angles [rad]."""
    sine, cosine = sin_cos(_reals(angle))
    return sine / cosine


def arcsin(sine: ArrayLike) -> Any:
    """Return the angle [rad] whose sine is `sine`. The angle is from -pi / 2 to pi / 2, and `sine` is from -1 to 1."""
    share = _reals(sine)
    return bearing(share, np.sqrt((1 - share) * (1 + share)))


def log(x: ArrayLike) -> Any:
    """Return the natural logarithm of `x`: -inf for 0, NaN for negative numbers."""
    number = _reals(x)
    with np.errstate(all="ignore"):
        share, power = np.frexp(number)  # 0.5 to 1
        low = share < math.sqrt(0.5)
        share, power = np.where(low, 2 * share, share), power - low
        ratio = (share - 1) / (share + 1)
        square, series = ratio * ratio, 0.0 * ratio
        for coefficient in LOGARITHM:
            series = series * square + coefficient
        value = power * LOG_2_HIGH + (2 * ratio + ratio * (series * square) + power * LOG_2_LOW)
        return np.where(number > 0, np.where(np.isinf(number), np.inf, value), np.where(number == 0, -np.inf, np.nan))


def power(base: ArrayLike, exponent: ArrayLike) -> Any:
    """Return base^exponent, or NaN if the power is not a real number.

    If `exponent` is a single integer from -64 to 64, the function multiplies. For all other exponents, the function
    computes e^(exponent log base).
    """
    x, y = _reals(base), _reals(exponent)
    with np.errstate(all="ignore"):
        if y.ndim == 0 and y == np.rint(y) and abs(y) <= MOST_FACTORS:
            whole = _whole_power(x, int(abs(y)))
            return whole if y >= 0 else 1 / whole
        odd = (y == np.rint(y)) & (np.mod(y, 2) == 1)
        size = np.where(y == 0, 1.0, exp(y * log(np.abs(x))))
        return np.where(x < 0, np.where(y == np.rint(y), np.where(odd, -size, size), np.nan), size)


def hypot(a: ArrayLike, b: ArrayLike) -> Any:
    """Return the lengths of vectors with the coordinates `a` and `b`.

    The squares of `a` and `b` must be within the range of float64.
    """
    a, b = _reals(a), _reals(b)
    return np.sqrt(a * a + b * b)


def _whole_power(x: Reals, exponent: int) -> Reals:
    """Return x^exponent for an integer exponent of 0 or more. The function squares and multiplies repeatedly."""
    result = np.ones_like(x)
    while exponent:
        if exponent & 1:
            result = result * x
        exponent >>= 1
        x = x * x if exponent else x
    return result


def _reals(value: ArrayLike) -> Reals:
    return np.asarray(value, np.float64)
