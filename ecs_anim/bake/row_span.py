"""Evenly spaced rows over a time span, and interpolation between neighbouring rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ecs_anim.support.arguments import FLOAT_MAX, numbers

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class RowSpan:
    """Time span with `interval_count + 1` evenly spaced rows. A span with duration 0 has one row."""

    start: float  # [s]
    duration: float  # [s]
    interval_count: int

    @property
    def rate(self) -> float:
        """Return the number of rows per second. If the duration is 0, return 0."""
        return self.interval_count / self.duration if self.duration > 0 else 0.0

    def around(self, time: ArrayLike, loop: bool) -> tuple[Indices, Indices, NDArray[np.float64]]:
        """For each time [...] [s], return the row before the time, the row after the time, and the interpolation
        factor.

        If `loop` is True, times wrap by whole durations, and the end time becomes the start time. If `loop` is False,
        times are clamped to the time span. Raises ValueError for a time that is not finite.
        """
        since = numbers("clip time", time, most=FLOAT_MAX) - self.start
        if self.interval_count == 0:
            none = np.zeros(since.shape, np.int64)
            return none, none, np.zeros(since.shape)
        if loop:
            since = np.mod(since, self.duration)
            since = np.where(since < self.duration, since, 0.0)
        at = np.clip(since / self.duration, 0, 1) * self.interval_count
        row = np.minimum(at.astype(np.int64), self.interval_count - 1)
        return row, row + 1, at - row

    def read(self, rows: NDArray[np.float32], time: ArrayLike) -> NDArray[np.float32]:
        """Interpolate `rows` [interval_count + 1, row_width] at the times `time` [...].

        Return the interpolated values [..., row_width] f32. Times are clamped to the time span.
        """
        before, after, share = self.around(time, loop=False)
        return mix(rows[before], rows[after], share)


def mix(a: NDArray[np.float32], b: NDArray[np.float32], share: NDArray[np.float64]) -> NDArray[np.float32]:
    """Interpolate between the rows `a` and `b` [..., row_width]. `share` [...] is the weight of `b`.

    The result is exactly `a` at weight 0 and exactly `b` at weight 1.
    """
    a64, b64 = a.astype(np.float64), b.astype(np.float64)
    return (a64 + (b64 - a64) * share[..., None]).astype(np.float32)
