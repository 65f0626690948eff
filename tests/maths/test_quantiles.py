"""Quantile functions agree with scipy."""

import numpy as np
import pytest
from scipy import stats

from ecs_anim.maths import quantiles

SHARES = np.concatenate([[2.0**-53, 1e-9, 1e-4], np.linspace(0.001, 0.999, 1999), [1 - 1e-4, 1 - 1e-9, 1 - 2.0**-53]])


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        (quantiles.normal, stats.norm()),
        (lambda share: quantiles.lognormal(share, 3.2, 0.7), stats.lognorm(0.7, scale=np.exp(3.2))),
        (lambda share: quantiles.weibull(share, 1.7, 45.0), stats.weibull_min(1.7, scale=45.0)),
        (lambda share: quantiles.weibull(share, 0.6, 45.0), stats.weibull_min(0.6, scale=45.0)),
        (lambda share: quantiles.uniform(share, 5.0, 65.0), stats.uniform(5.0, 60.0)),
        (lambda share: quantiles.triangular(share, 10.0, 25.0, 90.0), stats.triang(15 / 80, 10.0, 80.0)),
        (lambda share: quantiles.triangular(share, 10.0, 10.0, 90.0), stats.triang(0, 10.0, 80.0)),
        (lambda share: quantiles.triangular(share, 10.0, 90.0, 90.0), stats.triang(1, 10.0, 80.0)),
    ],
    ids=["normal", "lognormal", "weibull", "steep weibull", "uniform", "triangular", "falling", "rising"],
)
def test_quantiles_agree_with_scipy(own, theirs):
    np.testing.assert_allclose(own(SHARES), theirs.ppf(SHARES), rtol=1e-12, atol=1e-10)


def test_quantiles_of_a_share_of_zero_are_finite():
    zero = np.zeros(1)
    assert quantiles.normal(zero)[0] < -8
    assert quantiles.lognormal(zero, 0.0, 1.0)[0] > 0
    assert quantiles.weibull(zero, 2.0, 3.0)[0] == 0
    assert quantiles.triangular(zero, 2.0, 2.0, 2.0)[0] == 2


def test_each_measured_value_has_an_equal_share():
    drawn = quantiles.sample(np.arange(0.0, 1.0, 0.01), np.array([9.0, 3.0, 3.0, 4.0]))
    assert [np.count_nonzero(drawn == value) for value in (3.0, 4.0, 9.0)] == [50, 25, 25]
