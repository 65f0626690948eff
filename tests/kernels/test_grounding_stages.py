"""Feet that begin anew, eight at a time against one by one, and what is noted of eight actors."""

import numba
import numpy as np
import pytest

from ecs_anim.ik.grounding import new_foot_state
from ecs_anim.kernels.grounding_probes import begin_eight, begin_step, forget_others, stance_of
from ecs_anim.kernels.grounding_stages import STANCE, _put_stance, _read_stance
from ecs_anim.kernels.types import FEET, FLOATS, FLOATS_2D, LONGS, OUT_2D, PLACEMENT, void
from ecs_anim.simd import load, pointer, rows_at, store

LENGTH, LEGS, ACTORS = np.float32(0.8), 2, 24


def people(seed):
    """Where they are, how much they are grounded, and what their feet remember; some leap, some have no memory."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(ACTORS, 3)).astype(np.float32)
    turns = np.tile(np.float32([0, 0, 0, 1]), (ACTORS, 1))
    state = new_foot_state(ACTORS, LEGS)
    for array in state:
        array[...] = rng.integers(0, 2, array.shape) if array.dtype == np.int32 else rng.normal(size=array.shape)
    state.pelvis[:, :3] = places + rng.choice([0.0, 0.4, 0.9], (ACTORS, 1)) * rng.choice([-1, 1], (ACTORS, 3))
    state.pelvis[rng.random(ACTORS) < 0.2] = np.nan
    size = rng.uniform(0.7, 2.2, ACTORS).astype(np.float32)
    return (places, turns, size), rng.choice(np.float32([0, 0.3, 1]), ACTORS), state


@numba.njit(void(FLOATS, PLACEMENT, FEET))
def _begin(strength, placement, state):
    begin_step(strength, LENGTH, placement, state)


@numba.njit(void(FLOATS, LONGS, PLACEMENT, FEET))
def _begin_eights(strength, rows, placement, state):
    forget_others(strength, placement, state)
    columns = pointer(placement[0]), pointer(placement[1]), pointer(placement[2])
    for first in range(0, rows.shape[0], 8):
        own = rows_at(rows, first)
        begin_eight(stance_of(columns, own, np.float32(0), np.float32(1)), LENGTH, own, pointer(state[0]), state)


@pytest.mark.parametrize("seed", range(4))
def test_feet_begin_anew_as_they_do_one_by_one(seed):
    placement, strength, state = people(seed)
    apart = type(state)(*(array.copy() for array in state))
    grounded = np.flatnonzero(strength > 0)
    rows = np.append(grounded, np.full(-len(grounded) % 8, grounded[-1]))
    _begin_eights(strength, rows, placement, tuple(state))
    _begin(strength, placement, tuple(apart))
    for a, b in zip(state, apart, strict=True):
        np.testing.assert_array_equal(a, b)
    forgot = (state.locked == -1).all(axis=1)
    assert forgot[strength > 0].any(), "somebody leaps"
    assert not forgot[strength > 0].all(), "somebody stays"


@numba.njit(void(FLOATS_2D, OUT_2D))
def _noted(numbers, out):
    room = np.empty(8 * STANCE, np.float32)
    placement = pointer(numbers[:3]), pointer(numbers[3:7]), pointer(numbers[7:])
    stance = stance_of(placement, rows_at(np.arange(8), 0), np.float32(0.1), np.float32(0.5))
    _put_stance(pointer(room), stance, load(numbers, 0))
    again, strength = _read_stance(pointer(room), np.float32(0.5))
    store(out, 0, again.x - stance.x)
    store(out, 8, again.level - stance.level)
    store(out, 16, again.floor / stance.floor)
    store(out, 24, again.cosine - stance.cosine)
    store(out, 32, strength)


def test_a_stance_is_read_as_it_was_noted():
    numbers = np.random.default_rng(3).uniform(0.5, 2, (8, 8)).astype(np.float32)
    out = np.empty((5, 8), np.float32)
    _noted(numbers, out)
    np.testing.assert_array_equal(out[[0, 1, 3]], 0)
    np.testing.assert_array_equal(out[2], 1)
    np.testing.assert_array_equal(out[4], numbers[0])
