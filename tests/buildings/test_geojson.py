"""Buildings in GeoJSON. The expected floors, walls and ends of stairs are the rectangles of the builder."""

import math

import numpy as np
import pytest
import shapely

from ecs_anim.buildings.read import BuildingOptions, read_building
from tests.builders.buildings import (
    LATITUDE,
    LONGITUDE,
    area,
    collection,
    feature,
    imdf_features,
    in_degrees,
    line,
    osm_features,
    point,
)


def read(features, options=None, **more):
    return read_building(collection(features, **more), options or BuildingOptions())


@pytest.mark.parametrize(("features", "names"), [(osm_features(), ["0", "1"]), (imdf_features(), ["Ground", "First"])])
def test_both_formats_have_the_floors_and_walls_of_the_plan(features, names):
    found = read(features)
    levels = found.tables["levels"]
    assert [(own["name"], own["height"]) for own in levels] == list(zip(names, [0.0, 3.4], strict=True))
    for level in levels:
        assert shapely.from_wkt(level["area"]).equals(shapely.box(0, 0, 20, 10))
        walls = shapely.from_wkt(level["walls"])
        # the room has walls on its inner sides, with a gap of 1.2 m at its door
        lines = [own for own in shapely.get_parts(walls) if own.geom_type == "LineString"]
        assert sum(own.length for own in lines) == pytest.approx(8 + 6 - 1.2, abs=0.05)
        assert all(own.distance(shapely.Point(4, 4)) == pytest.approx(0.6) or own.length > 4 for own in lines)
    solids = [own for own in shapely.get_parts(shapely.from_wkt(levels[0]["walls"])) if own.geom_type == "Polygon"]
    assert [own.bounds for own in solids] == [(1, 6, 2, 7)]


def test_stairs_escalators_and_lifts_of_osm_lead_from_their_lower_end():
    tables = read(osm_features()).tables
    (stairs,) = tables["stairs"]
    assert stairs["name"] == "East stairs"
    assert stairs["foot"] == {"at": [10, 5.5], "level": "0"}
    assert (stairs["to"], stairs["heading_degrees"], stairs["width"]) == ("1", pytest.approx(90), 1.6)
    risers = round(3.4 / stairs["riser"])
    assert (risers - 1) * stairs["going"] == pytest.approx(3.5)  # the steps reach the upper end
    (escalator,) = tables["escalators"]  # the line leads downwards, and the steps move backward: upwards
    assert escalator["foot"]["at"] == pytest.approx([13, 5.5])
    assert escalator["direction"] == "up"
    (lift,) = tables["lifts"]
    assert lift["stops"] == ["0", "1"]
    assert lift["at"] == pytest.approx([18, 8.1])


def test_an_escalator_ends_at_the_edge_of_the_upper_floor_and_has_whole_steps():
    """The line is 6.6 m long, and a step is 0.4 m long: the lower end moves by 0.2 m."""
    features = [
        area(0, -4, 20, 14, indoor="area", level="0"),
        area(0, 5, 20, 5, indoor="area", level="1"),
        line([[4, -1.6], [4, 5]], highway="steps", conveying="forward", level="0;1"),
    ]
    (escalator,) = read(features).tables["escalators"]
    assert escalator["foot"]["at"] == pytest.approx([4, -1.4])
    steps = round(3.4 / escalator["riser"]) - 1  # the upper floor is the last step
    assert -1.4 + 0.4 * steps == pytest.approx(5)


def test_openings_of_imdf_show_the_lower_end_of_stairs():
    (stairs,) = read(imdf_features()).tables["stairs"]
    assert stairs["foot"] == {"at": pytest.approx([10.2, 5.5]), "level": "Ground"}
    assert stairs["heading_degrees"] == pytest.approx(90)


def test_stairs_with_both_doors_at_one_end_have_a_half_turn():
    features = [
        *(area(0, 0, 20, 4, indoor="corridor", level=level) for level in ("0", "1")),
        *(area(5, 4, 3, 5, stairs="yes", level=level) for level in ("0", "1")),
        *(line([[5.2, 4], [7.8, 4]], door="yes", level=level) for level in ("0", "1")),
    ]
    (stairs,) = read(features).tables["stairs"]
    assert (stairs["landings"], stairs["turn"]) == (1, "left")
    assert stairs["heading_degrees"] == pytest.approx(90)
    assert stairs["foot"]["at"][0] > 6.5  # the lower flight is on the right side
    assert 2 * stairs["width"] + stairs["gap"] == pytest.approx(3)


def test_degrees_become_metres_about_the_middle():
    flat, found = read(imdf_features()), read(in_degrees(imdf_features()))
    shift = np.array([10.0, 5.0])
    for name, floor in flat.floors.items():
        moved = shapely.transform(floor, lambda xy: xy - shift)
        assert found.floors[name].hausdorff_distance(moved) < 1e-3
    placed = read(in_degrees(imdf_features()), BuildingOptions(origin=(LONGITUDE, LATITUDE + 1e-5)))
    south = found.floors["Ground"].centroid.y - placed.floors["Ground"].centroid.y
    assert south == pytest.approx(1e-5 * math.radians(1) * 6367000, rel=2e-3)  # mean radius at 49 degrees


def test_the_unit_follows_the_file_or_the_option():
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}
    metre, degree = area(0, 0, 0.6, 0.5, level="0"), area(0, 0, 0.1, 0.1, level="0")  # 0.1 degrees are 11 km
    assert read([metre]).floors["0"].area == pytest.approx(0.3)
    for one in (read([degree]), read([degree], crs=crs), read([degree], BuildingOptions(unit="degrees"))):
        assert one.floors["0"].area == pytest.approx(11.1e3**2, rel=0.02)
    with pytest.raises(ValueError, match=r"the floors are only 0\.1 m long and 0\.1 m wide"):
        read([degree], BuildingOptions(unit="metres"))


def test_elevation_height_and_number_give_the_height_of_a_floor():
    features = [
        area(0, 0, 9, 9, level="-1"),
        area(0, 0, 9, 9, level="1", category="level", elevation=4.5),
        area(0, 0, 9, 9, level="2", indoor="level", height="3 m"),  # of the storey, not of its floor
        area(0, 0, 9, 9, level="roof"),
    ]
    options = BuildingOptions(storey_height=4.0, heights={"roof": 12.5})
    levels = read(features, options).tables["levels"]
    assert {own["name"]: own["height"] for own in levels} == {"-1": -4.0, "1": 4.5, "2": 8.0, "roof": 12.5}
    with pytest.raises(ValueError, match=r"no height for the level 'roof'\. Write heights"):
        read(features)


def test_named_rooms_and_outer_doors_are_areas():
    found = read(osm_features())
    assert set(found.areas) == {"Kiosk", "Office", "Main entrance"}
    text, level = found.areas["Main entrance"]
    assert level == "0"
    assert shapely.from_wkt(text).equals(shapely.box(9, 0, 11, 0.6))
    (door,) = found.tables["levels"][0]["doors"]
    assert door == {"name": "Main entrance", "shape": [[9, 0], [11, 0]], "open": True}


def test_holes_and_equal_names():
    hole = area(2, 2, 3, 3, category="opentobelow", level_id="1") | {"feature_type": "unit"}
    rooms = [area(x, 0, 5, 5, indoor="area", level="1", name="Hall") for x in (0, 5)]
    found = read([*rooms, hole, area(0, 0, 9, 9, level="0", indoor="area", name="Hall")])
    assert found.floors["1"].equals(shapely.box(0, 0, 10, 5).difference(shapely.box(2, 2, 5, 5)))
    assert set(found.areas) == {"Hall", "Hall (1)", "Hall 2 (1)"}


def test_ignored_features_are_counted_by_reason():
    steps = [line([[1, 1], [1, 1.4]], highway="steps", level="0;1"), line([[1, 1], [9, 1]], highway="steps", level="0")]
    found = read([*osm_features(), *steps, feature(None, None)])
    assert found.ignored == {
        "'building=yes'": 1,
        "'natural=tree'": 1,
        "'feature without a type and a level'": 1,
        "stairs that are too steep, too flat or too short": 1,
        "stairs without exactly two levels": 1,
    }


def test_the_corners_of_all_levels_have_a_limit():
    many = [area(k % 100, k // 100, 1, 1, level="0-399", indoor="room", name="x") for k in range(50)]
    with pytest.raises(ValueError, match=r"^the building has 100,000 corners of walls.*[Ss]implify the building"):
        read(many)


@pytest.mark.exhaustive
def test_the_numbers_of_stairs_and_doors_have_limits():
    floor = area(0, 0, 100, 100, level="0;1", indoor="area")
    for part, count, message in [
        (line([[0, 0], [5, 0]], highway="steps", level="0;1"), 1001, "at most 1,000 stairs.*got 1,001"),
        (point(5, 0, door="yes", level="0"), 5001, "at most 5,000 doors"),
    ]:
        with pytest.raises(ValueError, match=message):
            read([floor, *(part for _ in range(count))])


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "must contain features"),
        ([point(1, 1, door="yes", level="0"), line([[0, 0], [9, 9]], indoor="wall")], "no level with a floor"),
        ([area(0, 0, 9, 9, level="0-900000000")], "must go from a lower level to a higher level"),
        ([area(1e7, 0, 9, 9, level="0")], "Add origin"),
        ([area(200, 0, 0.001, 0.001, level="0")], "at most 180 degrees"),
        ([1], r"features\[0\] must be a GeoJSON object"),
    ],
)
def test_faults_are_one_line(features, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(features)
    assert "\n" not in str(caught.value)
