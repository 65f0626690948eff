"""The sections of a container with the integers of many series."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.series import Integers, SeriesSet

ESCAPE = 255  # byte of a number that is in the section of large numbers
BYTES = 256  # larger than the number of sines of an interval

Sections = dict[str, NDArray[Any]]


def stored(series: SeriesSet, channels: int) -> Sections:
    """Return the sections that store `series`, which belong to `channels` channels. All channels have equally many
    series.
    """
    changes, places = series.keys, _key_places(series.counts)
    for order in (1, 2):
        changes = np.where(places >= order, np.diff(changes, prepend=0), changes)
    low, high = packed(changes)
    sines_low, sines_high = packed(series.sines[_sine_order(series.counts, series.orders, channels)])
    lengths, orders = series.lengths.astype(np.uint8), series.orders.astype(np.uint8)
    return {
        "lengths": lengths, "low": low, "high": high,
        "orders": orders, "sines_low": sines_low, "sines_high": sines_high,
    }  # fmt: skip


def loaded(sections: Mapping[str, NDArray[Any]], frames: Integers, channels: int) -> SeriesSet:
    """Return the series that `sections` store. `frames` [series] are the numbers of the last frames. Raises ValueError
    for invalid sections.
    """
    lengths, orders = (sections[name].astype(np.int64) for name in ("lengths", "orders"))
    none = np.zeros(0, np.int64)
    counts = SeriesSet(frames, lengths, none, none, none).counts
    keys, places = unpacked(sections["low"], sections["high"]), _key_places(counts)
    for order in (2, 1):
        keys = _sums(keys, places < order)
    stored_sines = unpacked(sections["sines_low"], sections["sines_high"])
    sines = np.empty_like(stored_sines)
    sines[_sine_order(counts, orders, channels)] = stored_sines
    return SeriesSet(frames, lengths, keys, orders, sines)


def packed(numbers: Integers) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Return small integers as bytes, and large integers in a separate array. An even code is an integer of 0 or more,
    and an odd code is a negative integer.
    """
    folded = np.where(numbers >= 0, 2 * numbers, -2 * numbers - 1)
    return np.minimum(folded, ESCAPE).astype(np.uint8), folded[folded >= ESCAPE].astype(np.uint32)


def unpacked(low: NDArray[np.uint8] | NDArray[np.uint32], high: NDArray[np.uint8] | NDArray[np.uint32]) -> Integers:
    """Return the integers that the two arrays from `packed` contain. Raises ValueError for invalid arrays."""
    folded = low.astype(np.int64)
    folded[low == ESCAPE] = high
    return np.where(folded % 2 == 0, folded // 2, -(folded + 1) // 2)


def _key_places(counts: Integers) -> Integers:
    """Return the number [key] of each key within its series."""
    ends = np.cumsum(counts + 1)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts - 1, counts + 1)


def _sine_order(counts: Integers, orders: Integers, channels: int) -> Integers:
    """Return the order of stored sines: by channel, then by number in the interval, then by interval."""
    by_channel = counts.reshape(channels, len(counts) // max(channels, 1)).sum(axis=1)
    numbers = np.arange(orders.sum()) - np.repeat(np.cumsum(orders) - orders, orders)
    channel = np.repeat(np.repeat(np.arange(channels), by_channel), orders)
    return np.argsort(channel * BYTES + numbers, kind="stable")


def _sums(changes: Integers, begins: NDArray[np.bool_]) -> Integers:
    """Return the running sums of `changes` [n]. At each index in `begins` [n], the sum starts again from 0."""
    total, firsts = np.cumsum(changes), np.flatnonzero(begins)
    lengths = np.diff(np.append(firsts, len(changes)))
    return total - np.repeat(total[firsts] - changes[firsts], lengths)
