"""Numbers of series: a line between two keys plus the sine transform of scipy."""

import numpy as np
from scipy.fft import dst

from ecs_anim.kernels.series_values import series_values


def test_values_are_a_line_and_the_sine_transform():
    random = np.random.default_rng(5)
    frames, lengths, counts = np.array([0, 37, 16]), np.array([0, 4, 4]), np.array([0, 3, 1])
    keys = random.integers(-99, 99, 1 + 4 + 2)
    orders = np.array([15, 4, 0, 15])
    sines = random.integers(-9, 9, orders.sum())
    begins = np.concatenate([np.cumsum(counts) - counts, np.cumsum(orders) - orders])
    for own, parts in enumerate(([], [(0, 16, 0, 15), (16, 16, 15, 4), (32, 5, 19, 0)], [(0, 16, 19, 15)])):
        places = np.arange(frames[own] + 1) / max(frames[own], 1)
        values = np.empty(len(places))
        numbers = frames, lengths, counts, keys, orders, sines, begins
        series_values(*numbers, np.full(len(places), own), places, values)
        key = [0, 1, 5][own]
        assert values[0] == keys[key]
        for place, (first, size, begin, order) in enumerate(parts):
            waves = dst(np.append(sines[begin : begin + order], np.zeros(size - 1 - order)), 1, norm="ortho")
            line = np.interp(np.arange(1, size), [0, size], keys[key + place : key + place + 2])
            np.testing.assert_allclose(values[first + 1 : first + size], line + waves, atol=1e-9)
            np.testing.assert_allclose(values[first + size], keys[key + place + 1])
