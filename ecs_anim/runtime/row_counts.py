"""The number of evenly spaced rows for a clip, from a rate or from the clip's keys. A memory limit applies.

Key times are float32. The time k / rate of a frame k is rounded twice: the time step and the product. So the relative
error of a key time is at most `ROUNDING`. The start and the end of a clip also have a relative error of at most
`ROUNDING`.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError

MIN_RATE, MAX_RATE = 15.0, 240.0  # [Hz]
ROUNDING = float(np.finfo(np.float32).eps)  # relative error of a key's time: one half for each of two roundings
LEAST_ROW = 1024  # [byte], minimum size of a row in the memory limit, because sampling of narrow rows also takes time


def rounding(clip: Clip) -> float:
    """Return the largest rounding error [s] of a clip's duration. `Clip.start` and `Clip.end` are float32."""
    return ROUNDING * (abs(clip.start) + abs(clip.end))


def intervals_at(clip: Clip, rate: float) -> int:
    """Return the number of equal intervals from a clip's start to its end, at `rate` [Hz] or slightly more.

    Rounding errors of the duration do not add an interval. A clip without duration has 0 intervals.
    """
    return max(1, math.ceil(rate * (clip.duration - rounding(clip)))) if clip.duration > 0 else 0


def key_interval_count(clip: Clip, key_times: Sequence[NDArray[np.float32]]) -> int:
    """Return the number of intervals with which each evenly spaced key has a row. The rate is at least MIN_RATE."""
    moments = (np.unique(times) for times in key_times)
    spacing = min((_spacing(times) for times in moments if len(times) > 1), default=clip.duration)
    keys = max(1, round(clip.duration / max(spacing, 1 / MAX_RATE)))
    return keys * math.ceil(intervals_at(clip, MIN_RATE) / keys)


def is_above_max_rate(clip: Clip, count: int) -> bool:
    """Return whether `count` equal intervals of a clip have a rate above MAX_RATE."""
    return count > MAX_RATE * (clip.duration + rounding(clip))


def check_rows(clip: Clip, count: int, row_width: int, other_rows: int, advice: str) -> None:
    """Raise InputError if the rows of a clip would exceed the memory limit. Call this function before the allocation.

    - `count`: number of intervals.
    - `row_width`: numbers in a row.
    - `other_rows`: number of rows of other clips in the table.
    - `advice`: a fix that the message offers, in addition to a higher limit.
    """
    wanted = (count + 1 + other_rows) * max(4 * row_width, LEAST_ROW)
    if text := excess("row_bytes", wanted, advice):
        others = f", besides {other_rows} rows of other clips" if other_rows else ""
        rows = f"{count + 1:.9g} rows of {row_width} numbers{others}"
        raise InputError(f"clip {clip.name!r} ({clip.duration:g} s) needs {rows}: {text}")


def _spacing(times: NDArray[np.float32]) -> float:
    """Return the time between neighbouring keys [s]: the median, or the mean if all keys are evenly spaced."""
    gaps = np.diff(times.astype(np.float64))
    median = float(np.median(gaps))
    even = np.abs(gaps - median) <= 4 * ROUNDING * np.abs(times).max()  # a gap has two ends
    return float(gaps.mean()) if even.all() else median
