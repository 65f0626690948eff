"""Escalators: actors stand on moving steps, capacity, directions, the timeline, and snapshots."""

from pathlib import Path

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.body import Body
from ecs_anim.components.connections import Connections
from ecs_anim.components.stage import Stage
from ecs_anim.components.storeys import Storeyed
from ecs_anim.components.transforms import Transforms

HALL = """
seed = 4
[rigs.people]
model = "mannequin"
[[levels]]
name = "low"
height = 0.0
area = [[-8, -8], [8, -8], [8, 8], [-8, 8]]
[[levels]]
name = "high"
height = 3.4
area = [[-8, -8], [8, -8], [8, 8], [-8, 8]]
[[escalators]]
name = "moving"
foot = { at = [0, -4], level = "low" }
to = "high"
heading_degrees = 90
"""
PEOPLE = """
[[crowds]]
name = "people"
rig = "people"
count = {count}
body = {{}}
layout = {{ kind = "grid", spacing = 0.6, columns = 12, center = [{x}, {y}], level = "{level}" }}
[crowds.steering]
goal = {{ at = [5, 0], level = "{to}" }}
goal_radius = 2.0
radius = 0.2
"""
STEP, ESCALATOR = 1 / 30, 2
SLOPE = 3.4 / 16 / 0.4  # 16 steps of 0.4 m
PLAN_SPEED = 0.5 / np.sqrt(1 + SLOPE * SLOPE)


def people(count: int = 1, level: str = "low", to: str = "high", x: float = 0.0, y: float = -6.0) -> str:
    return PEOPLE.format(count=count, level=level, to=to, x=x, y=y)


def advance(world: ea.World, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        world.step(STEP)


def parts(world: ea.World) -> tuple[Storeyed, Transforms, Body]:
    ((_, found),) = world.query(Storeyed, Transforms, Body)
    return found


def entries(world: ea.World, seconds: float) -> list[float]:
    """Return the times [s] at which actors step onto the escalator."""
    own, found = parts(world)[0], list[float]()
    for _ in range(round(seconds / STEP)):
        before = own.space.copy()
        world.step(STEP)
        found += [world.time] * int(np.count_nonzero((before != ESCALATOR) & (own.space == ESCALATOR)))
    return found


@pytest.mark.exhaustive
def test_a_standing_actor_moves_with_the_steps_and_its_feet_stay_on_one_step():
    with ea.load_scene(HALL + people()) as world:
        own, transforms, body = parts(world)
        times, places, feet = list[float](), list[np.ndarray](), list[np.ndarray]()
        for _ in range(30 * 25):
            world.step(STEP)
            if own.space[0] == ESCALATOR:
                times.append(world.time)
                places.append(transforms.translation[0].astype(np.float64))
                feet.append(body.state.feet[0, :, 2:7].astype(np.float64))
        assert own.space[0] == 1
        part = slice(60, -30)  # the actor has come to rest on its step
        seconds, at = np.array(times)[part], np.array(places)[part]
        speed = np.diff(at, axis=0) / np.diff(seconds)[:, None]
        np.testing.assert_allclose(-speed[:, 2], PLAN_SPEED, rtol=0.02)
        np.testing.assert_allclose(speed[:, 1], PLAN_SPEED * SLOPE, rtol=0.02)
        # x and z of both feet relative to the root do not change: the body does not walk
        near = np.array(feet)[part][..., [3, 4]] - at[:, None, [0, 2]]
        assert np.ptp(near, axis=0).max() < 0.02
        assert len(times) * STEP == pytest.approx(6.0 / PLAN_SPEED, rel=0.1)


@pytest.mark.exhaustive
def test_actors_without_bodies_stand_on_the_steps():
    baked = people(count=2).replace("body = {}", 'path = "baked"\nclips = [{ name = "idle" }, { name = "walk" }]')
    played = list[str]()
    with ea.load_scene(HALL + baked) as world:
        ((_, (own,)),) = world.query(Storeyed)
        crowd = ea.crowd(world, "people")
        since = np.zeros(2)
        for _ in range(30 * 25):
            world.step(STEP, posed=False)
            since = np.where(own.space == ESCALATOR, since + STEP, 0.0)
            played += [name for name, seconds in zip(crowd.playing(), since.tolist(), strict=True) if seconds > 2.0]
        assert own.space.tolist() == [1, 1]
    assert len(played) > 30 * 8
    assert set(played) == {"idle"}


@pytest.mark.exhaustive
def test_the_height_of_an_actor_is_the_height_of_a_moving_step():
    with ea.load_scene(HALL + people(count=8)) as world:
        own, transforms, _ = parts(world)
        ((_, (stage,)),) = world.query(Stage)
        advance(world, 14)
        steps = stage.surfaces[-2].positions.reshape(-1, 4, 3)  # the drawn steps, quad by quad
        tops = steps[np.ptp(steps[..., 1], axis=1) < 1e-6]
        rows = np.flatnonzero((own.space == ESCALATOR) & (transforms.translation[:, 1] > 0.5))
        assert len(rows) > 3
        for x, y, z in transforms.translation[rows].tolist():
            inside = (tops[..., 2].min(axis=1) <= z) & (tops[..., 2].max(axis=1) >= z)
            assert abs(tops[inside, 0, 1] - y).min() < 0.02, (x, y, z)


@pytest.mark.exhaustive
def test_the_capacity_is_the_practical_capacity_of_the_standard():
    """EN 115-1, table H.1: an escalator with steps of 1 m carries 6000 persons per hour at 0.5 m/s."""
    with ea.load_scene(HALL + people(count=60)) as world:
        times = entries(world, 60)
        assert len(times) == 60
        flow = (len(times) - 1) / (times[-1] - times[0]) * 3600
        assert 0.8 * 6000 < flow < 1.2 * 6000


@pytest.mark.exhaustive
def test_actors_that_leave_the_steps_walk_off_before_riders_reach_them():
    """Sixty people ride up. Without the rule, the least distance to people on the upper floor is 0.12 m."""
    with ea.load_scene(HALL + people(count=60)) as world:
        own, transforms, _ = parts(world)
        nearest = np.inf
        for _ in range(round(40 / STEP)):
            world.step(STEP)
            at, high = transforms.translation.astype(np.float64), own.space == 1
            riders = at[(own.space == ESCALATOR) & (at[:, 1] > 3.0)][:, None]
            nearest = min(nearest, np.linalg.norm((riders - at[high])[..., [0, 2]], axis=-1).min(initial=np.inf))
        assert high.sum() > 40
        assert nearest > 0.3


@pytest.mark.exhaustive
def test_actors_on_one_lane_have_different_steps():
    with ea.load_scene(HALL + people(count=60)) as world:
        own, transforms, _ = parts(world)
        for _ in range(20):
            advance(world, 1)
            at = transforms.translation[own.space == ESCALATOR].astype(np.float64)[:, [0, 2]]
            away = np.hypot(*(at[:, None] - at[None]).T) + 9 * np.eye(len(at))
            assert away.min() > 0.2


@pytest.mark.exhaustive
def test_walking_actors_are_faster_and_use_the_left_lane():
    ride = []
    for share in (0.0, 1.0):
        text = HALL + f"walking_share = {share}\n"
        with ea.load_scene(text + people()) as world:
            own, transforms, _ = parts(world)
            times = []
            for _ in range(30 * 25):
                world.step(STEP)
                if own.space[0] == ESCALATOR:
                    times.append(world.time)
                    x = float(transforms.translation[0, 0])
            ride.append(times[-1] - times[0])
    assert ride[1] < 0.6 * ride[0]
    assert x == pytest.approx(-0.25, abs=0.05)  # left on the way to the north is west


@pytest.mark.exhaustive
def test_nobody_enters_against_the_steps_and_reversed_steps_carry_people_down():
    stairs = '[[stairs]]\nfoot = { at = [-7, 7], level = "low" }\nto = "high"\nheading_degrees = 270\n'
    cue = '[[timeline]]\nat_seconds = 20\nreverse = "moving"\n'
    goal = people(level="high", to="low", y=5)
    with ea.load_scene(HALL + stairs + goal) as world:
        own, used = parts(world)[0], set[int]()
        for _ in range(30 * 30):
            world.step(STEP)
            used |= set(own.space.tolist())
        assert used == {0, 1, 2}  # over the stairs
    with ea.load_scene(HALL + stairs + cue + goal.replace("goal = ", "premovement_seconds = 21\ngoal = ")) as world:
        own, used = parts(world)[0], set[int]()
        for _ in range(30 * 45):
            world.step(STEP)
            used |= set(own.space.tolist())
        assert used == {0, 1, 3}  # over the escalator


@pytest.mark.exhaustive
def test_a_stopped_escalator_is_a_stair():
    """Weidmann 1993: 0.610 m/s up at 30 degrees, relative to 1.34 m/s. The escalator stops at a full step."""
    cue = '[[timeline]]\nat_seconds = 0.05\nstop = "moving"\n'
    with ea.load_scene(HALL + cue + people()) as world:
        own, transforms, _ = parts(world)
        places = []
        for _ in range(30 * 20):
            world.step(STEP)
            if own.space[0] == ESCALATOR:
                places.append(float(transforms.translation[0, 2]))
                assert np.isnan(own.carried).all()
        ((_, (connections,)),) = world.query(Connections)
        assert connections.travel.tolist() == [0.0]
        middle = np.array(places[len(places) // 4 : -len(places) // 4])
        speed = abs(middle[-1] - middle[0]) / ((len(middle) - 1) * STEP)
        assert speed == pytest.approx(0.63, rel=0.06)


@pytest.mark.exhaustive
def test_a_closed_connection_cuts_the_route_until_it_opens():
    cues = '[[timeline]]\nat_seconds = 0.1\nclose = "moving"\n[[timeline]]\nat_seconds = 10\nopen = "moving"\n'
    with ea.load_scene(HALL + cues + people(count=4)) as world:
        with pytest.warns(ea.InputWarning, match="no route leads to a goal"):
            advance(world, 9)
        assert ea.crowd(world, "people").levels == ["low"] * 4
        advance(world, 35)
        assert ea.crowd(world, "people").levels == ["high"] * 4


@pytest.mark.exhaustive
def test_people_on_closed_stairs_walk_off():
    stairs = HALL.replace("[[escalators]]", "[[stairs]]")
    cue = '[[timeline]]\nat_seconds = 7\nclose = "moving"\n'
    with ea.load_scene(stairs + cue + people()) as world:
        advance(world, 6.5)
        assert ea.crowd(world, "people").levels == ["moving"]
        advance(world, 20)
        assert ea.crowd(world, "people").levels == ["high"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [9.0, 14.0])
def test_a_snapshot_continues_with_the_same_bits(tmp_path: Path, seconds: float):
    cues = '[[timeline]]\nat_seconds = 5\nreverse = "moving"\n[[timeline]]\nat_seconds = 8\nreverse = "moving"\n'
    text, path = HALL + cues + people(count=6), tmp_path / "hall.npz"
    with ea.load_scene(text) as world:
        advance(world, seconds)
        world.save(path)
        advance(world, 3)
        expected = parts(world)[1].translation.copy()
    with ea.load_world(path, text) as again:
        advance(again, 3)
        np.testing.assert_array_equal(parts(again)[1].translation, expected)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[timeline]]\nat_seconds = 1\nstop = "movin"\n', "timeline[0].stop: there is no escalator 'movin'"),
        ('[[timeline]]\nat_seconds = 1\nclose = "gate"\n', "there is no door or connection 'gate'"),
        ('[[timeline]]\nat_seconds = 1\nreverse = "low"\n', "timeline[0].reverse: there is no connection with one"),
    ],
)
def test_wrong_names_on_the_timeline_are_errors(text: str, told: str):
    with pytest.raises(ea.InputError) as error:
        ea.load_scene(HALL + text + people())
    assert told in str(error.value)
    assert "\n" not in str(error.value)
