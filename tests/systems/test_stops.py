"""Stops: waiting places, holds, and transitions to next goals, as the stages of JuPedSim have them."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.steering.columns import WAITS
from ecs_anim.support.errors import InputError
from tests.helpers import FEW
from tests.systems.test_steering_world import component, plan, steps

pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
PLACES = [[8.0, 2.0], [8.0, 1.0], [8.0, 0.0], [8.0, -1.0]]


def scene(goals, count=4, more="", steering="leave = true"):
    return f"""
seed = 2
[rigs.people]
model = "mannequin"
{more}
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 1.0, columns = 2 }}
path = "baked"
[crowds.steering]
{steering}
waypoint_radius = 0.5
goals = [{goals}]
"""


PLATFORM = (
    f'{{ name = "platform", at = [8.0, 0.5], places = {PLACES}, hold = true }}, {{ name = "train", at = [14, 0] }}'
)


def waiting(world):
    return component(world, Journeys).stage == WAITS


@pytest.mark.exhaustive
def test_actors_take_the_places_in_order_and_keep_them():
    with ea.load_scene(scene(PLATFORM)) as world:
        steps(world, 20.0)
        (people,) = ea.crowds(world)
        assert waiting(world).all()
        at = plan(people)
        apart = np.linalg.norm(at[:, None] - np.array(PLACES), axis=-1)
        assert sorted(apart.argmin(axis=1).tolist()) == [0, 1, 2, 3]
        assert apart.min(axis=1).max() < 0.15
        people.remove([int(apart[:, 0].argmin())])
        steps(world, 4.0)
        apart = np.linalg.norm(plan(people)[:, None] - np.array(PLACES), axis=-1)
        assert sorted(apart.argmin(axis=1).tolist()) == [1, 2, 3]
        people.add(1, positions=[[0.0, 0.0]])
        steps(world, 10.0)
        apart = np.linalg.norm(plan(people)[:, None] - np.array(PLACES), axis=-1)
        assert int(apart[-1].argmin()) == 0


@pytest.mark.exhaustive
def test_actors_without_a_free_place_wait_and_take_the_next_free_place():
    with ea.load_scene(scene(PLATFORM, count=6)) as world:
        steps(world, 20.0)
        (people,) = ea.crowds(world)
        assert waiting(world).all()
        at_last = np.linalg.norm(plan(people) - PLACES[-1], axis=1) < 1.5
        assert at_last.sum() >= 3
        first = int(np.linalg.norm(plan(people) - PLACES[0], axis=1).argmin())
        people.remove([first])
        steps(world, 6.0)
        assert np.linalg.norm(plan(people) - PLACES[0], axis=1).min() < 0.15


@pytest.mark.exhaustive
def test_a_release_lets_the_first_go_and_an_open_goal_lets_all_go():
    with ea.load_scene(scene(PLATFORM)) as world:
        steps(world, 20.0)
        (people,) = ea.crowds(world)
        second = int(np.linalg.norm(plan(people) - PLACES[1], axis=1).argmin())
        first = int(np.linalg.norm(plan(people) - PLACES[0], axis=1).argmin())
        goes = {int(people.ids[first]), int(people.ids[second])}
        people.release("platform", 2)
        steps(world, 0.5)
        assert {int(people.ids[row]) for row in np.flatnonzero(component(world, Steering).waypoint == 1)} == goes
        people.release("platform")
        people.add(1, positions=[[0.0, 0.0]])
        steps(world, 14.0)
        assert people.actor_count == 0
        people.hold("platform")
        people.add(1, positions=[[0.0, 0.0]])
        steps(world, 14.0)
        assert waiting(world).tolist() == [True]


@pytest.mark.exhaustive
def test_the_timeline_releases_and_holds():
    more = '[[timeline]]\nat_seconds = 14.0\nrelease = "platform"\nrelease_count = 1\n'
    more += '[[timeline]]\nat_seconds = 16.0\nrelease = "platform"\n'
    more += '[[timeline]]\nat_seconds = 17.0\nhold = "platform"\n'
    with ea.load_scene(scene(PLATFORM, more=more)) as world:
        steps(world, 13.9)
        assert waiting(world).sum() == 4
        steps(world, 1.1)
        assert waiting(world).sum() == 3
        steps(world, 10.0)
        (people,) = ea.crowds(world)
        assert people.actor_count == 0
        people.add(1, positions=[[4.0, 0.0]])
        steps(world, 8.0)
        assert waiting(world).sum() == 1


@pytest.mark.exhaustive
def test_a_queue_that_holds_moves_up_after_each_release():
    goals = '{ name = "desk", at = [6.0, 0.0], queue = [-0.8, 0.0], hold = true }, { at = [14.0, 0.0] }'
    with ea.load_scene(scene(goals)) as world:
        steps(world, 20.0)
        (people,) = ea.crowds(world)
        np.testing.assert_allclose(np.sort(plan(people)[:, 0]), [3.6, 4.4, 5.2, 6.0], atol=0.2)
        people.release("desk", 1)
        steps(world, 3.0)
        queued = np.sort(plan(people)[waiting(world), 0])
        np.testing.assert_allclose(queued, [4.4, 5.2, 6.0], atol=0.2)


DOORS = '{ name = "a", at = [9.0, 4.0] }, { name = "b", at = [9.0, 0.0] }, { name = "c", at = [9.0, -4.0] }'


def targets(world, seconds):
    """Return the second goals of the actors, in the order in which they have taken these goals."""
    (people,) = ea.crowds(world)
    found = {}
    for _ in range(round(seconds * 60)):
        world.step(1 / 60, posed=False)
        for actor, goal in zip(people.ids.tolist(), component(world, Steering).waypoint.tolist(), strict=True):
            if goal > 0:
                found.setdefault(actor, goal)
    return [*found.values()]


@pytest.mark.exhaustive
def test_next_goals_in_turn_with_weights_are_as_in_jupedsim():
    goals = f"{{ at = [4.0, 0.0], next = {{ a = 3, b = 1, c = 2 }} }}, {DOORS}"
    with ea.load_scene(scene(goals, count=12, steering="leave = false")) as world:
        found = targets(world, 12.0)
    assert found == [1, 1, 1, 2, 3, 3] * 2
    assert found == jupedsim_targets("round_robin", 12)


@pytest.mark.exhaustive
def test_least_targeted_goals_are_as_in_jupedsim():
    goals = f'{{ at = [4.0, 0.0], next = ["a", "b", "c"], next_choice = "least_targeted" }}, {DOORS}'
    with ea.load_scene(scene(goals, count=9, steering="leave = false")) as world:
        found = targets(world, 12.0)
    assert np.bincount(found).tolist() == [0, 3, 3, 3]
    assert np.bincount(jupedsim_targets("least_targeted", 9)).tolist() == [0, 3, 3, 3]


def jupedsim_targets(kind, count):
    """Return the second stages, 1 to 3, that JuPedSim gives to agents in the order of their choice."""
    jps = pytest.importorskip("jupedsim")
    simulation = jps.Simulation(model=jps.CollisionFreeSpeedModel(), geometry=[(-20, -8), (20, -8), (20, 8), (-20, 8)])
    first = simulation.add_waypoint_stage((4.0, 0.0), 0.5)
    doors = [simulation.add_waypoint_stage((15.0, y), 0.5) for y in (6.0, 0.0, -6.0)]
    make = jps.Transition.create_round_robin_transition
    transition = (
        make(list(zip(doors, (3, 1, 2), strict=True)))
        if kind == "round_robin"
        else jps.Transition.create_least_targeted_transition(doors)
    )
    description = jps.JourneyDescription([first, *doors])
    description.set_transition_for_stage(first, transition)
    journey = simulation.add_journey(description)
    for number in range(count):
        own = jps.CollisionFreeSpeedModelAgentParameters(
            journey_id=journey, stage_id=first, position=(2.0 - 1.2 * number, 0.0)
        )
        simulation.add_agent(own)
    found = {}
    for _ in range(4000):
        simulation.iterate()
        for agent in simulation.agents():
            if agent.stage_id in doors:
                found.setdefault(agent.id, 1 + doors.index(agent.stage_id))
        if len(found) == count:
            break
    return [*found.values()]


@pytest.mark.exhaustive
def test_a_snapshot_continues_with_the_same_bits(tmp_path):
    goals = f"{{ at = [4.0, 0.0], next = {{ a = 3, b = 1, c = 2 }} }}, {DOORS}"
    text = scene(goals, count=12)
    with ea.load_scene(text) as world:
        steps(world, 4.0)
        world.save(tmp_path / "x.npz")
        steps(world, 3.0)
        expected = plan(ea.crowds(world)[0])
    with ea.load_world(tmp_path / "x.npz", text) as world:
        steps(world, 3.0)
        np.testing.assert_array_equal(plan(ea.crowds(world)[0]), expected)


@pytest.mark.parametrize(
    ("goals", "steering", "message"),
    [
        ("{ at = [4, 0], hold = true }", "", "a goal with hold = true needs a name"),
        ('{ at = [4, 0], next = "x" }, { name = "a", at = [5, 0] }', "", r"goals\[0\].next: there is no goal 'x'"),
        (
            '{ at = [4, 0], next = "a" }, { name = "a", at = [5, 0] }',
            'exit_choice = "nearest"',
            "with the key next, actors must visit goals in turn",
        ),
        (
            '{ name = "a", at = [4, 0], next = "a" }, { name = "a", at = [5, 0] }',
            "",
            "two goals must not have the name 'a'",
        ),
        (
            "{ at = [4, 0], places = [[1, 1]], queue = [1, 0], wait_seconds = 1 }",
            "",
            "can have waiting places or a queue",
        ),
        ('{ at = [4, 0], next = { a = 0 } }, { name = "a", at = [5, 0] }', "", "next"),
        (
            '{ at = [4, 0], next = ["a", "b"] }, { name = "a", at = [5, 0] }, { name = "b", at = [5, 0] }',
            "groups = { sizes = [0, 1] }",
            "the members of a group could go to different goals",
        ),
    ],
)
def test_errors(goals, steering, message):
    with pytest.raises(InputError, match=message):
        ea.load_scene(scene(goals, steering=steering))


def test_errors_of_names():
    with pytest.raises(InputError, match=r"timeline\[0\].release: there is no goal with hold = true 'plat'"):
        ea.load_scene(scene(PLATFORM, more='[[timeline]]\nat_seconds = 1.0\nrelease = "plat"\n'))
    with ea.load_scene(scene(PLATFORM)) as world:
        (people,) = ea.crowds(world)
        with pytest.raises(InputError, match="has no goal that holds actors with the name 'train'"):
            people.release("train")
        with pytest.raises(ValueError, match="count must be at least 0"):
            people.release("platform", -1)
