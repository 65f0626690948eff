"""Goals of feet that step: turns against matrices, and curves that have no edges."""

import numpy as np
import pytest

from ecs_anim.kernels import foot_goals
from tests.helpers import called_in

helpers = called_in(foot_goals)


def about_y(angle):
    return np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.0])
@pytest.mark.parametrize("pitch", [-0.6, 0.0, 0.3])
def test_a_foot_is_pitched_about_its_own_left_then_turned(heading, pitch):
    turn = 0.4
    raised = np.array([[1, 0, 0], [0, np.cos(pitch), np.sin(pitch)], [0, -np.sin(pitch), np.cos(pitch)]])
    wanted = about_y(turn) @ about_y(heading) @ raised @ about_y(-heading)
    f = np.float32
    found = helpers.pitched_and_turned(
        f(np.sin(turn)), f(np.cos(turn)), f(np.sin(heading)), f(np.cos(heading)), f(np.sin(pitch))
    )
    np.testing.assert_allclose(np.reshape(found, (3, 3)), wanted, atol=1e-6)


@pytest.mark.parametrize("ease", [0.1, 1.0])
def test_the_greater_of_two_is_rounded_off_where_they_are_near(ease):
    apart = np.linspace(-2, 2, 401)
    found = np.array([helpers.greater(np.float32(a), np.float32(0.3), np.float32(ease)) for a in 0.3 + apart])
    exact = np.maximum(apart, 0) + 0.3
    far = np.abs(apart) > ease + 1e-6
    np.testing.assert_allclose(found[far], exact[far], atol=1e-6)
    assert (found >= exact - 1e-6).all()
    assert found.max() == pytest.approx(exact.max())
    assert found[200] == pytest.approx(0.3 + ease / 4)
    assert np.abs(np.diff(found, n=2)).max() < 1.1 * (0.01**2) / (2 * ease) + 1e-6  # no edge


def test_a_foot_that_is_left_behind_rolls_onto_its_ball():
    def rise(own, behind):
        return float(helpers._rolled(*map(np.float32, (own, behind, 0.17, 0.85))))

    assert rise(0.0, -0.1) == 0.0  # ahead of the hip it stays flat
    assert rise(0.05, -0.2) == pytest.approx(0.05)  # or as the clip has it, its ball up
    assert rise(-0.15, 0.1) == pytest.approx(-0.15)  # the clip's own heel may be up more
    rises = [-rise(0.0, behind) for behind in np.linspace(0.05, 0.4, 8)]
    assert (np.diff(rises) > 0.01).all()
    assert -rise(0.0, 2.0) < 0.17  # never steeper than a foot can be
    assert -rise(-0.17, 2.0) == pytest.approx(0.17)


def test_swings_begin_and_end_still():
    shares = np.array([helpers._swung(np.float32(t)) for t in np.linspace(0, 1, 201)])
    assert shares[0] == 0
    assert shares[-1] == 1
    assert (np.diff(shares) >= 0).all()
    assert max(shares[1], 1 - shares[-2]) < 1e-3
