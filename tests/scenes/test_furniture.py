"""Street furniture: random props on the free floor, by density, that people walk around."""

from pathlib import Path

import numpy as np
import pytest
import shapely

import ecs_anim as ea
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.scenes.vary import choices, drawn_values
from ecs_anim.systems.queries import stage_of

ROOM = shapely.Polygon([(-9, -7), (9, -7), (9, 7), (-9, 7)], [[(-1, -1), (1, -1), (1, 1), (-1, 1)]])
GOAL = (7.0, 5.0)
SCENE = f"""
seed = 4
[rigs.people]
model = "mannequin"
[walls]
wkt = "{ROOM.wkt}"
[[crowds]]
name = "walkers"
rig = "people"
count = 12
layout = {{ kind = "grid", spacing = 0.8, center = [-6.0, -3.0] }}
clips = [{{ name = "walk" }}]
body = {{}}
steering = {{ goal = [{GOAL[0]}, {GOAL[1]}] }}
[furniture]
density = 0.05
"""


def placed(world: ea.World) -> list[tuple[str, float, float]]:
    """Return the model and the plan point of each prop."""
    props = stage_of(world).props
    return [(own.model.name, float(row[0]), -float(row[2])) for own in props for row in own.instances]


@pytest.fixture(scope="module", name="world")
def world_fixture():
    with ea.load_scene(SCENE, threads=1) as world:
        yield world


def test_furniture_is_clear_of_actors_goals_walls_and_other_furniture(world):
    places = shapely.points([(x, y) for _, x, y in placed(world)])
    assert 5 <= len(places) <= 0.05 * ROOM.area
    starts = shapely.points(ea.crowd(world, "walkers").positions[:, :2])
    assert shapely.contains(ROOM, places).all()
    assert shapely.distance(places, ROOM.boundary).min() > 1.2
    assert shapely.distance(places, shapely.Point(GOAL)).min() > 2
    assert shapely.distance(places[:, None], starts).min() > 0.7
    apart = shapely.distance(places[:, None], places)
    assert apart[~np.eye(len(places), dtype=bool)].min() > 1.2


def test_the_seed_determines_the_furniture(world):
    with ea.load_scene(SCENE, threads=1) as same, ea.load_scene(SCENE, threads=1, seed=5) as other:
        assert placed(same) == placed(world) != placed(other)
    with ea.load_scene(SCENE.replace("0.05", "0.0"), threads=1) as empty:
        assert placed(empty) == []


def test_people_walk_around_furniture(world):
    boxes = shapely.points([(x, y) for _, x, y in placed(world)]).tolist()
    cores = shapely.union_all([point.buffer(0.1) for point in boxes])
    crowd = ea.crowd(world, "walkers")
    for _ in range(240):
        world.step(1 / 30)
        assert not shapely.intersects(cores, shapely.points(crowd.positions[:, :2])).any()
    assert np.median(shapely.distance(shapely.points(crowd.positions[:, :2]), shapely.Point(GOAL))) < 6


def test_an_unknown_model_gets_the_nearest_name():
    with pytest.raises(ea.InputError, match=r"furniture\.models.*'bollard'"):
        ea.load_scene(SCENE.replace("density = 0.05", "density = 0.05\nmodels = ['bolard']"), threads=1)


def test_the_density_can_vary_and_wild_varies_it_in_scenes_of_steered_people():
    said = SCENE.replace("density = 0.05", "").replace("seed = 4", "")
    vary = parse_scene(said + '[vary]\n"furniture.density" = [0.01, 0.06]', "test.toml", Path())
    first, second = (drawn_values(vary, seed)["furniture.density"] for seed in (1, 2))
    assert 0.01 <= first != second <= 0.06
    wild = parse_scene('vary = "wild"\n' + said, "test.toml", None)
    assert "furniture.density" in choices(wild.model)
    still = said.replace("steering = ", "locomotion = {} # ").replace("body = {}", "")
    assert "furniture.density" not in choices(parse_scene('vary = "wild"\n' + still, "test.toml", None).model)
