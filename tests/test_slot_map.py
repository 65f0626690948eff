"""Slot maps against a plain dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.slot_map import new_slot_map


def add(slots, count):
    first = len(slots.ids)
    slots.ids = np.concatenate([slots.ids, slots.give_out(first, count)])


def remove(slots, rows):
    """As population does it: the last rows fill the gaps."""
    rows = np.array(sorted(rows), np.int32)
    left = len(slots.ids) - len(rows)
    moved = np.setdiff1d(np.arange(left, len(slots.ids)), rows)
    holes = rows[rows < left]
    slots.take_back(slots.ids[rows])
    slots.ids[holes] = slots.ids[moved]
    slots.ids = slots.ids[:left]
    slots.move(slots.ids[holes], holes)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 5), st.lists(st.tuples(st.integers(0, 6), st.randoms(use_true_random=False)), max_size=12))
def test_ids_find_their_rows_and_are_never_given_out_twice(first, steps):
    slots, ever = new_slot_map(first), set(range(first))
    for count, random in steps:
        before = len(slots.ids)
        add(slots, count)
        new = set(slots.ids[before:].tolist())
        assert len(new) == count
        assert not new & ever
        ever |= new
        here = len(slots.ids)
        remove(slots, random.sample(range(here), random.randint(0, here)))
        where = {int(actor): row for row, actor in enumerate(slots.ids)}
        for actor in ever:
            assert slots.find(np.array([actor]))[0] == where.get(actor, -1)


def test_memory_is_that_of_the_most_rows():
    slots = new_slot_map(10)
    for _ in range(50):
        add(slots, 10)
        remove(slots, range(10))
    assert len(slots.rows) == len(slots.ages) == len(slots.free) <= 40


@pytest.mark.parametrize("actor", [-1, 5, 1 << 32, (1 << 62) + 3])
def test_ids_that_never_were_are_nobodys(actor):
    assert new_slot_map(5).find(np.array([actor]))[0] == -1
    assert new_slot_map(0).find(np.array([actor]))[0] == -1
