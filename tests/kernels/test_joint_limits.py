"""Limits of joints, both forms, against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy.spatial.transform import Rotation

from ecs_anim.ik.limits import BallLimit, HingeLimit, clamp_angle, swing_twist
from ecs_anim.kernels.joint_limits import clamp_ball, clamp_hinge
from ecs_anim.maths import quaternion
from tests.helpers import random_rotations, rotations, vectors
from tests.helpers.ik import broken_by

RNG = np.random.default_rng(5)
REST = np.array([0, 0, 0, 1.0])
BONE = np.array([0.6, 0.0, -0.8])
BALLS = [
    BallLimit(math.radians(40), (math.radians(-30), math.radians(20))),
    BallLimit(0.0, (0.0, 0.0)),
    BallLimit(math.pi),
    BallLimit(math.radians(170), (math.radians(100), math.radians(180))),
]
HINGES = [
    HingeLimit((1.0, 2.0, -0.5), (0.0, math.radians(140))),
    HingeLimit((0.0, 0.0, 3.0), (math.radians(-180), math.radians(-170))),
    HingeLimit((0.0, 1.0, 0.0)),
    HingeLimit((0.0, 1.0, 0.0), (0.2, 0.2)),
]


@njit
def ball_kernel(change, bone, swing, low, high):
    return clamp_ball(change, bone, swing, low, high)


@njit
def hinge_kernel(change, axis, low, high):
    return clamp_hinge(change, axis, low, high)


def directions():
    return vectors(1.0).filter(lambda v: np.linalg.norm(v) > 1e-2).map(lambda v: v / np.linalg.norm(v))


@given(rotations(), directions())
def test_swing_and_twist_make_the_rotation_again(q, axis):
    swing, twist = swing_twist(q, axis)
    assert quaternion.angle_between(quaternion.multiply(swing, twist), q) < 1e-9
    assert abs(swing[:3] @ axis) < 1e-12  # swings about an axis at right angles
    assert np.linalg.norm(np.cross(twist[:3], axis)) < 1e-12


@pytest.mark.parametrize("limit", BALLS + HINGES)
def test_what_was_clamped_is_inside(limit):
    change = random_rotations(RNG, 2000).astype(np.float64)
    assert broken_by(limit, REST, limit.clamp(change, BONE), BONE).max() < 1e-7


@pytest.mark.parametrize("limit", BALLS)
def test_balls_leave_what_is_inside(limit):
    inside = limit.clamp(random_rotations(RNG, 2000).astype(np.float64), BONE)
    assert quaternion.angle_between(limit.clamp(inside, BONE), inside).max() < 1e-6


@given(st.floats(0, math.radians(140)))
def test_hinges_leave_turns_inside_their_range(angle):
    hinge = HINGES[0]
    turn = Rotation.from_rotvec(angle * hinge.unit_axis).as_quat()
    assert quaternion.angle_between(hinge.clamp(turn, BONE), turn) < 1e-9


@pytest.mark.parametrize(("angle", "expected"), [(100, 90), (-10, 0), (-100, 0), (-160, 90), (45, 45), (180, 90)])
def test_hinges_stop_at_the_nearer_end_round_the_circle(angle, expected):
    hinge = HingeLimit((1.0, 0.0, 0.0), (0.0, math.radians(90)))
    turn = Rotation.from_euler("x", angle, degrees=True).as_quat()
    wanted = Rotation.from_euler("x", expected, degrees=True).as_quat()
    assert quaternion.angle_between(hinge.clamp(turn, BONE), wanted) < 1e-9


def test_a_cone_stops_a_swing_at_its_rim_in_the_same_plane():
    limit = BallLimit(math.radians(30))
    turn = Rotation.from_rotvec(np.radians([[0, 0, 80], [50, 0, 0], [0, 0, -10]])).as_quat()
    found = Rotation.from_quat(limit.clamp(turn, (0.0, 1.0, 0.0))).as_rotvec(degrees=True)
    np.testing.assert_allclose(found, [[0, 0, 30], [30, 0, 0], [0, 0, -10]], atol=1e-9)


def test_angles_at_the_seam_count_as_inside():
    np.testing.assert_array_equal(clamp_angle([-math.pi, math.pi], (-math.pi, math.pi)), [-math.pi, math.pi])


@pytest.mark.parametrize("limit", BALLS)
def test_the_ball_kernel_is_the_readable_form(limit):
    for change in random_rotations(RNG, 300).astype(np.float64):
        found = np.array(ball_kernel(tuple(change), tuple(BONE), limit.swing, *limit.twist))
        assert quaternion.angle_between(found, limit.clamp(change, BONE)) < 1e-7


@pytest.mark.parametrize("limit", HINGES)
def test_the_hinge_kernel_is_the_readable_form(limit):
    for change in random_rotations(RNG, 300).astype(np.float64):
        found = np.array(hinge_kernel(tuple(change), tuple(limit.unit_axis), *limit.angle))
        assert quaternion.angle_between(found, limit.clamp(change, BONE)) < 1e-7


def test_limits_that_are_none_are_told():
    with pytest.raises(ValueError, match="swing must be 0 to 3.14159"):
        BallLimit(-0.1)
    with pytest.raises(ValueError, match="two limits of twist must be angles from -pi to pi"):
        BallLimit(1.0, (0.5, 0.1))
    with pytest.raises(ValueError, match="two limits of angle must be angles from -pi to pi"):
        HingeLimit((1.0, 0.0, 0.0), (0.0, 4.0))
    with pytest.raises(ValueError, match="must be a vector of finite length above 0"):
        HingeLimit((0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="swing must be"):
        BallLimit(math.nan)
