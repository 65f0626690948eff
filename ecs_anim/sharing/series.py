"""Series: numbers over time as evenly spaced keys with cubic interpolation. Each series has the keys that it needs.

A series with n intervals has n + 1 keys from its first frame to its last frame. A constant series has one key. Between
two keys, a Catmull-Rom spline interpolates. Behind both ends, the last two keys continue on a line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

WORST = 4  # largest error of a series, as a multiple of the tolerance for the root of the mean square
LOW = 256  # first plane: the lowest byte of each code


class Channel(NamedTuple):
    """A kind of number, such as the x of actors."""

    name: str
    step: float  # distance of two codes
    tolerance: float  # root of the mean square error


@dataclass(frozen=True)
class Keys:
    """The keys of many series. The keys of each series follow the keys of the series before."""

    counts: Integers  # [series] number of intervals; 0 = constant
    codes: Integers  # [key] numbers in steps

    @classmethod
    def joined(cls, parts: list[Self]) -> Self:
        """Return the series of all parts, one after the other."""
        none = np.zeros(0, np.int64)
        return cls(
            np.concatenate([none, *(part.counts for part in parts)]),
            np.concatenate([none, *(part.codes for part in parts)]),
        )

    def in_order(self, order: Integers) -> Self:
        """Return the series with the numbers `order`."""
        counts, starts = self.counts[order], self.starts[order]
        begins = np.cumsum(counts + 1) - counts - 1
        keys = np.arange(len(self.codes)) + np.repeat(starts - begins, counts + 1)
        return type(self)(counts, self.codes[keys])

    @property
    def starts(self) -> Integers:
        """Return the number of the first key of each series."""
        return np.cumsum(self.counts + 1) - self.counts - 1

    @property
    def places(self) -> Integers:
        """Return the number [key] of each key in its series."""
        return np.arange(len(self.codes)) - np.repeat(self.starts, self.counts + 1)


def fitted(values: Reals, channel: Channel) -> Keys:
    """Return keys for series of equal length `values` [series, frame].

    The function doubles the number of keys until the error of a series is within the tolerance of its channel.
    """
    series, frames = values.shape
    counts = np.full(series, frames - 1, np.int64)
    found: list[Integers] = [np.zeros(0, np.int64)] * series
    left = np.arange(series)
    for count in _counts(frames - 1):
        codes = np.rint(_samples(values[left], count) / channel.step).astype(np.int64)
        error = np.abs(_spline(codes.astype(np.float64) * channel.step, count, frames) - values[left])
        mean = np.sqrt(np.mean(error * error, axis=1))
        good = (mean <= channel.tolerance) & (error.max(axis=1) <= WORST * channel.tolerance) | (count == frames - 1)
        for own, row in zip(left[good].tolist(), codes[good], strict=True):
            found[own] = row
        counts[left[good]] = count
        left = left[~good]
        if not len(left):
            break
    return Keys(counts, np.concatenate([np.zeros(0, np.int64), *found]))


def fitted_blocks(blocks: Sequence[Reals], channels: Sequence[Channel]) -> list[Keys]:
    """Return the keys for each channel of blocks [channel, frame] with different numbers of frames."""
    lengths = np.array([block.shape[1] for block in blocks], np.int64)
    groups = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
    parts: list[list[Keys]] = [[] for _ in channels]
    for group in groups:
        block = np.stack([blocks[number] for number in group.tolist()])
        for number, channel in enumerate(channels):
            parts[number].append(fitted(block[:, number], channel))
    order = np.argsort(np.concatenate([np.zeros(0, np.int64), *groups]), kind="stable")
    return [Keys.joined(own).in_order(order) for own in parts]


def packed(keys: Keys) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return the second differences of each series as two planes [key]: the lowest byte, and all further bits.

    Even numbers are differences from 0 on, and odd numbers are negative differences.
    """
    changes, places = keys.codes, keys.places
    for order in (1, 2):
        changes = np.where(places >= order, np.diff(changes, prepend=0), changes)
    folded = np.where(changes >= 0, 2 * changes, -2 * changes - 1)
    return (folded % LOW).astype(np.uint8), (folded // LOW).astype(np.uint32)


def unpacked(counts: NDArray[np.integer], low: NDArray[np.uint8], high: NDArray[np.uint32]) -> Keys:
    """Return the keys of the planes of the function `packed`."""
    folded = low.astype(np.int64) + LOW * high.astype(np.int64)
    keys = Keys(counts.astype(np.int64), np.where(folded % 2 == 0, folded // 2, -(folded + 1) // 2))
    codes, places = keys.codes, keys.places
    for order in (2, 1):
        codes = _sums(codes, places < order)
    return Keys(keys.counts, codes)


def _sums(changes: Integers, begins: NDArray[np.bool_]) -> Integers:
    """Return the running sums of `changes` [n]. The sum begins again at each place in `begins` [n]."""
    total, firsts = np.cumsum(changes), np.flatnonzero(begins)
    lengths = np.diff(np.append(firsts, len(changes)))
    return total - np.repeat(total[firsts] - changes[firsts], lengths)


def sampled(keys: Keys, step: float | Reals, series: Integers, places: Reals) -> Reals:
    """Return the numbers of the series `series` [n] at `places` [n], 0 at the first key and 1 at the last key."""
    counts = keys.counts[series]
    starts = keys.starts[series]
    at = np.clip(places, 0, 1) * counts
    before = np.minimum(at.astype(np.int64), np.maximum(counts - 1, 0))
    a, b, c, d = (_key(keys.codes, starts, counts, before + k) for k in range(-1, 3))
    return step * _cubic(a, b, c, d, at - before)


def _key(codes: Integers, starts: Integers, counts: Integers, number: Integers) -> Reals:
    """Return key `number` of each series. Behind an end, the last two keys continue on a line."""
    inside = np.clip(number, 0, counts)
    inner = np.clip(np.where(number < 0, 1, counts - 1), 0, counts)
    own, other = codes[starts + inside], codes[starts + inner]
    return np.where(number == inside, own, 2 * own - other).astype(np.float64)


def _cubic(a: Reals, b: Reals, c: Reals, d: Reals, t: Reals) -> Reals:
    """Return the Catmull-Rom spline between b (t = 0) and c (t = 1)."""
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))


def _counts(most: int) -> list[int]:
    """Return the numbers of intervals to try: 0, 1, 2, 3, 4, 6, 8, 12 and so on up to `most`."""
    tries = {0, most} | {count << k for count in (1, 3) for k in range(32) if count << k < most}
    return sorted(count for count in tries if count <= most)


def _samples(values: Reals, count: int) -> Reals:
    """Return `count` + 1 evenly spaced samples of the frames. A single sample is the mean of the extremes."""
    if count == 0:
        return (values.min(axis=1, keepdims=True) + values.max(axis=1, keepdims=True)) / 2
    at = np.linspace(0, values.shape[1] - 1, count + 1)
    before = np.minimum(at.astype(np.int64), values.shape[1] - 2)
    return values[:, before] + (values[:, before + 1] - values[:, before]) * (at - before)


@cache
def _weights(count: int, frames: int) -> tuple[Integers, Reals]:
    at = np.linspace(0, count, frames)
    before = np.minimum(at.astype(np.int64), count - 1)
    return before, at - before


def _spline(keys: Reals, count: int, frames: int) -> Reals:
    """Return the values of the keys [series, key] at all frames [series, frame]."""
    if count == 0 or frames == 1:
        return np.repeat(keys[:, :1], frames, axis=1)
    before, t = _weights(count, frames)
    wide = np.concatenate([2 * keys[:, :1] - keys[:, 1:2], keys, 2 * keys[:, -1:] - keys[:, -2:-1]], axis=1)
    return _cubic(wide[:, before], wide[:, before + 1], wide[:, before + 2], wide[:, before + 3], t)
