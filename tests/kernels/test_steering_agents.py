"""From actors to agents and back, against plain numpy."""

import numpy as np
import pytest

from ecs_anim.body.movers import CLIP, STEERED, VELOCITY
from ecs_anim.kernels.steering_agents import join_agents, take_choices
from ecs_anim.steering.agents import NOBODY, STUCK, new_agents
from ecs_anim.steering.own import PARAMETER_COUNT

KINDS = np.array([STEERED, VELOCITY, CLIP, STEERED], np.int32)
WAYPOINTS = np.array([[5, 0], [5, 5]], np.float32)
FACING, BEGIN, MODEL = 0.3, 2, 1
COUNT = len(KINDS)


@pytest.fixture
def crowd():
    """Placement, movers and steering of four actors."""
    rng = np.random.default_rng(1)

    def real(*shape):
        return rng.uniform(-3, 3, shape).astype(np.float32)

    turn = rng.uniform(-3, 3, COUNT)
    rotation = np.zeros((COUNT, 4), np.float32)
    rotation[:, 1], rotation[:, 3] = np.sin(turn / 2), np.cos(turn / 2)
    placement = real(COUNT, 3), rotation, np.ones(COUNT, np.float32)
    movers = (
        KINDS.copy(),
        np.full(COUNT, -1, np.int32),
        real(COUNT, 2),
        real(COUNT, 3),
        np.zeros((COUNT, 2), np.float32),
    )
    offset = real(COUNT, 2) * np.float32(0.1)
    steering = (
        WAYPOINTS[0] + offset,
        offset,
        np.zeros(COUNT, np.int32),
        np.full(COUNT, 1.3, np.float32),
        np.full(COUNT, 0.2, np.float32),
        np.tile(np.array([0, 1], np.float32), (COUNT, 1)),
        np.abs(real(COUNT, PARAMETER_COUNT)) + np.float32(0.5),
        np.zeros(COUNT, np.int32),
        np.ones(COUNT, np.float32),
        np.zeros((COUNT, 2), np.float32),
        np.full(COUNT, -1, np.int32),
        real(COUNT, 3),
        np.array([0.0, 2.0, 2.0, 11.9], np.float32),
        np.zeros(COUNT, np.int32),
    )
    return turn, placement, movers, steering


def joined(placement, movers, steering, model=MODEL):
    agents = new_agents(BEGIN + COUNT + 1)
    actors = np.arange(COUNT), np.arange(COUNT) + 2**40
    join_agents(FACING, model, 0, actors, placement, movers, steering, BEGIN, tuple(agents))
    assert not agents.seen[:BEGIN].any()
    assert not agents.seen[BEGIN + COUNT :].any()
    return type(agents)(*(column[BEGIN : BEGIN + COUNT] for column in agents))


def test_agents_are_what_actors_are(crowd):
    turn, placement, movers, steering = crowd
    agents = joined(placement, movers, steering)
    position = placement[0][:, [0, 2]]
    np.testing.assert_array_equal(agents.seen[:, :2], position * [1, -1])
    moving = np.isin(KINDS, (STEERED, VELOCITY))[:, None]
    np.testing.assert_array_equal(agents.seen[:, 2:4], np.where(moving, movers[2] * [1, -1], 0).astype(np.float32))
    faced = np.stack([np.sin(turn + FACING), np.cos(turn + FACING)], axis=-1)
    ahead = np.where((KINDS == STEERED)[:, None], [0, 1], faced)
    np.testing.assert_allclose(agents.seen[:, 4:6], ahead * [1, -1], atol=1e-6)
    np.testing.assert_allclose(steering[5], ahead, atol=1e-6)
    np.testing.assert_array_equal(agents.own[:, :3], steering[11] * np.array([1, -1, 1], np.float32))
    np.testing.assert_array_equal(agents.parameters, steering[6])
    np.testing.assert_array_equal(agents.own[:, STUCK], steering[12])
    assert agents.identity.tolist() == [[MODEL if k == STEERED else NOBODY, n, 0] for n, k in enumerate(KINDS)]


def test_those_who_lean_go_beside_their_way(crowd):
    _, placement, movers, steering = crowd
    steering[11][:, :2], steering[9][3] = [1.0, 0.0], [0.3, -0.4]
    leant = np.array([1.3, -0.4]) / np.hypot(1.3, 0.4)
    agents = joined(placement, movers, steering)
    np.testing.assert_allclose(agents.own[:, :2] * [1, -1], [[1, 0], [1, 0], [1, 0], leant], atol=1e-6)


def test_choices_reach_those_who_steer_alone(crowd):
    _, _, movers, steering = crowd
    agents, velocity, faces = new_agents(BEGIN + COUNT), movers[2].copy(), steering[5].copy()
    agents.chosen[:] = np.arange(agents.chosen.size).reshape(-1, 4)
    agents.identity[BEGIN:, 0] = [MODEL, NOBODY, NOBODY, MODEL]
    take_choices(tuple(agents), BEGIN, np.full(BEGIN + COUNT, 0.05, np.float32), np.arange(COUNT), movers, steering)
    for row in (0, 3):
        velocity[row] = agents.chosen[BEGIN + row, :2] * [1, -1]
        faces[row] = agents.chosen[BEGIN + row, 2:] * [1, -1]
    np.testing.assert_array_equal(movers[2], velocity)
    np.testing.assert_array_equal(steering[5], faces)


@pytest.mark.parametrize(
    ("share", "wanted"),
    [(0.0, [0.05, 11.95]), (0.05, [0.025, 11.925]), (0.1, [0, 11.9]), (1.0, [0, 11.45]), (-1.0, [0.55, 12])],
)
def test_who_hardly_gets_on_is_stuck_the_longer(crowd, share, wanted):
    _, _, movers, steering = crowd
    agents, way, stuck = new_agents(BEGIN + COUNT), steering[11], steering[12]
    agents.identity[BEGIN:, 0] = [MODEL, NOBODY, NOBODY, MODEL]
    way[:] = [[0.6, 0.8, 1.5]] * COUNT
    agents.chosen[BEGIN:, :2] = share * 1.5 * np.array([0.6, -0.8]) + [0.8, 0.6]  # aside counts for nothing
    take_choices(tuple(agents), BEGIN, np.full(BEGIN + COUNT, 0.05, np.float32), np.arange(COUNT), movers, steering)
    np.testing.assert_allclose(stuck, [wanted[0], 2.0, 2.0, wanted[1]], atol=1e-5)
    way[:, 2] = 0.0
    take_choices(tuple(agents), BEGIN, np.full(BEGIN + COUNT, 0.05, np.float32), np.arange(COUNT), movers, steering)
    np.testing.assert_array_equal(stuck, [0.0, 2.0, 2.0, 0.0])  # those who are to stand


def test_a_crowd_whose_turn_it_is_not_is_seen_alone(crowd):
    _, placement, movers, steering = crowd
    assert (joined(placement, movers, steering, model=NOBODY).identity[:, 0] == NOBODY).all()
