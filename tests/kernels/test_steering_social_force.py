"""Social force model, against the formulas in plain numpy, against scipy, and against JuPedSim."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ecs_anim.walls.build import walls_from_text
from tests.helpers import FEW
from tests.kernels.test_steering import agents_of, crowd, steered
from tests.oracles.social_force import acceleration, stepped
from tests.oracles.steering import Person

NAME = "social_force"
DT = 0.01
EAST, STILL = np.array([1.0, 0.0]), np.zeros(2)


def person(x, y, velocity=(0.0, 0.0), wants=EAST, **changes):
    own = {name: float(value) for name, value in defaults().items()}
    velocity = np.asarray(velocity, float)
    return Person(np.array([x, y], float), velocity, EAST, np.asarray(wants, float), 0.25, 1.2, own, **changes)


def defaults():
    from ecs_anim.steering.models import MODELS

    return MODELS[NAME].parameters


def chosen(people, walls=None):
    return steered(agents_of(people, NAME), NAME, walls, dt=DT)[:, :2]


@pytest.mark.exhaustive
@pytest.mark.parametrize("wider", [0.0, 0.06])
def test_velocities_after_a_step_follow_the_formulas(wider):
    people = [replace(one, radius=one.radius + wider) for one in crowd(NAME, side=9.0, count=FEW or 240)]
    near = [[o for o in people if o is not one and np.linalg.norm(o.position - one.position) < 3] for one in people]
    touching = sum(
        any(np.linalg.norm(o.position - one.position) < one.radius + o.radius for o in others)
        for one, others in zip(people, near, strict=True)
    )
    assert (touching > len(people) / 4) == (wider > 0)
    free = [rubs(one, others) < one.parameters["mass"] / DT for one, others in zip(people, near, strict=True)]
    expected = np.array([stepped(one, others, DT) for one, others in zip(people, near, strict=True)])
    np.testing.assert_allclose(chosen(people)[free], expected[free], atol=2e-3 if wider else 2e-5)


def rubs(one, others):
    """Friction per sliding speed [kg/s]."""
    depths = [one.radius + o.radius - np.linalg.norm(o.position - one.position) for o in others]
    return one.parameters["friction"] * sum(max(0.0, depth) for depth in depths)


def test_friction_removes_no_more_than_the_sliding_speed():
    one, other = person(0, 0, (1.0, 0.0)), person(0, 0.3, (0.0, 0.0))  # 0.2 m overlap: 600 /s
    assert rubs(one, [other]) * DT > 5 * 80
    expected = 1.0 + DT * (1.2 - 1.0) / 0.5 - 1.0
    assert chosen([one, other])[0, 0] == pytest.approx(max(expected, 0.0), abs=0.01)


def test_people_behind_push_less_with_a_rear_weight():
    behind, ahead = person(-0.7, 0.0), person(0.7, 0.0)
    one = person(0.0, 0.0)
    one.parameters["rear_weight"] = 0.5
    free = DT * 1.2 / 0.5
    push = [chosen([one, other])[0, 0] - free for other in (behind, ahead)]
    assert push[1] < 0 < push[0]
    assert push[0] / -push[1] == pytest.approx(0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("wkt", "points"),
    [
        ("POLYGON ((0 0, 8 0, 8 4, 0 4, 0 0))", [(0.28, 0.0), (0.0, 0.3)]),
        ("POLYGON ((0 0, 0.28 0, 8 0, 8 4, 0 4, 0 0))", [(0.28, 0.0), (0.0, 0.3)]),  # two parts of a straight wall
        (
            "POLYGON ((-5 -5, 9 -5, 9 9, -5 9, -5 -5), (0.5 0.55, 2 0.55, 2 2, 0.5 2, 0.5 0.55))",
            [(0.5, 0.55)],
        ),  # corner
    ],
)
def test_each_wall_that_faces_a_person_pushes_once(wkt, points):
    one = person(0.28, 0.3, (0.3, -0.2))
    found = chosen([one], walls_from_text(wkt).arrays)[0]
    np.testing.assert_allclose(found, stepped(one, [], DT, np.array(points)), atol=2e-4)


def test_nobody_goes_through_a_wall():
    walls = walls_from_text("POLYGON ((0 0, 8 0, 8 4, 0 4, 0 0))").arrays
    one = person(0.13, 2.0, (-1.5, 0.0))
    one.parameters["strength"] = one.parameters["body_force"] = 1e-3
    velocity = chosen([one], walls)[0]
    assert 0.13 + DT * velocity[0] >= 0.125 - 1e-6  # half of the radius


@pytest.mark.exhaustive
def test_small_steps_approach_the_solution_of_the_differential_equation():
    people = [person(0.0, 0.0, (1.2, 0.0)), person(3.0, 0.1, (-1.2, 0.0), wants=-EAST), person(1.4, -0.6)]

    def slope(_, state):
        x, v = state.reshape(2, 3, 2)
        now = [replace(p, position=x[n], velocity=v[n]) for n, p in enumerate(people)]
        a = [acceleration(p, [o for o in now if o is not p]) for p in now]
        return np.concatenate([v.ravel(), np.ravel(a)])

    begin = np.array([[p.position for p in people], [p.velocity for p in people]])
    exact = solve_ivp(slope, (0, 1.5), begin.ravel(), rtol=1e-10, atol=1e-12).y[:, -1].reshape(2, 3, 2)[0]
    off = [np.abs(walked(people, dt, 1.5) - exact).max() for dt in (0.01, 0.005)]
    assert off[0] < 0.02
    assert off[1] / off[0] == pytest.approx(0.5, abs=0.1)  # first order


def walked(people, dt, seconds, goals=None):
    """Positions after some steps of the kernel."""
    agents = agents_of(people, NAME)
    for _ in range(round(seconds / dt)):
        if goals is not None:
            to = goals - agents.seen[:, :2]
            agents.own[:, :2] = to / np.linalg.norm(to, axis=1, keepdims=True)
        agents.seen[:, 2:6] = steered(agents, NAME, dt=dt)
        agents.seen[:, :2] += np.float32(dt) * agents.seen[:, 2:4]
    return agents.seen[:, :2].astype(float)


@pytest.mark.parametrize("count", [2, 20])
def test_people_walk_as_in_jupedsim(count):
    """JuPedSim steps in float64. Its walls are far; it has no limit of speeds and of friction."""
    jps = pytest.importorskip("jupedsim", reason="JuPedSim is not installed")
    rng, people = np.random.default_rng(count), []
    for number in range(count):
        x, y = 1.1 * (number % 5) + rng.uniform(-0.2, 0.2), 1.1 * (number // 5) + rng.uniform(-0.2, 0.2)
        people.append(person(x, y))
    goals = np.where(rng.random((count, 1)) < 0.5, [[20.0, 2.0]], [[-16.0, 2.5]])
    simulation = jps.Simulation(
        model=jps.SocialForceModel(), geometry=[(-40, -40), (40, -40), (40, 40), (-40, 40)], dt=DT
    )
    for one, goal in zip(people, goals, strict=True):
        stage = simulation.add_waypoint_stage(tuple(goal), 0.1)
        journey = simulation.add_journey(jps.JourneyDescription([stage]))
        simulation.add_agent(
            jps.SocialForceModelAgentParameters(
                position=tuple(one.position), desired_speed=1.2, radius=0.25, journey_id=journey, stage_id=stage
            )
        )
    for _ in range(300):
        simulation.iterate()
    theirs = np.array([agent.position for agent in simulation.agents()])
    np.testing.assert_allclose(walked(people, DT, 3.0, goals), theirs, atol=1e-3)
