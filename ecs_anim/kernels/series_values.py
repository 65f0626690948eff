"""The values of series at any time. A series consists of keys and of sines between the keys."""

import numpy as np

from ecs_anim.kernels import kernel
from ecs_anim.kernels.elementary import sin_cos
from ecs_anim.kernels.types import LONGS, OUT_REALS, REALS, void


@kernel(void(LONGS, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS, REALS, OUT_REALS))
def series_values(frames, lengths, counts, keys, orders, sines, begins, series, places, values):
    """Compute the values of series at given times.

    - `frames`, `lengths`, `counts` [series]: last frame, distance of keys as a power of two, number of intervals.
    - `begins` [series + interval]: the first interval of each series, then the first sine of each interval.
    - `series` [n]: the number of the series. `places` [n]: the time, from 0 (first frame) to 1 (last frame).
    - `values` [n]: the result.
    """
    first_sines = begins[frames.shape[0] :]
    for n in range(series.shape[0]):
        own = series[n]
        first, count = begins[own], counts[own]
        if count == 0:
            values[n] = keys[first + own]
            continue
        frame, size = min(max(places[n], 0.0), 1.0) * frames[own], 1 << lengths[own]
        number = min(np.int64(frame) // size, count - 1)
        width = min(size, frames[own] - number * size)
        t = (frame - number * size) / width
        before, after = keys[first + own + number], keys[first + own + number + 1]
        # The sine of each multiple of an angle follows from the two sines before.
        begin, total = first_sines[first + number], 0.0
        sine, cosine = sin_cos(np.pi * t)
        earlier, wave, twice = 0.0, sine, 2 * cosine
        for k in range(orders[first + number]):
            total += sines[begin + k] * wave
            earlier, wave = wave, twice * wave - earlier
        values[n] = before + (after - before) * t + np.sqrt(2 / width) * total
