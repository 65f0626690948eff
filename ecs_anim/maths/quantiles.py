"""Quantile functions of probability distributions. A quantile is the value below which a given share of all values
lies.

The functions use `elementary`, so the results have the same bits on all machines. `share` contains numbers from 0 to
less than 1.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary

Reals = NDArray[np.float64]
# Coefficients of rational functions for the normal distribution: Wichura (1988), Applied Statistics 37, algorithm AS
# 241 (PPND16). The constant term is first. The relative error is about 1e-16. Each pair is a numerator and a
# denominator.
CENTRE = (
    (
        3.3871328727963666080,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ),
    (
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ),
)
MIDDLE = (
    (
        1.42343711074968357734,
        4.63033784615654529590,
        5.76949722146069140550,
        3.64784832476320460504,
        1.27045825245236838258,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ),
    (
        1.0,
        2.05319162663775882187,
        1.67638483018380384940,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)
TAIL = (
    (
        6.65790464350110377720,
        5.46378491116411436990,
        1.78482653991729133580,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ),
    (
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)
LEAST = 2.0**-60  # a share of 0 counts as this share, so that all quantiles are finite


def normal(share: Reals) -> Reals:
    """Return the quantiles of the normal distribution with mean 0 and standard deviation 1."""
    low = np.maximum(share, LEAST)
    apart = low - 0.5
    square = 0.180625 - apart * apart
    reach = np.sqrt(-elementary.log(np.minimum(low, 1 - low)))
    outside = np.where(reach <= 5, _ratio(MIDDLE, reach - 1.6), _ratio(TAIL, reach - 5))
    found: Reals = np.where(np.abs(apart) <= 0.425, apart * _ratio(CENTRE, square), np.copysign(outside, apart))
    return found


def lognormal(share: Reals, mu: float, sigma: float) -> Reals:
    """Return the quantiles of a variable whose natural logarithm is normal with mean `mu` and deviation `sigma`."""
    found: Reals = elementary.exp(mu + sigma * normal(share))
    return found


def weibull(share: Reals, shape: float, scale: float) -> Reals:
    """Return the quantiles of the Weibull distribution."""
    found: Reals = scale * elementary.exp(elementary.log(-elementary.log(1 - np.maximum(share, LEAST))) / shape)
    return np.where(share > 0, found, 0.0)


def uniform(share: Reals, low: float, high: float) -> Reals:
    """Return the quantiles of the uniform distribution from `low` to `high`."""
    return low + share * (high - low)


def triangular(share: Reals, low: float, mode: float, high: float) -> Reals:
    """Return the quantiles of the triangular distribution from `low` to `high` with its peak at `mode`."""
    width = high - low
    rising = low + np.sqrt(share * width * (mode - low))
    return np.where(share * width < mode - low, rising, high - np.sqrt((1 - share) * width * (high - mode)))


def sample(share: Reals, values: Reals) -> Reals:
    """Return the quantiles of measured values. Each of the sorted `values` [n] stands for a share of 1/n."""
    number = np.minimum((share * len(values)).astype(np.int64), len(values) - 1)
    found: Reals = np.sort(values)[number]
    return found


def _ratio(coefficients: Any, x: Reals) -> Reals:
    above, below = (_polynomial(own, x) for own in coefficients)
    return above / below


def _polynomial(coefficients: tuple[float, ...], x: Reals) -> Reals:
    value = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value
