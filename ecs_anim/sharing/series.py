"""Series of numbers over time, stored as keys and sines. Each series has only as many keys and sines as necessary.

A series has evenly spaced keys from its first frame onwards, and a key at its last frame. Between two keys, the value
is a straight line plus sine waves that are 0 at both keys. A constant series has one key.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

LENGTHS = (4, 5, 6, 7)  # exponents of two: the tried distances between two keys are 16 to 128 frames
# [step]; a larger distance between keys than the smallest is used only if the error of each number is at most this
# value
WORST = 2.5
ROUNDING = 0.4  # an amplitude that is smaller than 1 - 0.4 steps is rounded to 0
LONGEST = 1 << 7  # [frame], largest distance of keys with sines between them
STRAIGHT = 1.0  # [step], largest error of a series without sines
ORDER_BITS = 3.0  # estimated size [bit] of the number of sines of an interval


class Channel(NamedTuple):
    """One kind of number, such as the x coordinate of all actors, with the step size of its codes."""

    name: str
    step: float  # difference between two successive codes


class Code(NamedTuple):
    """The integers that represent one series."""

    length: int  # power of two [frames], distance between two keys; 0 = constant
    keys: Integers  # [interval + 1] in steps
    orders: Integers  # [interval] number of sines between two keys
    sines: Integers  # [sum of orders], amplitudes in steps, interval by interval


@dataclass(frozen=True)
class SeriesSet:
    """Many series, one after the other."""

    frames: Integers  # [series] number of the last frame
    lengths: Integers  # [series] power of two, distance between two keys; 0 = constant
    keys: Integers  # [series, key] in steps
    orders: Integers  # [series, interval] number of sines
    sines: Integers  # [series, interval, sine], amplitudes in steps

    @classmethod
    def of(cls, codes: Sequence[Code], frames: Integers) -> Self:
        """Return a set of the series `codes`. `frames` are the numbers of their last frames."""
        none = np.zeros(0, np.int64)
        parts = [np.concatenate([none, *(code[column] for code in codes)]) for column in (1, 2, 3)]
        return cls(frames, np.array([code.length for code in codes], np.int64), *parts)

    @cached_property
    def counts(self) -> Integers:
        """Return the number of intervals of each series."""
        return np.where(self.lengths > 0, -(-self.frames >> self.lengths), 0)

    @property
    def widths(self) -> Integers:
        """Return the number of frames of each interval."""
        widths = np.repeat(1 << self.lengths, self.counts)
        own = np.flatnonzero(self.counts)
        last = np.cumsum(self.counts)[own] - 1
        widths[last] = self.frames[own] - (self.counts[own] - 1 << self.lengths[own])
        return widths

    @cached_property
    def _begins(self) -> Integers:
        """Return the number of the first interval of each series, then of the first sine of each interval."""
        return np.concatenate([np.cumsum(self.counts) - self.counts, np.cumsum(self.orders) - self.orders])

    def at(self, step: float | Reals, series: Integers, places: Reals) -> Reals:
        """Return the numbers of the series `series` [n] at `places` [n], 0 at the first frame and 1 at the last."""
        from ecs_anim.kernels.series_values import series_values  # compiled at first use

        values = np.empty(len(series))
        numbers = self.frames, self.lengths, self.counts, self.keys, self.orders, self.sines, self._begins
        series_values(*numbers, series, places, values)
        return step * values


def fitted_blocks(blocks: Sequence[Reals], channels: Sequence[Channel]) -> list[list[Code]]:
    """For each channel, return the codes of the blocks [channel, frame]. The blocks can have different numbers of
    frames.
    """
    found: list[list[Code]] = [[Code(0, *[np.zeros(0, np.int64)] * 3)] * len(blocks) for _ in channels]
    lengths = np.array([block.shape[1] for block in blocks], np.int64)
    steps = np.array([channel.step for channel in channels])[:, None]
    for length in np.unique(lengths):
        group = np.flatnonzero(lengths == length).tolist()
        values = np.concatenate([blocks[number] / steps for number in group])
        for index, code in enumerate(fitted(values)):
            block, channel = divmod(index, len(channels))
            found[channel][group[block]] = code
    return found


def fitted(values: Reals) -> list[Code]:
    """Return codes for the series `values` [series, frame], which are in units of the channel's step. The function
    selects the code with the fewest bits for each series.
    """
    middle = (values.min(axis=1, keepdims=True) + values.max(axis=1, keepdims=True)) / 2
    rounded = np.rint(middle).astype(np.int64)
    none = np.zeros(0, np.int64)
    found = [Code(0, key, none, none) for key in rounded]
    best = np.where(np.abs(values - rounded).max(axis=1) <= STRAIGHT, 0.0, np.inf)
    for is_finest, length in _lengths(values.shape[1] - 1):
        left = np.flatnonzero(best > 0)
        fits = _Fit.of(values[left], length)
        limit = WORST if 1 << length <= LONGEST else STRAIGHT
        costs = np.where(is_finest | (fits.worst <= limit), fits.bits, np.inf)
        for own in np.flatnonzero(costs < best[left]).tolist():
            found[left[own]] = fits.code(own)
        best[left] = np.minimum(best[left], costs)
    return found


def _lengths(frames: int) -> Iterator[tuple[bool, int]]:
    """For each tested distance between keys, yield whether it is the smallest distance, and its exponent of two."""
    whole = max((frames - 1).bit_length(), 1)
    tried = sorted({min(length, whole) for length in (*LENGTHS, whole)}) if frames else []
    for number, length in enumerate(tried):
        yield number == 0, length


@dataclass(frozen=True)
class _Fit:
    """Codes of series with equal lengths, for one distance between keys."""

    length: int
    keys: Integers  # [series, key]
    sines: list[Integers]  # for all whole intervals and for the last interval: [series, interval, sine]
    orders: list[Integers]  # number of sines: [series, interval]
    worst: Reals  # [series] largest error in steps
    bits: Reals  # [series] estimated size

    @classmethod
    def of(cls, values: Reals, length: int) -> Self:
        size, frames = 1 << length, values.shape[1] - 1
        keys = np.rint(values[:, np.minimum(np.arange(-(-frames // size) + 1) * size, frames)]).astype(np.int64)
        whole = frames // size
        parts = [values[:, : whole * size + 1], values[:, whole * size :]]
        ends = [keys[:, : whole + 1], keys[:, whole:]]
        pairs = [_sines(part, end) for part, end in zip(parts, ends, strict=True) if part.shape[1] > 1]
        worst = np.max([error for _, error in pairs], axis=0)
        changes = np.concatenate([np.diff(keys[:, :2], axis=1), np.diff(keys, n=2, axis=1)], axis=1)
        bits = _bits(changes).sum(axis=1)
        every = [_orders(sines) for sines, _ in pairs]
        for (sines, _), orders in zip(pairs, every, strict=True):
            bits += (_bits(sines) * (np.arange(sines.shape[2]) < orders[..., None])).sum(axis=(1, 2))
            bits += ORDER_BITS * orders.shape[1]
        return cls(length, keys, [sines for sines, _ in pairs], every, worst, bits)

    def code(self, own: int) -> Code:
        """Return the code of one series."""
        orders = [found[own] for found in self.orders]
        sines = [
            found[own][np.arange(found.shape[2]) < order[:, None]]
            for found, order in zip(self.sines, orders, strict=True)
        ]
        return Code(self.length, self.keys[own], np.concatenate(orders), np.concatenate(sines))


def _sines(values: Reals, keys: Integers) -> tuple[Integers, Reals]:
    """Return the sines [series, interval, sine] between keys, and the largest error [series].

    `values` has the shape [series, frame]. All intervals between keys must have the same number of frames.
    """
    series, intervals = len(values), keys.shape[1] - 1
    size = (values.shape[1] - 1) // intervals
    most = size - 1 if size <= LONGEST else 0
    t = np.arange(1, size) / size
    inner = values[:, :-1].reshape(series, intervals, size)[..., 1:]
    rest = inner - (keys[:, :-1, None] * (1 - t) + keys[:, 1:, None] * t)
    table = _table(size)[:, :most] if most else np.zeros((size - 1, 0))
    amplitudes = rest @ table
    sines = (np.sign(amplitudes) * np.floor(np.abs(amplitudes) + ROUNDING)).astype(np.int64)
    errors = np.abs(rest - sines @ table.T).reshape(series, intervals * (size - 1))
    return sines, errors.max(axis=1, initial=0.5)


@cache
def _table(size: int) -> Reals:
    """Return sine waves [frame, sine] over `size` frames, without the first and the last frame. The sum of squares of
    each wave is 1.
    """
    number = np.arange(1, size)
    return np.sqrt(2 / size) * np.sin(np.pi / size * np.outer(number, number))


def _orders(sines: Integers) -> Integers:
    """Return how many sines are necessary: all sines up to the last one that is not 0."""
    return np.max((sines != 0) * np.arange(1, sines.shape[-1] + 1), axis=-1, initial=0)


def _bits(numbers: Integers) -> Reals:
    """Return the estimated size of integers [bit]."""
    return 1 + 2 * np.log2(1 + np.abs(numbers))
