"""Numbers of eight scattered rows, gathered and scattered, against numpy's fancy indices."""

import numba
import numpy as np
import pytest

from ecs_anim.simd import (
    combine,
    compress_indices,
    gather,
    gather_each,
    load,
    pad_rows,
    rows_at,
    rows_from,
    scatter,
    select,
    split,
    store,
)

RNG = np.random.default_rng(8)
WIDTH = 11
ROWS = np.int64([12, 0, 7, 3, 5, 5, 5, 5])  # the last one more than once
TWO = np.float32(2)


def table():
    return RNG.normal(size=(13, WIDTH)).astype(np.float32)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_are_numbers_that_are_multiplied_and_added(dtype):
    @numba.njit
    def run(numbers, out):
        rows = rows_at(numbers, 2)
        offsets = rows * WIDTH + 3
        more = offsets + rows
        for lane in range(8):
            out[0, lane], out[1, lane], out[2, lane] = rows[lane], offsets[lane], more[lane]

    numbers, out = np.arange(-5, 7, dtype=dtype), np.zeros((3, 8), np.int64)
    run(numbers, out)
    own = numbers[2:10].astype(np.int64)
    np.testing.assert_array_equal(out, [own, own * WIDTH + 3, own * (WIDTH + 1) + 3])


@numba.njit
def _from(first, count, out):
    rows = rows_from(first, count)
    for lane in range(8):
        out[lane] = rows[lane]


@pytest.mark.parametrize("first", [0, 8, 16])
def test_rows_past_the_last_one_repeat_it(first):
    out = np.zeros(8, np.int64)
    _from(first, 19, out)
    np.testing.assert_array_equal(out, np.minimum(np.arange(first, first + 8), 18))


@numba.njit
def _padded(rows, count):
    pad_rows(rows, count)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_lists_are_padded_with_their_last_row(count):
    rows = np.arange(20)
    _padded(rows, count)
    expected = np.arange(20)
    if count:
        expected[count : count + 7] = count - 1
    np.testing.assert_array_equal(rows, expected)


@numba.njit
def _moved(source, numbers, rows, out, out_numbers):
    own = rows_at(rows, 0) * WIDTH
    scatter(out, own, 1, gather(source, own, 2))
    scatter(out, own, 3, TWO)
    scatter(out_numbers, own, 0, -gather(numbers, own, 1))
    return gather(source, own[1], 4)


def test_one_number_of_each_row_is_read_and_written():
    source, out = table(), np.zeros((13, WIDTH), np.float32)
    numbers, out_numbers = np.arange(13 * WIDTH, dtype=np.int32), np.zeros(13 * WIDTH, np.int32)
    assert _moved(source, numbers, ROWS, out, out_numbers) == source[0, 4]
    expected = np.zeros_like(out)
    expected[ROWS, 1], expected[ROWS, 3] = source[ROWS, 2], 2
    np.testing.assert_array_equal(out, expected)
    numbers = numbers.reshape(13, WIDTH)
    np.testing.assert_array_equal(out_numbers.reshape(13, WIDTH)[ROWS, 0], -numbers[ROWS, 1])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 10])
def test_neighbours_become_vectors_and_are_written_back(count):
    @numba.njit
    def run(source, rows, out, out_vectors):
        own = rows_at(rows, 0) * WIDTH
        vectors = gather_each(source, own, 0, count)
        store(out_vectors, 0, vectors)
        scatter(out, own, 1, vectors)

    source, out, vectors = table(), np.zeros((13, WIDTH), np.float32), np.zeros((count, 8), np.float32)
    run(source, ROWS, out, vectors)
    np.testing.assert_array_equal(vectors, source[ROWS, :count].T)
    expected = np.zeros_like(out)
    expected[ROWS, 1 : 1 + count] = source[ROWS, :count]
    np.testing.assert_array_equal(out, expected)


@numba.njit
def _filled(rows, out):
    scatter(out, rows_at(rows, 0) * WIDTH, 1, (TWO, TWO, -TWO))


def test_single_numbers_go_to_all_rows():
    out = np.zeros((13, WIDTH), np.float32)
    _filled(ROWS, out)
    expected = np.zeros_like(out)
    expected[ROWS, 1:4] = [2, 2, -2]
    np.testing.assert_array_equal(out, expected)


@numba.njit
def _listed(values, out):
    return compress_indices(out, 1, 100, load(values, 0) > load(values, 8))


def test_true_lanes_are_listed_in_their_order():
    for bits in range(256):
        truths = (bits >> np.arange(8)) & 1
        out = np.full(9, -1, np.int32)
        assert _listed(np.stack([truths, np.zeros(8)]).astype(np.float32), out) == truths.sum()
        np.testing.assert_array_equal(out[: 1 + truths.sum()], [-1, *(100 + np.flatnonzero(truths))])


@numba.njit
def _combined(values, out):
    one, other = (load(values, 0), (TWO, load(values, 8))), (load(values, 16), (TWO, load(values, 24)))
    first, (number, second) = combine(one, other)
    store(out, 0, first * number)
    store(out, 16, select(first < second, second - first, first))
    parts = split((first, (number, second)))
    store(out, 32, parts[0][1][1])
    store(out, 40, parts[1][0])


def test_tuples_are_joined_and_parted_number_by_number():
    values, out = RNG.normal(size=(4, 8)).astype(np.float32), np.empty((6, 8), np.float32)
    _combined(values, out)
    a, b, c, d = values
    np.testing.assert_array_equal(out, [2 * a, 2 * c, np.where(a < b, b - a, a), np.where(c < d, d - c, c), b, c])
