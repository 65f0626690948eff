"""Parameters approach their targets, no faster than they may."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ecs_anim.kernels.parameters import approach_targets, take_share

columns = arrays(np.float32, (5, 3), elements=st.floats(-1e6, 1e6, width=32))
rates = arrays(np.float32, 3, elements=st.one_of(st.floats(2**-10, 1e6, width=32), st.just(np.inf)))


@given(columns, columns, rates, st.floats(0, 10))
def test_values_move_towards_their_targets(value, target, rate, dt):
    most = np.array([np.inf if one == np.inf else float(one) * dt for one in rate])
    apart = target.astype(np.float64) - value
    expected = value + np.clip(apart, -most, most)
    out = value.copy()
    approach_targets(rate, dt, (out, target))
    np.testing.assert_allclose(out, expected, rtol=1e-6, atol=1e-6 * (1 + np.abs(value).max()))
    arrived = np.abs(apart) < most * (1 - 1e-6)
    np.testing.assert_array_equal(out[arrived], target[arrived])
    assert (np.abs(target.astype(np.float64) - out) <= np.abs(apart)).all(), "never past the target, never away"


@given(columns, st.integers(0, 2))
def test_shares_are_a_column_within_0_and_1(values, column):
    values[0] = np.nan
    out = np.full(5, 7, np.float32)
    take_share(values, column, out)
    np.testing.assert_array_equal(out, np.clip(values[:, column], 0, 1))


@pytest.mark.parametrize("dt", [1 / 60, 0.013, 0.5])
def test_a_whole_way_takes_as_long_as_the_rate_says(dt):
    value, target = np.zeros((1, 1), np.float32), np.full((1, 1), -3, np.float32)
    steps = 0
    while value[0, 0] != -3:
        approach_targets(np.array([1.5], np.float32), dt, (value, target))
        steps += 1
    assert steps * dt == pytest.approx(2.0, abs=1.01 * dt)


def test_no_time_moves_only_what_has_no_rate():
    value, target = np.zeros((2, 2), np.float32), np.ones((2, 2), np.float32)
    approach_targets(np.array([np.inf, 5], np.float32), 0.0, (value, target))
    np.testing.assert_array_equal(value, [[1, 0], [1, 0]])


def test_no_parameters_are_no_trouble():
    none = np.zeros((3, 0), np.float32)
    approach_targets(np.zeros(0, np.float32), 0.1, (none, none))
