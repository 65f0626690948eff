"""Hashes: they look drawn, and depend on all that they are of."""

import numpy as np

from ecs_anim.kernels.hashing import hashed
from tests.helpers import FEW, called

own_hash = called(hashed)
MASK = 2**32 - 1
SIDE = FEW or 40


def mixed(number):
    """Wellons' lowbias32, in numpy's wrapping arithmetic."""
    number = np.array([number], np.uint32)
    number ^= number >> np.uint32(16)
    number *= np.uint32(0x7FEB352D)
    number ^= number >> np.uint32(15)
    number *= np.uint32(0x846CA68B)
    number ^= number >> np.uint32(16)
    return int(number[0])


def test_they_are_those_of_wrapping_arithmetic():
    for seed, agent, turn in [(0, 0, 0), (1, 2, 3), (2**31, 2**31 - 1, 10**6), (2**40 + 5, 7, 2**33)]:
        expected = mixed(mixed(mixed(seed & MASK) ^ (agent & MASK)) ^ (turn & MASK))
        assert own_hash(seed, agent, turn) == expected


def test_they_spread_evenly_and_none_comes_twice():
    found = np.array([[own_hash(3, agent, turn) for agent in range(SIDE)] for turn in range(SIDE)])
    assert len(np.unique(found)) == SIDE * SIDE
    if FEW is None:
        assert 0.45 < (found & 1).mean() < 0.55
        assert 0.45 < (found / 2**32).mean() < 0.55
        assert abs(np.corrcoef(found[:, 0], found[:, 1])[0, 1]) < 0.5


def test_seeds_matter():
    assert own_hash(3, 1, 2) != own_hash(4, 1, 2)
