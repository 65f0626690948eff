"""Butterworth low-pass filter that runs forward and backward over a signal. The filtered signal has no delay.

The design is an analog prototype with a bilinear transform and a pre-warped frequency (Oppenheim and Schafer, section
7.1). The filter consists of second-order sections in transposed direct form II. The filter extends the signal at both
ends by a point reflection. The sections start in the steady state of a constant signal. scipy.signal.sosfiltfilt uses
the same method.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import elementary
from ecs_anim.trajectories.rows import Reals


class Section(NamedTuple):
    """A second-order section of the filter. For the input x, the output is y = b (x + 2 x' + x'') - a1 y' - a2 y''.

    x' and y' are the previous samples of x and y. x'' and y'' are the samples before x' and y'.
    """

    b: float
    a1: float
    a2: float


def butterworth(cutoff: float, rate: float, order: int = 4) -> tuple[Section, ...]:
    """Return the sections of a low-pass filter.

    At the frequency `cutoff` [Hz], half of the signal power passes the filter. `rate` [Hz] is the sample rate. `order`
    must be an even number. Raises ValueError if `cutoff` is not between 0 and rate / 2.
    """
    if not 0 < cutoff < rate / 2:
        raise ValueError(
            f"cutoff must be more than 0 and less than half of the rate {rate} (got {cutoff}). Correct cutoff."
        )
    if order < 2 or order % 2:
        raise ValueError(f"order must be an even number of 2 or more (got {order}). Correct order.")
    warped = float(elementary.tan(math.pi * cutoff / rate))
    square = warped * warped
    sections = []
    for k in range(order // 2):
        damping = 2 * float(elementary.sin(math.pi * (2 * k + 1) / (2 * order))) * warped
        scale = 1 / (1 + damping + square)
        sections.append(Section(square * scale, 2 * (square - 1) * scale, (1 - damping + square) * scale))
    return tuple(sections)


def zero_phase(
    values: Reals, lengths: NDArray[np.intp], sections: tuple[Section, ...], padding: int, *, goes_on: bool = True
) -> Reals:
    """Return the signals `values` [longest, signals, ...], filtered forward and backward.

    `lengths` [signals] contains the number of samples of each signal. After the end of a shorter signal, `values` must
    repeat its last value.

    The filter extends each signal by `padding` samples on each side. A signal of n samples gets at most n - 1
    additional samples on each side. If `goes_on` is True (for positions), the extension is a point reflection. If
    `goes_on` is False (for directions), the extension is a mirror image.
    """
    own = np.minimum(padding, lengths - 1)
    extended, total = _continued(values, lengths, own, goes_on)
    forward = _filtered(extended, sections)
    back = _reversed(_filtered(_reversed(forward, total), sections), total)
    rows = np.minimum(np.arange(len(values))[:, None], lengths - 1) + own
    return np.take_along_axis(back, _like(rows, back), axis=0)


def _continued(
    values: Reals, lengths: NDArray[np.intp], own: NDArray[np.intp], goes_on: bool
) -> tuple[Reals, NDArray[np.intp]]:
    """Return each signal, extended by `own` [signals] samples on both sides, and the new lengths."""
    total = lengths + 2 * own
    at = np.arange(int(total.max()))[:, None] - own
    last = lengths - 1
    before, after = at < 0, at > last
    rows = np.where(before, -at, np.where(after, 2 * last - at, at))
    rows = np.clip(rows, 0, last)
    inner = np.take_along_axis(values, _like(rows, values), axis=0)
    if not goes_on:
        return inner, total
    ends = np.take_along_axis(values, _like(np.where(before, 0, last), values), axis=0)
    outside = _like(before | after, values)
    return np.where(outside, 2 * ends - inner, inner), total


def _filtered(values: Reals, sections: tuple[Section, ...]) -> Reals:
    """Return the signals after all sections. The filter assumes a constant signal before the first sample."""
    for b, a1, a2 in sections:
        result = np.empty_like(values)
        near, far = (1 - b) * values[0], (b - a2) * values[0]
        for k, value in enumerate(values):
            scaled = b * value
            out = result[k] = scaled + near
            near = (2 * scaled - a1 * out) + far
            far = scaled - a2 * out
        values = result
    return values


def _reversed(values: Reals, lengths: NDArray[np.intp]) -> Reals:
    """Return each signal in reverse order. The padding after a shorter signal repeats the signal's first value."""
    rows = np.maximum(lengths - 1 - np.arange(len(values))[:, None], 0)
    return np.take_along_axis(values, _like(rows, values), axis=0)


def _like(rows: NDArray[Any], values: Reals) -> NDArray[Any]:
    """Return `rows` [longest, signals] with an additional axis of length 1 for each further axis of `values`."""
    return rows.reshape(rows.shape + (1,) * (values.ndim - 2))
