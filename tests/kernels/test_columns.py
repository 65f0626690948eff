"""Arguments with columns: plain tuples for Python, and records with names in kernels."""

import sys
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numba import config
from numpy.typing import NDArray

from ecs_anim.ecs.records import Shape
from ecs_anim.kernels import kernel
from ecs_anim.kernels.types import COUNT, REAL, columns, void


class Purses(NamedTuple):
    """What actors own, and a number that is equal for all of them."""

    coins: Annotated[NDArray[np.int32], Shape("actor")]
    gold: Annotated[NDArray[np.float32], Shape("actor", "bar")]
    bars: int


PURSES = columns(Purses)


@kernel(void(PURSES, REAL, PURSES))
def pay(giver, price, taker):
    """Move a coin, and `price` of each bar, from each giver to each taker."""
    for actor in range(giver.coins.shape[0]):
        giver.coins[actor] -= 1
        taker.coins[actor] += 1
        for bar in range(giver.bars):
            giver.gold[actor, bar] -= np.float32(price)
            taker.gold[actor, bar] += np.float32(price)


@kernel(COUNT(PURSES))
def wealth(purses):
    """Return the number of all coins."""
    return purses.coins.sum()


def purses(coins):
    return tuple(Purses(np.full(3, coins, np.int32), np.full((3, 2), coins, np.float32), 2))


def test_kernels_read_and_write_columns_by_name():
    giver, taker = purses(5), purses(1)
    pay(giver, 0.5, taker)
    np.testing.assert_array_equal(giver[0], 4)
    np.testing.assert_array_equal(giver[1], 4.5)
    np.testing.assert_array_equal(taker[0], 2)
    np.testing.assert_array_equal(taker[1], 1.5)
    assert (wealth(giver), wealth(taker)) == (12, 6)


def test_arrays_live_on_and_are_let_go_after_a_call():
    giver, taker = purses(5), purses(1)
    before = [sys.getrefcount(column) for column in (*giver[:2], *taker[:2])]
    for _ in range(100):
        pay(giver, 0.01, taker)
    assert [sys.getrefcount(column) for column in (*giver[:2], *taker[:2])] == before


@pytest.mark.skipif(config.DISABLE_JIT, reason="only compiled kernels check the types of their arguments")
def test_columns_of_other_types_are_an_error():
    coins, gold, bars = purses(5)
    with pytest.raises(TypeError, match="No matching definition"):
        wealth((coins.astype(np.int64), gold, bars))
    assert len(wealth.signatures) == 1
