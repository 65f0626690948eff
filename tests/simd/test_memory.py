"""Loads and stores of lanes, and views of memory, against numpy."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from ecs_anim.simd import (
    borrow,
    fence,
    keep_alive,
    load,
    load1,
    load4,
    load_each,
    pointer,
    prefetch,
    reinterpret,
    store,
    store_nontemporal,
    view_lanes,
)
from tests.helpers import needs_compiler

RNG = np.random.default_rng(4)


@numba.njit
def _copied(table, at, out):
    store(out, 0, load(table, at))
    store(out, 8, load4(table, at + 3))
    store(out, 12, load1(table, at + 2))
    first, second = load_each(pointer(table), at, 2)
    store(out, 13, (second, first))


@pytest.mark.parametrize("at", [0, 1, 7, 16])
def test_numbers_are_counted_flat(at):
    table, out = RNG.normal(size=(4, 8)).astype(np.float32), np.full(32, np.nan, np.float32)
    _copied(table, at, out)
    flat = table.reshape(-1)
    np.testing.assert_array_equal(
        out[:29],
        [*flat[at : at + 8], *flat[at + 3 : at + 7], flat[at + 2], *flat[at + 8 : at + 16], *flat[at : at + 8]],
    )
    assert np.isnan(out[29:]).all(), "more was written than asked for"


class Record(NamedTuple):
    """A record as kernels take it, with another one inside."""

    numbers: np.ndarray
    inner: tuple
    count: int


@numba.njit
def _taken(record):
    own = pointer(record)
    return own.numbers[5], own.inner[0][2], own.count


def test_a_record_keeps_its_names_with_pointers_in_place_of_its_arrays():
    numbers, others = np.arange(8, dtype=np.float32).reshape(2, 4), np.arange(3, dtype=np.int64)
    assert _taken(Record(numbers, (others,), 7)) == (5.0, 2, 7)


@numba.njit
def _swapped(table, memory, out):
    """Rows of memory, the first two in turn."""
    kept = np.empty(1, np.float32)
    rows = view_lanes(memory)
    rows[0], rows[1] = load(table, 0), load(table, 8)
    first = rows[0]
    rows[0], rows[2] = rows[1], rows[1] * first
    rows[1] = first
    store(out, 0, rows[0])
    store(out, 8, rows[1])
    store(out, 16, rows[2])
    keep_alive(kept, memory)


def test_lanes_that_were_read_stay_whatever_is_written_to_their_memory():
    table, out = RNG.normal(size=(2, 8)).astype(np.float32), np.empty((3, 8), np.float32)
    for begin in range(4):  # wherever the memory begins
        _swapped(table, np.empty(32, np.float32)[begin : begin + 24], out)
    np.testing.assert_array_equal(out, [table[1], table[0], table[0] * table[1]])


@numba.njit
def _streamed(rows, out):
    for at in range(0, rows.size, 4):
        store_nontemporal(out, at, load4(rows, at))
    fence()


def test_nontemporal_stores_write_what_others_read():
    rows, out = RNG.normal(size=(4, 8)).astype(np.float32), np.zeros(32, np.float32)
    _streamed(rows, out)
    np.testing.assert_array_equal(out, rows.ravel())


@numba.njit
def _sum_borrowed(record):
    (a, b), c = borrow(record)
    return a.sum() + b.sum() + c


@pytest.mark.exhaustive
def test_borrowed_records_hold_the_same_arrays_and_leave_them_alive():
    a, b = np.arange(5.0), np.arange(3)
    assert [_sum_borrowed(((a, b), 0.5)) for _ in range(3)] == [13.5] * 3
    np.testing.assert_array_equal(a, np.arange(5.0))


@numba.njit
def _other_numbers(memory):
    doubles, wholes = reinterpret(memory, 2, np.float64), reinterpret(memory, 4, np.int32)
    doubles[0], wholes[1] = 2.5, 7
    return doubles[0]


def test_memory_holds_numbers_of_other_types():
    memory = np.zeros(8, np.float32)
    assert _other_numbers(memory) == 2.5
    assert memory[2:4].view(np.float64) == 2.5
    np.testing.assert_array_equal(memory.view(np.int32)[[0, 1, 4, 5, 6, 7]], [0, 0, 0, 7, 0, 0])


@numba.njit
def _prefetched(table, ahead, out):
    for at in range(0, table.size, 8):
        prefetch(pointer(table), at + ahead)
        store(out, at, load(table, at))


@pytest.mark.parametrize("ahead", [0, 64, -(10**9), 10**12])
def test_a_prefetch_changes_nothing_wherever_it_is(ahead):
    table, out = np.arange(64, dtype=np.float32).reshape(4, 16), np.zeros(64, np.float32)
    _prefetched(table, ahead, out)
    np.testing.assert_array_equal(out, table.reshape(-1))


@needs_compiler
def test_hints_and_nontemporal_stores_are_instructions_of_the_processor():
    _prefetched(np.zeros(8, np.float32), 0, np.zeros(8, np.float32))
    _streamed(np.zeros((4, 8), np.float32), np.zeros(32, np.float32))
    assert "llvm.prefetch" in next(iter(_prefetched.inspect_llvm().values()))
    assert "!nontemporal" in next(iter(_streamed.inspect_llvm().values()))
