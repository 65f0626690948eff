"""Series of keys and sines: errors stay within their limits, and stored series come back. scipy computes the sines."""

import numpy as np
import pytest
from scipy.fft import dst

from ecs_anim.sharing.series import WORST, Channel, Code, SeriesSet, fitted, fitted_blocks
from ecs_anim.sharing.series_sections import loaded, stored

STEP = 0.01
CHANNEL = Channel("place", STEP)
SINES = np.full(9, 3), np.random.default_rng(4).integers(-(2**30), 2**30, 27)  # numbers of sines, and sines


def _values(codes: list[Code], frames: int, number: int = 0) -> np.ndarray:
    series = SeriesSet.of(codes, np.full(len(codes), frames - 1))
    return series.at(STEP, np.full(frames, number), np.linspace(0, 1, frames))


def _waves(count: int, frames: int) -> np.ndarray:
    random = np.random.default_rng(3)
    time, rate, begin = np.linspace(0, 4, frames), random.uniform(0.2, 3, (count, 1)), random.uniform(0, 6, (count, 1))
    return np.sin(rate * time + begin) + random.normal(size=(count, 1)) * time


def test_errors_of_smooth_series_are_about_one_step_with_few_numbers():
    values = _waves(30, 121)
    codes = fitted(values / STEP)
    errors = np.stack([_values(codes, 121, number) - own for number, own in enumerate(values)])
    assert np.sqrt((errors**2).mean()) < 0.5 * STEP
    assert np.abs(errors).max() <= WORST * STEP
    assert max(len(code.keys) + len(code.sines) for code in codes) < 40  # 121 samples each


def test_constant_and_linear_series_have_one_and_two_keys():
    codes = fitted(np.stack([np.full(500, 3.0), np.linspace(0, 7, 500)]) / STEP)
    assert [len(code.keys) for code in codes] == [1, 2]
    assert [len(code.sines) for code in codes] == [0, 0]
    np.testing.assert_allclose(_values(codes, 500, 0), 3.0)
    np.testing.assert_allclose(_values(codes, 500, 1), np.linspace(0, 7, 500), atol=1e-9)


def test_noise_keeps_small_errors():
    values = np.random.default_rng(5).normal(size=(4, 333))
    codes = fitted(values / STEP)
    found = np.stack([_values(codes, 333, number) for number in range(4)])
    assert np.abs(found - values).max() <= WORST * STEP


def test_a_jump_between_two_samples_stays_sharp():
    values = np.where(np.arange(400) < 173, 0.0, 1.0)[None]
    assert np.abs(_values(fitted(values / STEP), 400) - values).max() <= WORST * STEP


@pytest.mark.parametrize("frames", [1, 2, 3, 17, 18])
def test_short_series(frames):
    values = np.arange(2 * frames, dtype=float).reshape(2, frames) ** 2
    codes = fitted(values / STEP)
    for number in range(2):
        np.testing.assert_allclose(_values(codes, frames, number), values[number], atol=WORST * STEP)


def test_the_numbers_between_keys_are_a_line_and_the_sine_transform():
    random = np.random.default_rng(1)
    keys, sines = random.integers(-50, 50, 3), random.integers(-9, 9, 15 + 5)
    code = Code(4, keys, np.array([15, 5]), sines)
    found = _values([code], 23) / STEP  # two intervals of 16 and 6 frames
    for begin, size, own, ends in ((0, 16, sines[:15], keys[:2]), (16, 6, sines[15:], keys[1:])):
        line = np.interp(np.arange(1, size), [0, size], ends)
        np.testing.assert_allclose(found[begin + 1 : begin + size], line + dst(own, 1, norm="ortho"), atol=1e-9)
    np.testing.assert_allclose(found[[0, 16, 22]], keys)


def test_stored_series_come_back():
    lengths = [40, 160, 2, 1, 700]
    blocks = [np.concatenate([_waves(2, length), np.zeros((1, length))]) for length in lengths]
    codes = fitted_blocks(blocks, [CHANNEL] * 3)
    frames = np.tile(np.array(lengths) - 1, 3)
    series = SeriesSet.of([code for own in codes for code in own], frames)
    found = loaded(stored(series), frames)
    for name in ("lengths", "keys", "orders", "sines"):
        np.testing.assert_array_equal(getattr(found, name), getattr(series, name))


def test_series_that_continue_the_series_before_need_less_than_one_bit_each():
    random = np.random.default_rng(6)
    keys = np.repeat(random.integers(-(2**20), 2**20, 10), 1000)
    counts = np.zeros(0, np.int64)
    series = SeriesSet(np.full(10_000, 50), np.zeros(10_000, np.int64), keys, counts, counts)
    data = stored(series)
    assert len(data["keys"]) < 10_000 / 8
    np.testing.assert_array_equal(loaded(data, series.frames).keys, keys)


def test_very_irregular_numbers_come_back():
    random = np.random.default_rng(3)
    series = SeriesSet(np.full(9, 16), np.full(9, 4), random.integers(-(2**28), 2**28, 18), *SINES)
    found = loaded(stored(series), series.frames)
    np.testing.assert_array_equal(found.keys, series.keys)
    np.testing.assert_array_equal(found.sines, series.sines)


def test_blocks_of_different_lengths_keep_their_order():
    lengths = [40, 12, 40, 1, 12]
    blocks = [_waves(2, length) + 10 * number for number, length in enumerate(lengths)]
    found = fitted_blocks(blocks, [CHANNEL, CHANNEL])
    for number, block in enumerate(blocks):
        for channel, codes in enumerate(found):
            values = _values([codes[number]], lengths[number])
            assert np.abs(values - block[channel]).max() <= WORST * STEP
