"""Journeys: which goals actors choose, when they set off, where they wait, and that they arrive."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.body.movers import STEERED, VELOCITY
from ecs_anim.components.groups import Groups
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.movers import Movers
from ecs_anim.components.steering import Steering
from ecs_anim.kernels.journeys import go_on_journeys
from ecs_anim.steering.columns import ARRIVED, GOES, READY, WAITS
from ecs_anim.support.errors import InputError
from ecs_anim.walls.arrays import no_walls
from tests.systems.test_steering_world import DT, component, plan, state, steps, text

THREE = "goals = [{ at = [10, 0], share = 0.5 }, { at = [-10, 0], share = 0.2 }, { at = [0, 10], share = 0.3 }]"
POINTS = np.array([[10, 0], [-10, 0], [0, 10]])


@pytest.mark.exhaustive
def test_actors_choose_the_nearest_goal():
    with ea.load_scene(text(f'{THREE}, exit_choice = "nearest"', 60)) as world:
        (people,) = ea.crowds(world)
        nearest = np.linalg.norm(plan(people)[:, None] - POINTS, axis=-1).argmin(axis=1)
        assert component(world, Steering).waypoint.tolist() == nearest.tolist()
        assert len(set(nearest.tolist())) == 3
        steps(world, 14.0)
        apart = np.linalg.norm(plan(people) - POINTS[nearest], axis=-1)
        assert apart.max() < 2.5
        assert component(world, Steering).waypoint.tolist() == nearest.tolist()
        ids = people.add(2, positions=[[-8.0, -0.5], [8.0, -0.5]])
        assert component(world, Steering).waypoint[people.rows(ids)].tolist() == [1, 0]


def test_shares_and_turns_deal_goals_out():
    with ea.load_scene(text(f'{THREE}, exit_choice = "share"', 2000)) as world:
        counts = np.bincount(component(world, Steering).waypoint) / 2000
        np.testing.assert_allclose(counts, [0.5, 0.2, 0.3], atol=0.04)
    with ea.load_scene(text(f'{THREE}, exit_choice = "assigned"', 7)) as world:
        (people,) = ea.crowds(world)
        people.add(2)
        assert component(world, Steering).waypoint.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2]


def test_each_sets_off_when_their_time_has_come():
    with ea.load_scene(text("goal = [60, 0], premovement_seconds = [1.0, 4.0]", 30)) as world:
        rest = component(world, Journeys).rest.copy()
        assert 1.0 <= rest.min() < 1.5 < 3.5 < rest.max() <= 4.0
        set_off = np.full(30, np.nan)
        for _ in range(270):
            world.step(DT, posed=False)
            speed = np.linalg.norm(component(world, Movers).velocity, axis=1)
            set_off[np.isnan(set_off) & (speed > 0.05)] = world.time
        np.testing.assert_allclose(set_off, rest, atol=0.11)  # two choices of directions at 20 Hz


def test_a_goal_from_code_counts_more_than_the_start_time():
    with ea.load_scene(text("goal = [60, 0], premovement_seconds = 1000.0", 4)) as world:
        (people,) = ea.crowds(world)
        begin = plan(people)
        goals = begin[:2] + np.array([-9.0, 0.0])
        people.go_to([0, 1], goals)
        steps(world, 5.0)
        moved = np.linalg.norm(plan(people) - begin, axis=1)
        assert (moved[:2] > 5.0).all()
        assert moved[2:].max() < 0.01
        steps(world, 5.0)
        np.testing.assert_allclose(plan(people)[:2], goals, atol=0.2)


def test_a_range_may_end_at_minus_zero():
    """Of which numpy says that it ends before it begins."""
    with ea.load_scene(text("goal = [60, 0], premovement_seconds = [0.0, -0.0]", 3)) as world:
        assert component(world, Journeys).rest.tolist() == [0, 0, 0]


@pytest.mark.exhaustive
def test_actors_wait_at_waypoints_and_go_on():
    said = "goals = [{ at = [3, 0], wait_seconds = 2.0 }, { at = [6, 0] }, { at = [0, 0] }], waypoint_radius = 0.3"
    with ea.load_scene(text(said)) as world:
        (people,) = ea.crowds(world)
        at, turns = [], []
        for _ in range(1500):
            world.step(DT, posed=False)
            at.append(plan(people)[0])
            turns.append(int(component(world, Steering).waypoint[0]))
        changes = [(frame, turns[frame]) for frame in range(1, 1500) if turns[frame] != turns[frame - 1]]
        assert [number for _, number in changes][:4] == [1, 2, 0, 1]
        apart = np.linalg.norm(np.array(at) - [3, 0], axis=1)
        came = int(np.argmax(apart < 0.3))
        assert (changes[0][0] - came) * DT == pytest.approx(2.0, abs=0.11)
        stood = np.array(at)[came : changes[0][0]]
        assert np.abs(stood - [3, 0]).max() < 0.31
        speeds = np.linalg.norm(np.diff(at, axis=0), axis=1) / DT
        assert speeds[changes[0][0] + 60 : changes[1][0]].min() > 1.2  # and past the one without a wait


def test_who_begins_at_a_waypoint_waits_at_the_next_one_all_the_same():
    goals = "goals = [{ at = [0, 0] }, { at = [2, 0], wait_seconds = 1.5 }, { at = [4, 0] }]"
    with ea.load_scene(text(f"{goals}, premovement_seconds = 1.0, waypoint_radius = 0.4")) as world:
        turns = []
        for _ in range(400):
            world.step(DT, posed=False)
            turns.append(int(component(world, Steering).waypoint[0]))
        assert turns[50] == 0
        assert turns.index(1) * DT == pytest.approx(1.0, abs=0.11)
        assert (turns.index(2) - turns.index(1)) * DT > 1.5 + (2 - 0.4) / 1.34


def test_the_last_of_waypoints_that_are_gone_through_once_is_arrived_at():
    with ea.load_scene(
        text("goals = [{ at = [2, 0] }, { at = [4, 0] }], leave = true, waypoint_radius = 0.4", 1)
    ) as world:
        for _ in range(400):
            world.step(DT, posed=False)
            if not ea.crowds(world)[0].actor_count or component(world, Journeys).stage[0] == ARRIVED:
                break
        assert world.time == pytest.approx((4 - 0.4) / 1.34, abs=0.5)


def test_waits_and_starts_go_on_from_snapshots(tmp_path):
    goals = "goals = [{ at = [3, 0], wait_seconds = 1.0 }, { at = [0, 3] }]"
    scene = text(f"{goals}, premovement_seconds = [0.0, 3.0], waypoint_radius = 0.5", 12)
    with ea.load_scene(scene, threads=1) as world:
        steps(world, 2.3)
        world.save(tmp_path / "x.npz")
        steps(world, 3.0)
        expected = state(world)
    with ea.load_world(tmp_path / "x.npz", scene, threads=4) as world:
        steps(world, 3.0)
        assert state(world) == expected


def expected(person, waypoints, wait, is_round, stays, leaves, near, dt):
    """One person's next moment, in plain Python."""
    if not person["steers"]:
        return
    person["rest"] = max(person["rest"] - dt, 0.0)
    is_held = person["stage"] != READY and np.linalg.norm(person["velocity"]) < 0.1
    if person["stage"] == READY:
        person["haste"] = 0.0 if person["rest"] > 0 else 1.0
        if person["rest"] > 0:
            return
        person["stage"] = GOES
    number = person["waypoint"]
    if number < 0 or person["stage"] == ARRIVED:
        return
    reach = 2 * near + np.linalg.norm(person["offset"]) if is_held else near
    if person["stage"] == GOES and np.linalg.norm(person["goal"] - person["position"]) < reach:
        person["stage"], person["rest"] = WAITS, wait[number]
    elif person["stage"] == WAITS and is_held:
        person["goal"] = person["position"]
    if person["stage"] != WAITS or person["rest"] > 0:
        return
    if stays or (not is_round and number == len(wait) - 1):
        person["stage"], person["halts"] = ARRIVED, 1
        return
    number = person["waypoint"] = (number + 1) % len(wait)
    person["stage"], person["goal"] = GOES, waypoints[number] + person["offset"]
    person["halts"] = int(wait[number] > 0 or (number == len(wait) - 1 and not is_round and not leaves))


@pytest.mark.parametrize(
    "flags", [(True, False, False), (False, False, True), (False, False, False), (False, True, False)]
)
def test_journeys_are_what_plain_python_says(flags):
    rng, count, near, dt = np.random.default_rng(3), 400, 1.0, 0.25
    waypoints = np.array([[0, 0], [9, 0], [9, 9]], np.float32)
    wait, numbers = np.array([0.0, 1.5, 0.0], np.float32), rng.integers(-1, 3, count)
    offset = rng.uniform(-1, 1, (count, 2)).astype(np.float32)
    goal = np.where(numbers[:, None] >= 0, waypoints[numbers] + offset, offset * 9).astype(np.float32)
    position = goal + rng.normal(size=(count, 2)).astype(np.float32)
    stage, rest = rng.integers(0, 4, count).astype(np.int32), (rng.integers(0, 4, count) * 0.125).astype(np.float32)
    kind = rng.choice([STEERED, VELOCITY], count, p=[0.8, 0.2]).astype(np.int32)
    halts, haste = rng.integers(0, 2, count).astype(np.int32), np.full(count, 0.5, np.float32)
    velocity = rng.uniform(-0.15, 0.15, (count, 2)).astype(np.float32)
    rows = zip(position, goal, offset, numbers, halts, haste, stage, rest, kind == STEERED, velocity, strict=True)
    keys = "position", "goal", "offset", "waypoint", "halts", "haste", "stage", "rest", "steers", "velocity"
    people = [dict(zip(keys, row, strict=True)) for row in [tuple(np.copy(own) for own in row) for row in rows]]
    for person in people:
        expected(person, waypoints, wait, *flags, near, dt)
    translation, zero, waypoint = (
        np.zeros((count, 3), np.float32),
        np.zeros(count, np.float32),
        numbers.astype(np.int32),
    )
    translation[:, ::2] = position
    more = zero, zero, offset, np.zeros((count, 6), np.float32)
    steering = goal, offset, waypoint, *more, halts, haste, offset, waypoint, translation, zero, halts
    placement = translation, np.zeros((count, 4), np.float32), zero
    stops = waypoints, np.repeat(wait[:, None], 2, axis=1), np.zeros(0, np.float32)
    columns = stage, rest, np.zeros(count, np.int32)
    movers = kind, waypoint, velocity, translation, velocity
    go_on_journeys(stops, (*flags, False), near, dt, no_walls(), movers, placement, steering, columns)
    found = {"goal": goal, "waypoint": waypoint, "halts": halts, "haste": haste, "stage": stage, "rest": rest}
    for key, column in found.items():
        np.testing.assert_allclose(column, np.array([person[key] for person in people]), atol=1e-6, err_msg=key)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("goals = []", "crowds[0].steering.goals"),
        ("goal = [0, 0], goals = [{ at = [1, 1] }]", "crowds[0].steering: goal: steering needs a goal. Write goal"),
        ('goal = [0, 0], exit_choice = "nearest"', "exit_choice needs the key goals"),
        (
            "goal = [0, 0], premovement_seconds = [2.0, 1.0]",
            "premovement_seconds: the smaller number must come first (got 2, 1)",
        ),
        ("goals = [{ at = [1, 1], wait_seconds = -1.0 }]", "crowds[0].steering.goals[0].wait_seconds"),
        (
            "goals = [{ at = [1, 1], wait_seconds = [2.0, 1.0] }]",
            "wait_seconds: the smaller number must come first (got 2, 1)",
        ),
        (
            "goals = [{ at = [1, 1], wait_seconds = [1, 2], queue = [1, 0] }]",
            "queue: wait_seconds of a goal with a queue must be one number, because the goal serves",
        ),
        (
            'goals = [{ at = [1, 1] }], route_choice = "wander"',
            "route_choice: actors that wander must have at least two goals",
        ),
        (
            'goals = [{ at = [1, 1] }, { at = [2, 1] }], route_choice = "wander", leave = true',
            "route_choice: actors that wander never arrive, so they need an area in which they leave",
        ),
        ("goals = [{ at = [1, 1], shares = 1.0 }]", "crowds[0].steering.goals[0].shares"),
    ],
)
def test_mistakes_are_told_with_their_scene_key(said, message):
    with pytest.raises(InputError) as caught:
        ea.load_scene(text(said))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


WANDER = "goals = [{ at = [6, 0], wait_seconds = [0.5, 2.0] }, { at = [-6, 0] }, { at = [0, 6], share = 2 }]"


def visits(world, seconds):
    """Frames, actors, and goals that they then went to, from there to another."""
    was, found = component(world, Steering).waypoint.copy(), []
    for frame in range(round(seconds / DT)):
        world.step(DT, posed=False)
        now = component(world, Steering).waypoint
        found += [(frame, actor, was[actor], now[actor]) for actor in np.flatnonzero(now != was).tolist()]
        was = now.copy()
    return np.array(found)


@pytest.mark.exhaustive
def test_who_wanders_goes_from_each_goal_to_any_other_by_share():
    with ea.load_scene(text(f'{WANDER}, route_choice = "wander", waypoint_radius = 2.0, radius = 0.05', 60)) as world:
        first = np.bincount(component(world, Steering).waypoint, minlength=3) / 60
        np.testing.assert_allclose(first, [0.25, 0.25, 0.5], atol=0.2)
        found = visits(world, 60.0)
    assert len(found) > 300
    onward = [np.bincount(found[found[:, 2] == goal, 3], minlength=3) for goal in range(3)]
    for goal, (counts, shares) in enumerate(zip(onward, ([0, 1, 2], [1, 0, 2], [1, 1, 0]), strict=True)):
        assert counts[goal] == 0
        expected = np.array(shares) / sum(shares)
        np.testing.assert_allclose(counts / counts.sum(), expected, atol=4 * np.sqrt(0.25 / counts.sum()))


def test_waits_are_drawn_from_their_range():
    said = "goals = [{ at = [0, 0], wait_seconds = [1.0, 3.0] }, { at = [9, 0] }], waypoint_radius = 3.0"
    with ea.load_scene(text(said, 40)) as world:
        found = visits(world, 3.2)
    left = found[found[:, 2] == 0, 0] * DT
    assert len(left) == 40
    assert 1.0 <= left.min() < 1.4 < 2.6 < left.max() < 3.2


@pytest.mark.exhaustive
def test_who_wander_together_draw_the_same():
    with ea.load_scene(
        text(f'{WANDER}, route_choice = "wander", waypoint_radius = 2.0, groups = {{ sizes = [0, 1] }}', 20)
    ) as world:
        number, pairs = component(world, Groups).number.copy(), {}
        for _, actor, _, goal in visits(world, 40.0):
            pairs.setdefault(number[actor], {}).setdefault(actor, []).append(goal)
    assert len(pairs) == 10
    for first, second in (tuple(pair.values()) for pair in pairs.values()):
        assert len(first) > 2
        assert first[: len(second)] == second[: len(first)]
