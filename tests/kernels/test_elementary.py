"""Sines and the like that are the same on every machine: near numpy's, and the kernels' are Python's to the bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.kernels import elementary as compiled
from ecs_anim.maths import elementary
from tests.helpers import called_in

ULPS = 4  # units in the last place that these functions and numpy's may be apart
REALS = st.floats(-1e6, 1e6)
ONE = [
    ("sin", -1e6, 1e6),
    ("cos", -1e6, 1e6),
    ("exp", -700, 700),
    ("arccos", -1, 1),
    ("arcsin", -1, 1),
    ("log", 1e-300, 1e300),
]


def apart(found: np.ndarray, expected: np.ndarray) -> float:
    """In units of the last place of what was expected, or of 1 where that is less: sines near a multiple of pi."""
    return float(np.max(np.abs(found - expected) / np.spacing(np.maximum(np.abs(expected), 1.0))))


@pytest.mark.parametrize(("name", "low", "high"), ONE)
def test_near_numpys(name, low, high):
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(low, high, 100_000), rng.uniform(max(low, -1), min(high, 1), 10_000), [low, high]])
    assert apart(getattr(elementary, name)(x), getattr(np, name)(x)) <= ULPS


def test_small_sines_keep_their_digits():
    x = np.random.default_rng(1).uniform(-1, 1, 10_000) * 10.0 ** np.arange(-10_000, 0).clip(-300)
    np.testing.assert_allclose(elementary.sin(x), np.sin(x), rtol=1e-15)


def test_tangent():
    x = np.random.default_rng(2).uniform(-1.5, 1.5, 10_000)
    np.testing.assert_allclose(elementary.tan(x), np.tan(x), rtol=2e-15)


def test_arctangent_in_all_directions():
    rng = np.random.default_rng(4)
    angle, size = rng.uniform(-np.pi, np.pi, 100_000), 10.0 ** rng.uniform(-20, 20, 100_000)
    y, x = size * np.sin(angle), size * np.cos(angle)
    assert apart(elementary.arctan2(y, x), np.arctan2(y, x)) <= ULPS


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0])
@pytest.mark.parametrize("x", [0.0, 1.0, -1.0])
def test_arctangent_on_the_axes(y, x):
    found, expected = elementary.arctan2(y, x), math.atan2(y, x)
    assert found == expected
    assert math.copysign(1, found) == math.copysign(1, expected)


@given(REALS)
def test_sine_and_cosine_are_never_beyond_one(x):
    for huge in (x, x * 1e6, x * 1e30):
        assert abs(elementary.sin(huge)) <= 1 + 1e-9
        assert abs(elementary.cos(huge)) <= 1 + 1e-9


def test_what_is_no_number_stays_none():
    for name in ("sin", "cos", "exp", "log", "arccos"):
        with np.errstate(invalid="ignore"):
            assert np.isnan(getattr(elementary, name)(np.nan))


def test_exponential_at_the_ends():
    assert elementary.exp([-np.inf, -800.0, 0.0, 800.0, np.inf]).tolist() == [0.0, 0.0, 1.0, np.inf, np.inf]
    assert elementary.exp(-740.0) > 0  # less than what keeps all its digits


def test_logarithm_at_the_ends():
    assert elementary.log([0.0, 1.0, np.inf]).tolist() == [-np.inf, 0.0, np.inf]
    assert np.isnan(elementary.log(-1.0))


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 7, 64, -1, -2, 0.5, -0.5, 2.5, 65.0, 1e-3])
def test_powers(exponent):
    x = np.concatenate([np.linspace(0.1, 20, 1000), [0.0, 1.0]])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(elementary.power(x, exponent), np.power(x, float(exponent)), rtol=1e-13)


@pytest.mark.parametrize("exponent", [2, 3, -3, 65.0, 66.0, 0.5])
def test_powers_of_negative_numbers(exponent):
    x = -np.linspace(0.1, 20, 1000)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(elementary.power(x, exponent), np.power(x, float(exponent)), rtol=1e-13)


def test_powers_of_many_exponents():
    x, y = np.meshgrid(np.linspace(-3, 3, 25), np.linspace(-3, 3, 25))
    with np.errstate(invalid="ignore", divide="ignore"):
        np.testing.assert_allclose(elementary.power(x, y), np.power(x, y), rtol=1e-13)


def test_hypotenuse():
    assert elementary.hypot(3.0, -4.0) == 5.0


KERNELS = called_in(compiled)


@given(REALS, REALS)
def test_kernels_get_the_same_bits(a, b):
    assert KERNELS.sin_cos(a) == (elementary.sin(a), elementary.cos(a))
    assert KERNELS.arctan2(a, b) == elementary.arctan2(a, b)
    assert KERNELS.exp(a / 1e4) == elementary.exp(a / 1e4)
    assert KERNELS.arccos(max(min(b, 1.0), -1.0)) == elementary.arccos(max(min(b, 1.0), -1.0))


def test_kernels_take_float32():
    assert KERNELS.sin_cos(np.float32(0.1))[0] == elementary.sin(np.float32(0.1))
