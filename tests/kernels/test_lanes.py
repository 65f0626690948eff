"""Lanes against numpy."""

import numba
import numpy as np
import pytest

from ecs_anim.kernels.eights import eights
from ecs_anim.kernels.lanes import (
    borrowed,
    eight,
    fence,
    four,
    keep,
    one,
    power_of_two,
    put,
    read_like,
    reciprocal_root,
    splat_eight,
    stream,
    transposed,
    transposed_four,
    turned_over,
)

RNG = np.random.default_rng(4)


@numba.njit
def _arithmetic(table, at, out):
    a, b = eight(table, at), eight(table, at + 8)
    put(out, 0, a + b)
    put(out, 8, a - b * one(table, at))
    put(out, 16, turned_over(a, b))
    put(out, 24, reciprocal_root(a * a + splat_eight(np.float32(1))))
    put(out, 32, four(table, at + 3) * four(table, at + 4))
    put(out, 36, one(table, at + 2))


@pytest.mark.parametrize("at", [0, 1, 7, 16])
def test_lanes_are_numpy(at):
    table = RNG.normal(size=(4, 8)).astype(np.float32)
    out = np.full(40, np.nan, np.float32)
    _arithmetic(table, at, out)
    flat = table.reshape(-1)
    a, b = flat[at : at + 8], flat[at + 8 : at + 16]
    np.testing.assert_array_equal(out[:8], a + b)
    np.testing.assert_allclose(out[8:16], a - b * a[0], rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(out[16:24], np.where(b < 0, -a, a))
    np.testing.assert_allclose(out[24:32], 1 / np.sqrt(a.astype(np.float64) ** 2 + 1), rtol=1e-6)
    np.testing.assert_array_equal(out[32:36], flat[at + 3 : at + 7] * flat[at + 4 : at + 8])
    assert out[36] == flat[at + 2]
    assert np.isnan(out[37:]).all(), "more was written than asked for"


@numba.njit
def _swapped(table, out):
    """Rows of memory, the first two in turn; what was read stays, whatever is written."""
    memory = np.empty((3, 8), np.float32)
    rows = eights(memory)
    rows[0], rows[1] = eight(table, 0), eight(table, 8)
    first = rows[0]
    rows[0], rows[2] = rows[1], rows[1] * first
    rows[1] = first
    put(out, 0, rows[0])
    put(out, 8, rows[1])
    put(out, 16, rows[2])
    keep(memory)


def test_memory_of_a_kernel_is_read_and_written_by_eights():
    table, out = RNG.normal(size=(2, 8)).astype(np.float32), np.empty((3, 8), np.float32)
    _swapped(table, out)
    np.testing.assert_array_equal(out, [table[1], table[0], table[0] * table[1]])


@numba.njit
def _zeros(table, out):
    put(out, 0, turned_over(eight(table, 0), eight(table, 8)))


def test_nothing_is_turned_over_by_a_negative_zero():
    out, table = np.empty(8, np.float32), np.concatenate([np.ones((1, 8)), np.full((1, 8), -0.0)]).astype(np.float32)
    _zeros(table, out)
    np.testing.assert_array_equal(out, 1)


@numba.njit
def _turn_round(table, out):
    a, b, c, d = eight(table, 0), eight(table, 8), eight(table, 16), eight(table, 24)
    e, f, g, h = eight(table, 32), eight(table, 40), eight(table, 48), eight(table, 56)
    rows = transposed(a, b, c, d, e, f, g, h)
    put(out, 0, rows[0])
    put(out, 8, rows[1])
    put(out, 16, rows[2])
    put(out, 24, rows[3])
    put(out, 32, rows[4])
    put(out, 40, rows[5])
    put(out, 48, rows[6])
    put(out, 56, rows[7])
    fours = transposed_four(a, b, c, d)
    put(out, 64, fours[0])
    put(out, 68, fours[1])
    put(out, 72, fours[2])
    put(out, 76, fours[3])
    put(out, 80, fours[4])
    put(out, 84, fours[5])
    put(out, 88, fours[6])
    put(out, 92, fours[7])


def test_lanes_are_turned_round():
    table, out = np.arange(64, dtype=np.float32).reshape(8, 8), np.empty(96, np.float32)
    _turn_round(table, out)
    np.testing.assert_array_equal(out[:64].reshape(8, 8), table.T)
    np.testing.assert_array_equal(out[64:].reshape(8, 4), table[:4].T)


@numba.njit
def streamed(rows, out):
    for at in range(0, rows.size, 4):
        stream(out, at, four(rows, at))
    fence()


def test_what_is_streamed_is_there():
    rows = np.random.default_rng(3).normal(size=(4, 8)).astype(np.float32)
    out = np.zeros(32, np.float32)
    streamed(rows, out)
    np.testing.assert_array_equal(out, rows.ravel())


@numba.njit
def _powers(array, out):
    put(out, 0, power_of_two(eight(array, 0)))
    out[8] = power_of_two(array[8])


def test_powers_of_two_are_exact():
    exponents = np.float32([-126, -37, -1, 0, 1, 24, 100, 127, -3])
    out = np.zeros(9, np.float32)
    _powers(exponents, out)
    np.testing.assert_array_equal(out, np.exp2(exponents.astype(np.float64)))


@numba.njit
def _sum_borrowed(record):
    (a, b), c = borrowed(record)
    return a.sum() + b.sum() + c


def test_what_is_borrowed_is_the_same_array_also_in_a_record_and_is_given_back():
    a, b = np.arange(5.0), np.arange(3)
    assert [_sum_borrowed(((a, b), 0.5)) for _ in range(3)] == [13.5] * 3
    np.testing.assert_array_equal(a, np.arange(5.0))


@numba.njit
def _alike(table, out):
    put(out, 0, read_like(eight(table, 0), table, 3))
    put(out, 8, read_like(four(table, 0), table, 5))


def test_as_many_lanes_are_read_as_another_value_has():
    table, out = RNG.normal(size=(2, 8)).astype(np.float32), np.empty(12, np.float32)
    _alike(table, out)
    flat = table.reshape(-1)
    np.testing.assert_array_equal(out, [*flat[3:11], *flat[5:9]])
