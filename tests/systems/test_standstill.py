"""Standstills: `--until empty` ends early if no remaining actor can move, and waits for changes that are due later."""

import re

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError
from ecs_anim.systems.egress import run_until_empty

pytestmark = pytest.mark.filterwarnings("ignore:.*no route leads to a goal")
START = 'count = 4\nlayout = { kind = "grid", columns = 2, spacing = 1.0 }\n'
ROOM = (
    """
frame_rate = 5
[rigs.people]
model = "mannequin"
[walls]
wkt = "POLYGON ((-5 -3, 5 -3, 5 -1, 12 -1, 12 1, 5 1, 5 3, -5 3, -5 -3))"
[[walls.doors]]
name = "door"
shape = [[5.0, -1.1], [5.0, 1.1]]
[[crowds]]
name = "people"
rig = "people"
path = "baked"
"""
    + START
    + """
[crowds.steering]
leave = true
"""
)
WALK = 'goals = [{ name = "exit", at = [11.0, 0.0] }]\n'
HOLD = 'goals = [{ name = "gate", at = [2.0, 0.0], hold = true, queue = [-0.8, 0.0], next = "exit" }, \
{ name = "exit", at = [4.5, 0.0] }]\n'


def outcome(scene, most=1500.0):
    with ea.load_scene(scene, threads=1) as world:
        return run_until_empty(world, {"people": ["gate", "exit"]}, "x.toml: --until", most)


def reason(scene):
    with pytest.raises(InputError) as caught:
        outcome(scene)
    return str(caught.value)


def last_movement(scene, seconds):
    """Return the time [s] after which all actors stay within half a metre of their last positions."""
    with ea.load_scene(scene, threads=1) as world:
        times, seen = [], []
        while world.time < seconds:
            times.append(world.time)
            seen.append(ea.crowds(world)[0].positions)
            world.step(1 / 20, posed=False)
    far = np.linalg.norm(np.array(seen) - seen[-1], axis=2).max(axis=1) > 0.5
    return times[int(np.flatnonzero(far).max(initial=0))]


def test_a_closed_door_ends_the_run_two_minutes_after_the_last_movement():
    scene = ROOM + "premovement_seconds = 7.0\ndesired_speed_m_s = 1.0\n" + WALK
    text = reason(scene)
    assert text.startswith("x.toml: --until: 4 actors cannot leave. The last movement was at ")
    assert "No route leads to the goals of 4 of these actors." in text
    since = float(re.search(r"at (\d+) s of", text)[1])
    assert last_movement(scene, 60.0) <= since + 1
    assert 6.0 <= since < 20.0
    place = [float(number) for number in re.search(r"people: 4 near \[(.*?), (.*?)\]", text).groups()]
    assert np.abs(place).max() < 5.0  # in the room


@pytest.mark.exhaustive
def test_the_run_waits_for_a_door_that_opens_later():
    found = outcome(ROOM + WALK + '[[timeline]]\nat_seconds = 300.0\nopen = "door"\n')
    assert len(found) == 4
    assert 300.0 < found[0].egress_s <= found[-1].egress_s < 330.0


@pytest.mark.exhaustive
def test_the_run_waits_for_premovement_times():
    found = outcome(ROOM + "premovement_seconds = 260.0\ngoal = [-4.0, 0.0]\n")
    assert found[0].egress_s == pytest.approx(262.0, abs=3.0)


@pytest.mark.exhaustive
def test_the_run_waits_for_late_arrivals():
    sources = "sources = [{ area = [[0.0, 0.0]], timetable = [[2.0, 1], [280.0, 1]] }]\nstarts_empty = true\n"
    found = outcome(ROOM.replace(START, "") + "goal = [-4.0, 0.0]\n" + sources)
    assert found[1].entered_s == pytest.approx(280.1, abs=0.11)


@pytest.mark.exhaustive
def test_the_run_waits_in_queues_and_for_repeated_releases():
    found = outcome(ROOM + HOLD.replace("hold = true", "wait_seconds = 150.0"))
    assert np.diff([own.egress_s for own in found]) == pytest.approx([150.0] * 3, abs=10.0)
    cue = '[[timeline]]\nat_seconds = 30.0\nevery_seconds = 200.0\nrelease = "gate"\nrelease_count = 1\n'
    found = outcome(ROOM + HOLD + cue)
    assert np.diff([own.egress_s for own in found]) == pytest.approx([200.0] * 3, abs=5.0)


@pytest.mark.exhaustive
def test_a_goal_that_never_releases_its_actors_ends_the_run():
    text = reason(ROOM + HOLD)
    assert "4 actors cannot leave" in text
    assert "No route" not in text


LEVELS = """
frame_rate = 5
[rigs.people]
model = "mannequin"
[[levels]]
name = "ground"
height = 0.0
area = [[-10, -6], [14, -6], [14, 6], [-10, 6]]
[[levels]]
name = "first"
height = 16.0
area = [[0, -6], [14, -6], [14, 6], [0, 6]]
[[lifts]]
name = "lift"
at = [10.0, 0.0]
heading_degrees = 180
stops = ["ground", "first"]
speed_m_s = 0.1
[[crowds]]
name = "people"
rig = "people"
count = 1
body = {}
layout = { kind = "points", points = [[6.0, 0.0]], level = "first" }
[crowds.steering]
leave = true
goal = { at = [5.0, 0.0], level = "ground" }
"""


@pytest.mark.exhaustive
def test_the_run_waits_for_a_slow_lift():
    (own,) = outcome(LEVELS)
    assert own.egress_s > 2 * 16.0 / 0.1  # the car moves up and down


@pytest.mark.exhaustive
def test_the_message_names_levels():
    text = reason(LEVELS + '[[timeline]]\nat_seconds = 0.0\nclose = "lift"\n')
    assert re.search(r"\(people: 1 near \[\d+\.\d, -?\d\.\d\] on level 'first'\)", text)
