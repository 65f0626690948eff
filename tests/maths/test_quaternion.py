"""Quaternions against scipy's Rotation and Slerp."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from ecs_anim.maths import quaternion
from tests.helpers import rotations, vectors


def same_rotation(a, b, tolerance=1e-9):
    return quaternion.angle_between(np.asarray(a, np.float64), np.asarray(b, np.float64)) < tolerance


@given(rotations(), rotations())
def test_product_is_scipys(a, b):
    assert same_rotation(quaternion.multiply(a, b), (Rotation.from_quat(a) * Rotation.from_quat(b)).as_quat())


@given(rotations(), vectors())
def test_rotate_is_scipys(q, v):
    np.testing.assert_allclose(quaternion.rotate(q, v), Rotation.from_quat(q).apply(v), atol=1e-9)


@given(rotations())
def test_matrix_is_scipys_and_comes_back(q):
    matrix = quaternion.to_matrix(q)
    np.testing.assert_allclose(matrix, Rotation.from_quat(q).as_matrix(), atol=1e-12)
    assert same_rotation(quaternion.from_matrix(matrix), q)


@pytest.mark.parametrize("axis", np.eye(3))
def test_half_turns_survive_the_matrix(axis):
    q = quaternion.from_axis_angle(axis, np.pi)
    assert same_rotation(quaternion.from_matrix(quaternion.to_matrix(q)), q)


@given(rotations(), rotations(), st.floats(0, 1))
def test_slerp_is_scipys(a, b, t):
    assume(abs(np.dot(a, b)) > 1e-3)  # half a turn apart, either arc is the short one
    expected = Slerp([0, 1], Rotation.from_quat(np.stack([a, b])))(t).as_quat()
    assert same_rotation(quaternion.slerp(a, b, t), expected, 1e-6)


@given(rotations(), rotations(), st.floats(0, 1))
def test_nlerp_stays_on_the_short_arc_and_near_slerp(a, b, t):
    between = quaternion.nlerp(a, b, t)
    whole = quaternion.angle_between(a, b)
    assert quaternion.angle_between(a, between) <= whole + 1e-6
    assert quaternion.angle_between(between, quaternion.slerp(a, b, t)) <= 0.15 * (whole / np.pi) ** 2 * np.pi + 1e-6


def test_nlerp_and_slerp_agree_half_way():
    a, b = quaternion.normalize(np.array([[0.1, 0.2, 0.3, 0.9], [-0.4, 0.1, 0.2, 0.7]]))
    assert same_rotation(quaternion.nlerp(a, b, 0.5), quaternion.slerp(a, b, 0.5))


@given(vectors(1.0), vectors(1.0))
def test_from_to_is_accurate_and_shortest(a, b):
    assume(np.linalg.norm(a) > 1e-3)
    assume(np.linalg.norm(b) > 1e-3)
    q = quaternion.from_to(a, b)
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    np.testing.assert_allclose(quaternion.rotate(q, a), b, atol=1e-6)
    angle = np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))
    assert quaternion.angle_between(quaternion.IDENTITY, q) == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("angle", [0.0, 1e-7, 1e-5, 1e-3, np.pi - 1e-7, np.pi])
def test_from_to_has_no_dead_zone(angle):
    a, b = np.array([1.0, 0, 0]), np.array([np.cos(angle), np.sin(angle), 0])
    q = quaternion.from_to(a, b)
    assert quaternion.angle_between(quaternion.IDENTITY, q) == pytest.approx(angle, abs=1e-9)
    np.testing.assert_allclose(quaternion.rotate(q, a), b, atol=1e-9)


@given(vectors(1.0), vectors(1.0))
def test_look_rotation_faces_forward_with_up_up(forward, up):
    assume(np.linalg.norm(forward) > 1e-2)
    assume(np.linalg.norm(np.cross(forward, up)) > 1e-3)
    q = quaternion.look_rotation(forward, up)
    np.testing.assert_allclose(quaternion.rotate(q, [0, 0, 1]), forward / np.linalg.norm(forward), atol=1e-6)
    turned_up = quaternion.rotate(q, [0, 1, 0])
    assert np.dot(turned_up, up) > 0
    assert np.dot(turned_up, np.cross(forward, up)) == pytest.approx(0, abs=1e-6)


def test_look_rotation_straight_up_is_a_rotation():
    q = quaternion.look_rotation([0.0, 1.0, 0.0], [0.0, 1.0, 0.0])
    np.testing.assert_allclose(quaternion.rotate(q, [0, 0, 1]), [0, 1, 0], atol=1e-6)


def test_zero_becomes_the_identity():
    np.testing.assert_array_equal(quaternion.normalize(np.zeros((2, 4))), np.tile([0, 0, 0, 1], (2, 1)))


def test_rotation_vectors_are_those_of_scipy():
    given = Rotation.random(200, rng=3).as_quat()
    vectors = quaternion.to_rotation_vector(given)
    np.testing.assert_allclose(vectors, Rotation.from_quat(given).as_rotvec(), atol=1e-6)
    np.testing.assert_array_equal(quaternion.to_rotation_vector(np.array([[0.0, 0, 0, 1]])), [[0, 0, 0]])
    assert same_rotation(quaternion.from_rotation_vector(vectors), given).all()
    np.testing.assert_array_equal(quaternion.from_rotation_vector(np.zeros(3)), [0, 0, 0, 1])


def test_float32_stays_float32():
    q = quaternion.IDENTITY
    v = np.ones(3, np.float32)
    results = [
        quaternion.multiply(q, q),
        quaternion.rotate(q, v),
        quaternion.slerp(q, q, 0.5),
        quaternion.nlerp(q, q, np.float64(0.5)),
        quaternion.from_to(v, v),
        quaternion.to_matrix(q),
    ]
    assert {result.dtype for result in results} == {np.dtype(np.float32)}
