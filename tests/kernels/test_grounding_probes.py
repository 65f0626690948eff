"""Where feet look for the ground, against scipy's rotations; how distance fades grounding."""

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.kernels import grounding_probes
from ecs_anim.kernels.grounding_probes import turned_level, upright_turn
from ecs_anim.kernels.types import FLOATS, FLOATS_2D, OUT_2D, void
from ecs_anim.simd import pointer, rows_from, store
from tests.helpers import FEW, called_in
from tests.helpers.grounding import ANKLE, HIP, SETTINGS, Actors, at, contact_points, legs, level, poses

helpers = called_in(grounding_probes)

COUNT = FEW or 200


def test_probes_are_above_the_contacts_as_high_as_the_hip():
    actors, model = Actors(COUNT, level), poses(COUNT)
    found = actors.probes(model).reshape(COUNT, 2, 2, 3)
    expected = actors.world(contact_points(model))
    np.testing.assert_allclose(found[..., [0, 2]], expected[..., [0, 2]], atol=5e-6)
    hips = actors.world(at(model, legs().joints[:, HIP]))[..., 1]
    np.testing.assert_allclose(found[..., 1], np.repeat(hips[..., None], 2, axis=-1), atol=5e-6)


def test_probes_follow_feet_that_are_held_back():
    actors, model = Actors(COUNT, level), poses(COUNT)
    before = actors.probes(model).reshape(COUNT, 2, 2, 3)
    actors.state.pelvis[:] = 0
    actors.state.pelvis[:, :3] = actors.translation
    actors.state.lock[:] = np.random.default_rng(2).normal(size=(COUNT, 2, 4))
    moved = actors.probes(model).reshape(COUNT, 2, 2, 3) - before
    np.testing.assert_allclose(moved[..., 0, [0, 2]], actors.state.lock[..., 2:], atol=2e-6)
    np.testing.assert_allclose(moved[..., 1, [0, 2]], actors.state.lock[..., 2:], atol=2e-6)
    np.testing.assert_array_equal(moved[..., 1], 0)


def test_who_is_not_grounded_looks_nowhere():
    actors, model = Actors(COUNT, level), poses(COUNT)
    actors.weight[::2] = 0
    found = actors.probes(model).reshape(COUNT, 4, 3)
    assert np.isnan(found[::2, :, 0]).all()
    assert np.isfinite(found[1::2]).all()


def test_feet_are_held_back_no_more_where_their_actor_was_put_elsewhere():
    actors, model = Actors(COUNT, level), poses(COUNT)
    free = actors.probes(model)
    actors.state.pelvis[:, :3] = actors.translation + np.float32([0, 0, 2]) * actors.scale[:, None]
    actors.state.lock[:], actors.state.locked[:] = 0.3, 1
    np.testing.assert_array_equal(actors.probes(model), free)
    np.testing.assert_array_equal(actors.state.lock[..., 2:], 0)
    np.testing.assert_array_equal(actors.state.locked, -1)
    assert np.isnan(actors.state.trace[..., 2]).all()


@numba.njit(void(FLOATS_2D, FLOATS, OUT_2D))
def _turned(rotation, point, out):
    """A point on the level, turned as eight actors are."""
    rows = rows_from(0, 8)
    x, z = turned_level(point[0], point[1], *upright_turn(pointer(rotation), rows))
    store(out, 0, x)
    store(out, 8, z)


def test_heading_is_the_turn_about_the_vertical():
    turns = Rotation.from_rotvec(np.outer(np.linspace(-np.pi, np.pi, 8), [0, 1, 0]))
    out = np.empty((2, 8), np.float32)
    _turned(turns.as_quat().astype(np.float32), np.float32([0.3, -2.0]), out)
    np.testing.assert_allclose(out.T, turns.apply([0.3, 0, -2.0])[:, [0, 2]], atol=2e-6)


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_strength_fades_over_the_last_fifth_of_the_range(weight):
    settings = SETTINGS._replace(range=10.0, viewer_x=1.0, viewer_y=2.0, viewer_z=-3.0)
    away = np.array([0.0, 5.0, 8.0, 9.0, 9.5, 10.0, 50.0])
    direction = np.array([2.0, -1.0, 2.0]) / 3
    place = ([1.0, 2.0, -3.0] + away[:, None] * direction).astype(np.float32)
    weights = np.full(len(away), weight, np.float32)
    found = [helpers.grounding_strength(settings, place, weights, actor) for actor in range(len(away))]
    np.testing.assert_allclose(found, weight * np.array([1, 1, 1, 0.5, 0.25, 0, 0]), atol=1e-5)


def test_strength_without_a_range_is_the_weight():
    place, weights = np.full((3, 3), 1e9, np.float32), np.array([0.0, 0.3, 1.0], np.float32)
    assert [helpers.grounding_strength(SETTINGS, place, weights, actor) for actor in range(3)] == weights.tolist()


def test_who_is_out_of_range_looks_nowhere():
    actors = Actors(4, level, SETTINGS._replace(range=3.0))
    actors.translation[:] = [[0, 0, 0], [0, 0, 4], [1, 0, 1], [-9, 0, 0]]
    found = actors.probes(poses(4)).reshape(4, 4, 3)
    np.testing.assert_array_equal(np.isnan(found[..., 0]).all(axis=1), [False, True, False, True])


def test_the_mannequins_ankles_are_where_probes_begin():
    """The oracle itself: contacts are a foot's length at most from the ankle."""
    model = poses(3)
    assert np.linalg.norm(contact_points(model) - at(model, legs().joints[:, ANKLE])[:, :, None], axis=-1).max() < 0.2
