"""Axes of a body: rotations by scipy turn the measured axes alike."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.roles.axes import measured_axes
from ecs_anim.roles.roles import find_roles
from tests.roles.test_roles import body


def points_and_joints():
    rig = body({})
    return model_matrices(rig.skeleton, rig.skeleton.rest_pose)[..., 3], find_roles(rig).joints


def test_axes_turn_with_the_body_in_each_frame():
    points, joints = points_and_joints()
    turns = Rotation.random(20, random_state=3)
    axes = measured_axes(np.stack([turn.apply(points) for turn in turns]), joints)
    np.testing.assert_allclose(axes.up, turns.apply([0, 1, 0]), atol=1e-6)
    np.testing.assert_allclose(axes.left, turns.apply([1, 0, 0]), atol=1e-6)
    np.testing.assert_allclose(axes.ahead, turns.apply([0, 0, 1]), atol=1e-6)


@pytest.mark.parametrize("degrees", [0, 37, 90, 179, -120])
def test_a_standing_body_faces_the_angle_by_which_it_is_turned(degrees):
    points, joints = points_and_joints()
    axes = measured_axes(Rotation.from_euler("y", degrees, degrees=True).apply(points), joints)
    assert math.degrees(axes.facing) == pytest.approx(degrees, abs=1e-4)


@pytest.mark.parametrize("role", ["hips", "head"])
def test_a_missing_joint_leaves_the_axes_undefined(role):
    points, joints = points_and_joints()
    assert measured_axes(points, {own: joint for own, joint in joints.items() if own != role}) is None


def test_joints_in_one_place_leave_the_axes_undefined():
    points, joints = points_and_joints()
    assert measured_axes(np.zeros_like(points), joints) is None
