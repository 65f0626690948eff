"""Doors: from Python and the timeline, from snapshots, and what is wrong with them."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.stage import Stage
from ecs_anim.components.steering import Surroundings
from ecs_anim.support.errors import InputError
from ecs_anim.walls.queries import is_clear
from tests.helpers import EXHAUSTIVE, FEW, some
from tests.helpers.routing import HALL
from tests.kernels.test_routing import plan, state, steering_of, steps

ROOMS = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (6 0, 6 3), LINESTRING (6 4.2, 6 8))"
DOOR = '[[walls.doors]]\nname = "middle"\nshape = [[6.0, 2.9], [6.0, 4.3]]\n'
DT = 1 / 60
pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")


def scene(doors=DOOR, more="", goal="[9.5, 4.0]", walls=ROOMS, count=3):
    return f"""
[rigs.people]
model = "mannequin"
[walls]
wkt = "{walls}"
{doors}
[[crowds]]
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 0.7, center = [2.0, 3.0] }}
body = {{}}
steering = {{ goal = {goal}, goal_radius = 0.5 }}
{more}
"""


def are_through(world):
    return plan(ea.crowds(world)[0])[:, 0] > 6.2


def lets_through(world):
    """Whether no wall is seen between both rooms: of what people keep clear of, and of what is drawn."""
    ((_, (around,)),), ((_, (stage,)),) = world.query(Surroundings), world.query(Stage)
    one, other = np.array([[5.0, 3.6]]), np.array([[7.0, 3.6]])
    assert stage.walls.arrays is around.walls
    return bool(is_clear(around.walls, one, other)[0])


@EXHAUSTIVE
def test_people_wait_until_a_door_opens_and_go_through():
    with ea.load_scene(scene()) as world:
        doors = ea.doors(world)
        assert doors.is_open == {"middle": False}
        assert not lets_through(world)
        steps(world, 6.0)
        assert not are_through(world).any()
        waiting = plan(ea.crowds(world)[0])
        steps(world, 2.0)
        np.testing.assert_allclose(plan(ea.crowds(world)[0]), waiting, atol=0.05)
        doors.open("middle")
        assert lets_through(world)
        assert repr(doors) == "<Doors: middle open>"
        steps(world, 10.0)
        assert are_through(world).all()
        doors.close(["middle"])
        ea.crowds(world)[0].go_to(ea.ALL, [[2.0, 3.0]] * 3)
        steps(world, 8.0)
        assert are_through(world).all()


@EXHAUSTIVE
def test_a_way_round_is_taken_while_a_door_is_closed():
    two = DOOR + '[[walls.doors]]\nname = "far"\nshape = "POLYGON ((5.8 6.5, 6.2 6.5, 6.2 7.7, 5.8 7.7, 5.8 6.5))"\n'
    walls = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (6 0, 6 3), LINESTRING (6 4.2, 6 6.4), LINESTRING (6 7.8, 6 8))"

    def highest(**is_open):
        with ea.load_scene(scene(two, walls=walls, count=1)) as world:
            ea.doors(world).open([name for name, own in is_open.items() if own])
            found = 0.0
            for _ in range(14):
                steps(world, 1.0)
                found = max(found, plan(ea.crowds(world)[0])[0, 1])
            assert are_through(world).all()
            return found

    assert highest(middle=True, far=True) < 5 < 6 < highest(middle=False, far=True)


def cued(**options):
    more = '[[timeline]]\nat_seconds = 3.0\nopen = "middle"\n[[timeline]]\nat_seconds = 9.0\nclose = ["middle"]\n'
    return ea.load_scene(scene(more=more), **options)


@EXHAUSTIVE
def test_the_timeline_opens_and_closes_doors():
    with cued() as world:
        steps(world, 0.5)
        found = []
        for _ in range(11):
            found.append(lets_through(world))
            steps(world, 1.0)
        assert [second for second, free in enumerate(found) if free] == [3, 4, 5, 6, 7, 8]
        assert are_through(world).all()


@EXHAUSTIVE
@pytest.mark.parametrize("x", some([5.93, 5.97, 6.0, 6.03, 6.1], "5.97", "6.0", "6.1"))
def test_who_stands_in_a_door_that_closes_comes_out_and_goes_on(x):
    ways = f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (6 0, 6 3), LINESTRING (6 4.2, 6 6.5))"
    with ea.load_scene(scene(DOOR + "open = true\n", walls=ways, count=1)) as world:
        people = ea.crowds(world)[0]
        people.place([0], [[x, 3.6]])
        steps(world, DT)
        ea.doors(world).close("middle")
        people.go_to([0], [[9.5, 4.0]])
        steps(world, 12.0)
        assert np.linalg.norm(plan(people) - (9.5, 4.0)) < 0.8


@pytest.mark.parametrize("seconds", [2.0, 5.5])
@EXHAUSTIVE
def test_worlds_with_doors_go_on_from_snapshots_and_jumps(tmp_path, seconds):
    more = '[[timeline]]\nat_seconds = 3.0\nopen = "middle"\n'
    with ea.load_scene(scene(more=more), threads=1) as world:
        steps(world, seconds)
        world.save(tmp_path / "x.npz")
        is_open = ea.doors(world).is_open
        steps(world, 4.0)
        expected = state(world)
    with ea.load_world(tmp_path / "x.npz", scene(more=more), threads=4) as world:
        assert ea.doors(world).is_open == is_open
        assert lets_through(world) == is_open["middle"]
        steps(world, 4.0)
        assert state(world) == expected
    with ea.load_scene(scene(more=more), threads=2) as world:
        world.skip(round(seconds / DT) + round(4.0 / DT), DT)
        np.testing.assert_array_equal(steering_of(world).way.tobytes(), expected["Steering.way"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            scene(more='[[timeline]]\nat_seconds = 1\nopen = "midle"'),
            r"timeline\[0\].open: there is no door 'midle'; did you me",
        ),
        (scene(doors="", more='[[timeline]]\nat_seconds = 1\nclose = "x"'), "there is no door 'x'; doors are: none"),
        (scene(DOOR * 2), "doors: the names of doors must be different .got 'middle' twice"),
        (
            scene(DOOR.replace("[6.0, 4.3]", "[6.0, 2.9]")),
            "the plan must contain a polygon or a line .left out: 1 x line under 1 mm",
        ),
        (
            scene(DOOR.replace("[[6.0, 2.9], [6.0, 4.3]]", "'POINT (1 1)'")),
            r"doors\[0\].shape: the plan must contain a polygon or a line .left out",
        ),
        (
            scene(DOOR.replace("[[6.0, 2.9], [6.0, 4.3]]", "[[-1, -1], [13, -1], [13, 9], [-1, 9]]")),
            "all doors are closed",
        ),
        (
            scene(goal="[6.0, 3.6]", doors="", walls=ROOMS.replace("6 3)", "6 4.2)")),
            r"goal: \[6, 3.6\] must be in the walkable area and not in a wall",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(text, message):
    with pytest.raises(InputError, match=message) as caught:
        ea.load_scene(text)
    assert "\n" not in str(caught.value)


def test_unknown_doors_are_told_and_none_is_moved():
    with ea.load_scene(scene()) as world:
        doors = ea.doors(world)
        with pytest.raises(KeyError, match="midle"):
            doors.open(["middle", "midle"])
        assert doors.is_open == {"middle": False}
    with ea.load_scene(scene(doors="", goal="[2.0, 4.0]")) as world, pytest.raises(ValueError, match="has no doors"):
        ea.doors(world)


def test_a_snapshot_of_other_doors_is_refused(tmp_path):
    with ea.load_scene(scene()) as world:
        world.save(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as found:
        arrays = {name: found[name] for name in found.files}
    name = next(name for name in arrays if name.endswith("Doors.is_open"))
    arrays[name] = np.array([True, False])
    np.savez(tmp_path / "y.npz", **arrays)
    with pytest.raises(InputError, match=r"Doors.is_open must be"):
        ea.load_world(tmp_path / "y.npz", scene())
