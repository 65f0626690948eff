"""Paths that stay at one point during some intervals of time, and smooth upper envelopes of curves with bumps."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import quaternion

Reals = NDArray[np.floating]


def stretches(there: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the first and the last index of each interval of true values in `there` [time]."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], there.astype(np.int8), [0]])))
    return [(int(first), int(end) - 1) for first, end in zip(edges[::2], edges[1::2], strict=True)]


def held(path: Reals, still: NDArray[np.bool_], lap: float | None = None) -> Reals:
    """Return `path` [time, 3] with a constant position in each interval of true values in `still`.

    The constant position is the mean of `path` in the interval. Between two intervals, the shift from `path` to the
    result is interpolated. With `lap` [rad], the path is a loop: after its end, the path repeats, rotated to the left
    by `lap`. In a loop, an interval at the end of the path and an interval at the start of the path are one interval.
    """
    if lap is None:
        return path + _shifts(path, still)
    turned = quaternion.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.asarray(lap))
    before = path[0] + quaternion.rotate(quaternion.conjugate(turned), path[:-1] - path[-1])
    after = path[-1] + quaternion.rotate(turned, path[1:] - path[0])
    shifts = _shifts(np.concatenate([before, path, after]), _thrice(still))
    return path + shifts[len(path) - 1 : 2 * len(path) - 1]


def eased(bumps: Reals, reach: int, closes: bool = False) -> Reals:
    """Return a smooth curve [time] that is never below `bumps`.

    Each bump becomes `reach` samples wider on each side.
    """
    if reach < 1:
        return bumps
    whole = _thrice(bumps) if closes else bumps
    padded = np.pad(whole, 2 * reach, mode="edge")
    wide = np.max([np.roll(padded, shift) for shift in range(-reach, reach + 1)], axis=0)
    smooth = sum((np.roll(wide, shift) for shift in range(-reach, reach + 1)), np.zeros_like(wide)) / (2 * reach + 1)
    smooth = smooth[2 * reach : len(padded) - 2 * reach]
    return smooth[len(bumps) - 1 : 2 * len(bumps) - 1] if closes else smooth


def _thrice(values: NDArray[Any]) -> NDArray[Any]:
    """Return three copies of a closed curve [time, ...], one copy after another."""
    return np.concatenate([values[:-1], values, values[1:]])


def _shifts(path: Reals, still: NDArray[np.bool_]) -> Reals:
    """Return the shifts [time, n] from `path` to the held path."""
    shifts, known = np.zeros_like(path), stretches(still)
    for first, last in known:
        shifts[first : last + 1] = path[first : last + 1].mean(axis=0) - path[first : last + 1]
    for (_, last), (first, _) in pairwise(known):
        share = np.linspace(0, 1, first - last + 1)[:, None]
        shifts[last : first + 1] = shifts[last] + share * (shifts[first] - shifts[last])
    if known:
        shifts[: known[0][0]] = shifts[known[0][0]]
        shifts[known[-1][1] + 1 :] = shifts[known[-1][1]]
    return shifts
