"""The whole stage that grounds feet against its steps one by one, and what it notes of actors."""

import numba
import numpy as np
import pytest

from ecs_anim.ground.ground import flat, height_field, triangle_mesh
from ecs_anim.ik.grounding import FootState, new_foot_state
from ecs_anim.kernels import grounding as kernels
from ecs_anim.kernels.grounding_probes import begin_eight, stance_of
from ecs_anim.runtime.records import Placement
from ecs_anim.simd import pointer, rows_at
from ecs_anim.systems.stages import Stage
from tests.helpers.grounding import SETTINGS, Actors, legs, level, poses
from tests.helpers.grounding_steps import Grounded
from tests.helpers.stages import run_stages
from tests.kernels.test_ground import cast, square

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


@numba.njit
def _begin_eights(rows, placement, state):
    columns, feet = pointer(Placement(*placement)), FootState(*state)
    for first in range(0, rows.shape[0], 8):
        own = rows_at(rows, first)
        begin_eight(stance_of(columns, own, np.float32(0)), LENGTH, own, feet)


@pytest.mark.parametrize("seed", range(4))
def test_feet_begin_anew_of_who_leaps_and_of_who_is_not_grounded(seed):
    """They go on of who has moved by less than a leg's length; who has no memory has nothing to forget."""
    placement, strength, state = people(seed)
    before = type(state)(*(array.copy() for array in state))
    found = np.empty(ACTORS, np.float32)
    kernels.begin_grounding(SETTINGS, placement, strength, tuple(state), found)
    np.testing.assert_array_equal(found, strength)
    grounded = np.flatnonzero(strength > 0)
    rows = np.append(grounded, np.full(-len(grounded) % 8, grounded[-1]))
    _begin_eights(rows, placement, tuple(state))
    moved = np.linalg.norm(placement[0].astype(np.float64) - before.pelvis[:, :3], axis=1)
    stays = (strength > 0) & (moved < LENGTH * placement[2])
    known = np.isfinite(before.pelvis[:, 1])
    anew = ~stays & known
    assert (stays & known).any()
    assert (anew & (strength > 0)).any()
    assert (anew & (strength == 0)).any()
    for after, old in zip(state, before, strict=True):
        np.testing.assert_array_equal(after[~anew], old[~anew])
    assert np.isnan(state.pelvis[anew, 1]).all()
    assert (state.locked[anew] == -1).all()
    assert not state.lock[anew, :, 2:].any()
    assert np.isnan(state.tilt[anew]).all()
    assert np.isnan(state.trace[anew][..., [2, 4]]).all()


def random_heights(seed=0):
    """Ground that rises and falls by up to 0.3 m from metre to metre, where actors of the tests are."""
    return height_field(np.random.default_rng(seed).uniform(-0.15, 0.15, (15, 15)), (-7, -7), (1, 1))


GROUNDS = {
    "flat": flat(0.1),
    "heights": random_heights(),
    "triangles": triangle_mesh(square(-5, 5, -0.2)),
    "nothing": triangle_mesh(square(90, 91, 0.0)),
}


def stood(ground, chosen=slice(None), *, whole=True):
    """Two steps of actors, those `chosen` of sixty: model matrices, and what feet remember."""
    actors, model, ids = Actors(60, level, seed=2), poses(60)[chosen], np.arange(60)[chosen]
    actors.translation[:, 1] = 0
    actors.weight[:] = np.random.default_rng(3).choice([0, 0.4, 1], 60)
    actors.pin[:] = np.random.default_rng(4).random(actors.pin.shape)
    placement = [part[ids] for part in actors.placement]
    state = tuple(part[ids] for part in actors.state)
    weight, pin, strength = actors.weight[ids], actors.pin[ids], np.empty(len(ids), np.float32)
    for _ in range(2):
        if whole:
            kernels.begin_grounding(SETTINGS, tuple(placement), weight, state, strength)
            arguments = SETTINGS, legs(), ground.arrays, tuple(placement), strength, 1 / 60, state, pin
            found = run_stages(model, Stage(kernels.ground_feet, (*arguments, kernels.new_notes(2)), strength > 0))
        else:
            step = Grounded(SETTINGS, legs(), model, placement, weight, state)
            points = step.probes(pin)
            hits = cast(ground, np.nan_to_num(points)).reshape(len(ids), 2, 2, 4)
            found = step.moved(step.plans(hits))
        placement[0][:] += np.float32([0.02, 0, 0.01])
    return [found, *state]


def assert_same(found, wanted, chosen=slice(None)):
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other[chosen])


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", GROUNDS)
def test_the_stage_takes_its_steps_one_after_the_other(kind):
    expected = stood(GROUNDS[kind], whole=False)
    moved = (np.abs(expected[0] - poses(60)) > 1e-3).any(axis=(1, 2))
    assert moved.sum() > 20
    assert not moved.all(), "some are not grounded"
    assert_same(stood(GROUNDS[kind]), expected)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 17, 33])
def test_who_else_is_there_does_not_matter(count):
    everybody = stood(GROUNDS["heights"])
    assert_same(stood(GROUNDS["heights"], slice(count)), everybody, slice(count))
    order = np.random.default_rng(5).permutation(60)[:count]
    assert_same(stood(GROUNDS["heights"], order), everybody, order)
