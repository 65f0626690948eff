"""Events of states, feet and goals: the handlers get what an observer of states and positions finds by itself."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.state import SWING
from ecs_anim.components.body import Body
from ecs_anim.components.clip_events import ClipEvents
from ecs_anim.components.controller import Controller
from ecs_anim.components.foot_contacts import FootContacts
from ecs_anim.components.foot_notes import FootNotes
from ecs_anim.components.steering import Steering
from ecs_anim.systems.joints import joint_matrices

DT = 1 / 60
HEAD = """
rigs.people.model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
"""
MACHINE = (
    HEAD
    + """
count = 60
parameters = { hurry = [0.0, 1.0] }
triggers = ["greet", "again"]
clips = [
    { name = "walk", event_seconds = { step = [0.0, 0.5] } },
    { name = "run" },
    { name = "wave", loop = false, phase = 0.0 },
]
[crowds.controller]
start = "stroll"
states = { stroll = "walk", hurry = "run", greet = "wave" }
transitions = [
    { from = "stroll", to = "hurry", when = ["hurry > 0.5", "elapsed > 0.3"] },
    { from = "hurry", to = "stroll", when = ["elapsed > 0.5"] },
    { from = "greet", to = "greet", when = ["again"] },
    { from = "any", to = "greet", when = ["greet"] },
    { from = "greet", to = "stroll", when = ["finished"] },
]
"""
)
STEER = HEAD + "body = {}\nlayout = { kind = 'points', points = [[0, 0], [0, 6]] }\ncount = 2\nsteering = "


def listened(world, *names):
    """Return a list that gets the events of a world, as pairs of name and event."""
    heard = []
    for name in names:
        world.on(name, lambda event, name=name: heard.append((name, event)))
    return heard


def near(world, goal, actor=0):
    """Return whether an actor is nearer than 1 m to a goal."""
    return float(np.hypot(*(ea.crowd(world, "people").positions[actor] - goal))) < 1.0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("threads", "chunk_size"), [(1, 8192), (2, 16)])
def test_state_changes_are_the_differences_of_the_states(threads, chunk_size):
    steps = [DT, 0.1, 0.0, 0.02, 0.2] * 30
    with ea.load_scene(MACHINE, threads=threads, chunk_size=chunk_size) as world:
        people, heard = ea.crowd(world, "people"), listened(world, "state_change")
        changes = 0
        for number, dt in enumerate(steps):
            if number % 7 == 0:
                people.trigger(slice(number % 10, None, 10), "greet")
            if number % 13 == 0:
                people.remove([3])
                people.add(1)
            before = dict(zip(people.ids.tolist(), people.states(), strict=True))
            world.step(dt)
            after = dict(zip(people.ids.tolist(), people.states(), strict=True))
            expected = {(i, before[i], after[i]) for i in after if before[i] != after[i]}
            found = [(i, e.left, e.entered) for _, e in heard for i in e.ids.tolist()]
            assert sorted(found) == sorted(expected)
            for _, event in heard:
                assert (event.crowd, event.time) == ("people", world.time)
                np.testing.assert_array_equal(people.ids[event.actors], event.ids)
            changes += len(found)
            heard.clear()
        assert changes > 200


@pytest.mark.parametrize("dt", [0.0, DT])
def test_a_transition_to_the_own_state_is_a_change(dt):
    with ea.load_scene(MACHINE, threads=1) as world:
        people, heard = ea.crowd(world, "people"), listened(world, "state_change")
        people.trigger([4], "greet")
        world.step(DT)
        world.step(DT)
        people.trigger([4], "again")
        heard.clear()
        world.step(dt)
        assert [(e.left, e.entered, e.actors.tolist()) for _, e in heard] == [("greet", "greet", [4])]


def test_steps_of_no_time_after_a_transition_report_it_once():
    with ea.load_scene(MACHINE, threads=1) as world:
        people, heard = ea.crowd(world, "people"), listened(world, "state_change")
        people.trigger([4], "greet")
        for _ in range(3):
            world.step(0.0)
        assert len(heard) == 1


@pytest.mark.exhaustive
def test_a_goal_is_reached_at_its_radius_once():
    with ea.load_scene(STEER + "{ goal = [5, 0], decision_rate_hz = 60 }", threads=1) as world:
        heard, expected, was_near = listened(world, "arrival"), [], [False, False]
        for _ in range(500):
            for actor in range(2):
                if near(world, [5, 0], actor) and not was_near[actor]:
                    was_near[actor] = True
                    expected.append((actor + 1, world.time + DT))
            world.step(DT)
        found = [(i, e.time) for _, e in heard for i in e.ids.tolist()]
        assert found == expected
        assert len(found) == 2
        assert {e.goal for _, e in heard} == {0}


def test_go_to_is_a_new_goal_even_nearby():
    with ea.load_scene(STEER + "{ goal = [5, 0], decision_rate_hz = 60 }", threads=1) as world:
        people, heard = ea.crowd(world, "people"), listened(world, "arrival")
        people.go_to([0], people.positions[:1] + 0.2)
        world.step(DT)
        assert [(e.goal, e.actors.tolist()) for _, e in heard] == [(-1, [0])]
        people.go_to([0], [[-3.0, 0.0]])
        while not near(world, [-3, 0]):
            world.step(DT)
        assert len(heard) == 1
        world.step(DT)
        assert [(e.goal, e.actors.tolist()) for _, e in heard[1:]] == [(-1, [0])]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("goals", "order"),
    [
        ("goal = [[4, 0], [4, 4], [0, 0]]", [0, 1, 2, 0]),
        ("goals = [{ at = [4, 0], wait_seconds = 1.0 }, { at = [4, 4] }, { at = [0, 0] }]", [0, 1, 2, 0]),
        ("goal = [[4, 0], [4, 4]], leave = true", [0, 1]),
    ],
)
def test_waypoints_are_reached_in_order(goals, order):
    places = [[4, 0], [4, 4], [0, 0]]
    text = STEER.replace(", [0, 6]", "").replace("count = 2", "count = 1")
    with ea.load_scene(text + f"{{ {goals}, decision_rate_hz = 60 }}", threads=1) as world:
        people, heard, expected = ea.crowd(world, "people"), listened(world, "arrival"), []
        for _ in range(1500):
            if len(expected) < len(order) and near(world, places[order[len(expected)]]):
                expected.append((order[len(expected)], world.time + DT))
            world.step(DT)
            if len(heard) == len(order) or not people.actor_count:
                break
        assert [(e.goal, e.time) for _, e in heard] == expected
        assert [e.ids.tolist() for _, e in heard] == [[1]] * len(order)


@pytest.mark.exhaustive
def test_feet_of_bodies_strike_where_they_then_stand():
    text = STEER.replace("body", "grounding = {}\nbody") + "{ goal = [5, 0] }"
    with ea.load_scene(text, threads=1) as world:
        ((entity, (body, contacts)),) = world.query(Body, FootContacts)
        heard, strikes, joints, expected = listened(world, "foot_strike"), [], [], []
        for _ in range(240):
            before = body.state.feet[:, :, SWING].copy()
            world.step(DT)
            landed = np.argwhere((before < 1) & (body.state.feet[:, :, SWING] == 1))
            expected += [(world.frame, actor, leg) for actor, leg in landed.tolist()]
            strikes += [(world.frame, event) for _, event in heard]
            heard.clear()
            joints.append(joint_matrices(world, entity, np.arange(2, dtype=np.int32)))
        feet = ["LeftFoot", "RightFoot"]
        found = [(frame, a, feet.index(e.foot)) for frame, e in strikes for a in e.actors.tolist()]
        assert sorted(found) == sorted(expected)
        assert len(found) > 12
        balls = np.array(joints)[:, :, body.legs.joints[:, 2]]
        balls = balls[..., :3] @ contacts.legs.contacts[:, 1, :, None] + balls[..., 3:]
        for frame, event in strikes:
            assert event.side == event.foot[: -len("Foot")].lower()
            for actor, place in zip(event.actors, event.positions_in_space, strict=True):
                path = balls[frame - 1 : frame + 9, actor, feet.index(event.foot), :, 0]
                np.testing.assert_allclose(path[:, [0, 2]] - place[[0, 2]], 0, atol=0.03)
                assert place[1] == 0
        np.testing.assert_array_equal(strikes[0][1].positions, strikes[0][1].positions_in_space[:, [0, 2]] * [1, -1])


def test_feet_of_clips_strike_when_a_pin_rises_and_newcomers_do_not():
    text = HEAD + "count = 5\nclips = [{ name = 'walk' }]\nlocomotion = {}\ngrounding = {}"
    with ea.load_scene(text, threads=1) as world:
        people, ((_, (contacts,)),) = ea.crowd(world, "people"), world.query(FootContacts)
        heard, count = listened(world, "foot_strike"), 0
        for number in range(150):
            known = people.ids.tolist()
            if number == 40:
                people.add(3)
            if number == 60:
                people.remove([1])
                known.pop(1)
            before = {i: (contacts.pin[row, :, :2] > 0.5).any(axis=1) for row, i in enumerate(people.ids.tolist())}
            world.step(DT)
            after = {i: (contacts.pin[row, :, :2] > 0.5).any(axis=1) for row, i in enumerate(people.ids.tolist())}
            expected = {(i, leg) for i in known if i in after for leg in range(2) if after[i][leg] > before[i][leg]}
            found = [(i, ["LeftFoot", "RightFoot"].index(e.foot)) for _, e in heard for i in e.ids.tolist()]
            assert sorted(found) == sorted(expected)
            for _, event in heard:
                assert np.abs(event.positions_in_space[:, 1]).max() < 0.03
                apart = event.positions - people.positions[event.actors]
                assert 0.1 < np.hypot(*apart.T).max() < 0.8
            count += len(found)
            heard.clear()
        assert count > 20


def test_sources_without_handlers_do_nothing(monkeypatch):
    def refuse(*_):
        raise AssertionError("the event has no handler")

    monkeypatch.setattr("ecs_anim.kernels.events.find_events", refuse)
    monkeypatch.setattr("ecs_anim.systems.arrivals._note", refuse)
    monkeypatch.setattr("ecs_anim.systems.foot_strikes.contacts_of", refuse)
    for text in (MACHINE, STEER + "{ goal = [5, 0] }", STEER + "{ goals = [{ at = [1, 0] }] }"):
        with ea.load_scene(text, threads=1) as world:
            for _ in range(60):
                world.step(DT)
            assert not [own for _, (own,) in world.query(FootNotes)]
            assert not [own for _, (own,) in world.query(ClipEvents) if own.found]
            assert not [own for _, (own,) in world.query(Controller) if own.changes]
            assert not [own for _, (own,) in world.query(Steering) if own.arrivals]


def test_handlers_can_remove_actors_and_close_the_world():
    with ea.load_scene(MACHINE, threads=1) as world:
        people, heard = ea.crowd(world, "people"), listened(world, "state_change", "clip_event")
        world.on("clip_event", lambda event: people.remove(ids=np.intersect1d(event.ids, people.ids)))
        for _ in range(60):
            world.step(DT)
        gone = [i for name, e in heard if name == "clip_event" for i in e.ids.tolist()]
        assert gone
        assert not np.isin(gone, people.ids).any()
        world.on("state_change", lambda event: world.close())
        people.trigger(ea.ALL, "greet")
        world.step(DT)
        assert world.closed


def test_jumps_report_the_strikes_of_bodies_on_paths():
    text = HEAD + "count = 3\nbody = {}"
    found = []
    for jumps in (False, True):
        with ea.load_scene(text, threads=1) as world:
            people, heard = ea.crowd(world, "people"), listened(world, "foot_strike")
            people.follow(people.ids, [[0, 4]] * 3, [[[x, y], [x + 4, y + 4]] for x, y in people.positions])
            if jumps:
                world.skip(120, DT)
            else:
                for _ in range(120):
                    world.step(DT)
            found.append([(e.time, e.foot, e.ids.tolist()) for _, e in heard])
    assert found[0] == found[1]
    assert len(found[0]) > 5
