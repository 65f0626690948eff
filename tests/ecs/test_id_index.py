"""Ids and their rows against a plain dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.ecs.id_index import IdIndex, new_id_index


def add(index, count, first_id):
    first = len(index.ids)
    index.ids = np.concatenate([index.ids, index.give_out(first, count, first_id)])


def remove(index, rows):
    """As population does it: the last rows fill the gaps."""
    rows = np.array(sorted(rows), np.int32)
    left = len(index.ids) - len(rows)
    moved = np.setdiff1d(np.arange(left, len(index.ids)), rows)
    holes = rows[rows < left]
    index.take_back(index.ids[rows])
    index.ids[holes] = index.ids[moved]
    index.ids = index.ids[:left]
    index.move(index.ids[holes], holes)


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(
    st.integers(0, 5),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9), st.randoms(use_true_random=False)), max_size=12),
)
def test_ids_find_their_rows_and_are_never_given_out_twice(first, steps):
    """Other crowds may have taken some numbers meanwhile."""
    index, ever = new_id_index(first, 4), set(range(4, 4 + first))
    for count, taken, random in steps:
        before = len(index.ids)
        add(index, count, index.next_id + taken)
        new = set(index.ids[before:].tolist())
        assert len(new) == count
        assert min(new, default=1 << 60) > max(ever, default=0)
        ever |= new
        here = len(index.ids)
        remove(index, random.sample(range(here), random.randint(0, here)))
        where = {int(actor): row for row, actor in enumerate(index.ids)}
        asked = np.array([*sorted(ever), 0, max(ever, default=0) + 1])
        for found in (index, IdIndex(index.ids, index.next_id)):
            assert found.find(asked).tolist() == [where.get(actor, -1) for actor in asked.tolist()]


def test_memory_is_that_of_the_most_rows():
    index = new_id_index(10)
    for _ in range(50):
        add(index, 10, index.next_id)
        remove(index, range(10))
    assert len(index._known) == len(index._rows) <= 60
    assert index.next_id == 511


@pytest.mark.parametrize("actor", [-1, 0, 6, 1 << 32, (1 << 62) + 3])
def test_ids_that_never_were_are_nobodys(actor):
    assert new_id_index(5).find(np.array([actor]))[0] == -1
    assert new_id_index(0).find(np.array([actor]))[0] == -1
