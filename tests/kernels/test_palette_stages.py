"""Parts of a chunk: who is in them. What their stages do is held by those kernels that are made of them."""

import numpy as np
import pytest

from ecs_anim.kernels.palette_stages import PART, last_of, rows_of, sort_by_kind
from tests.helpers import called

KINDS = 16


def sorted_by_kind(kinds):
    rows = np.full(len(kinds) + 8 * KINDS, -1)
    begins, counts = np.empty(KINDS, np.int64), np.empty(KINDS, np.int64)
    called(sort_by_kind)(kinds, rows, begins, counts)
    return rows, begins, counts


@pytest.mark.parametrize("count", [0, 1, 8, 23])
def test_lists_of_each_kind_fill_whole_eights(count):
    kinds = np.random.default_rng(count).choice([3, 6, 0, 15], count)
    rows, begins, counts = sorted_by_kind(kinds)
    assert (begins % 8 == 0).all()
    assert counts.sum() == count
    for kind, begin, own in zip(range(KINDS), begins, counts, strict=True):
        np.testing.assert_array_equal(rows[begin : begin + own], np.flatnonzero(kinds == kind))
        assert set(rows[begin : begin + -(-own // 8) * 8]) <= {*rows[begin : begin + own]}


@pytest.mark.parametrize("count", [1, 8, 9, 16, 17, 63, 64])
def test_sixteens_of_a_part_cover_it_and_the_last_eight_stands_for_one_that_is_missing(count):
    rows, begins, counts = sorted_by_kind(np.zeros(count, np.int64))
    part = begins[0], begins[0] + counts[0]
    last = called(last_of)(part)
    assert 0 <= last < PART
    pairs = [called(rows_of)(rows, part, number) for number in range(0, last + 8, 16)]
    assert {row for pair in pairs for eight in pair for row in eight} == {*range(count)}
    assert len(pairs) == -(-count // 16)
