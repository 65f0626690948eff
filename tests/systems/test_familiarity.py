"""The choice among known exits: actors use exits that they know, and exits that come into view."""

import warnings

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.familiarity import Familiarity
from ecs_anim.components.groups import Groups
from ecs_anim.components.steering import Surroundings
from ecs_anim.support.errors import InputError
from ecs_anim.walls.queries import is_clear
from tests.helpers import FEW
from tests.kernels.test_routing import plan, steering_of, steps

pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
# A corridor to the east, with a side corridor to the north whose exit is not in view from the west.
CORRIDOR = "POLYGON ((0 0, 30 0, 30 3, 15 3, 15 9, 12 9, 12 3, 0 3, 0 0))"
NORTH, EAST = (13.5, 8.5), (29.0, 1.5)


def scene(north=0.0, count=6, center="[3.0, 1.5]", more="", steering=""):
    return f"""
seed = 3
[rigs.people]
model = "mannequin"
[walls]
wkt = "{CORRIDOR}"
[[walls.doors]]
name = "gate"
shape = [[20.0, -0.1], [20.0, 3.1]]
open = true
{more}
[[crowds]]
name = "people"
rig = "people"
count = {count}
layout = {{ kind = "grid", spacing = 0.8, columns = 3, center = {center} }}
path = "baked"
[crowds.steering]
exit_choice = "familiar"
leave = true
{steering}
goals = [{{ at = {list(NORTH)}, known_by = {north} }}, {{ at = {list(EAST)} }}]
"""


def goals_at_the_start(text):
    with ea.load_scene(text) as world:
        steps(world, 0.1)
        return steering_of(world).waypoint.copy()


def test_actors_choose_among_the_exits_that_they_know():
    assert (goals_at_the_start(scene(north=0.0)) == 1).all()
    assert (goals_at_the_start(scene(north=1.0)) == 0).all()


def test_the_share_of_the_actors_that_know_an_exit():
    many = scene(north=0.3, count=400, center="[15.0, 1.5]")
    many = many.replace("columns = 3", "columns = 60").replace("spacing = 0.8", "spacing = 0.4")
    with ea.load_scene(many) as world:
        ((_, (own,)),) = world.query(Familiarity)
        knows = own.knows(np.arange(400), 2)
    assert knows[1].all()
    assert knows[0].mean() == pytest.approx(0.3, abs=4 * np.sqrt(0.3 * 0.7 / 400))


def test_an_actor_that_knows_no_exit_knows_the_most_familiar_one():
    text = scene(north=0.0).replace("{ at = [29.0, 1.5] }", "{ at = [29.0, 1.5], known_by = 0.01 }")
    assert (goals_at_the_start(text) == 1).all()


@pytest.mark.exhaustive
def test_actors_change_to_a_nearer_exit_when_it_comes_into_view():
    with ea.load_scene(scene()) as world:
        ((_, (around,)),) = world.query(Surroundings)
        (people,) = ea.crowds(world)
        seen_since = {}
        while world.time < 12.0 and people.actor_count:
            before = dict(zip(people.ids.tolist(), plan(people).tolist(), strict=True))
            world.step(1 / 60)
            chosen = dict(zip(people.ids.tolist(), steering_of(world).waypoint.tolist(), strict=True))
            for actor, at in before.items():
                ends = np.array([at], np.float64), np.array([NORTH], np.float64)
                if is_clear(around.walls, *ends)[0]:
                    seen_since.setdefault(actor, world.time)
                if actor in chosen:
                    since = world.time - seen_since.get(actor, world.time)
                    assert chosen[actor] == 1 or actor in seen_since
                    assert chosen[actor] == 0 or since < 1.2  # actors look once in a second
        assert len(seen_since) == 6


@pytest.mark.exhaustive
def test_actors_leave_by_an_unknown_exit_if_no_known_exit_has_a_route():
    closes = '[[timeline]]\nat_seconds = 0.5\nclose = "gate"\n'
    with ea.load_scene(scene(more=closes)) as world, warnings.catch_warnings():
        warnings.simplefilter("error")
        steps(world, 2.0)
        assert (steering_of(world).waypoint == 0).all()
        steps(world, 15.0)
        assert ea.crowds(world)[0].actor_count == 0


def test_members_of_a_group_share_what_they_know():
    with ea.load_scene(scene(north=0.5, steering="groups = { sizes = [0, 0, 1] }")) as world:
        steps(world, 0.1)
        ((_, (own,)),) = world.query(Familiarity)
        ((_, (groups,)),) = world.query(Groups)
        order = np.argsort(groups.number, kind="stable").reshape(-1, 3)
        known, goals = own.known[order], steering_of(world).waypoint[order]
    assert (known == known[:, :1]).all()
    assert (goals == goals[:, :1]).all()
    assert (goals == np.where(known & 1, 0, 1)).all()


@pytest.mark.exhaustive
def test_a_snapshot_continues_with_the_same_bits(tmp_path):
    with ea.load_scene(scene(north=0.5)) as world:
        steps(world, 4.0)
        world.save(tmp_path / "x.npz")
        steps(world, 4.0)
        expected = plan(ea.crowds(world)[0])
    with ea.load_world(tmp_path / "x.npz", scene(north=0.5)) as world:
        steps(world, 4.0)
        np.testing.assert_array_equal(plan(ea.crowds(world)[0]), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"familiar"', '"nearest"'), "known_by needs exit_choice = 'familiar'"),
        (("known_by = 0.0", "known_by = 1.5"), "known_by"),
    ],
)
def test_errors(change, message):
    with pytest.raises(InputError, match=message):
        ea.load_scene(scene().replace(*change))
