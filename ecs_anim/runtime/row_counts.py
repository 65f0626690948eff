"""The number of evenly spaced rows for a clip.

The number of rows depends on a rate in rows per second, or on the keys of the clip. The available memory limits the
number of rows.

The times of keys are float32. The time k / rate of frame k is rounded twice: once in the time step, and once in the
product. Therefore, the relative error of a key time is at most `ROUNDING`. This bound also applies to the start time
and the end time of a clip.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError

MIN_RATE, MAX_RATE = 15.0, 240.0  # [Hz]
# relative error of a key time: half a unit in the last place for each of two roundings
ROUNDING = float(np.finfo(np.float32).eps)
LEAST_ROW = 1024  # [byte]; the check of the memory limit counts shorter rows as this size, because rows take time too


def rounding(clip: Clip) -> float:
    """Return the largest rounding error [s] of a clip's duration. `Clip.start` and `Clip.end` are float32."""
    return ROUNDING * (abs(clip.start) + abs(clip.end))


def intervals_at(clip: Clip, rate: float) -> int:
    """Return the smallest number of equal intervals of a clip for which there are at least `rate` intervals per second.

    Rounding errors in the duration do not add an interval. A clip without duration has 0 intervals.
    """
    return max(1, math.ceil(rate * (clip.duration - rounding(clip)))) if clip.duration > 0 else 0


def key_interval_count(clip: Clip, key_times: Sequence[NDArray[np.float32]]) -> int:
    """Return the number of intervals that a clip needs so that each of its evenly spaced keys has a row.

    There are at least MIN_RATE intervals per second.
    """
    moments = (np.unique(times) for times in key_times)
    spacing = min((_spacing(times) for times in moments if len(times) > 1), default=clip.duration)
    keys = max(1, round(clip.duration / max(spacing, 1 / MAX_RATE)))
    return keys * math.ceil(intervals_at(clip, MIN_RATE) / keys)


def is_above_max_rate(clip: Clip, count: int) -> bool:
    """Return whether `count` equal intervals in a clip have a rate above MAX_RATE."""
    return count > MAX_RATE * (clip.duration + rounding(clip))


def check_rows(clip: Clip, count: int, row_width: int, other_rows: int, advice: str) -> None:
    """Raise InputError if the rows of a clip would exceed the memory limit. Call this function before the allocation.

    - `count` is the number of intervals.
    - `row_width` is the number of values in a row.
    - `other_rows` is the number of rows of all other clips in the table.
    - `advice` is a fix in the error message. The message also suggests a higher memory limit.
    """
    wanted = (count + 1 + other_rows) * max(4 * row_width, LEAST_ROW)
    if limit_message := excess("row_bytes", wanted, advice):
        others = f", besides {other_rows} rows of other clips" if other_rows else ""
        rows = f"{count + 1:.9g} rows of {row_width} numbers, one row for each pose{others}"
        raise InputError(f"clip {clip.name!r} of {clip.duration:g} s needs too many rows ({rows}): {limit_message}")


def _spacing(times: NDArray[np.float32]) -> float:
    """Return the time between neighbouring keys [s].

    The result is the mean if all keys are evenly spaced, and otherwise the median.
    """
    gaps = np.diff(times.astype(np.float64))
    median = float(np.median(gaps))
    even = np.abs(gaps - median) <= 4 * ROUNDING * np.abs(times).max()  # each gap has two rounded ends
    return float(gaps.mean()) if even.all() else median
