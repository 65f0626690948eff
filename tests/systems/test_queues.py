"""Queues: people stand in line and are served in the order of arrival, each for the service time."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.journeys import Journeys
from ecs_anim.steering.columns import WAITS
from ecs_anim.support.errors import InputError
from tests.systems.test_steering_world import DT, component, plan, state, steps, text

SERVICE = 3.0
COUNTER = f"goals = [{{ at = [8, 0], wait_seconds = {SERVICE}, queue = [-0.8, 0.0] }}, {{ at = [8, 9] }}], leave = true"


@pytest.mark.exhaustive
def test_people_stand_in_line_and_are_served_one_after_the_other():
    with ea.load_scene(text(COUNTER, 8)) as world:
        (people,) = ea.crowds(world)
        served, came, stood = [], [], []
        ids = people.ids.tolist()
        for frame in range(int(50 / DT)):
            world.step(DT, posed=False)
            journeys, now = component(world, Journeys), people.ids.tolist()
            waiting = [now[row] for row in np.flatnonzero(journeys.stage == WAITS)]
            came += sorted((own for own in waiting if own not in came), key=lambda own: journeys.ticket[now.index(own)])
            gone = [own for own in came if own not in waiting and own not in [who for who, _ in served]]
            served += [(own, frame * DT) for own in gone]
            if len(waiting) == 6 and len(served) == 2:
                line = np.array([plan(people)[now.index(own)] for own in came if own in waiting])
                stood.append(line)
            if not now:
                break
        assert sorted(came) == ids
        assert [own for own, _ in served] == came  # first come, first served ...
        between = np.diff([time for _, time in served])
        assert between.min() > SERVICE  # ... and each service waits for the one before
        assert between.max() < SERVICE + 2.5  # and comes to the counter
        np.testing.assert_allclose(stood[-1], [[8 - 0.8 * place, 0] for place in range(6)], atol=0.3)
        assert people.actor_count == 0


@pytest.mark.exhaustive
def test_lines_go_on_from_snapshots(tmp_path):
    scene = text(COUNTER, 8)
    with ea.load_scene(scene, threads=1) as world:
        steps(world, 12.3)
        world.save(tmp_path / "x.npz")
        steps(world, 6.0)
        expected = state(world)
    with ea.load_world(tmp_path / "x.npz", scene, threads=2) as world:
        steps(world, 6.0)
        assert state(world) == expected


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            "{ at = [1, 1], wait_seconds = 1.0, queue = [0.1, 0.0] }",
            "queue: the vector from one actor to the next must be 0.4 to 5 m long (got 0.1 m). Set queue to a longer",
        ),
        (
            "{ at = [1, 1], queue = [1.0, 0.0] }",
            "queue: wait_seconds of a goal with a queue must be more than 0. Write wait_seconds = 3.0",
        ),
    ],
)
def test_mistakes_are_told_with_their_scene_key(said, message):
    with pytest.raises(InputError) as caught:
        ea.load_scene(text(f"goals = [{said}]"))
    assert f"crowds[0].steering.goals[0]: {message}" in str(caught.value)
    assert "\n" not in str(caught.value)
