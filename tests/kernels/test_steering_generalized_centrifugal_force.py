"""Generalized centrifugal force model, against the formulas in plain numpy, and against JuPedSim."""

import numpy as np
import pytest

from ecs_anim.steering.agents import MODEL
from ecs_anim.steering.models import MODELS
from ecs_anim.walls.build import walls_from_text
from tests.helpers import FEW
from tests.kernels.test_steering import agents_of, crowd, steered
from tests.oracles.centrifugal_force import border, per_gap, stepped
from tests.oracles.steering import Person

NAME = "generalized_centrifugal_force"
DT = 0.01
EAST = np.array([1.0, 0.0])
DISC = {"length": 0.2, "stretch": 1e-9, "width": 0.2, "least_width": 0.2}


def person(x, y, velocity=(0.0, 0.0), wants=EAST):
    own = {name: float(value) for name, value in MODELS[NAME].parameters.items()}
    velocity = np.asarray(velocity, float)
    speed = np.linalg.norm(velocity)
    facing = velocity / speed if speed else np.asarray(wants, float)
    return Person(np.array([x, y], float), velocity, facing, np.asarray(wants, float), 0.15, 1.2, own)


def chosen(people, walls=None, agents=None):
    return steered(agents or agents_of(people, NAME), NAME, walls, dt=DT)


@pytest.mark.exhaustive
@pytest.mark.parametrize("side", [12.0, 30.0])
def test_velocities_after_a_step_follow_the_formulas(side):
    people = crowd(NAME, side=side, count=FEW or 240)
    near = [[o for o in people if o is not one and np.linalg.norm(o.position - one.position) < 3] for one in people]
    expected = np.array([stepped(one, others, DT) for one, others in zip(people, near, strict=True)])
    found = chosen(people)
    np.testing.assert_allclose(found[:, :2], expected, atol=2e-4)
    speed = np.linalg.norm(found[:, :2], axis=1, keepdims=True)
    np.testing.assert_allclose(found[:, 2:], found[:, :2] / speed, atol=1e-4)


@pytest.mark.exhaustive
def test_the_pairs_of_the_crowd_have_all_kinds_of_gaps():
    people = crowd(NAME, side=12.0, count=FEW or 240)
    gaps = np.array([gap(one, other) for one in people for other in people if one is not other])
    assert all(((gaps > low) & (gaps < high)).any() for low, high in ((-9, 0), (0, 0.1), (0.1, 1.9), (1.9, 2.0)))


def gap(one, other):
    offset = other.position - one.position
    size = np.linalg.norm(offset)
    return size - border(one, offset / size) - border(other, offset / size)


def test_the_repulsion_is_continuous_and_falls():
    steps = np.array([per_gap(value) for value in np.linspace(-0.1, 2.1, 4000)])
    assert (np.diff(steps) <= 1e-12).all()
    assert np.abs(np.diff(steps)).max() < 0.5
    assert (steps[0], steps[-1]) == (30.0, 0.0)


def test_walls_ahead_push_and_walls_behind_do_not():
    walls = walls_from_text("POLYGON ((0 0, 8 0, 8 4, 0 4, 0 0))").arrays
    one = person(7.0, 1.2, (1.0, -0.4))
    found = chosen([one], walls)[0, :2]
    np.testing.assert_allclose(found, stepped(one, [], DT, [(8.0, 1.2), (7.0, 0.0), (0.0, 1.2), (7.0, 4.0)]), atol=1e-4)
    assert found[0] < one.velocity[0] < stepped(one, [], DT)[0]


def test_people_with_other_models_are_discs():
    one, other = person(0.0, 0.0, (1.0, 0.0)), person(1.6, 0.2, (0.5, 0.0))
    agents = agents_of([one, other], NAME)
    agents.identity[1, MODEL] = -1
    found = chosen(None, agents=agents)[0, :2]
    other.parameters |= {"length": 0.15, "stretch": 1e-9, "width": 0.15, "least_width": 0.15}
    np.testing.assert_allclose(found, stepped(one, [other], DT), atol=1e-5)


def test_steps_are_those_of_jupedsim():
    """JuPedSim interpolates below a gap of 0.6 m, so the pairs of this test have larger gaps.

    JuPedSim measures the gap between two points that lie beside the line of the centres. Both gaps are equal for discs,
    and for ellipses whose axes are parallel to the line of the centres.
    """
    jps = pytest.importorskip("jupedsim", reason="JuPedSim is not installed")
    rng, compared = np.random.default_rng(1), 0
    while compared < 40:
        line, turn = rng.uniform(-np.pi, np.pi), rng.integers(4) * np.pi / 2
        is_disc = compared % 2 == 0
        one = person(0, 0, 1.1 * way(rng.uniform(-np.pi, np.pi) if is_disc else line))
        other = person(*rng.uniform(0.8, 3.0) * way(line), 0.7 * way(line + turn))
        if is_disc:
            one.parameters |= DISC
            other.parameters |= DISC
        if not 0.62 < gap(one, other) < 1.98 or (is_disc and one.facing @ other.position < 0):
            continue
        theirs = jupedsim_steps(jps, [one, other], 1)
        found = DT * chosen([one, other])[:, :2] + np.stack([one.position, other.position])
        np.testing.assert_allclose(found, theirs, atol=1e-6)  # rounding of float32 positions
        compared += 1


def way(angle):
    return np.array([np.cos(angle), np.sin(angle)])


def test_two_discs_pass_as_in_jupedsim():
    jps = pytest.importorskip("jupedsim", reason="JuPedSim is not installed")
    people = [person(0.0, 0.0, (1.2, 0.0)), person(6.0, 1.3, (-1.2, 0.0), -EAST)]
    for one in people:
        one.parameters |= DISC
    theirs = jupedsim_steps(jps, people, 350)
    agents = agents_of(people, NAME)
    for _ in range(350):
        to = np.array([[40.0, 0.0], [-34.0, 1.3]]) - agents.seen[:, :2]
        agents.own[:, :2] = to / np.linalg.norm(to, axis=1, keepdims=True)
        agents.seen[:, 2:6] = steered(agents, NAME, dt=DT)
        agents.seen[:, :2] += np.float32(DT) * agents.seen[:, 2:4]
    assert agents.seen[0, 0] > agents.seen[1, 0]
    assert abs(agents.seen[0, 1]) > 0.02
    np.testing.assert_allclose(agents.seen[:, :2], theirs, atol=1e-3)


def jupedsim_steps(jps, people, count):
    """Positions after some steps of JuPedSim, with the parameters of the people and goals that are 40 m away."""
    square = [(-80, -80), (80, -80), (80, 80), (-80, 80)]
    simulation = jps.Simulation(model=jps.GeneralizedCentrifugalForceModel(), geometry=square, dt=DT)
    for one in people:
        p = one.parameters
        stage = simulation.add_waypoint_stage(tuple(one.position + 40 * one.wants), 0.1)
        journey = simulation.add_journey(jps.JourneyDescription([stage]))
        simulation.add_agent(
            jps.GeneralizedCentrifugalForceModelAgentParameters(
                position=tuple(one.position),
                orientation=tuple(one.facing),
                speed=float(np.linalg.norm(one.velocity)),
                desired_direction=tuple(one.wants),
                desired_speed=one.speed,
                tau=p["relaxation"],
                a_v=p["stretch"],
                a_min=p["length"],
                b_min=p["least_width"],
                b_max=p["width"],
                journey_id=journey,
                stage_id=stage,
            )
        )
    for _ in range(count):
        simulation.iterate()
    return np.array([agent.position for agent in simulation.agents()])
