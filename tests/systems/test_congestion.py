"""Congestion: detours around people that make little progress, and choices of quicker goals."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.groups import Groups
from ecs_anim.components.routing import Routing
from ecs_anim.components.steering import Steering
from ecs_anim.routing.grid import Grid, delays, ease_about
from ecs_anim.support.errors import InputError
from ecs_anim.systems import congestion
from tests.helpers import EXHAUSTIVE
from tests.systems.test_steering_world import component, plan, state

DT = 1 / 20  # [s]
# A hall with a block in it, so that there is a way in the south and a longer one in the north.
SCENE = """
seed = 3
frame_rate = 20
[rigs.people]
model = "mannequin"
[walls]
wkt = "POLYGON ((0 0, 20 0, 20 12, 0 12, 0 0), (6 3, 14 3, 14 8, 6 8, 6 3))"
[[walls.doors]]
name = "south"
shape = [[10.0, -0.1], [10.0, 3.1]]
open = true
[routing]
cell_size = 0.4
{routing}
[[crowds]]
name = "people"
rig = "people"
count = 6
layout = {{ kind = "grid", columns = 2, spacing = 0.8, center = [3.0, 3.0] }}
body = {{}}
steering = {{ {steering} }}
[[crowds]]
name = "standing"
rig = "people"
count = {standing}
layout = {{ kind = "grid", columns = 12, spacing = 0.45, center = [10.0, 1.5] }}
body = {{}}
steering = {{ goal = [10.0, 1.5], premovement_seconds = 1000.0, leave = true }}
"""


def loaded(routing="congestion_interval_seconds = 1.0", steering="goal = [17.0, 2.0]", standing=72, **options):
    return ea.load_scene(SCENE.format(routing=routing, steering=steering, standing=standing), **options)


def steps(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT, posed=False)


def northmost(world, seconds):
    """How far north each of the people came."""
    people, most = ea.crowd(world, "people"), np.full(6, -np.inf)
    for _ in range(round(seconds)):
        steps(world, 1.0)
        most = np.maximum(most, plan(people)[:, 1])
    return most


@pytest.mark.parametrize("spacing", [0.2, 0.7, 2.0])
def test_ease_is_what_counting_one_by_one_says(spacing):
    rng, reach = np.random.default_rng(1), max(1, round(0.6 / spacing))
    grid = Grid(-3.0, 2.0, spacing, 9, 7)
    points = rng.uniform([-3, 2], [-3 + 9 * spacing, 2 + 7 * spacing], (40, 2)).astype(np.float32)
    share = rng.random(40)
    found = ease_about(grid, points, share).reshape(7, 9)
    own = np.floor((points.astype(float) - [-3.0, 2.0]) / spacing).astype(int)
    for row in range(7):
        for column in range(9):
            near = (np.abs(own - [column, row]) <= reach).all(axis=1)
            assert found[row, column] == pytest.approx((1 + share[near].sum()) / (1 + near.sum()), rel=1e-5)


def test_delays_are_shares_turned_round():
    np.testing.assert_allclose(delays(np.array([1.0, 0.5, 0.1, 0.0], np.float32)), [1, 2, 10, 10])


@EXHAUSTIVE
def test_people_go_round_those_who_stand_where_that_is_quicker():
    with loaded() as world:
        assert (northmost(world, 25) > 8).all()
        assert (plan(ea.crowd(world, "people"))[:, 0] > 16).all()
    with loaded(routing="") as world:
        assert (northmost(world, 12) < 8).all()
    with loaded(standing=1) as world:
        assert (northmost(world, 12) < 8).all()


QUICKEST = 'goals = [{ at = [17, 2] }, { at = [3, 11] }, { at = [1, 11] }], exit_choice = "quickest"'


def test_the_quickest_goal_is_that_of_the_shortest_way_and_another_once_a_door_is_closed():
    farther = 'goals = [{ at = [10, 9] }, { at = [10, 2] }], exit_choice = "quickest"'
    with loaded(steering=farther, standing=1) as world:
        steps(world, 1.0)
        assert component(world, Steering).waypoint.tolist() == [1] * 6
        ea.doors(world).close("south")
        steps(world, 6.0)
        behind = plan(ea.crowd(world, "people"))[:, 0] < 10
        assert behind.any()
        assert not component(world, Steering).waypoint[behind].any()


def two_rooms(*goals):
    """Return the hall with a wall in place of the block. People in its west choose among goals."""
    said = ", ".join(f"{{ at = [{x}, {y}] }}" for x, y in goals)
    text = SCENE.format(
        routing="congestion_interval_seconds = 1.0", steering=f'goals = [{said}], exit_choice = "quickest"', standing=1
    )
    block, wall = "(6 3, 14 3, 14 8, 6 8, 6 3))", "), LINESTRING (4.5 0, 4.5 12))"
    text = text.replace("POLYGON ((0 0, 20 0, 20 12, 0 12, 0 0), " + block, "@")
    return text.replace("@", "GEOMETRYCOLLECTION (POLYGON ((0 0, 20 0, 20 12, 0 12, 0 0)" + wall)


def test_who_chooses_needs_a_way_to_one_goal_alone():
    with ea.load_scene(two_rooms((5, 3), (2, 10))) as world:
        steps(world, 0.1)
        assert component(world, Steering).waypoint.tolist() == [1] * 6
    with pytest.raises(InputError, match=r"goals\[0\].at: 6 of 6 actors have no route to"):
        ea.load_scene(two_rooms((5, 3), (8, 3)))


def test_people_keep_a_goal_that_is_not_much_slower():
    with loaded(steering=QUICKEST, standing=1) as world:
        assert set(component(world, Steering).waypoint.tolist()) <= {1, 2}
        before = component(world, Steering).waypoint.copy()
        steps(world, 3.0)
        np.testing.assert_array_equal(component(world, Steering).waypoint, before)


SAVED = [(2.45, 3, 2), *(pytest.param(*more, marks=EXHAUSTIVE) for more in ((0.05, 1, 2048), (3.0, 2, 64)))]


@EXHAUSTIVE
@pytest.mark.parametrize(("seconds", "threads", "chunk_size"), SAVED)
def test_worlds_with_congestion_go_on_from_snapshots_to_the_bit(seconds, threads, chunk_size, tmp_path):
    scene = SCENE.format(routing="congestion_interval_seconds = 1.0", steering=QUICKEST, standing=72)
    with ea.load_scene(scene, threads=1) as world:
        steps(world, seconds)
        world.save(tmp_path / "x.npz")
        steps(world, 3.0)
        expected = state(world)
        assert component(world, Routing).looks > 3
    with ea.load_world(tmp_path / "x.npz", scene, threads=threads, chunk_size=chunk_size) as world:
        steps(world, 3.0)
        assert state(world) == expected


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"routing": "", "steering": QUICKEST},
            r"crowds\[0\].steering.exit_choice: .*Write congestion_interval_seconds = 2.0 in \[routing\]",
        ),
        ({"routing": "congestion_interval_seconds = 0.0"}, r"routing.congestion_interval_seconds: .*0.1"),
        ({"routing": "congestion_interval_seconds = nan"}, r"routing.congestion_interval_seconds"),
        ({"steering": 'goal = [17, 2], exit_choice = "quickest"'}, "steering.*exit_choice"),
    ],
)
def test_mistakes_are_told_with_their_place(said, message):
    with pytest.raises(InputError, match=message):
        loaded(**said)


def test_who_changes_goal_stops_where_the_new_one_asks_to():
    waits = 'goals = [{ at = [10, 9], wait_seconds = 50 }, { at = [10, 2] }], exit_choice = "quickest", leave = true'
    with loaded(steering=waits, standing=1) as world:
        steering = component(world, Steering)
        steps(world, 1.0)
        assert (steering.waypoint.tolist(), steering.halts.tolist()) == ([1] * 6, [0] * 6)
        ea.doors(world).close("south")
        steps(world, 3.0)
        changed = steering.waypoint == 0
        assert changed.any()
        np.testing.assert_array_equal(steering.halts, changed)


def test_groups_choose_together():
    text = 'goals = [{ at = [10, 9] }, { at = [10, 2] }], exit_choice = "quickest", groups = { sizes = [0, 1] }'
    with loaded(steering=text, standing=1) as world:
        steering, number = component(world, Steering), component(world, Groups).number
        assert (np.unique(number, return_counts=True)[1] == 2).all()
        seen = set()
        for step in range(120):
            if step == 20:
                ea.doors(world).close("south")
            steps(world, DT)
            pairs = [tuple(steering.waypoint[number == own]) for own in np.unique(number)]
            assert all(a == b for a, b in pairs), pairs
            seen.update(pairs)
        assert seen == {(0, 0), (1, 1)}


def test_all_have_their_turn_where_steps_are_longer_than_from_look_to_look(monkeypatch):
    asked = []
    real = congestion._choose_quickest

    def spy(own, parts, rounds):
        asked.append(rounds % congestion.PARTS)
        real(own, parts, rounds)

    monkeypatch.setattr(congestion, "_choose_quickest", spy)
    with loaded(routing="congestion_interval_seconds = 0.1", steering=QUICKEST, standing=1) as world:
        for _ in range(9):
            world.step(0.2, posed=False)
    assert set(asked[1:5]) == set(range(congestion.PARTS))
    np.testing.assert_array_equal(np.diff(asked) % congestion.PARTS, 1)


@EXHAUSTIVE
def test_several_may_be_told_another_goal():
    with loaded(standing=1) as world:
        people = ea.crowd(world, "people")
        people.go_to([0, 1], [4.0, 10.0])
        with pytest.raises(ValueError, match="a goal must be at most 16384 m from the origin"):
            people.go_to([0, 1], [4.0, 2e4])
        steps(world, 12.0)
        assert (plan(people)[:2, 1] > 8).all()
