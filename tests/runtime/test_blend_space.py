"""Blend spaces: the readable weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.blend_weights import weights_1d, weights_2d

POINTS = np.array([[0.0, 0.0], [0.0, 1.4], [0.0, 3.5], [0.8, 0.0], [-0.8, 0.0], [0.0, -0.9]])
anywhere = st.tuples(st.floats(-3, 3), st.floats(-3, 5))


@given(st.floats(-5, 5))
def test_1d_weights_are_between_neighbours(x):
    points = np.array([-1.0, 0.0, 1.5, 3.0])
    weights = weights_1d(points, x)
    assert weights.sum() == pytest.approx(1)
    assert np.count_nonzero(weights) <= 2
    assert weights @ points == pytest.approx(np.clip(x, -1, 3))


@given(anywhere)
def test_2d_weights_sum_to_one_and_are_never_negative(p):
    weights = weights_2d(POINTS, p)
    assert weights.sum() == pytest.approx(1)
    assert weights.min() >= 0


@pytest.mark.parametrize("member", range(len(POINTS)))
def test_2d_a_member_has_its_own_place_to_itself(member):
    np.testing.assert_allclose(weights_2d(POINTS, POINTS[member]), np.eye(len(POINTS))[member], atol=1e-12)


@given(anywhere, st.floats(0, 6.28))
def test_2d_weights_do_not_jump(p, angle):
    q = np.array(p) + 1e-4 * np.array([np.cos(angle), np.sin(angle)])
    assert np.abs(weights_2d(POINTS, p) - weights_2d(POINTS, q)).max() < 2e-3
