"""Series of keys: errors stay within the tolerance, and packed keys come back. scipy interpolates independently."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.interpolate import CubicHermiteSpline

from ecs_anim.sharing.series import WORST, Channel, Keys, fitted, fitted_blocks, packed, sampled, unpacked

CHANNEL = Channel("place", 0.01, 0.02)


def _values(keys: Keys, series: int, frames: int, step: float = CHANNEL.step) -> np.ndarray:
    return sampled(keys, step, np.full(frames, series), np.linspace(0, 1, frames))


def _waves(count: int, frames: int) -> np.ndarray:
    random = np.random.default_rng(3)
    time, rate, begin = np.linspace(0, 4, frames), random.uniform(0.2, 3, (count, 1)), random.uniform(0, 6, (count, 1))
    return np.sin(rate * time + begin) + random.normal(size=(count, 1)) * time


def test_errors_stay_within_the_tolerance_with_few_keys():
    values = _waves(30, 121)
    keys = fitted(values, CHANNEL)
    errors = np.stack([_values(keys, number, 121) - own for number, own in enumerate(values)])
    assert (np.sqrt((errors**2).mean(axis=1)) <= CHANNEL.tolerance).all()
    assert np.abs(errors).max() <= WORST * CHANNEL.tolerance
    assert keys.counts.max() < 30  # 121 samples each


def test_constant_and_linear_series_have_one_and_two_keys():
    keys = fitted(np.stack([np.full(50, 3.0), np.linspace(0, 7, 50)]), CHANNEL)
    assert keys.counts.tolist() == [0, 1]
    np.testing.assert_allclose(_values(keys, 0, 9), 3.0)
    np.testing.assert_allclose(_values(keys, 1, 9), np.linspace(0, 7, 9), atol=1e-9)


def test_noise_keeps_all_samples():
    values = np.random.default_rng(5).normal(size=(4, 33))
    keys = fitted(values, CHANNEL)
    assert (keys.counts == 32).all()
    found = np.stack([_values(keys, number, 33) for number in range(4)])
    assert np.abs(found - values).max() <= CHANNEL.step / 2 + 1e-9


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_short_series(frames):
    values = np.arange(2 * frames, dtype=float).reshape(2, frames)
    keys = fitted(values, CHANNEL)
    for number in range(2):
        np.testing.assert_allclose(_values(keys, number, frames), values[number], atol=CHANNEL.step / 2)


def test_the_spline_is_the_catmull_rom_spline():
    codes = np.array([4, 9, -3, 2, 2, 7])
    keys = Keys(np.array([5]), codes)
    wide = np.concatenate([[2 * codes[0] - codes[1]], codes, [2 * codes[-1] - codes[-2]]])
    spline = CubicHermiteSpline(np.arange(6), codes, (wide[2:] - wide[:-2]) / 2)
    np.testing.assert_allclose(_values(keys, 0, 101, 1.0), spline(np.linspace(0, 5, 101)), atol=1e-9)


@given(st.lists(arrays.arrays(np.int64, st.integers(1, 9), elements=st.integers(-(2**28), 2**28)), max_size=6))
def test_packed_keys_come_back(series):
    parts = [Keys(np.array([len(own) - 1]), own) for own in series]
    keys = Keys.joined(parts)
    found = unpacked(keys.counts, *packed(keys))
    np.testing.assert_array_equal(found.codes, keys.codes)


def test_blocks_of_different_lengths_keep_their_order():
    lengths = [40, 12, 40, 1, 12]
    blocks = [_waves(2, length) + 10 * number for number, length in enumerate(lengths)]
    found = fitted_blocks(blocks, [CHANNEL, CHANNEL])
    for number, block in enumerate(blocks):
        for channel, keys in enumerate(found):
            values = _values(keys, number, lengths[number])
            assert np.abs(values - block[channel]).max() <= WORST * CHANNEL.tolerance
