"""Dual quaternions against matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.maths import affine, dual_quaternion, quaternion
from tests.helpers import random_rotations, rotations, vectors


def matrix(rotation, translation):
    return affine.compose(translation, rotation, np.ones_like(translation))


def matrix_of(q):
    return matrix(*dual_quaternion.to_rigid(q))


rigid = st.tuples(rotations(), vectors(10.0))


@given(rigid)
def test_a_rigid_transform_there_and_back(transform):
    rotation, translation = dual_quaternion.to_rigid(dual_quaternion.from_rigid(*transform))
    np.testing.assert_array_equal(rotation, transform[0])
    np.testing.assert_allclose(translation, transform[1], atol=1e-12)


@given(rigid, vectors(10.0))
def test_points_and_vectors_go_where_the_matrix_takes_them(transform, p):
    q, m = dual_quaternion.from_rigid(*transform), matrix(*transform)
    np.testing.assert_allclose(dual_quaternion.point(q, p), m[:, :3] @ p + m[:, 3], atol=1e-11)
    np.testing.assert_allclose(dual_quaternion.vector(q, p), m[:, :3] @ p, atol=1e-11)
    np.testing.assert_allclose(dual_quaternion.point(-q, p), dual_quaternion.point(q, p), atol=1e-11)


@given(rigid, rigid)
def test_a_product_is_the_matrices_product(a, b):
    product = dual_quaternion.multiply(dual_quaternion.from_rigid(*a), dual_quaternion.from_rigid(*b))
    np.testing.assert_allclose(matrix_of(product), affine.multiply(matrix(*a), matrix(*b)), atol=1e-11)


@given(rigid, vectors(10.0))
def test_the_conjugate_undoes(transform, p):
    q = dual_quaternion.from_rigid(*transform)
    there_and_back = dual_quaternion.point(dual_quaternion.conjugate(q), dual_quaternion.point(q, p))
    np.testing.assert_allclose(there_and_back, p, atol=1e-11)
    unit = dual_quaternion.multiply(q, dual_quaternion.conjugate(q))
    np.testing.assert_allclose(unit, dual_quaternion.IDENTITY, atol=1e-11)


@given(vectors(5.0, (8,)).filter(lambda q: np.linalg.norm(q[:4]) > 1e-2))
def test_normalising_makes_unit_dual_quaternions(q):
    unit = dual_quaternion.normalize(q)
    assert np.linalg.norm(unit[:4]) == pytest.approx(1)
    assert unit[:4] @ unit[4:] == pytest.approx(0, abs=1e-9 * (1 + np.linalg.norm(unit)))
    np.testing.assert_allclose(dual_quaternion.normalize(unit), unit, atol=1e-9 * (1 + np.linalg.norm(unit)))
    np.testing.assert_allclose(dual_quaternion.normalize(3 * q), unit, atol=1e-9 * (1 + np.linalg.norm(unit)))


@given(vectors(5.0, (8,)).filter(lambda q: np.linalg.norm(q[:4]) > 1e-1))
def test_normalising_divides_by_the_dual_norm(q):
    """Kavan 2008: |q| = sqrt(q* q) = |r| + e (r.d)/|r|, and its inverse is 1/|r| - e (r.d)/|r|^3."""
    real, dual = q[:4], q[4:]
    length = np.linalg.norm(real)
    inverse = np.array([0, 0, 0, 1 / length, 0, 0, 0, -(real @ dual) / length**3])
    np.testing.assert_allclose(dual_quaternion.normalize(q), dual_quaternion.multiply(q, inverse), atol=1e-8)


def test_no_transform_becomes_the_identity():
    np.testing.assert_array_equal(dual_quaternion.normalize([0, 0, 0, 0, 1, 2, 3, 4.0]), dual_quaternion.IDENTITY)
    np.testing.assert_array_equal(dual_quaternion.blend(np.ones((2, 8)), [0, 0]), dual_quaternion.IDENTITY)


def random_rigid(rng, *shape):
    return dual_quaternion.from_rigid(random_rotations(rng, *shape), rng.normal(size=(*shape, 3)).astype(np.float32))


@given(st.integers(0, 1000), st.integers(1, 5), st.data())
def test_a_blend_does_not_hang_on_signs(seed, count, data):
    rng = np.random.default_rng(seed)
    q, weights = random_rigid(rng, count).astype(np.float64), rng.dirichlet(np.ones(count))
    signs = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=count, max_size=count)))
    a, b = dual_quaternion.blend(q, weights), dual_quaternion.blend(q * signs[:, None], weights)
    np.testing.assert_allclose(matrix_of(a), matrix_of(b), atol=1e-9)


@pytest.mark.exhaustive
@given(rigid, rigid, rigid, st.floats(0, 1))
def test_a_blend_moves_with_the_frame(frame, a, b, weight):
    """Coordinate invariance, what tells this blend from separate ones (Kavan 2008, section 4)."""
    frame, a, b = (dual_quaternion.from_rigid(*each) for each in (frame, a, b))
    if abs(a[:4] @ b[:4]) < 1e-2:
        return  # half a turn apart: either way round is as short
    weights = [1 - weight, weight]
    moved = dual_quaternion.blend(dual_quaternion.multiply(frame, np.stack([a, b])), weights)
    expected = dual_quaternion.multiply(frame, dual_quaternion.blend(np.stack([a, b]), weights))
    np.testing.assert_allclose(matrix_of(moved), matrix_of(expected), atol=1e-7)


@given(rigid, rigid)
def test_a_blend_at_its_ends_is_the_ends(a, b):
    q = np.stack([dual_quaternion.from_rigid(*a), dual_quaternion.from_rigid(*b)])
    np.testing.assert_allclose(matrix_of(dual_quaternion.blend(q, [1, 0])), matrix(*a), atol=1e-10)
    np.testing.assert_allclose(matrix_of(dual_quaternion.blend(q, [0, 1])), matrix(*b), atol=1e-10)


def test_half_way_of_a_turn_is_on_the_arc():
    """A quarter turn about a point at x = 1: half-way lies on the circle, where mean matrices fall inside it."""
    turn = quaternion.from_axis_angle([0, 0, 1.0], np.pi / 2)
    centre = np.array([1.0, 0, 0])
    about = dual_quaternion.from_rigid(turn, centre - quaternion.rotate(turn, centre))
    half = dual_quaternion.blend(np.stack([dual_quaternion.IDENTITY, about]), [0.5, 0.5])
    expected = centre - np.array([np.cos(np.pi / 4), np.sin(np.pi / 4), 0])
    np.testing.assert_allclose(dual_quaternion.point(half, [0, 0, 0]), expected, atol=1e-12)


def test_many_at_once_are_the_same_as_one_by_one():
    rng = np.random.default_rng(4)
    q, weights, p = random_rigid(rng, 6, 4), rng.uniform(0, 1, (6, 4)), rng.normal(size=(6, 3)).astype(np.float32)
    mixed = dual_quaternion.blend(q, weights)
    assert mixed.shape == (6, 8)
    assert mixed.dtype == np.float32
    np.testing.assert_array_equal(mixed[2], dual_quaternion.blend(q[2], weights[2]))
    moved = dual_quaternion.point(mixed, p)
    np.testing.assert_allclose(moved[2], dual_quaternion.point(mixed[2], p[2]), atol=1e-6)
    shared = dual_quaternion.blend(q[0], weights)
    np.testing.assert_array_equal(shared[3], dual_quaternion.blend(q[0], weights[3]))


def test_the_identity_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        dual_quaternion.IDENTITY[0] = 1
