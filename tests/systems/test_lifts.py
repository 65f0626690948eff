"""Lifts: capacity, heights of passengers, routes, the timeline, snapshots and errors."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.body import Body
from ecs_anim.components.lifts import Lifts
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms
from tests.helpers import some

FLOOR = "area = [[-8, -8], [8, -8], [8, 8], [-8, 8]]\n"
HOUSE = f"""
seed = 4
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
{FLOOR}
[[levels]]
name = "mid"
height = 3.4
{FLOOR}
[[levels]]
name = "high"
height = 6.8
{FLOOR}
"""
LIFT = """
[[lifts]]
name = "lift"
at = [0, 0]
heading_degrees = 270
stops = ["high", "low", "mid"]
capacity = 6
"""
STAIRS = """
[[stairs]]
name = "first"
foot = {{ at = [{x}, 6], level = "low" }}
to = "mid"
heading_degrees = 180
[[stairs]]
name = "second"
foot = {{ at = [{x}, 3], level = "mid" }}
to = "high"
heading_degrees = 180
"""
PEOPLE = """
[[crowds]]
name = "people"
rig = "people"
count = {count}
body = {{}}
layout = {{ kind = "grid", spacing = 0.8, columns = 4, center = [-3, -5], level = "{level}" }}
[crowds.steering]
goal = {{ at = [5, -5], level = "{to}" }}
goal_radius = 2.0
radius = 0.2
"""
STEP, CABINS = 1 / 30, (3, 4, 5)


def people(count: int = 10, level: str = "high", to: str = "low") -> str:
    return PEOPLE.format(count=count, level=level, to=to)


def parts(world: ea.World) -> tuple[Storeyed, Transforms, Body, Lifts]:
    ((_, (own, transforms, body)),) = world.query(Storeyed, Transforms, Body)
    ((_, (lifts,)),) = world.query(Lifts)
    return own, transforms, body, lifts


def advance(world: ea.World, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        world.step(STEP)


@pytest.mark.exhaustive
def test_people_ride_down_in_groups_of_the_capacity():
    with ea.load_scene(HOUSE + LIFT + people()) as world:
        own, transforms, _, lifts = parts(world)
        most, before = 0, lifts.height.copy()
        for _ in range(30 * 75):
            world.step(STEP)
            inside = np.isin(own.space, CABINS)
            most = max(most, int(inside.sum()))
            assert np.abs(transforms.translation[inside, 1] - lifts.height[0]).max(initial=0) < 0.05
            assert abs(lifts.height - before).max() < 1.0 * STEP + 1e-9
            # an actor outside of the car stands on a level
            away = transforms.translation[~inside, 1][:, None] - np.array([0.0, 3.4, 6.8])
            assert np.abs(away).min(axis=1).max(initial=0) < 0.01
            before = lifts.height.copy()
        assert most == 6
        assert ea.crowd(world, "people").levels == ["low"] * 10
        assert np.abs(ea.crowd(world, "people").positions - [5, -5]).max() < 3.0


@pytest.mark.exhaustive
def test_passengers_stand_still_while_the_car_moves():
    """The doors close only after the passengers have put their feet next to each other."""
    with ea.load_scene(HOUSE + LIFT + people(count=6)) as world:
        own, transforms, body, lifts = parts(world)
        places, feet = [], []
        for _ in range(30 * 30):
            world.step(STEP)
            if np.isin(own.space, CABINS).all() and lifts.open_seconds[0] == 0:
                places.append(transforms.translation[:, [0, 2]].copy())
                feet.append(body.state.feet[:, :, [5, 6]].copy())
        assert len(feet) > 180
        assert np.ptp(np.array(places), axis=0).max() < 0.001
        assert np.ptp(np.array(feet), axis=0).max() < 0.005


@pytest.mark.exhaustive
def test_the_car_serves_a_stop_between():
    """One crowd rides from the highest level to the lowest level, and another crowd from the middle level."""
    more = people(count=2, level="mid").replace('name = "people"', 'name = "more"')
    with ea.load_scene(HOUSE + LIFT + people(count=2) + more) as world:
        advance(world, 75)
        for name in ("people", "more"):
            assert ea.crowd(world, name).levels == ["low"] * 2


@pytest.mark.exhaustive
def test_people_take_the_stairs_if_the_lift_is_slower_and_wheelchairs_take_the_lift():
    house = HOUSE + LIFT + STAIRS.format(x=6)
    chairs = people(count=2).replace("radius = 0.2", "avoid_stairs = true")
    slow = house.replace("capacity = 6", "speed_m_s = 0.2")
    for text, rides in ((slow + people(count=2), False), (house + people(count=2), True), (house + chairs, True)):
        with ea.load_scene(text) as world:
            own, used = parts(world)[0], set[int]()
            for _ in range(30 * 75):
                world.step(STEP)
                used |= set(own.space.tolist())
            assert ea.crowd(world, "people").levels == ["low"] * 2
            assert bool(used & {5, 6, 7}) == rides  # cabins follow the levels and two flights


@pytest.mark.exhaustive
def test_nobody_enters_a_closed_lift_and_passengers_leave_it():
    cue = '[[timeline]]\nat_seconds = {at}\nclose = "lift"\n'
    house = HOUSE + LIFT + STAIRS.format(x=6)
    chairs = people(count=2).replace("radius = 0.2", "avoid_stairs = true")
    with ea.load_scene(house + cue.format(at=0.1) + chairs) as world:
        with pytest.warns(ea.InputWarning, match="no route leads to a goal"):
            advance(world, 20)
        assert ea.crowd(world, "people").levels == ["high"] * 2
    with ea.load_scene(house + cue.format(at=22) + chairs) as world:
        advance(world, 21.9)
        assert ea.crowd(world, "people").levels == ["lift"] * 2
        advance(world, 30)
        assert ea.crowd(world, "people").levels == ["low"] * 2


@pytest.mark.exhaustive
def test_people_that_pass_the_door_avoid_passengers_before_they_step_out():
    """Seven people pass the door while six passengers leave. Without avoidance, the least distance is 0.43 m."""
    passing = people(count=7, level="low").replace('name = "people"', 'name = "passing"')
    passing = passing.replace("columns = 4, center = [-3, -5]", "columns = 7, center = [-4.5, -0.5]")
    passing = passing.replace("spacing = 0.8", "spacing = 0.7").replace("[5, -5]", "[7, -0.5]")
    with ea.load_scene(HOUSE + LIFT + people(count=6) + passing + "premovement_seconds = [21.0, 21.1]\n") as world:
        riders, passers = ea.crowds(world)
        nearest = np.inf
        while "lift" in riders.levels or world.time < 21:
            world.step(STEP, posed=False)
            low = riders.positions_in_space[:, 1] < 0.1
            apart = riders.positions[low][:, None] - passers.positions
            nearest = min(nearest, np.sqrt((apart**2).sum(axis=-1)).min(initial=np.inf))
        assert riders.levels == ["low"] * 6
        assert nearest > 0.6


@pytest.mark.exhaustive
def test_people_on_a_level_without_a_call_never_depend_on_the_lift():
    """A crowd that stays on the middle level has the same bits with and without passengers that pass the level."""
    stays = people(count=6, level="mid", to="mid").replace('name = "people"', 'name = "stays"')
    found = []
    for text in (HOUSE + LIFT + stays, HOUSE + LIFT + stays + people(count=4)):
        with ea.load_scene(text) as world:
            advance(world, 30)
            found.append(ea.crowd(world, "stays").positions_in_space.copy())
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", some([14.0, 21.0], "14.0"))
def test_a_snapshot_continues_with_the_same_bits(tmp_path: Path, seconds: float):
    text, path = HOUSE + LIFT + people(), tmp_path / "house.npz"
    with ea.load_scene(text) as world:
        advance(world, seconds)
        world.save(path)
        advance(world, 12)
        expected = parts(world)[1].translation.copy()
    with ea.load_world(path, text) as again:
        advance(again, 12)
        np.testing.assert_array_equal(parts(again)[1].translation, expected)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('stops = ["high", "low", "mid"]', "", "lifts[0].stops"),
        ('stops = ["high", "low", "mid"]', 'stops = ["low"]', "lifts[0].stops"),
        ('stops = ["high", "low", "mid"]', 'stops = ["high", "roof"]', "lifts[0].stops: the scene has no level 'roof'"),
        (
            'stops = ["high", "low", "mid"]',
            'stops = ["high", "low", "low"]',
            "all stops of a lift must have different heights",
        ),
        ('stops = ["high", "low", "mid"]', 'stops = ["high", "low"]', "leads to level 'mid'"),
        ("at = [0, 0]", "at = [0, -7.5]", "leads into the air, because level 'low'"),
        ("capacity = 6", "capacity = 0", "lifts[0].capacity"),
        ("capacity = 6", "door_width = 3", "door_width must be at most the width of the car"),
    ],
)
def test_wrong_lifts_are_errors_with_names(old: str, new: str, told: str):
    with pytest.raises(ea.InputError) as error:
        ea.load_scene(HOUSE + LIFT.replace(old, new) + people())
    assert told in str(error.value)
    assert "\n" not in str(error.value)
