"""Actors on several levels: routes over stairs, independence of levels, snapshots, doors and speeds on stairs."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.routing import Routing
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms

HOUSE = """
seed = 4
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[levels]]
name = "high"
height = 3.4
area = [[-8, -6], [8, -6], [8, 6], [-8, 6]]
[[stairs]]
name = "main"
foot = { at = [0, -3], level = "low" }
to = "high"
heading_degrees = 90
"""
STEER = """
[[crowds]]
name = "{name}"
rig = "people"
count = {count}
path = "baked"
layout = {{ kind = "grid", spacing = 0.8, center = [{x}, {y}], level = "{level}" }}
clips = [{{ name = "idle" }}, {{ name = "walk" }}]
[crowds.steering]
goal = {{ at = [{to_x}, {to_y}], level = "{to}" }}
goal_radius = 1.0
"""
STEP = 1 / 30
SOFT = 'decision_rate_hz = 15\nmodel = "social_force"\nparameters = { body_force = 6e4 }'
CENTRIFUGAL = 'model = "generalized_centrifugal_force"\nparameters = { strength = 0.2 }'


def crowd(name: str, level: str, to: str, start: tuple[float, float], goal: tuple[float, float], count: int = 6) -> str:
    (x, y), (to_x, to_y) = start, goal
    return STEER.format(name=name, count=count, level=level, to=to, x=x, y=y, to_x=to_x, to_y=to_y)


def advance(world: ea.World, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        world.step(STEP)


def translations(world: ea.World, name: str) -> np.ndarray:
    return next(own.translation.copy() for _, (own, told) in world.query(Transforms, Crowd) if told.name == name)


@pytest.mark.exhaustive
def test_actors_walk_down_the_stairs_and_stay_at_the_heights_of_their_floors():
    with ea.load_scene(HOUSE + crowd("people", "high", "low", (4, 0), (5, 0))) as world:
        seen = set[int]()
        for _ in range(30 * 45):
            world.step(STEP)
            ((_, (own, transforms)),) = world.query(Storeyed, Transforms)
            at = transforms.translation.astype(np.float64)
            points = np.stack([at[:, 0], -at[:, 2]], axis=1)
            seen |= set(own.space.tolist())
            for space in np.unique(own.space):
                rows = own.space == space
                # an actor that has just crossed a riser or a seam is at most one riser away from its floor
                away = np.abs(own.spaces.floors[space].heights(points[rows]) - at[rows, 1])
                assert away.max() < 0.18
        assert seen == {0, 1, 2}
        np.testing.assert_allclose(at[:, 1], 0.0, atol=1e-5)
        assert np.hypot(points[:, 0] - 5, points[:, 1]).max() < 2.0


@pytest.mark.exhaustive
def test_actors_never_depend_on_actors_of_another_level():
    """The crowds walk over and under each other. The crowd below has the same bits with and without the crowd above."""
    below = crowd("below", "low", "low", (-5, 0), (5, 0), count=12)
    above = crowd("above", "high", "high", (5, 0), (-5, 0), count=12)
    found = []
    for text in (HOUSE + below, HOUSE + below + above):
        with ea.load_scene(text) as world:
            for _ in range(30 * 8):
                world.step(STEP)
            found.append(translations(world, "below"))
    assert np.abs(found[0][:, 0] - -5).min() > 3  # the actors have met in the middle of the plan
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("below", "above"),
    [
        ("decision_rate_hz = 15", "decision_rate_hz = 4"),
        (SOFT, SOFT.replace("6e4", "1.2e5").replace("15", "30")),
        (SOFT, SOFT.replace("6e4", "1.2e5")),
        (CENTRIFUGAL, CENTRIFUGAL.replace("0.2", "0.9")),
    ],
    ids=["rates", "rates and sub-steps", "sub-steps", "centrifugal"],
)
def test_other_rates_and_sub_steps_of_another_level_change_no_bits(below: str, above: str):
    """Two crowds meet on each level. One crowd on the lower level has the same model as the crowd above."""
    one = crowd("below", "low", "low", (-5, 0), (5, 0)) + below + "\n"
    meets = crowd("meets", "low", "low", (5, 0), (-5, 0)) + "decision_rate_hz = 10\n"
    other = crowd("above", "high", "high", (5, 0), (-5, 0)) + above + "\n"
    found = []
    for text in (HOUSE + one + meets, HOUSE + one + meets + other):
        with ea.load_scene(text, threads=1) as world:
            advance(world, 6)
            found.append((translations(world, "below"), translations(world, "meets")))
    assert np.abs(found[0][0][:, 0] - -5).min() > 2  # the actors have met in the middle of the plan
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.exhaustive
def test_congestion_of_another_level_changes_no_bits():
    """Slow crowds on the upper level delay other actors there. The routes of both crowds below avoid congestion."""
    routing = "[routing]\ncongestion_interval_seconds = 0.4\n"
    below = crowd("below", "low", "low", (-5, 0), (5, 0), count=30) + crowd("meets", "low", "low", (5, 1), (-5, 0), 30)
    above = crowd("above", "high", "high", (4, 0), (-5, 0), count=60) + "desired_speed_m_s = 0.37\n"
    found = []
    for text in (HOUSE + below, HOUSE + below + above):
        with ea.load_scene(text + routing, threads=1) as world:
            advance(world, 8)
            ((_, (own,)),) = world.query(Routing)
            found.append((translations(world, "below"), translations(world, "meets"), own.ease.min()))
    assert found[0][2] < 0.9  # the crowds below delay each other
    np.testing.assert_array_equal(found[0][:2], found[1][:2])


def test_overlaps_on_another_level_change_no_bits():
    """At the start, actors above need more rounds of separation than actors below."""
    below = crowd("below", "low", "low", (-5, 0), (5, 0)) + crowd("meets", "low", "low", (-5, 0), (5, 3))
    below = below.replace("spacing = 0.8", "spacing = 0.3")
    above = crowd("above", "high", "high", (5, 0), (-5, 0), count=30).replace("spacing = 0.8", "spacing = 0.1")
    found = []
    for own in (HOUSE + below, HOUSE + below + above):
        with pytest.warns(ea.InputWarning, match="overlapped"):
            loaded = ea.load_scene(own, threads=1)
        with loaded as world:
            found.append((translations(world, "below"), translations(world, "meets")))
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.exhaustive
def test_actors_on_both_sides_of_a_seam_see_each_other():
    """Actors that stand on the lowest treads stop actors in front of the stairs."""
    stands = crowd("stands", "low", "low", (0, -4.2), (0, -4.2), count=1)
    comes = crowd("comes", "high", "low", (0, 4), (0, -5.5), count=1)
    gaps = []
    with ea.load_scene(HOUSE + stands + comes) as world:
        for _ in range(30 * 25):
            world.step(STEP)
            one, other = (translations(world, name)[0] for name in ("stands", "comes"))
            if abs(one[1] - other[1]) < 1.0:
                gaps.append(np.hypot(*(one - other)[[0, 2]]))
    assert min(gaps) < 1.5
    assert min(gaps) > 0.25  # two bodies with a radius of 0.15 m do not overlap


@pytest.mark.exhaustive
def test_a_snapshot_continues_with_the_same_bits(tmp_path: Path):
    text, path = HOUSE + crowd("people", "high", "low", (4, 0), (5, 0)), tmp_path / "house.npz"
    with ea.load_scene(text) as world:
        for _ in range(30 * 12):
            world.step(STEP)
        world.save(path)
        for _ in range(60):
            world.step(STEP)
        expected = translations(world, "people")
    with ea.load_world(path, text) as again:
        for _ in range(60):
            again.step(STEP)
        np.testing.assert_array_equal(translations(again, "people"), expected)


@pytest.mark.exhaustive
def test_a_closed_door_before_the_stairs_cuts_the_route():
    door = '[[levels.doors]]\nname = "gate"\nshape = [[-1.5, -3.6], [1.5, -3.6]]\nopen = true\n'
    walls = "walls = [[[-1.5, -3.6], [-1.5, 6]], [[1.5, -3.6], [1.5, 6]]]\n"
    text = HOUSE.replace('[[levels]]\nname = "high"', f'{walls}{door}[[levels]]\nname = "high"')
    with ea.load_scene(text + crowd("people", "high", "low", (4, 0), (5, 0), count=2)) as world:
        ea.doors(world).close("gate")
        with pytest.warns(ea.InputWarning, match="no route leads to a goal"):
            advance(world, 3)
        stuck = translations(world, "people")
        ea.doors(world).open("gate")
        for _ in range(30 * 40):
            world.step(STEP)
        assert (stuck[:, 1] > 3.3).all()
        assert (translations(world, "people")[:, 1] < 0.1).all()


@pytest.mark.exhaustive
def test_the_speed_on_stairs_is_the_published_speed():
    """Weidmann 1993: 0.694 m/s down and 0.610 m/s up at 30 degrees, relative to 1.34 m/s; here 30.4 degrees."""
    for level, to, published in (("high", "low", 0.694), ("low", "high", 0.610)):
        start = (0, 4) if level == "high" else (0, -5)
        with ea.load_scene(HOUSE + crowd("people", level, to, start, (4, 0), count=1)) as world:
            ((_, (own, transforms)),) = world.query(Storeyed, Transforms)
            on_stairs = []
            for _ in range(30 * 20):
                world.step(STEP)
                if own.space[0] == 2:
                    on_stairs.append(transforms.translation[0, 2].copy())
            middle = np.array(on_stairs[len(on_stairs) // 4 : 3 * len(on_stairs) // 4])
            speed = abs(middle[-1] - middle[0]) / ((len(middle) - 1) * STEP)
            assert speed == pytest.approx(published, rel=0.04)


@pytest.mark.exhaustive
def test_sources_and_go_to_have_levels():
    source = 'sources = [{ area = [[-6, 0]], level = "high", timetable = [[0.5, 2]] }]\nstarts_empty = true\n'
    with ea.load_scene(HOUSE + crowd("people", "low", "high", (4, 0), (5, 0)) + source) as world:
        advance(world, 2)
        people = ea.crowd(world, "people")
        assert people.levels == ["high", "high"]
        np.testing.assert_allclose(people.positions_in_space[:, 1], 3.4, atol=1e-5)
        people.go_to([0], [-6, -4], level="low")
        advance(world, 40)
        assert people.levels == ["low", "high"]
        np.testing.assert_allclose(people.positions, [[-6, -4], people.positions[1]], atol=0.3)
        with pytest.raises(ea.InputError, match="no level 'attic'"):
            people.go_to([0], [0, 0], level="attic")


@pytest.mark.exhaustive
def test_the_nearest_goal_is_nearest_over_the_stairs():
    """A goal on the level of the actors is farther away on the plan, but nearer on foot than a goal below them."""
    goals = 'goals = [{ at = [4, 0], level = "low" }, { at = [-7, 0] , level = "high" }]\nexit_choice = "nearest"\n'
    text = crowd("people", "high", "high", (4, 0), (0, 0), count=2).replace("goal = ", "# ")
    with ea.load_scene(HOUSE + text + goals) as world:
        advance(world, 15)
        assert ea.crowd(world, "people").levels == ["high", "high"]
        assert np.abs(ea.crowd(world, "people").positions - [-7, 0]).max() < 1.5


@pytest.mark.exhaustive
def test_groups_walk_over_stairs():
    groups = "groups = { sizes = [0, 0, 1] }\n"
    with ea.load_scene(HOUSE + crowd("people", "high", "low", (4, 0), (5, 0)) + groups) as world:
        advance(world, 50)
        assert ea.crowd(world, "people").levels == ["low"] * 6
        assert np.abs(ea.crowd(world, "people").positions - [5, 0]).max() < 3.0


def _seconds_until_all_are_up(factor: float) -> float:
    """Return the time [s] until a crowd has climbed the stairs with a factor of the time gap on stairs."""
    house = HOUSE.replace("heading_degrees = 90", f"heading_degrees = 90\ntime_gap_factor = {factor}")
    with ea.load_scene(house + crowd("up", "low", "high", (-3, -4), (0, 5), 14), threads=1) as world:
        for _ in range(round(90 / STEP)):
            world.step(STEP, posed=False)
            if translations(world, "up")[:, 1].min() > 3.3:
                return world.time
    raise AssertionError("the crowd does not climb the stairs")


@pytest.mark.exhaustive
def test_a_longer_time_gap_on_stairs_lowers_the_flow():
    """Alone, an actor needs 5 s for the stairs. The time gap changes only the times between actors."""
    usual, short, long = (_seconds_until_all_are_up(factor) for factor in (1.7, 1.0, 3.0))
    assert short + 1.0 < usual < long - 1.0


@pytest.mark.exhaustive
def test_an_actor_that_is_pushed_over_the_edge_of_a_flight_walks_on_from_the_floor_beside_it():
    with ea.load_scene(HOUSE + crowd("down", "high", "low", (-4, 4), (6, -4), 1)) as world:
        ((_, (storeyed, transforms)),) = world.query(Storeyed, Transforms)
        advance(world, 0.2)
        flight = storeyed.spaces.labels.index("main")
        floor = storeyed.spaces.floors[flight]
        beside = np.array(floor.foot) + 1.2 * np.array([floor.uphill[1], -floor.uphill[0]])
        transforms.translation[0] = (beside[0], 3.4, -beside[1])  # on the upper floor, above the foot of the stairs
        storeyed.space[0] = flight
        advance(world, 2.0)
        assert storeyed.space[0] == 1  # the number of the level "high"
        advance(world, 40.0)
        assert storeyed.space[0] == 0
        assert np.hypot(*(ea.crowd(world, "down").positions[0] - (6, -4))) < 1.5
