"""Positions and speeds of a person between the rows of a recording."""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


def positions_and_speeds(times: Reals, xy: Reals, when: Reals, window: float) -> tuple[Reals, Reals]:
    """Return the points [n, 2] [m] and the speeds [n] [m/s] of a person at the times `when` [n] [s].

    `times` [k] [s] and `xy` [k, 2] [m] are the rows of the person. Between two rows, positions are interpolated. The
    speed at a time comes from a window with the length `window` [s] around this time: the speed is the distance between
    the two ends of the window, divided by the length of the window. A window does not extend past the first row or the
    last row. The speed of a person with one row is NaN.
    """
    around = [np.clip(when + shift, times[0], times[-1]) for shift in (-window / 2, 0.0, window / 2)]
    before, now, later = (np.stack([np.interp(at, times, xy[:, k]) for k in (0, 1)], axis=-1) for at in around)
    took = around[2] - around[0]
    moved = np.sqrt(np.sum((later - before) ** 2, axis=-1))
    return now, np.divide(moved, took, out=np.full(len(took), np.nan), where=took > 0)
