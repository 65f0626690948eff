"""Resampling of stretches at evenly spaced times by linear interpolation. The low-pass filters need evenly spaced
samples.
"""

from dataclasses import replace

import numpy as np

from ecs_anim.support.budgets import memory_excess
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.stretches import Stretches

SAMPLE_BYTES = 400  # bytes per sample while roots are computed: a dozen columns and their copies
WHOLE = 1e-6  # share of a time step by which the last new sample can be later than the last old sample


def at_even_times(own: Stretches) -> Stretches:
    """Return the stretches (unbroken paths of one person), resampled at evenly spaced times.

    The first sample of each stretch remains. After the first sample, the new samples are `Stretches.usual` seconds
    apart.

    Raises InputError if the new samples need more memory than the machine has.
    """
    first, last = own.times[own.starts[:-1]], own.times[own.starts[1:] - 1]
    counts = np.floor((last - first) / own.usual + WHOLE).astype(np.intp) + 1
    if limit_message := memory_excess(
        int(counts.sum()) * SAMPLE_BYTES, "remove samples that are nearly at the same time"
    ):
        raise InputError(
            f"trajectories: resampling to one sample per {own.usual:g} s takes too much memory: {limit_message}"
        )
    starts = np.concatenate([[0], np.cumsum(counts)])
    times = np.repeat(first, counts) + own.usual * (np.arange(starts[-1]) - np.repeat(starts[:-1], counts))
    xy = through(own, starts, times, own.xy)
    headings = None if own.heading_vectors is None else through(own, starts, times, own.heading_vectors)
    heights = None if own.heights is None else through(own, starts, times, own.heights[:, None])[:, 0]
    return replace(own, starts=starts, times=times, xy=xy, heading_vectors=headings, heights=heights)


def through(own: Stretches, starts: np.ndarray, times: Reals, values: Reals) -> Reals:
    """Return `values` [samples, d], interpolated linearly at `times`.

    `starts` [stretches + 1] contains the index of the first new sample of each stretch. Its last element is the number
    of all new samples.
    """
    result = np.empty((len(times), values.shape[1]))
    for k in range(len(starts) - 1):
        old, new = slice(own.starts[k], own.starts[k + 1]), slice(starts[k], starts[k + 1])
        for axis in range(values.shape[1]):
            result[new, axis] = np.interp(times[new], own.times[old], values[old, axis])
    return result
