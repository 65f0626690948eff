"""Contacts: nobody goes into others or walls, and those who stand in each other part."""

import numpy as np
import pytest

from ecs_anim.steering.agents import new_agents
from ecs_anim.steering.models import MODELS
from ecs_anim.walls.build import walls_from_text
from tests.helpers import FEW
from tests.kernels.test_steering import ANTICIPATION, DT, EACH, agents_of, crowd, steered

# The generalized centrifugal force has no contact force: bodies can overlap by some centimetres.
SOFT = "generalized_centrifugal_force"
EACH_WITH_CONTACTS = pytest.mark.parametrize("model", [name for name in MODELS if name != SOFT])


@pytest.mark.exhaustive
@EACH_WITH_CONTACTS
def test_nobody_steps_into_others_however_they_go(model):
    """A pair exactly; in a crowd what holds off one may lead a little into another."""
    rng = np.random.default_rng(2)
    for _ in range(FEW or 200):
        people = crowd(model, 2, side=0.8, seed=rng.integers(1 << 30))
        assert room_after_a_turn(people, model) > -1e-5
    assert room_after_a_turn(crowd(model, side=9.0), model) > -0.01


@pytest.mark.exhaustive
@EACH
def test_walls_turn_nobody_into_others(model):
    walls = walls_from_text("POLYGON ((0 0, 1.3 0, 1.3 1.3, 0 1.3, 0 0))").arrays
    rng, turned = np.random.default_rng(5), 0
    for _ in range(FEW or 300):
        people = crowd(model, 2, side=0.8, seed=rng.integers(1 << 30))
        shift = rng.uniform(0.2, 0.3) - np.min([person.position for person in people], axis=0)
        for person in people:
            person.position = np.float32(person.position + shift)
        if max(person.position.max() for person in people) < 1.1:
            assert room_after_a_turn(people, model, walls) > -1e-5
            turned += 1
    assert turned > (0 if FEW else 30)


def room_after_a_turn(people, model, walls=None):
    """The least gap between two [m], when all went on as they chose."""
    velocities = steered(agents_of(people, model), model, walls)[:, :2]
    after = np.array([person.position for person in people]) + DT * velocities
    apart = np.linalg.norm(after[:, None] - after, axis=-1) + 9 * np.eye(len(people))
    radii = np.array([person.radius for person in people])
    return (apart - radii[:, None] - radii).min()


@EACH_WITH_CONTACTS
def test_those_who_overlap_part(model):
    rng = np.random.default_rng(8)
    agents = new_agents(40)
    agents.seen[:, :2], agents.seen[:, 4], agents.seen[:, 6] = rng.uniform(0, 1.5, (40, 2)), 1.0, 0.2
    agents.seen[3, :2] = agents.seen[4, :2]
    agents.own[:, 0] = 1.0
    MODELS[model].records(agents.parameters)[:] = tuple(MODELS[model].parameters.values())
    agents.identity[:, 1] = np.arange(40)
    for turn in range(400):
        agents.seen[:, :2] += steered(agents, model, turn=turn)[:, :2] * np.float32(DT)
    apart = np.linalg.norm(agents.seen[:, None, :2] - agents.seen[None, :, :2], axis=-1) + np.eye(40)
    assert apart.min() > 0.4 * 0.95


def test_nobody_walks_through_a_wall():
    walls = walls_from_text("POLYGON ((0 0, 6 0, 6 6, 0 6, 0 0))").arrays
    agents = agents_of(crowd(ANTICIPATION, 30, side=5.0, walls=walls), ANTICIPATION)
    agents.seen[:, :2] = np.clip(agents.seen[:, :2], 0.3, 5.7)
    agents.own[:, :2] = 1.0, 0.0
    for turn in range(300):
        chosen = steered(agents, ANTICIPATION, walls, turn=turn)
        agents.seen[:, :2] += chosen[:, :2] * np.float32(DT)
        agents.seen[:, 2:6] = chosen
    assert (agents.seen[:, :2] > 0.1).all()
    assert (agents.seen[:, :2] < 5.9).all()
    assert agents.seen[:, 0].max() > 5.5
