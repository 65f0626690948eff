"""Scenes with a building from a file."""

import pytest

import ecs_anim as ea
from ecs_anim.scenes.buildings import with_building
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError, InputWarning
from tests.builders.buildings import area, collection, imdf_features, osm_features

SCENE = """
[building]
file = "house.geojson"
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 6
body = {{}}
layout = {{ kind = "grid", spacing = 0.8, center = [4.0, 7.5], level = "{level}" }}
steering = {{ leave = true, goal = {{ area = "Main entrance" }} }}
"""


def scene_with(features, folder, text=SCENE, level="First"):
    (folder / "house.geojson").write_text(collection(features))
    return parse_scene(text.format(level=level), "x.toml", folder)


@pytest.mark.exhaustive
def test_people_of_the_upper_floor_leave_by_the_stairs_of_the_file(tmp_path):
    with pytest.warns(InputWarning, match=r"building\.file: house\.geojson: left out: 1 x 'venue'"):
        loaded = ea.load_scene(scene_with(imdf_features(), tmp_path))
    with loaded as world:
        people = ea.crowd(world, "people")
        assert set(people.levels) == {"First"}
        seen = set()
        for _ in range(60 * 60):
            world.step(1 / 60)
            if not people.actor_count:
                break
            seen |= set(people.levels)
        assert people.actor_count == 0
        assert seen >= {"First", "Ground"}


def test_tables_of_the_scene_come_before_tables_of_the_file(tmp_path):
    more = '[[levels]]\nname = "roof"\nheight = 8.0\narea = [[0, 0], [20, 0], [20, 10], [0, 10]]\n'
    scene = scene_with(osm_features(), tmp_path, SCENE + more)
    with pytest.warns(InputWarning):
        filled = with_building(scene)
    assert [own.name for own in filled.model.levels] == ["roof", "0", "1"]
    assert filled.model.building is None


def test_a_fault_of_the_file_names_the_file_and_the_level(tmp_path):
    features = [area(0, 0, 20, 10, level="0"), area(0, 0, 20, 10, level="1")]
    text = SCENE.replace('{{ area = "Main entrance" }}', "[1, 1]")
    with pytest.raises(InputError, match=r"^x\.toml: building\.file: house\.geojson: levels '1': no stairs"):
        ea.load_scene(scene_with(features, tmp_path, text, level="1"))


def test_an_unknown_area_lists_the_areas(tmp_path):
    text = SCENE.replace("Main entrance", "Main entrnce")
    with (
        pytest.warns(InputWarning),
        pytest.raises(InputError, match=r"x\.toml: crowds\[0\]\.steering\.goal\.area: the building has no area.*Main"),
    ):
        with_building(scene_with(osm_features(), tmp_path, text))


def test_a_missing_file_is_named(tmp_path):
    scene = parse_scene(SCENE.format(level="0"), "x.toml", tmp_path)
    with pytest.raises(InputError, match=r"x\.toml: building\.file: house\.geojson: .*house\.geojson"):
        with_building(scene)
