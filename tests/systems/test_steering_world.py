"""Steering in a world: goals, waypoints, others, walls; the same bits on any threads, and from snapshots."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.movers import STEERED, VELOCITY
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering, Surroundings
from ecs_anim.ecs.columns import fields_of
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.systems import steering as system
from tests.helpers import FEW

DT = 1 / 60
SCENE = """
seed = 3
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 0.9 }}
body = {{}}
steering = {{ {steering} }}
{more}
"""
WALLS = '[walls]\nwkt = "POLYGON ((-6 -6, 6 -6, 6 6, 1 6, 1 0, -1 0, -1 6, -6 6, -6 -6))"\n'
CROSSING = FEW or 40


def text(steering="goal = [10.0, 0.0]", count=1, more=""):
    return SCENE.format(count=count, steering=steering, more=more)


def steps(world, seconds, posed=False):
    for _ in range(round(seconds / DT)):
        world.step(DT, posed=posed)


def component(world, kind, number=0):
    return list(world.query(kind))[number][1][0]


def plan(people):
    return people.positions


def closest(*crowds):
    points = np.concatenate([plan(people) for people in crowds])
    apart = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return apart[~np.eye(len(points), dtype=bool)].min()


def state(world):
    fields = [field for entity in world.entities for field in fields_of(world.components(entity))]
    return {f.path: f.value.tobytes() if isinstance(f.value, np.ndarray) else repr(f.value) for f in fields}


@pytest.mark.exhaustive
def test_somebody_alone_walks_straight_to_their_goal_and_stays():
    with ea.load_scene(text('goal = [10.0, 4.0], desired_speed_m_s = 1.2, model = "collision_free_speed"')) as world:
        (people,) = ea.crowds(world)
        steps(world, 5.0)
        way = plan(people)[0]
        np.testing.assert_allclose(way, np.array([10.0, 4.0]) / np.hypot(10, 4) * 6.0, atol=0.15)
        steps(world, 12.0)
        assert np.linalg.norm(plan(people)[0] - [10.0, 4.0]) < 0.12
        rest = plan(people)
        steps(world, 2.0)
        np.testing.assert_allclose(plan(people), rest, atol=0.02)
        assert abs(people.headings[0] - np.arctan2(4, 10)) < 0.2


@pytest.mark.exhaustive
def test_waypoints_are_gone_round_and_round():
    with ea.load_scene(text("goal = [[4, 0], [4, 4], [0, 0]], waypoint_radius = 0.5")) as world:
        (people,) = ea.crowds(world)
        seen, steering = [], component(world, Steering)
        for _ in range(2400):
            world.step(DT, posed=False)
            number = int(steering.waypoint[0])
            if not seen or seen[-1] != number:
                seen.append(number)
        assert seen[:7] == [0, 1, 2, 0, 1, 2, 0]
        assert np.abs(plan(people)).max() < 5


def test_actors_have_goals_speeds_and_chance_of_their_own():
    said = "goal = [10, 0], goal_radius = 2.0, desired_speed_m_s = { mean = 1.3, deviation = 0.2 }"
    with ea.load_scene(text(said, 400)) as world:
        steering = component(world, Steering)
        assert np.linalg.norm(steering.goal - [10, 0], axis=1).max() <= 2.0
        assert 1.1 < np.linalg.norm(steering.offset, axis=1).mean() < 1.5  # 2/3 of the radius
        assert 1.26 < steering.speed.mean() < 1.34
        assert 0.17 < steering.speed.std() < 0.23
    with ea.load_scene(text("goal = [10, 0], desired_speed_m_s = [0.5, 1.5]", 400)) as world:
        speed = component(world, Steering).speed
        assert 0.5 <= speed.min() < 0.6 < 1.4 < speed.max() <= 1.5


def crossing(**options):
    return ea.load_scene("crossing", actors=CROSSING, **options)


@pytest.mark.exhaustive
def test_streams_cross_and_nobody_walks_through_anybody():
    with crossing() as world:
        least, crowds = 9.0, ea.crowds(world)
        before = [plan(people) for people in crowds]
        for _ in range(40):
            steps(world, 0.25)
            least = min(least, closest(*crowds))
        assert least > 0.4 * 0.9
        for people, begin in zip(crowds, before, strict=True):
            assert np.linalg.norm(plan(people) - begin, axis=1).mean() > 6


@pytest.mark.exhaustive
@pytest.mark.parametrize(("threads", "chunk_size"), [(2, 4096), (4, 64), (1, 512)])
def test_threads_and_chunks_do_not_matter(threads, chunk_size):
    def run(**options):
        with crossing(**options) as world:
            steps(world, 3.0)
            return state(world)

    assert run(threads=threads, chunk_size=chunk_size) == run(threads=1, chunk_size=64)


@pytest.mark.exhaustive
@pytest.mark.parametrize("threads", [1, 3])
def test_agents_are_dealt_to_threads_by_cells(monkeypatch, threads):
    """Parts as short as this are several for each thread; what is chosen is what one part chooses."""

    def run(part, threads):
        monkeypatch.setattr(system, "PART", part)
        with crossing(threads=threads) as world:
            steps(world, 1.0)
            return state(world)

    assert run(7, threads) == run(1000, 1)


@pytest.mark.exhaustive
def test_worlds_go_on_from_snapshots_to_the_bit(tmp_path):
    with crossing(threads=1) as world:
        steps(world, 2.51)
        world.save(tmp_path / "x.npz")
        steps(world, 2.0)
        expected = state(world)
    with ea.load_world(tmp_path / "x.npz", "crossing", threads=2) as world:
        steps(world, 2.0)
        assert state(world) == expected


@pytest.mark.exhaustive
def test_steps_of_those_who_steer_are_not_skipped():
    with crossing(threads=1) as world, crossing(threads=1) as other:
        world.skip(90, DT)
        for _ in range(90):
            other.step(DT, posed=False)
        assert world.jump.stepped == 89
        positions = [np.concatenate([people.positions for people in ea.crowds(own)]) for own in (world, other)]
        np.testing.assert_array_equal(*positions)


def test_the_rate_says_how_often_they_choose():
    with ea.load_scene(text("goal = [10, 0], decision_rate_hz = 7.0")) as world:
        velocities = [component(world, Movers).velocity.copy()]
        for _ in range(180):
            world.step(DT, posed=False)
        assert component(world, Steering).turns == 21
        assert velocities[0].max() == 0 < component(world, Movers).velocity[0, 0]


@pytest.mark.exhaustive
def test_walls_are_not_walked_through():
    with ea.load_scene(text("goal = [5, 5]", 4, WALLS).replace("0.9 }", "0.6, center = [-3.5, -2.0] }")) as world:
        (people,) = ea.crowds(world)
        for _ in range(60):
            steps(world, 0.2)
            x, y = plan(people).T
            assert (np.abs(x) < 5.95).all()
            assert not ((np.abs(x) < 0.95) & (y > 0.05)).any()


@pytest.mark.exhaustive
def test_who_is_told_otherwise_leaves_steering_and_comes_back():
    with ea.load_scene(text("goal = [10, 0]", 2)) as world:
        (people,) = ea.crowds(world)
        movers = component(world, Movers)
        assert movers.kind.tolist() == [STEERED] * 2
        people.set_velocity([0], [0.0, -1.0])
        steps(world, 3.0)
        assert movers.kind.tolist() == [VELOCITY, STEERED]
        assert plan(people)[0, 1] < -1.5
        people.go_to([0], [[-3.0, 1.0]])
        assert movers.kind.tolist() == [STEERED] * 2
        steps(world, 8.0)
        assert np.linalg.norm(plan(people)[0] - [-3.0, 1.0]) < 0.2
        assert plan(people)[1, 0] > 8


@pytest.mark.exhaustive
def test_newcomers_are_off_to_their_goals():
    with ea.load_scene(text("goal = [10, 0], goal_radius = 1.0, desired_speed_m_s = [1.0, 1.4]", 4)) as world:
        (people,) = ea.crowds(world)
        people.add(30, positions=np.random.default_rng(0).uniform(-4, 0, (30, 2)) * [1, -1])
        steering = component(world, Steering)
        assert len(set(steering.speed.tolist())) == 34
        steps(world, 6.0)
        assert closest(people) > 0.34  # 34 of them within a metre of one point
        assert plan(people)[:, 0].min() > -1


def test_who_begin_in_each_other_are_put_apart_and_told():
    points = 'layout = { kind = "points", points = [[0, 0], [0, 0], [0.1, 0], [5, -5]] }'
    scene = text("goal = [10, 0]", 4).replace('layout = { kind = "grid", spacing = 0.9 }', points)
    with pytest.warns(
        InputWarning, match="3 of 4 actors overlapped other actors or walls at the start, so the program moved them"
    ):
        world = ea.load_scene(scene)
    (people,) = ea.crowds(world)
    assert closest(people) > 0.29
    assert plan(people)[3].tolist() == [5, -5]
    world.close()


@pytest.mark.exhaustive
def test_memory_does_not_grow_from_step_to_step():
    with crossing() as world:
        steps(world, 0.5)
        around = component(world, Surroundings)
        own = [id(array) for record in (around.agents, around.laid, around.cells) for array in record]
        steps(world, 1.0)
        assert own == [id(array) for record in (around.agents, around.laid, around.cells) for array in record]


@pytest.mark.parametrize(
    ("steering", "message"),
    [
        ("goal = []", "crowds[0].steering.goal"),
        ('goal = [0, 0], model = "social_farce"', "crowds[0].steering.model"),
        ("goal = [0, 0], desired_speed_m_s = [2.0, 1.0]", "desired_speed_m_s: the smaller number must come first"),
        ("goal = [0, 0], parameters = { strenght = 3.0 }", "has no parameter 'strenght'; did you mean 'strength'?"),
        ("goal = [0, 0], radius = 5.0", "crowds[0].steering.radius"),
        ("goal = [0, 0], decision_rate_hz = 0.0", "crowds[0].steering.decision_rate_hz"),
        ("desired_speed_m_s = 1.0", "crowds[0].steering: goal: steering needs a goal"),
    ],
)
def test_mistakes_are_told_with_their_place(steering, message):
    with pytest.raises(InputError) as caught:
        ea.load_scene(text(steering))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_bodies_steer():
    with pytest.raises(
        InputError,
        match=r"crowds\[0\].steering: actors can steer only if they have bodies, or if path",
    ):
        ea.load_scene(text().replace("body = {}", 'clips = [{ name = "walk" }]'))
    with ea.load_scene(text().replace("steering = {", "# ")) as world:
        (people,) = ea.crowds(world)
        with pytest.raises(ValueError, match="do not steer. In the scene file, write steering"):
            people.go_to(ea.ALL, [1, 2])
