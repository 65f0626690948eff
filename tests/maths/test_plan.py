"""Conversions between the plan, space and headings."""

import numpy as np
import pytest

from ecs_anim.maths import plan

COMPASS = {  # direction on the plan: heading, yaw [degrees]
    (1, 0): (0, 90),
    (0, 1): (90, 180),
    (-1, 0): (180, -90),
    (0, -1): (-90, 0),
}


def test_north_is_behind_in_space():
    np.testing.assert_array_equal(plan.space_from_plan([[3.0, 4.0], [0.0, 0.0]], [1.0, 2.0]), [[3, 1, -4], [0, 2, 0]])
    np.testing.assert_array_equal(plan.plan_from_space(np.array([3.0, 1.0, -4.0])), [3, 4])


def test_a_turn_to_the_left_on_the_plan_is_one_in_space():
    east, north = plan.space_from_plan(np.eye(2))
    np.testing.assert_array_equal(np.cross(east, north), [0, 1, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_points_keep_their_bits_and_zero_keeps_its_sign(dtype):
    points = np.random.default_rng(1).uniform(-1e4, 1e4, (50, 2)).astype(dtype)
    points[0] = 0
    there = plan.space_from_plan(points)
    back = plan.plan_from_space(there.astype(dtype))
    assert back.dtype == dtype
    np.testing.assert_array_equal(back, points)
    assert not np.signbit(there[0]).any()
    assert not np.signbit(back[0]).any()


@pytest.mark.parametrize(("direction", "angles"), COMPASS.items())
def test_headings_count_from_east_and_yaws_from_south(direction, angles):
    heading, yaw = angles
    way = np.array(direction, np.float64)
    assert plan.heading_of_direction(way) == pytest.approx(np.radians(heading))
    assert plan.yaw_of_direction(way) == pytest.approx(np.radians(yaw))
    assert plan.heading_from_yaw(np.radians(yaw)) == pytest.approx(np.radians(heading))
    assert (plan.yaw_from_heading(np.radians(heading)) - np.radians(yaw)) % (2 * np.pi) == pytest.approx(0)
    assert plan.yaw_degrees_from_heading(heading) % 360 == yaw % 360
    np.testing.assert_allclose(plan.direction_of_heading(np.radians(heading)), way, atol=1e-12)


def test_a_yaw_turns_the_forward_axis_of_bodies_to_the_heading():
    headings = np.linspace(-3, 3, 7)
    yaws = plan.yaw_from_heading(headings)
    forward = np.stack([np.sin(yaws), np.zeros(7), np.cos(yaws)], axis=-1)
    np.testing.assert_allclose(plan.plan_from_space(forward), plan.direction_of_heading(headings), atol=1e-12)


def test_headings_are_above_minus_pi_and_at_most_pi():
    near = np.array([-np.pi, np.nextafter(-np.pi, 0), np.pi, np.nextafter(np.pi, 4), 3 * np.pi, -7.0, 0.3])
    found = plan.heading_from_yaw(plan.yaw_from_heading(near))
    assert (found > -np.pi).all()
    assert (found <= np.pi).all()
    np.testing.assert_allclose(np.exp(1j * found), np.exp(1j * near), atol=1e-12)
    assert plan.heading_of_direction(np.array([-1.0, -0.0])) == np.pi
