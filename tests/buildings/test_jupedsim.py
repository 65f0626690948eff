"""Buildings in JPScore's XML. The expected shapes are the rectangles of the builder."""

import pytest
import shapely

import ecs_anim as ea
from ecs_anim.buildings.read import BuildingOptions, read_building
from ecs_anim.scenes.loader import parse_scene
from tests.builders.buildings import jupedsim_xml, subroom

SCENE = """
[building]
file = "house.xml"
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 4
body = {}
layout = { kind = "grid", spacing = 1.0, center = [21.0, 3.0], level = "1" }
steering = { leave = true, goal = { area = "main exit" } }
"""


def read(text, options=None):
    return read_building(text, options or BuildingOptions())


def test_levels_are_the_subrooms_at_one_height():
    found = read(jupedsim_xml())
    ground, first = found.tables["levels"]
    assert (ground["name"], ground["height"], first["name"], first["height"]) == ("0", 0.0, "1", 3.0)
    assert shapely.from_wkt(ground["area"]).equals(shapely.box(0, 0, 10, 9))
    assert shapely.from_wkt(first["area"]).equals(shapely.box(16, 0, 24, 6))
    walls = shapely.get_parts(shapely.from_wkt(ground["walls"]))
    assert sum(wall.length for wall in walls if wall.geom_type == "LineString") == pytest.approx(10 - 1, abs=0.05)
    (table,) = [wall for wall in walls if wall.geom_type == "Polygon"]
    assert table.equals(shapely.box(7, 7, 8, 8))
    assert first["walls"] == ""


def test_stairs_lie_between_their_crossings():
    (stairs,) = read(jupedsim_xml()).tables["stairs"]
    assert stairs["foot"] == {"at": [10, 3], "level": "0"}
    assert (stairs["to"], stairs["heading_degrees"], stairs["width"]) == ("1", 0, 2)
    assert (stairs["name"], round(3.0 / stairs["riser"])) == ("stairs", 18)


def test_transitions_to_the_outside_are_exits():
    found = read(jupedsim_xml())
    assert found.areas["main exit"][1] == "0"
    assert shapely.from_wkt(found.areas["main exit"][0]).equals(shapely.box(4, 0, 6, 0.6))
    assert [door["name"] for door in found.tables["levels"][0]["doors"]] == ["main exit"]


def test_origin_and_heights_change_the_building():
    found = read(jupedsim_xml(), BuildingOptions(origin=(10.0, 3.0), heights={"1": 4.0}))
    assert found.tables["stairs"][0]["foot"]["at"] == [0, 0]
    assert found.tables["levels"][1]["height"] == 4.0


@pytest.mark.exhaustive
def test_people_leave_over_the_stairs(tmp_path):
    (tmp_path / "house.xml").write_text(jupedsim_xml())
    with ea.load_scene(parse_scene(SCENE, "x.toml", tmp_path)) as world:
        people = ea.crowd(world, "people")
        for _ in range(60 * 60):
            world.step(1 / 60)
            if not people.actor_count:
                break
        assert people.actor_count == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'C_z="3"',
            'C_z="high"',
            r"C_z of subroom 0 of room 2 must be a number between -10,000 and 10,000 \(got 'high'\)",
        ),
        ('px="24" py="0"', 'px="nan" py="0"', "within 16384 m"),
        ('py="9"', 'py="nine"', "must have numbers as coordinates"),
        ('<subroom id="1"', '<subroom id="0"', "two subrooms have the id of subroom 0 of room 0"),
        ('room1_id="0" subroom1_id="0" room2_id="-1"', 'room1_id="7" subroom1_id="0" room2_id="-1"', "closed border"),
        ('unit="m"', 'unit="cm"', "must be metres"),
    ],
)
def test_faults_are_one_line(old, new, message):
    text = jupedsim_xml()
    assert old in text
    with pytest.raises(ValueError, match=message) as caught:
        read(text.replace(old, new))
    assert "\n" not in str(caught.value)


def test_stairs_without_an_upper_subroom_are_counted():
    found = read(jupedsim_xml().replace('id="2" room1_id="1"', 'id="2" room1_id="5"'))
    assert found.ignored == {"stairs, escalators and ramps without a lower and a higher subroom": 1}


def test_the_caption_of_a_room_is_the_name_of_its_stairs_unless_the_room_has_a_floor():
    room = '<room id="1" caption="West stairs">'
    text = jupedsim_xml().replace('<room id="1" caption="stairs">', room)
    assert [own["name"] for own in read(text).tables["stairs"]] == ["West stairs"]
    floor = subroom(9, [[(30, 0), (34, 0), (34, 4), (30, 4), (30, 0)]], (0, 0, 3), kind="floor")
    found = read(text.replace(room, room + floor))
    assert [own["name"] for own in found.tables["stairs"]] == ["stairs"]
    assert "West stairs" in found.areas
