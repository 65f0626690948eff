"""The sections of a container with the integers of many series."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.sharing.series import Integers, SeriesSet

ROOM = 4  # the buffer for the compressed numbers first has this number of bytes per number

Sections = dict[str, NDArray[Any]]
Coder = Callable[..., int]
Known = tuple[Integers, ...]  # integers that the reader of compressed numbers already knows


def stored(series: SeriesSet) -> Sections:
    """Return the sections of series."""
    from ecs_anim.kernels.number_codes import key_codes  # compiled at first use

    changes = np.diff(series.keys, prepend=0)
    changes = np.where(_key_places(series.counts) >= 2, np.diff(changes, prepend=0), changes)
    return {
        "lengths": written_numbers(series.lengths, bit_lengths(series.frames)),
        "keys": _written(key_codes, (series.counts, series.lengths), changes),
        "orders": written_numbers(series.orders, bit_lengths(series.widths)),
        "sines": written_sines(series.sines, series.orders),
    }


def loaded(sections: Mapping[str, NDArray[Any]], frames: Integers) -> SeriesSet:
    """Return the series of sections. `frames` [series] are the last frames."""
    from ecs_anim.kernels.number_codes import key_codes  # compiled at first use

    lengths, none = read_numbers(sections["lengths"], bit_lengths(frames)), np.zeros(0, np.int64)
    bare = SeriesSet(frames, lengths, none, none, none)
    size = int(bare.counts.sum()) + len(lengths)
    changes = _read(key_codes, sections["keys"], (bare.counts, lengths), size)
    keys = np.cumsum(_sums(changes, _key_places(bare.counts) < 2))
    orders = read_numbers(sections["orders"], bit_lengths(bare.widths))
    return SeriesSet(frames, lengths, keys, orders, read_sines(sections["sines"], orders))


def written_numbers(numbers: Integers, kinds: Integers) -> NDArray[np.uint8]:
    """Return compressed integers, 0 or more. Numbers of one kind have similar sizes."""
    from ecs_anim.kernels.number_codes import number_codes  # compiled at first use

    return _written(number_codes, (kinds,), numbers)


def read_numbers(data: NDArray[np.uint8], kinds: Integers) -> Integers:
    """Return the integers of `written_numbers`."""
    from ecs_anim.kernels.number_codes import number_codes  # compiled at first use

    return _read(number_codes, data, (kinds,), len(kinds))


def bit_lengths(numbers: Integers) -> Integers:
    """Return the number of binary digits of integers from 0 to 2^53."""
    return np.frexp(numbers)[1].astype(np.int64)


def written_sines(numbers: Integers, counts: Integers) -> NDArray[np.uint8]:
    """Return compressed groups of integers. `counts` are the sizes of the groups."""
    from ecs_anim.kernels.number_codes import sine_codes  # compiled at first use

    return _written(sine_codes, (counts,), numbers)


def read_sines(data: NDArray[np.uint8], counts: Integers) -> Integers:
    """Return the integers of `written_sines`."""
    from ecs_anim.kernels.number_codes import sine_codes  # compiled at first use

    return _read(sine_codes, data, (counts,), int(counts.sum()))


def _written(coder: Coder, known: Known, numbers: Integers) -> NDArray[np.uint8]:
    """Return `numbers` as compressed bytes."""
    data = np.zeros(ROOM * len(numbers) + 16, np.uint8)
    size = coder(data, *known, numbers.copy(), True)
    if size > len(data):  # the buffer was too small, because the numbers are very irregular
        data = np.zeros(size, np.uint8)
        coder(data, *known, numbers.copy(), True)
    return data[:size]


def _read(coder: Coder, data: NDArray[np.uint8], known: Known, size: int) -> Integers:
    """Return `size` numbers from compressed bytes."""
    numbers = np.zeros(size, np.int64)
    coder(data.copy(), *known, numbers, False)
    return numbers


def _key_places(counts: Integers) -> Integers:
    """Return the number [key] of each key within its series."""
    ends = np.cumsum(counts + 1)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts - 1, counts + 1)


def _sums(changes: Integers, begins: NDArray[np.bool_]) -> Integers:
    """Return the running sums of `changes` [n]. At each index in `begins` [n], the sum starts again from 0."""
    total, firsts = np.cumsum(changes), np.flatnonzero(begins)
    lengths = np.diff(np.append(firsts, len(changes)))
    return total - np.repeat(total[firsts] - changes[firsts], lengths)
