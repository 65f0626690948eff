"""Free ground: crowds with more actors than their file says stand in no wall and on no roof."""

import warnings

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.scenes.grounds import build_ground
from ecs_anim.scenes.loader import scene_of
from ecs_anim.support.errors import InputWarning
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.queries import may_be_at, nearest_walls
from tests.helpers import FEW

pytestmark = pytest.mark.skipif(bool(FEW), reason="without compiling, whole worlds take minutes")
# A street between houses that overhang it, and a tree in its middle.
SCENE = """
[rigs.people]
model = "mannequin"
[ground]
kind = "blocks"
floor = 0.0
blocks = [
    {{ at = [-6, 0], size = [6, 40], height = 6.0 }},
    {{ at = [6, 0], size = [6, 40], height = 6.0 }},
    {{ at = [0, -3], size = [3, 3], height = 3.5, thickness = 1.0 }},
    {{ at = [0, -3], size = [0.4, 0.4], height = 3.0 }},
]
[walls]
wkt = "POLYGON ((-3.2 -20, 3.2 -20, 3.2 20, -3.2 20, -3.2 -20), (-0.2 -3.2, -0.2 -2.8, 0.2 -2.8, 0.2 -3.2, -0.2 -3.2))"
{crowds}
"""
CROWD = """
[[crowds]]
name = "{name}"
rig = "people"
count = 10
layout = {{ kind = "scatter", radius = 2.0, center = [0.0, {y}] }}
clips = [{{ name = "idle" }}]
"""


def scene(*middles):
    return SCENE.format(crowds="".join(CROWD.format(name=f"at {y}", y=y) for y in middles))


@pytest.mark.parametrize("actors", [11, 40, 100])
def test_a_larger_crowd_stands_between_walls_and_under_no_roof(actors):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = ea.load_scene(scene(0.0), actors=actors)
    with world:
        (people,) = ea.crowds(world)
        assert people.actor_count == actors
        assert np.abs(people.positions_in_space[:, 1]).max() < 0.01
        plan, walls = people.positions, stage_of(world).walls.arrays
        assert may_be_at(walls, plan).all()
        assert nearest_walls(walls, plan)[0][:, 2].min() > 0.29


def test_a_crowd_as_large_as_written_stands_as_before():
    with ea.load_scene(scene(-8.0)) as as_written, ea.load_scene(scene(-8.0), actors=10) as asked:
        one, other = ea.crowds(as_written)[0], ea.crowds(asked)[0]
        np.testing.assert_array_equal(one.positions, other.positions)


def test_a_bridge_is_no_roof_for_a_crowd_on_it():
    bridge = scene(0.0).replace("height = 3.5, thickness = 1.0", "height = 3.5, thickness = 1.0, color = '#ffffff'")
    bridge = bridge.replace("at = [0, -3], size = [3, 3]", "at = [0, 0], size = [6, 30]").replace(
        "    { at = [0, -3], size = [0.4, 0.4], height = 3.0 },\n", ""
    )
    terrain = build_ground(scene_of(bridge))
    assert terrain.height_at(np.zeros((1, 2)))[0] == pytest.approx(3.5)
    with ea.load_scene(bridge, actors=30) as world:
        assert (ea.crowds(world)[0].positions_in_space[:, 1] > 3.4).all()


def test_one_warning_counts_the_actors_of_all_crowds():
    walled = scene(0.0, 8.0).replace("-3.2", "-0.9").replace("3.2 20", "0.9 20").replace("3.2 -20", "0.9 -20")
    with pytest.warns(InputWarning) as told:
        ea.load_scene(walled).close()
    (warning,) = told
    assert "2 crowds: " in str(warning.message)
    assert "begin in a wall or outside of the walkable area. Move their layout ('at 0.0' " in str(warning.message)


def test_five_hundred_actors_stand_on_the_plaza():
    with pytest.warns(InputWarning) as told:
        world = ea.load_scene("plaza", actors=500)
    with world:
        assert len(told) == 1
        assert all(crowd.positions_in_space[:, 1].max() < 0.5 for crowd in ea.crowds(world))
