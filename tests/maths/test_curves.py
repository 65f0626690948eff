"""Cubic curves against de Casteljau, scipy, and each other."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BPoly, CubicHermiteSpline

from ecs_anim.maths import curves
from tests.helpers import vectors

CONTROLS = vectors(10.0, (4, 3))
PLACES = st.floats(0, 1)


def de_casteljau(points, t):
    """The value and the derivative, by repeated halving of the way (de Casteljau 1959)."""
    while len(points) > 2:
        points = [(1 - t) * a + t * b for a, b in pairwise(points)]
    return (1 - t) * points[0] + t * points[1], 3 * (points[1] - points[0])


@given(CONTROLS, PLACES)
def test_bezier_is_de_casteljau(controls, t):
    value, derivative = de_casteljau(list(controls), t)
    np.testing.assert_allclose(curves.bezier(*controls, t), value, atol=1e-12)
    np.testing.assert_allclose(curves.bezier_derivative(*controls, t), derivative, atol=1e-12)


@given(CONTROLS, PLACES)
def test_bezier_is_scipys_bernstein_polynomial(controls, t):
    oracle = BPoly(controls[:, None], [0, 1])
    np.testing.assert_allclose(curves.bezier(*controls, t), oracle(t), atol=1e-12)
    np.testing.assert_allclose(curves.bezier_derivative(*controls, t), oracle.derivative()(t), atol=1e-11)


@given(CONTROLS, PLACES)
def test_hermite_is_scipys_spline(controls, t):
    value, slope, next_slope, next_value = controls
    oracle = CubicHermiteSpline([0, 1], [value, next_value], [slope, next_slope])
    np.testing.assert_allclose(curves.hermite(*controls, t), oracle(t), atol=1e-12)
    np.testing.assert_allclose(curves.hermite_derivative(*controls, t), oracle(t, 1), atol=1e-11)


@given(CONTROLS, PLACES)
def test_each_form_is_the_same_curve_in_the_other(controls, t):
    as_hermite, as_bezier = curves.bezier_to_hermite(*controls), curves.hermite_to_bezier(*controls)
    np.testing.assert_allclose(curves.hermite(*as_hermite, t), curves.bezier(*controls, t), atol=1e-12)
    np.testing.assert_allclose(curves.bezier(*as_bezier, t), curves.hermite(*controls, t), atol=1e-12)
    np.testing.assert_allclose(curves.hermite_to_bezier(*as_hermite), controls, atol=1e-12)
    np.testing.assert_allclose(curves.bezier_to_hermite(*as_bezier), controls, atol=1e-12)


@given(CONTROLS)
def test_ends_are_exact(controls):
    for form in (curves.bezier, curves.hermite):
        np.testing.assert_array_equal(form(*controls, 0.0), controls[0])
        np.testing.assert_array_equal(form(*controls, 1.0), controls[3])
    np.testing.assert_array_equal(curves.hermite_derivative(*controls, 0.0), controls[1])
    np.testing.assert_array_equal(curves.hermite_derivative(*controls, 1.0), controls[2])


@pytest.mark.parametrize("dims", [(), (3,), (2, 5)])
@pytest.mark.parametrize("form", [curves.bezier, curves.hermite, curves.bezier_derivative, curves.hermite_derivative])
def test_many_places_and_any_width_at_once(form, dims):
    controls = np.random.default_rng(1).normal(size=(4, *dims)).astype(np.float32)
    t = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
    together = form(*controls, t.reshape(2, 3, *(1 for _ in dims)))
    assert together.shape == (2, 3, *dims)
    assert together.dtype == np.float32
    np.testing.assert_array_equal(together[1, 2], form(*controls, t[1, 2]))


def test_whole_numbers_are_taken_as_floats():
    assert curves.bezier(0, 0, 1, 1, 0.5) == 0.5
    assert curves.hermite_to_bezier(0, 1, 1, 1)[1] == pytest.approx(1 / 3)
