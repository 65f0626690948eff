"""Alarms: the pre-movement time of an actor begins when the first alarm reaches the actor."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.support.errors import InputError
from ecs_anim.systems.egress import run_until_empty
from tests.helpers import FEW

pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
POINTS = [[0.0, 0.0], [0.0, 5.0], [0.0, 20.0]]


def scene(alarms, steering="", points=POINTS):
    return f"""
frame_rate = 20
[rigs.people]
model = "mannequin"
{alarms}
[[crowds]]
name = "people"
rig = "people"
count = {len(points)}
layout = {{ kind = "points", points = {points} }}
path = "baked"
[crowds.steering]
goal = [30.0, 0.0]
leave = true
waits_for_alarm = true
{steering}
"""


def starts(text):
    """Return the time from the entry to the start of the walk of each actor by id, and check it in a run."""
    with ea.load_scene(text, threads=1) as world:
        (people,) = ea.crowds(world)
        begin, moved = people.positions, np.full(people.actor_count, np.nan)
        for _ in range(20 * 25):
            world.step(1 / 20, posed=False)
            walks = np.abs(people.positions - begin).max(axis=1) > 0.02
            moved = np.where(np.isnan(moved) & walks, world.time, moved)
    with ea.load_scene(text, threads=1) as world:
        found = {own.id: own.premovement_s for own in run_until_empty(world, {}, "x")}
    known = [found[number] for number in sorted(found)]
    np.testing.assert_allclose(moved, known, atol=0.4)
    return known


SLOW = "desired_speed_m_s = 0.8"  # no actor leaves before the last actor starts


@pytest.mark.exhaustive
def test_an_alarm_reaches_its_area_and_the_rest_of_the_scene_later():
    alarms = "[[alarms]]\nat_seconds = 2.0\narea = [[-1, -1], [1, -1], [1, 6], [-1, 6]]\n[[alarms]]\nat_seconds = 7.0\n"
    found = starts(scene(alarms, f"premovement_seconds = 1.5\n{SLOW}"))
    np.testing.assert_allclose(found, [3.5, 3.5, 8.5], atol=1e-5)


@pytest.mark.exhaustive
def test_an_alarm_spreads_from_its_origin():
    alarms = "[[alarms]]\nat_seconds = 1.0\norigin = [0.0, 0.0]\nspread_m_s = 2.0\n"
    found = starts(scene(alarms, SLOW))
    np.testing.assert_allclose(found, [1.0, 1.0 + 5.0 / 2.0, 1.0 + 20.0 / 2.0], atol=0.05)


@pytest.mark.exhaustive
def test_actors_of_sources_wait_for_the_alarm_too():
    sources = "sources = [{ area = [[0, 0]], timetable = [[1.0, 1], [6.0, 1]] }]\nstarts_empty = true\n"
    with ea.load_scene(scene("[[alarms]]\nat_seconds = 4.0\n", sources), threads=1) as world:
        first, second = run_until_empty(world, {}, "x")
    assert first.premovement_s == pytest.approx(4.0 - first.entered_s, abs=0.06)
    assert second.premovement_s == pytest.approx(0.0, abs=1e-6)


@pytest.mark.exhaustive
def test_a_group_starts_together():
    steering = f"groups = {{ sizes = [0, 1] }}\n{SLOW}"
    text = scene("[[alarms]]\nat_seconds = 1.0\norigin = [0.0, 0.0]\nspread_m_s = 1.0\n", steering, POINTS[:2])
    with ea.load_scene(text, threads=1) as world:
        times = [own.premovement_s for own in run_until_empty(world, {}, "x")]
    assert times[0] == times[1]


@pytest.mark.parametrize(
    ("alarms", "steering", "message"),
    [
        ("", "", r"crowds\[0\].steering.waits_for_alarm: the scene has no alarms"),
        ("[[alarms]]\nat_seconds = 1\narea = [[5, 0], [6, 0], [6, 1]]\n", "", "no alarm reaches 3 of the 3 actors"),
        ("[[alarms]]\nat_seconds = 1\norigin = [0, 0]\n", "", "spread_m_s"),
        ("[[alarms]]\nat_seconds = -1\n", "", r"alarms\[0\].at_seconds"),
        ("[[alarms]]\nat_seconds = 1e9\n", "", r"alarms\[0\].at_seconds"),
        ("[[alarms]]\nat_seconds = 1\narea = 'POINT (1 1)'\n", "", r"alarms\[0\].area"),
        (
            "[[alarms]]\nat_seconds = 1\narea = [[-9, -9], [9, -9], [9, 99], [-9, 99]]\n",
            "sources = [{ area = [[0, 0]], rate_per_second = 1.0 }]",
            "needs an alarm without area",
        ),
    ],
)
def test_errors(alarms, steering, message):
    with pytest.raises(InputError, match=message):
        ea.load_scene(scene(alarms, steering))


def test_alarms_without_a_crowd_that_waits_are_an_error():
    with pytest.raises(InputError, match="alarms: no crowd waits for an alarm"):
        ea.load_scene(scene("[[alarms]]\nat_seconds = 1\n").replace("waits_for_alarm = true\n", ""))


LEVELS = """
[[levels]]
name = "ground"
height = 0.0
area = [[-15, -8], [15, -8], [15, 8], [-15, 8]]
[[levels]]
name = "first"
height = 3.4
area = [[-15, -8], [15, -8], [15, 8], [-15, 8]]
[[stairs]]
foot = { at = [-8.0, -2.0], level = "ground" }
to = "first"
heading_degrees = 90
"""
CROWD = """
[[crowds]]
name = "{level}"
rig = "people"
count = 2
layout = {{ kind = "points", points = [[0.0, 0.0], [3.0, 0.0]], level = "{level}" }}
body = {{}}
[crowds.steering]
goal = {{ at = [12, -6], level = "ground" }}
leave = true
waits_for_alarm = true
"""


def building(alarms):
    crowds = "".join(CROWD.format(level=level) for level in ("ground", "first"))
    return f'[rigs.people]\nmodel = "mannequin"\n{LEVELS}{alarms}{crowds}'


@pytest.mark.exhaustive
def test_an_alarm_of_one_level_reaches_only_this_level():
    alarms = '[[alarms]]\nat_seconds = 2.0\nlevel = "first"\n[[alarms]]\nat_seconds = 7.0\n'
    with ea.load_scene(building(alarms), threads=1) as world:
        rests = {crowd.name: set(journeys.rest.tolist()) for _, (crowd, journeys) in world.query(Crowd, Journeys)}
    assert rests == {"ground": {7.0}, "first": {2.0}}


@pytest.mark.parametrize(
    ("alarms", "told"),
    [
        ('level = "first"', "crowds[0].steering.waits_for_alarm: no alarm reaches 2 of the 2 actors"),
        ('level = "fisrt"', "alarms[0].level: the scene has no level 'fisrt'"),
    ],
)
def test_wrong_levels_of_alarms_are_errors(alarms, told):
    with pytest.raises(InputError) as error:
        ea.load_scene(building(f"[[alarms]]\nat_seconds = 2.0\n{alarms}\n"), threads=1)
    assert told in str(error.value)
