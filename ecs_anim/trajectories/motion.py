"""Movement of people in the first rows of a file, and the frame rate at which this movement agrees with the speeds in
the file.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.trajectories.rows import Reals
from ecs_anim.trajectories.steps import Steps, steps_of

# frames per second
USUAL_RATES = (1, 2, 2.5, 4, 5, 6, 7.5, 8, 10, 12, 12.5, 15, 16, 20, 24, 25, 29.97, 30, 50, 60, 100, 120)
NEAR = 0.01  # largest relative difference between a computed rate and a usual rate
SPREAD = 0.1  # relative distance of the quartiles of rates, above which the rate is unclear
LEAST = 5  # least number of steps


class Motion(NamedTuple):
    """Steps between the rows of each person. The rows are sorted by person and tick."""

    order: NDArray[np.intp]  # [rows], row numbers in sorted order
    people: int
    steps: Steps  # steps in ticks and in units of the file


def motion_of(ids: NDArray[Any], ticks: Reals, xy: Reals) -> Motion:
    """Return the movement between samples [n]. All samples must have a position `xy` [n, 2]."""
    order = np.lexsort((ticks, ids))
    return Motion(order, len(np.unique(ids)), steps_of(ids[order], ticks[order], xy[order]))


def rate_of_speeds(motion: Motion, speeds: Reals) -> float | None:
    """Return the ticks per second at which the movement agrees with the speeds [rows] in the file, or None.

    The speeds are lengths per second, with the length unit of the positions.
    """
    steps, far = motion.steps, motion.steps.metres
    own = speeds[motion.order]
    mean = (own[steps.first] + own[steps.first + 1]) / 2
    chosen = (far > 0) & (mean > 0) & (far > 0.2 * np.median(far[far > 0])) if (far > 0).any() else far > 0
    if np.count_nonzero(chosen) < LEAST:
        return None
    low, rate, high = np.percentile(mean[chosen] * steps.seconds[chosen] / far[chosen], (25, 50, 75))
    return near_usual(float(rate), NEAR) if high - low <= SPREAD * rate else None


def near_usual(rate: float, share: float) -> float:
    """Return the usual frame rate nearest to `rate` if the difference is at most `share` times `rate`.

    Otherwise, return `rate`.
    """
    best = min(USUAL_RATES, key=lambda own: abs(own / rate - 1))
    return float(best) if abs(best / rate - 1) <= share else rate
