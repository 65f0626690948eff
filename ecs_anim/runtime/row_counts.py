"""How many evenly spaced rows a clip gets: from a rate, or on its keys; and no more than there is leave for.

Key times are float32. One that counts frames, k / rate, was rounded twice on its way there, the step and the product,
so it is off by `ROUNDING` of itself at most, and so are a clip's ends.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import InputError

MIN_RATE, MAX_RATE = 15.0, 240.0  # [Hz]
ROUNDING = float(np.finfo(np.float32).eps)  # share of a key's time: half of it for each of two roundings
LEAST_ROW = 1024  # [bytes] that a row counts for however narrow it is: sampling it takes time as well


def rounding(clip: Clip) -> float:
    """By how much the duration of a clip may be off [s], because its ends are float32."""
    return ROUNDING * (abs(clip.start) + abs(clip.end))


def intervals_at(clip: Clip, rate: float) -> int:
    """Intervals at a rate [Hz] or a little more, so that rows fall on both ends; 0 for a clip without duration.

    A duration of whole intervals but for its rounding has just these.
    """
    return max(1, math.ceil(rate * (clip.duration - rounding(clip)))) if clip.duration > 0 else 0


def key_interval_count(clip: Clip, key_times: Sequence[NDArray[np.float32]]) -> int:
    """Intervals that put a row on every key where keys are evenly spaced, at least MIN_RATE of them a second."""
    moments = (np.unique(times) for times in key_times)
    spacing = min((_spacing(times) for times in moments if len(times) > 1), default=clip.duration)
    keys = max(1, round(clip.duration / max(spacing, 1 / MAX_RATE)))
    return keys * math.ceil(intervals_at(clip, MIN_RATE) / keys)


def is_above_max_rate(clip: Clip, count: int) -> bool:
    """Whether so many intervals are more than MAX_RATE a second."""
    return count > MAX_RATE * (clip.duration + rounding(clip))


def check_rows(clip: Clip, count: int, row_width: int, other_rows: int, advice: str) -> None:
    """Raise InputError, before anything is allocated, where a clip's rows take more than they may.

    `count` intervals of `row_width` numbers; `other_rows` are those of other clips in the same table; `advice` is what
    can be done besides raising the limit.
    """
    wanted = (count + 1 + other_rows) * max(4 * row_width, LEAST_ROW)
    if text := excess("row_bytes", wanted, advice):
        others = f", with {other_rows} rows of other clips," if other_rows else ""
        rows = f"{count + 1:.9g} rows of {row_width} numbers{others}"
        raise InputError(f"clip {clip.name!r}: {clip.duration:g} s need {rows}, which are {text}")


def _spacing(times: NDArray[np.float32]) -> float:
    """Seconds between neighbouring keys, by the median; where all are evenly spaced, over all of them."""
    gaps = np.diff(times.astype(np.float64))
    median = float(np.median(gaps))
    even = np.abs(gaps - median) <= 4 * ROUNDING * np.abs(times).max()  # two ends each
    return float(gaps.mean()) if even.all() else median
