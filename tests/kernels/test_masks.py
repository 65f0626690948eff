"""Choices among lanes, and numbers of scattered rows, against numpy and Python."""

import numba
import numpy as np

from ecs_anim.kernels.doubles import wholes
from ecs_anim.kernels.lanes import eight, put
from ecs_anim.kernels.masks import (
    any_of,
    as_many,
    chosen,
    gathered,
    is_number,
    lane_of,
    least,
    least_of,
    list_lanes,
    most,
    scattered,
)
from ecs_anim.kernels.types import FLOATS_2D, OUT_INTS

RNG = np.random.default_rng(8)
TWO = np.float32(2)
VALUES = np.float32([[0, -0.0, 1, -1, np.nan, np.inf, -np.inf, 2], [0, 0, 2, -2, 1, np.nan, 0, 2]])
ROWS = (4, 0, 2, 2, 1, 3, 0, 4)


@numba.njit
def _choices(table, out):
    a, b = eight(table, 0), eight(table, 8)
    put(out, 0, chosen(a < b, a, b))
    put(out, 8, chosen((a >= b) | (a == b), a, TWO))
    put(out, 16, chosen((a <= b) & (b > a), TWO, b))
    put(out, 24, chosen(~is_number(a), b, a))
    put(out, 32, least(a, b))
    put(out, 40, most(a, b))
    put(out, 48, least(a, TWO) - most(TWO, b))
    put(out, 56, np.floor(abs(-a) / TWO))


def test_choices_are_numpys():
    out = np.full((8, 8), 7, np.float32)
    _choices(VALUES, out)
    a, b = VALUES
    expected = [
        np.where(a < b, a, b),
        np.where((a >= b) | (a == b), a, 2),
        np.where((a <= b) & (b > a), 2, b),
        np.where(np.isnan(a), b, a),
        [min(pair) for pair in zip(a, b, strict=True)],
        [max(pair) for pair in zip(a, b, strict=True)],
    ]
    np.testing.assert_array_equal(out[:6], np.float32(expected))
    finite = np.isfinite(a) & np.isfinite(b)
    np.testing.assert_array_equal(out[6][finite], (np.minimum(a, 2) - np.maximum(2, b))[finite])
    np.testing.assert_array_equal(out[7], np.floor(np.abs(a) / 2))


@numba.njit
def _gathered_alone(table, at):
    """What formulas of lanes do with single floats: a gathered number, one put beside it, a choice, and whether."""
    own = gathered(table, at, 1)
    return own, as_many(TWO, own), chosen(any_of(own > TWO), least(own, TWO), most(own, TWO)), wholes(own)


def test_a_single_number_is_gathered_too():
    table = np.float32([[1, 2.5], [3, -4.5]])
    assert _gathered_alone(table, 0) == (2.5, 2, 2, 2)
    assert _gathered_alone(table, 2) == (-4.5, 2, 2, -4)


@numba.njit
def _put_beside(table, out):
    put(out, 0, as_many(TWO, eight(table, 0)))


def test_one_number_is_in_as_many_lanes():
    out = np.zeros(8, np.float32)
    _put_beside(VALUES, out)
    np.testing.assert_array_equal(out, 2)


@numba.njit
def _whether(table):
    return any_of(eight(table, 0) > eight(table, 8))


def test_any_lane_is_enough():
    table = np.zeros((2, 8), np.float32)
    assert not _whether(table)
    for lane in range(8):
        table[0] = 0
        table[0, lane] = 1
        assert _whether(table)


@numba.njit
def _of_one(values, out):
    a, b = values[0], values[1]
    out[0], out[1], out[2] = least(a, b), most(a, b), chosen(a < b, a, b)


def test_single_numbers_are_chosen_too():
    for pair in VALUES.T:
        out = np.full(3, 7, np.float32)
        _of_one(np.ascontiguousarray(pair), out)
        np.testing.assert_array_equal(out, [min(pair), max(pair), pair[0] if pair[0] < pair[1] else pair[1]])


@numba.njit
def _move(table, numbers, out, out_numbers):
    starts = (12, 0, 6, 6, 3, 9, 0, 12)
    scattered(out, starts, 1, gathered(table, starts, 2))
    scattered(out_numbers, starts, 0, -gathered(numbers, starts, 1))


def test_rows_are_read_and_written_wherever_they_are():
    table, out = RNG.normal(size=(5, 3)).astype(np.float32), np.zeros((5, 3), np.float32)
    numbers, out_numbers = np.arange(15, dtype=np.int32), np.zeros(15, np.int32)
    _move(table, numbers, out, out_numbers)
    np.testing.assert_array_equal(out[:, 1], table[:, 2])
    np.testing.assert_array_equal(out[:, [0, 2]], 0)
    np.testing.assert_array_equal(out_numbers.reshape(5, 3)[:, 0], -numbers.reshape(5, 3)[:, 1])


@numba.njit(numba.types.intp(FLOATS_2D, OUT_INTS))
def _listed(table, out):
    return list_lanes(out, 1, 100, eight(table, 0) > eight(table, 8))


def test_true_lanes_are_listed_in_their_order():
    for bits in range(256):
        truths = (bits >> np.arange(8)) & 1
        out = np.full(9, -1, np.int32)
        assert _listed(np.stack([truths, np.zeros(8)]).astype(np.float32), out) == truths.sum()
        np.testing.assert_array_equal(out[: 1 + truths.sum()], [-1, *(100 + np.flatnonzero(truths))])


@numba.njit
def _least(table):
    return least_of(eight(table, 0))


def test_the_least_of_lanes_is_the_least():
    for values in RNG.normal(size=(50, 8)).astype(np.float32):
        assert _least(values) == values.min()


@numba.njit
def _truths(table, out):
    mask = eight(table, 0) > eight(table, 8)
    for lane in range(8):
        out[lane] = lane_of(mask, lane)


def test_each_lane_tells_its_truth():
    table, out = RNG.normal(size=(2, 8)).astype(np.float32), np.zeros(8, np.bool_)
    _truths(table, out)
    np.testing.assert_array_equal(out, table[0] > table[1])
