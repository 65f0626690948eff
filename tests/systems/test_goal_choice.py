"""Choice of goals: actors whose exit closes take another one, as RiMEA's test 8 and ISO 20414's test 9 ask for."""

import warnings

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.support.errors import InputError, InputWarning
from tests.helpers import FEW
from tests.kernels.test_routing import plan, steering_of, steps

pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
# A hall with an exit in the west and one in the east, each behind a door.
HALL = "POLYGON ((0 0, 10 0, 10 2, 13 2, 13 4, 10 4, 10 6, 0 6, 0 4, -3 4, -3 2, 0 2, 0 0))"
WEST, EAST = [-2.5, 3.0], [12.5, 3.0]


def scene(steering='exit_choice = "nearest"', count=12, center="[4.0, 3.0]", doors=("true", "true"), more=""):
    west, east = doors
    return f"""
seed = 1
[rigs.people]
model = "mannequin"
[walls]
wkt = "{HALL}"
[[walls.doors]]
name = "west"
shape = [[0.0, 1.9], [0.0, 4.1]]
open = {west}
[[walls.doors]]
name = "east"
shape = [[10.0, 1.9], [10.0, 4.1]]
open = {east}
{more}
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 0.8, center = {center} }}
body = {{}}
[crowds.steering]
{steering}
leave = true
goals = [{{ at = {WEST} }}, {{ at = {EAST} }}]
"""


def left(world, seconds):
    """How many have not left after at most so many seconds."""
    (people,) = ea.crowds(world)
    for _ in range(round(seconds)):
        if people.actor_count == 0:
            break
        steps(world, 1.0)
    return people.actor_count


@pytest.mark.exhaustive
@pytest.mark.parametrize("choose", ["nearest", "share", "assigned", "quickest"])
def test_all_leave_by_the_other_exit_when_theirs_closes(choose):
    closes = '[[timeline]]\nat_seconds = 1.0\nclose = "west"\n'
    routing = "[routing]\ncongestion_interval_seconds = 2.0\n"
    more = closes + (routing if choose == "quickest" else "")
    with ea.load_scene(scene(f'exit_choice = "{choose}"', more=more)) as world:
        steps(world, 1.0)
        assert 0 in steering_of(world).waypoint
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert left(world, 40.0) == 0


@pytest.mark.exhaustive
def test_actors_choose_again_before_they_set_off():
    with ea.load_scene(scene('exit_choice = "nearest"\npremovement_seconds = 5.0', doors=("false", "true"))) as world:
        steps(world, 2.0)
        assert (steering_of(world).waypoint == 1).all()
        begin = plan(ea.crowds(world)[0])
        steps(world, 2.0)
        np.testing.assert_allclose(plan(ea.crowds(world)[0]), begin, atol=0.02)
        assert left(world, 30.0) == 0


@pytest.mark.exhaustive
def test_without_an_exit_actors_wait_and_one_warning_counts_them():
    with ea.load_scene(scene()) as world:
        steps(world, 0.5)
        ea.doors(world).close(["west", "east"])
        with pytest.warns(InputWarning) as told:
            steps(world, 6.0)
        (warning,) = told
        assert str(warning.message).startswith("<text>: at ")
        assert "12 of 12 actors wait, because no route leads to a goal" in str(warning.message)
        (people,) = ea.crowds(world)
        assert people.cut_off.all()
        waiting = plan(people)
        steps(world, 1.0)
        np.testing.assert_allclose(plan(people), waiting, atol=0.1)
        ea.doors(world).open("east")
        assert left(world, 40.0) == 0


def test_actors_keep_a_goal_that_they_can_reach():
    with ea.load_scene(scene(more='[[timeline]]\nat_seconds = 1.0\nclose = "east"\n', center="[3.0, 3.0]")) as world:
        for _ in range(4):
            steps(world, 1.0)
            assert (steering_of(world).waypoint == 0).all()


@pytest.mark.exhaustive
def test_newcomers_do_not_choose_a_closed_exit():
    source = "sources = [{ area = [[1, 1], [2, 1], [2, 5], [1, 5]], rate_per_second = 2.0, to_seconds = 5.0 }]"
    with ea.load_scene(
        scene(f'exit_choice = "nearest"\nstarts_empty = true\n{source}', doors=("false", "true"))
    ) as world:
        steps(world, 6.0)
        assert ea.crowds(world)[0].actor_count > 5
        assert left(world, 40.0) == 0


@pytest.mark.exhaustive
def test_a_group_goes_to_one_exit():
    groups = 'exit_choice = "nearest"\ngroups = { sizes = [0, 0, 4] }'
    closes = '[[timeline]]\nat_seconds = 0.5\nclose = "west"\n'
    with ea.load_scene(scene(groups, center="[5.0, 3.0]", more=closes)) as world:
        steps(world, 3.0)
        assert (steering_of(world).waypoint == 1).all()
        assert left(world, 40.0) == 0


@pytest.mark.exhaustive
def test_actors_that_wander_take_a_goal_on_their_side_of_a_closed_door():
    wander = scene('route_choice = "wander"', count=6, doors=("false", "false"), more="").replace("leave = true\n", "")
    goals = "goals = [{ at = [-2.5, 3.0] }, { at = [2.0, 1.0] }, { at = [8.0, 5.0] }]"
    wander = wander[: wander.index("goals = ")] + goals
    with ea.load_scene(wander.replace("open = false", "open = true")) as world:
        ea.doors(world).close("west")
        seen = set()
        for _ in range(30):
            steps(world, 1.0)
            seen |= set(steering_of(world).waypoint[~ea.crowds(world)[0].cut_off].tolist())
        assert seen == {1, 2}


@pytest.mark.exhaustive
def test_a_nearest_goal_behind_a_wall_is_not_taken():
    walled = scene(center="[2.0, 3.0]").replace(HALL, f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (-1 2, -1 4))")
    with ea.load_scene(walled) as world:
        assert left(world, 40.0) == 0
    with pytest.raises(InputError, match="have no route to"):
        ea.load_scene(walled.replace('"nearest"', '"share"'))
