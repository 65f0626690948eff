"""Plans: what each format becomes, what is solid and what is free, and what is told of mistakes."""

import json
import re
import warnings

import numpy as np
import pytest
import shapely

from ecs_anim.ground.ground import height_field
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.walls.build import WallStyle, walls_from_text
from ecs_anim.walls.plan import PlanOptions, read_plan
from ecs_anim.walls.shapes import checked_shapes
from ecs_anim.walls.trace import trace
from ecs_anim.walls.walls import PlanPolygon

HALL = "POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0), (4 2, 4 3, 5 3, 5 2, 4 2))"


def area_of(polygons: tuple[PlanPolygon, ...] | None) -> float:
    assert polygons is not None
    return sum(shapely.Polygon(p.exterior, p.holes).area for p in polygons)


def solid(walls) -> shapely.Geometry:
    return shapely.union_all([shapely.Polygon(p.exterior, p.holes) for p in walls.solids])


def geojson(*geometries) -> str:
    features = [{"type": "Feature", "properties": {}, "geometry": g} for g in geometries]
    return json.dumps({"type": "FeatureCollection", "features": features})


def test_a_walkable_area_is_bounded_from_outside_and_its_holes_are_solid():
    walls = walls_from_text(HALL, WallStyle(thickness=0.25))
    assert area_of(walls.walkable) == pytest.approx(59)
    assert solid(walls).area == pytest.approx(10.5 * 6.5 - 59)
    assert not solid(walls).intersection(shapely.from_wkt(HALL)).area
    assert solid(walls).contains(shapely.Point(4.5, 2.5))
    assert len(walls.arrays.segments) == 8
    assert repr(walls) == "Walls(8 segments, 2 solids, 1 m high)"


def test_lines_are_walls_about_their_middle_and_take_room_from_the_area():
    text = "GEOMETRYCOLLECTION (POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0)), LINESTRING (3 0, 3 4))"
    walls = walls_from_text(text, WallStyle(thickness=0.5))
    assert area_of(walls.walkable) == pytest.approx(60 - 0.5 * 4.25)  # it reaches half of its thickness further
    assert solid(walls).contains(shapely.box(2.76, 1, 3.24, 4.2))
    alone = walls_from_text("LINESTRING (0 0, 4 0, 4 3)", WallStyle(thickness=0.5))
    assert alone.walkable is None
    assert area_of(alone.solids) == pytest.approx(0.5 * (4.25 + 3.25))  # the corner is mitred, once


def test_obstacles_leave_everything_else_free():
    walls = walls_from_text(
        "MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((1 1, 3 1, 3 3, 1 3, 1 1)))", meaning="obstacles"
    )
    assert walls.walkable is None
    assert area_of(walls.solids) == pytest.approx(7)  # those that overlap are one


def test_a_place_in_a_hole_of_another_is_walkable_too():
    rings = [shapely.box(-r, -r, r, r) for r in (10, 6, 2)]
    walls = walls_from_text(shapely.MultiPolygon([rings[0].difference(rings[1]), rings[2]]).wkt)
    assert area_of(walls.walkable) == pytest.approx(400 - 144 + 16)
    assert solid(walls).contains(shapely.Point(4, 0))
    assert not solid(walls).intersects(shapely.Point(0, 0))


def test_polygons_are_turned_as_documented_whatever_they_were():
    clockwise = walls_from_text("POLYGON ((0 0, 0 6, 10 6, 10 0, 0 0), (4 2, 5 2, 5 3, 4 3, 4 2))")
    for walls in (clockwise, walls_from_text(HALL)):
        (area,) = walls.walkable
        assert shapely.is_ccw(shapely.linearrings(area.exterior))
        assert not shapely.is_ccw(shapely.linearrings(area.holes[0]))
        assert {tuple(corner) for corner in area.holes[0]} == {(4, 2), (4, 3), (5, 3), (5, 2)}
    np.testing.assert_array_equal(clockwise.arrays.segments, walls_from_text(HALL).arrays.segments)


def test_geojson_says_what_wkt_says():
    hall = shapely.from_wkt(HALL)
    line = {"type": "LineString", "coordinates": [[1, 1], [1, 4]]}
    text = geojson(json.loads(shapely.to_geojson(hall)), line, None)
    expected = walls_from_text(f"GEOMETRYCOLLECTION ({HALL}, LINESTRING (1 1, 1 4))")
    np.testing.assert_array_equal(walls_from_text(text).arrays.segments, expected.arrays.segments)
    several = {"type": "GeometryCollection", "geometries": [
        {"type": "MultiPolygon", "coordinates": [json.loads(shapely.to_geojson(hall))["coordinates"]]},
        {"type": "MultiLineString", "coordinates": [[[1, 1, 9.5], [1, 4, 9.5]]]},
    ]}  # fmt: skip
    np.testing.assert_array_equal(walls_from_text(json.dumps(several)).arrays.segments, expected.arrays.segments)


XML = """<?xml version="1.0" encoding="UTF-8"?>
<geometry version="0.8" unit="m"><rooms><room id="0"><subroom id="0">
<polygon caption="wall">{}</polygon></subroom></room></rooms>
<obstacles><obstacle id="3"><polygon>{}</polygon></obstacle></obstacles></geometry>"""


def vertices(*corners) -> str:
    return "".join(f'<vertex px="{x}" py="{y}"/>' for x, y in corners)


SQUARE = [(0, 0), (8, 0), (8, 8), (0, 8), (0, 0)]
BOX = [(2, 2), (3, 2), (3, 4), (2, 4), (2, 2)]


def test_xml_has_rooms_and_obstacles():
    walls = walls_from_text(XML.format(vertices(*SQUARE), vertices(*BOX)))
    assert area_of(walls.walkable) == pytest.approx(62)
    assert solid(walls).contains(shapely.Point(2.5, 3))
    open_room = walls_from_text(XML.format(vertices(*SQUARE[:-1]), vertices(*BOX)))
    assert open_room.walkable is None  # a wall with a gap encloses nothing
    assert len(open_room.solids) == 2


def test_walls_follow_uneven_ground():
    slope = height_field([[0.0, 4.0], [0.0, 4.0]], (0.0, -10.0), (10.0, 10.0))  # a rise of 0.4 along x
    (flat,) = walls_from_text("LINESTRING (1 1, 9 1)", WallStyle(height=2)).surfaces
    assert (flat.positions[:, 1].min(), flat.positions[:, 1].max()) == pytest.approx((-0.05, 2))
    walls = walls_from_text("LINESTRING (1 1, 9 1)", WallStyle(height=2), terrain=slope)
    # A field without surfaces is not draped over, one with is: both stand on the ground at their corners.
    (surface,) = walls.surfaces
    over = surface.positions[:, 1] - 0.4 * surface.positions[:, 0]
    assert set(np.round(over, 5)) == {np.float32(-0.05), np.float32(2)}


def test_what_is_drawn_is_closed_but_for_its_bottom_and_faces_outwards():
    (surface,) = walls_from_text(HALL, WallStyle(height=2.0, thickness=0.5)).surfaces
    corners = surface.corners().astype(float)
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    tops = surface.normals[surface.indices[::3], 1] == 1
    solids = 11 * 7 - 59
    assert faces[tops, 1].sum() / 2 == pytest.approx(solids)
    np.testing.assert_allclose(faces[~tops].sum(axis=0), 0, atol=1e-4)  # sides go all round
    # The divergence theorem: the volume from sides and tops, the bottom being at y = -0.05.
    volume = np.einsum("ij,ij->i", corners[:, 0] + [0, 0.05, 0], faces).sum() / 6
    assert volume == pytest.approx(solids * 2.05, rel=1e-5)
    unit = faces / np.linalg.norm(faces, axis=1, keepdims=True)
    np.testing.assert_allclose(np.repeat(unit, 3, axis=0), surface.normals[surface.indices], atol=1e-5)
    assert surface.colors[surface.normals[:, 1] == 1].min() > surface.colors[surface.normals[:, 1] == 0].max()


def test_a_pictures_outlines_are_its_pixels():
    rng = np.random.default_rng(4)
    picture = np.zeros((60, 80), bool)
    for x, y, width, height in ((5, 5, 20, 9), (30, 10, 4, 40), (30, 46, 45, 4), (60, 8, 12, 12)):
        picture[y : y + height, x : x + width] = True
    picture[11:17, 62:70] = False  # a hole
    plan = np.array([[8.0, 0, 0], [0, -6, 6], [0, 0, 1]])  # 0.1 m a pixel, north up
    found = checked_shapes(trace(picture, plan))
    area = shapely.union_all(list(found.polygons))
    assert area.area == pytest.approx(0.01 * picture.sum())
    row, column = rng.integers(0, 60, 500), rng.integers(0, 80, 500)
    inside = shapely.contains_xy(area, 0.1 * (column + 0.5), 6 - 0.1 * (row + 0.5))
    np.testing.assert_array_equal(inside, picture[row, column])


def test_a_slanted_wall_in_a_picture_is_no_stair():
    x, y = np.meshgrid(np.arange(200) + 0.5, np.arange(200) + 0.5)
    picture = np.abs(0.6 * x - 0.8 * y + 10) < 8
    plan = np.array([[2.0, 0, 0], [0, -2, 2], [0, 0, 1]])
    found = checked_shapes(trace(picture, plan))
    assert shapely.get_num_coordinates(list(found.polygons)).sum() < 40
    assert sum(p.area for p in found.polygons) == pytest.approx(1e-4 * picture.sum(), rel=0.03)


FAULTS = {
    "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))": "Polygon is not valid: it crosses itself at x = 1, y = 1. Correct the shape",
    "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (20 20, 21 20, 21 21, 20 20))": "Polygon is not valid: it has a hole outside",
    "GEOMETRYCOLLECTION (POINT (1 2))": r"the plan must contain a polygon or a line \(left out: 1 x point\)\. Draw",
    "POLYGON ((0 0, 2e6 0, 1 1, 0 0))": r"Polygon must be within 16384 m .*corner is at x = 2e\+06, y = 0",
    "LINESTRING (0 0, nan 1)": "LineString has a coordinate that is not a number",
    "LINESTRING (0 0, 1e999 1)": "LineString has a coordinate that is not a number",
    "LINESTRING (1 1, 1 1)": r"the plan must contain a polygon or a line \(left out: 1 x line under 1 mm\)",
    "POLYGON ((0 0, 1e-6 0, 0 1e-6, 0 0))": r"the plan must contain a .* \(left out: 1 x polygon under 1 mm\^2\)",
    "GEOMETRYCOLLECTION (POLYGON ((16e3 16e3, 16001 16e3, 16001 16001, 16e3 16001, 16e3 16e3)), LINESTRING (16000.3996"
    " 15999, 16000.3996 16002), LINESTRING (15999 16000.3996, 16002 16000.3996))": "the walls are too small",
    "POLYGON EMPTY": "the plan must contain a polygon or a line. Draw",
    "": "the text must begin with a WKT geometry",
    "no plan at all": "the text must begin with a WKT geometry, such as POLYGON",
    "POLYGON ((0 0, 1 0, 1 1))": "the text must be valid WKT .Points of LinearRing do not form a closed",
    "CIRCULARSTRING (0 0, 1 1, 2 0)": "walls must have straight sides .got curves",
    "GEOMETRYCOLLECTION (" * 50 + "POINT (0 0)" + ")" * 50: "parentheses in a plan must be nested at most 32",
    "{": "the file must be JSON .*at line 1, column 2.. Correct",
    "[" * 100_000: "the lists and objects of a plan are nested too deeply",
    '{"type": "Polygon", "coordinates": [[[0, 0], [NaN, 0], [1, 1]]]}': "each coordinate must be a number .got NaN",
    '{"type": "Polygon", "coordinates": [[[0, 0], ["1", 0], [1, 1]]]}': r"coordinates\[0\] must be a list of 3",
    '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1]]]}': r"coordinates\[0\] must be a list of 3",
    '{"type": "Polygon", "coordinates": [[[0, 0], [1, 0]]]}': r"coordinates\[0\] must be a list of 3",
    '{"type": "LineString", "coordinates": [[0, 0]]}': "coordinates must be a list of 2 or more points",
    '{"type": "LineString", "coordinates": 7}': "coordinates must be a list",
    '{"type": "LineString", "coordinates": [[0, 0], [1' + "0" * 5000 + ", 0]]}": "the plan has a coordinate",
    '{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point"}}]}':
        r"features\[0\]\.geometry\.coordinates must be a list of 1 or more points",
    '{"type": "Sphere"}': "the plan must be of a GeoJSON type with polygons or lines .got 'Sphere'",
    '{"type": "FeatureCollection"}': "features must be a JSON list",
    '{"kind": "Polygon"}': "the plan must be of a GeoJSON type with polygons or lines .got 'None'",
    "[1]": "the plan must be a GeoJSON object",
    "<geometry>": r"the file must be XML \(no element found",
    "<plan/>": "a plan in XML must begin with <geometry>",
    '<geometry unit="cm"/>': "the unit of the plan must be metres .got 'cm'.. Write the plan",
    "<geometry/>": "the plan must contain a polygon",
    '<!DOCTYPE a [<!ENTITY b "c">]><geometry/>': "the XML must not declare a document type or entities",
    XML.format('<vertex px="0" py="x"/>', ""): "each vertex of subroom 0, polygon 1 must have",
    XML.format(vertices((0, 0)), ""): "subroom 0, polygon 1 must have at least two vertices .got 1",
    XML.format(vertices((0, 0), (2, 2), (2, 0), (0, 2), (0, 0)), vertices(*BOX)): "subroom 0, polygon 1 is not valid",
    "GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0)), LINESTRING (0 0.5, 1 0.5))": "the walls cover the",
}  # fmt: skip


ROOM = "POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0))"
# What a plan of 60 m^2, or of the area that is given, can bring besides, and the warning.
REPAIRS = {
    f"SRID=25832;{ROOM}": (60, None),
    f"\n srid = 25832 ; {ROOM.lower()}\r\n": (60, None),
    "POLYGON ((0 0, 10 0, 10 6, 0 6, 0 0), (0 2, 2 2, 2 4, 0 4, 0 2))": (56, r"area 56 m\^2 before and 56 m\^2 after"),
    "POLYGON ((0 0, 10 0, 10 6, 5 6, 5 3, 5 6, 0 6, 0 0))": (60, r"area 60 m\^2 before and 60 m\^2 after"),
    f"GEOMETRYCOLLECTION ({ROOM}, POLYGON ((10 6, 10.0000001 6, 10 6.0000001, 10 6)))": (
        60, r"left out: 1 x polygon under 1 mm\^2$"),
    f"GEOMETRYCOLLECTION ({ROOM}, LINESTRING (3 3, 3 3.0001), POINT (2 2), POINT (3 2))": (
        60, "left out: 1 x line under 1 mm, 2 x point$"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), REPAIRS.items(), ids=range(len(REPAIRS)))
def test_a_repair_keeps_the_area_and_is_a_warning(text, expected):
    area, says = expected
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        walls = walls_from_text(text)
    assert area_of(walls.walkable) == pytest.approx(area)
    assert shapely.unary_union([shapely.Polygon(p.exterior, p.holes) for p in walls.walkable]).is_valid
    assert [re.search(says, str(own.message)) is not None for own in warned] == ([True] if says else [])
    assert all(own.category is InputWarning for own in warned)


def test_repairs_are_counted():
    slits = ", ".join(f"(({x} 0, {x + 1} 0, {x + 1} 6, {x}.5 6, {x}.5 3, {x}.5 6, {x} 6, {x} 0))" for x in range(5))
    with pytest.warns(InputWarning, match=r"^plan: MultiPolygon, part 1 .* part 3 .*; 2 more repairs$"):
        walls_from_text(f"MULTIPOLYGON ({slits})", WallStyle(thickness=0.01))


# A hall of 14 m by 11 m in Aachen in longitude and latitude, and in UTM.
DEGREES = [[[6.36, 50.9], [6.3602, 50.9], [6.3602, 50.9001], [6.36, 50.9001], [6.36, 50.9]]]
UTM = [[[356000, 5620000], [356010, 5620000], [356010, 5620006], [356000, 5620006], [356000, 5620000]]]


def with_crs(name, coordinates) -> str:
    crs = {"type": "name", "properties": {"name": name}}
    return json.dumps({"type": "Polygon", "coordinates": coordinates} | ({"crs": crs} if name else {}))


@pytest.mark.parametrize("crs", [None, "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326"])
def test_degrees_are_reported_with_the_utm_zone(crs):
    says = (
        "plan: a plan must be in metres .got degrees: longitude 6.3600, latitude 50.9000.*: `ogr2ogr -t_srs EPSG:32632 "
    )
    with pytest.raises(InputError, match=says):
        walls_from_text(with_crs(crs, DEGREES))


def test_other_hemispheres_and_other_units():
    with pytest.raises(InputError, match="EPSG:32756 "):
        walls_from_text("SRID=4326;POLYGON ((151.2 -33.9, 151.21 -33.9, 151.2 -33.8, 151.2 -33.9))")
    with pytest.raises(InputError, match="in Web Mercator .EPSG:3857., which stretches lengths"):
        walls_from_text(f"SRID=3857;{ROOM}")
    table = "POLYGON ((0 0, 0.2 0, 0.2 0.1, 0 0.1, 0 0))"  # small, but at 0, 0, where no place has such degrees
    assert area_of(walls_from_text(table).walkable) == pytest.approx(0.02)


def test_a_plan_far_away_suggests_an_origin_that_works():
    with pytest.raises(InputError, match=r"Add origin = \[356000, 5620000\] to the walls, and to trajectories"):
        walls_from_text(with_crs("urn:ogc:def:crs:EPSG::25832", UTM))
    walls = walls_from_text(with_crs("EPSG:25832", UTM), options=PlanOptions(origin=(356000, 5620000)))
    np.testing.assert_array_equal(walls.arrays.segments, walls_from_text(ROOM).arrays.segments)


def test_levels_are_kept_apart():
    def feature(area, **properties):
        return {"type": "Feature", "properties": properties, "geometry": json.loads(shapely.to_geojson(area))}

    ground, upper, box = shapely.box(0, 0, 10, 6), shapely.box(0, 0, 12, 6), shapely.box(4, 2, 5, 3)
    features = [feature(ground, level=0), feature(upper, level="1"), feature(box, category="obstacle")]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    with pytest.raises(
        InputError, match=r"the plan has 2 levels \(0, 1\), but these walls can use only one level\. .* level = .0.\.$"
    ):
        walls_from_text(text)
    with pytest.raises(InputError, match=r"the plan has no level '2' \(its levels are: 0, 1\)"):
        walls_from_text(text, options=PlanOptions(level="2"))
    areas = [area_of(walls_from_text(text, options=PlanOptions(level=level)).walkable) for level in "01"]
    assert areas == pytest.approx([59, 71])


@pytest.mark.parametrize(("text", "says"), FAULTS.items(), ids=range(len(FAULTS)))
def test_what_is_no_plan_is_one_line(text, says):
    with pytest.raises(InputError, match=f"^plan: {says}") as caught:
        walls_from_text(text, WallStyle(thickness=1.2))
    assert len(str(caught.value)) < 250


def test_too_many_corners_are_told_before_anything_is_made(monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_WALL_CORNERS", "8")
    with pytest.raises(
        InputError, match="plan: the plan has 10 corners of walls, but the limit is 8. Simplify the plan"
    ):
        walls_from_text(HALL)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_thin_walls_in_a_picture_stay_as_thick(width):
    picture = np.zeros((60, 80), bool)
    picture[10 : 10 + width, 5:70] = True
    picture[10:50, 30 : 30 + width] = True
    found = checked_shapes(trace(picture, np.array([[80.0, 0, 0], [0, -60, 60], [0, 0, 1]])))
    assert sum(p.area for p in found.polygons) == pytest.approx(picture.sum(), rel=0.05)


def test_noise_is_no_plan(monkeypatch):
    monkeypatch.setenv("ECS_ANIM_LIMIT_WALL_RUNS", "100")
    with pytest.raises(ValueError, match="runs of wall pixels, but the limit is 100. Smooth the picture"):
        trace(np.random.default_rng(0).random((40, 40)) < 0.5, np.eye(3))


def test_texts_are_told_apart_by_how_they_begin():
    line = geojson({"type": "LineString", "coordinates": [[0, 0], [1, 1]]})
    room = XML.format(vertices(*SQUARE), vertices(*BOX))
    found = [read_plan(text)[0].geometry.geom_type for text in (HALL, f" {line}", f"\n{room.partition('?>')[2]}")]
    assert found == ["Polygon", "LineString", "Polygon"]
