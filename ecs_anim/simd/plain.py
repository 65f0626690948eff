"""numpy versions of all operations, for kernels that are not compiled. Lanes, masks and rows are arrays."""

import numpy as np


class _Lanes:
    """A view of an array as vectors of eight lanes. Reading returns a copy, so later writes do not change the copy."""

    def __init__(self, array):
        self._rows = array.reshape(-1, 8)

    def __getitem__(self, at):
        return self._rows[at].copy()

    def __setitem__(self, at, values):
        self._rows[at] = values

    def reshape(self, *shape):
        return self._rows.reshape(*shape)


def pointer(array):
    if isinstance(array, tuple):
        parts = [pointer(part) for part in array]
        return type(array)(*parts) if hasattr(array, "_fields") else tuple(parts)
    return array.reshape(-1) if isinstance(array, np.ndarray) else array  # a view: arrays are C-contiguous


def reinterpret(array, at, dtype):
    count = (array.size - at) * array.itemsize // np.dtype(dtype).itemsize
    return np.frombuffer(array.reshape(-1)[at:], dtype, count)


view_lanes = _Lanes


def borrow(array):
    return array


def keep_alive(*arguments):
    """Do nothing: numpy keeps memory alive, and needs no fences and no prefetches."""


fence = prefetch = keep_alive


def load(array, at):
    return array.reshape(-1)[at : at + 8].copy()


def load4(array, at):
    return array.reshape(-1)[at : at + 4].copy()


def load1(array, at):
    return array.reshape(-1)[at]


def load_each(array, at, count):
    return tuple(array.reshape(-1)[at : at + 8 * count].reshape(count, 8).copy())


def store(array, at, values):
    numbers = np.asarray(values).reshape(-1)
    array.reshape(-1)[at : at + numbers.size] = numbers


store_nontemporal = store


def fma(a, b, c):
    return a * b + c


def minimum(a, b):
    return np.where(b < a, b, a)


def maximum(a, b):
    return np.where(b > a, b, a)


def clamp(value, limit):
    return minimum(maximum(value, -limit), limit)


select, any_true, reduce_minimum = np.where, np.any, np.min


def not_nan(value):
    return value == value


def power_of_two(exponent):
    return np.ldexp(np.float32(1), np.int32(exponent))


def broadcast(number):
    return np.full(8, number, np.float32)


def broadcast_like(number, like):
    return np.full_like(like, number)


def widen(lanes):
    return lanes.astype(np.float64)


def narrow(lanes):
    return lanes.astype(np.float32)


def to_integers(values):
    return values.astype(np.int64)


def rows_at(numbers, first):
    return numbers.reshape(-1)[first : first + 8].astype(np.int64)


def rows_from(first, count):
    return np.minimum(first + np.arange(8), count - 1)


def pad_rows(rows, count):
    if count > 0:
        rows[count : count + 7] = rows[count - 1]


def gather(array, rows, at):
    return array.reshape(-1)[rows + at].astype(np.float32)


def gather_each(array, rows, at, count):
    return tuple(array.reshape(-1)[rows + at + number] for number in range(count))


def scatter(array, rows, at, values):
    for number, vector in enumerate(values if isinstance(values, tuple) else (values,)):
        array.reshape(-1)[rows + at + number] = vector


def compress_indices(array, at, base, mask):
    lanes = np.flatnonzero(mask)
    array[at : at + len(lanes)] = base + lanes
    return len(lanes)


def combine(first, second):
    if not isinstance(first, tuple):
        return np.concatenate([first, second]) if isinstance(first, np.ndarray) else first
    parts = [combine(*each) for each in zip(first, second, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)


def _part(value, lanes):
    if not isinstance(value, tuple):
        return value[lanes] if isinstance(value, np.ndarray) else value
    parts = [_part(part, lanes) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def split(value):
    return _part(value, slice(0, 8)), _part(value, slice(8, 16))
