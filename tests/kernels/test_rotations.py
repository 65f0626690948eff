"""Quaternion helpers of the kernels against `ecs_anim.maths.quaternion` and scipy."""

import math

import numpy as np
import pytest
from numba import njit
from scipy.spatial.transform import Rotation

from ecs_anim.kernels import rotations
from ecs_anim.maths import quaternion
from tests.helpers import random_rotations

RNG = np.random.default_rng(9)


@njit
def call_product(a, b):
    return rotations.product(a, rotations.inverse(b))


@njit
def call_rotated(q, v):
    return rotations.rotated(q, v)


@njit
def call_from_to(a, b):
    return rotations.from_to(a, b)


@njit
def call_about(axis, angle):
    return rotations.about(axis, angle)


@njit
def call_part_of(q, share):
    return rotations.part_of(q, share)


@njit
def call_frame_of(model, joint):
    return rotations.frame_of(model, joint)


def test_products_and_turned_vectors_are_scipys():
    a, b = quaternion.normalize(random_rotations(RNG, 2, 50).astype(np.float64))
    v = RNG.normal(size=(50, 3))
    wanted = (Rotation.from_quat(a) * Rotation.from_quat(b).inv()).as_quat()
    turned = Rotation.from_quat(a).apply(v)
    for i in range(50):
        assert quaternion.angle_between(np.array(call_product(tuple(a[i]), tuple(b[i]))), wanted[i]) < 1e-9
        np.testing.assert_allclose(call_rotated(tuple(a[i]), tuple(v[i])), turned[i], atol=1e-12)


@pytest.mark.parametrize("factor", [1.0, 1e-12, 1e12])
def test_from_to_is_the_shortest_turn(factor):
    for a, b in factor * RNG.normal(size=(50, 2, 3)):
        found = np.array(call_from_to(tuple(a), tuple(b)))
        assert quaternion.angle_between(found, quaternion.from_to(a, b)) < 1e-9


@pytest.mark.parametrize("way", [(1.0, 0.0, 0.0), (0.0, -2.0, 0.0), (0.3, -0.4, 0.5)])
def test_from_to_of_opposite_equal_and_no_directions(way):
    back = Rotation.from_quat(call_from_to(way, tuple(-x for x in way)))
    np.testing.assert_allclose(back.apply(way), -np.array(way), atol=1e-12)
    assert back.magnitude() == pytest.approx(math.pi)
    assert call_from_to(way, way) == pytest.approx((0, 0, 0, 1))
    assert call_from_to(way, (0.0, 0.0, 0.0)) == (0, 0, 0, 1)


def test_about_and_part_of():
    axis = (0.0, 0.6, 0.8)
    np.testing.assert_allclose(call_about(axis, 1.2), Rotation.from_rotvec(1.2 * np.array(axis)).as_quat())
    for q in random_rotations(RNG, 50).astype(np.float64):
        for share in (0.0, 0.3, 1.0):
            wanted = quaternion.nlerp(np.array([0, 0, 0, 1.0]), q, share)
            assert quaternion.angle_between(np.array(call_part_of(tuple(q), share)), wanted) < 1e-9


@pytest.mark.exhaustive
def test_frames_leave_scale_out():
    q = random_rotations(RNG, 200).astype(np.float64)
    model = np.zeros((200, 12), np.float32)
    model.reshape(200, 3, 4)[..., :3] = Rotation.from_quat(q).as_matrix() * RNG.uniform(0.01, 100, (200, 1, 1))
    for joint in range(200):
        assert quaternion.angle_between(np.array(call_frame_of(model, joint)), q[joint]) < 1e-6


def test_frames_of_half_turns():
    half = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], np.float64)
    model = np.zeros((4, 12), np.float32)
    model.reshape(4, 3, 4)[..., :3] = Rotation.from_quat(half).as_matrix()
    for joint in range(4):
        assert quaternion.angle_between(np.array(call_frame_of(model, joint)), half[joint]) < 1e-6
