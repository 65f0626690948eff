"""Free ground: crowds with more actors than their file says stand in no wall and on no roof."""

import warnings

import numpy as np
import pytest
import scipy.spatial

import ecs_anim as ea
from ecs_anim.scenes.free_ground import CLOSE, near_any, nearest_free
from ecs_anim.scenes.grounds import build_ground
from ecs_anim.scenes.loader import read_scene, scene_of
from ecs_anim.support.errors import InputWarning
from ecs_anim.systems.queries import stage_of
from ecs_anim.walls.queries import may_be_at, nearest_walls
from tests.helpers import FEW, some

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
    assert "begin in a wall or outside of the walkable area. Move the layout of these actors ('at 0.0' " in str(
        warning.message
    )


def loaded_without_warning(name, actors):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return ea.load_scene(name, actors=actors, threads=1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("actors", some([50, 174, 500, 2000], "50", "500"))
def test_all_actors_of_the_plaza_start_on_free_ground(actors):
    with loaded_without_warning("plaza", actors) as world:
        crowds = ea.crowds(world)
        assert sum(crowd.actor_count for crowd in crowds) == actors
        assert all(crowd.positions_in_space[:, 1].max() < 0.5 for crowd in crowds)


@pytest.mark.exhaustive
def test_additional_actors_stand_apart_from_actors_of_all_crowds():
    with loaded_without_warning("plaza", 500) as world:
        crowds = {crowd.name: crowd.positions.astype(float) for crowd in ea.crowds(world)}
    points = read_scene("plaza").model.crowds[2].layout.points
    np.testing.assert_allclose(crowds["joggers"], points, atol=1e-5)
    together = np.concatenate(list(crowds.values()))
    assert scipy.spatial.distance.pdist(together).min() > 0.49


def test_crowds_without_walls_also_stand_apart():
    with loaded_without_warning("crossing", 600) as world:
        first, second = (crowd.positions for crowd in ea.crowds(world))
    assert scipy.spatial.distance.cdist(first, second).min() > 0.49


def test_near_points_are_found_exactly():
    rng = np.random.default_rng(4)
    points, others = rng.uniform(-9, 9, (500, 2)), rng.uniform(-9, 9, (80, 2)).round(2)
    expected = scipy.spatial.distance.cdist(points, others).min(axis=1) < 0.7
    assert 0 < expected.sum() < 500
    np.testing.assert_array_equal(near_any(points, others, 0.7), expected)
    assert not near_any(points, np.empty((0, 2)), 0.7).any()


def test_the_nearest_free_points_leave_no_gap():
    found = nearest_free((3.0, -2.0), 200, lambda points: points[:, 0] > 0)
    assert found.shape == (200, 2)
    assert found[:, 0].min() > 0
    assert scipy.spatial.distance.pdist(found).min() == pytest.approx(CLOSE)
    side = CLOSE * CLOSE * np.sqrt(3) / 2  # [m^2], area of a point of a hexagonal grid
    full = np.pi * np.linalg.norm(found - [3.0, -2.0], axis=1).max() ** 2
    assert full == pytest.approx(200 * side, rel=0.1)
    assert nearest_free((0.0, 0.0), 5, lambda points: np.zeros(len(points), bool)) is None
