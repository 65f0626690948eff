"""Walls and floor pictures in scene files: the objects built from them, and the message for each mistake."""

import json
import warnings

import numpy as np
import pytest
import shapely
from PIL import Image

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import homography
from ecs_anim.maths.plan import plan_from_space
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.style import GroundPicture
from ecs_anim.walls.walls import Walls
from tests.helpers.walls import compiled_free

CROWD = """
[rigs.one]
model = "ball"
[[crowds]]
rig = "one"
count = 3
layout = { kind = "points", points = [[0.0, 0.0], [2.0, -1.0], [2.0, -3.0]] }
clips = [{ name = "rest" }]
"""
ROOM = 'wkt = "POLYGON ((-3 -9, 9 -9, 9 3, -3 3, -3 -9))"'


def loaded(text: str, folder):
    return load_scene(parse_scene(CROWD + text, "test.toml", folder), threads=1)


def walls_of(text: str, folder) -> Walls:
    with loaded("[walls]\n" + text, folder) as world:
        walls = stage_of(world).walls
        assert walls is not None
        return walls


def picture_of(text: str, folder) -> GroundPicture:
    with loaded(f"[ground]\npicture = {{ {text} }}", folder) as world:
        style = stage_of(world).ground
        assert style is not None
        assert style.picture is not None
        return style.picture


def paint(path, pixels) -> None:
    Image.fromarray(np.asarray(pixels, np.uint8)).save(path)


def bounds(walls: Walls) -> list[float]:
    return shapely.union_all([shapely.Polygon(p.exterior, p.holes) for p in walls.solids]).bounds


def test_a_scene_without_walls_has_none(tmp_path):
    with loaded("", tmp_path) as world:
        assert stage_of(world).walls is None
        assert stage_of(world).surfaces == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plan.wkt", "LINESTRING (0 2, 4 2)"),
        ("plan.geojson", '{"type": "LineString", "coordinates": [[0, 2], [4, 2]]}'),
        ("plan.any", '\ufeff{"type": "LineString", "coordinates": [[0, 2], [4, 2]]}'),
    ],
)
def test_a_file_is_read_by_what_is_in_it(tmp_path, name, text):
    (tmp_path / name).write_text(text, "utf-8")
    walls = walls_of(f'file = "{name}"\nthickness = 0.5\nheight = 2.5', tmp_path)
    assert bounds(walls) == (-0.25, 1.75, 4.25, 2.25)
    assert walls.height == 2.5
    (surface,) = walls.surfaces
    low, high = surface.positions.min(axis=0), surface.positions.max(axis=0)
    np.testing.assert_allclose([low, high], [[-0.25, -0.05, -2.25], [4.25, 2.5, -1.75]])  # north is -Z


def test_polygons_are_what_the_scene_says(tmp_path):
    box = 'wkt = "POLYGON ((5 5, 6 5, 6 6, 5 6, 5 5))"\n'
    assert walls_of(box + 'polygons = "obstacles"', tmp_path).walkable is None
    with pytest.warns(InputWarning, match="3 of 3 actors begin in a wall"):
        (area,) = walls_of(box, tmp_path).walkable
    assert len(area.exterior) == 4


def test_walls_are_no_ground(tmp_path):
    """Actors start and stay on the floor, in a wall as well, and rays find no wall's top."""
    with pytest.warns(InputWarning, match=r"^test\.toml: crowd 'one': 2 of 3 actors begin in a wall or outside of"):
        world = loaded(
            '[walls]\nwkt = "POLYGON ((1 -9, 3 -9, 3 -0.5, 1 -0.5, 1 -9))"\npolygons = "obstacles"', tmp_path
        )
    with world:
        ((_, (transforms,)),) = world.query(Transforms)
        np.testing.assert_array_equal(transforms.translation[:, 1], 0)
        stage = stage_of(world)
        assert stage.terrain.height_at(np.array([[2.0, 1.0]])) == 0
        assert (stage.terrain.surfaces, len(stage.surfaces)) == ((), 1)


def test_walls_stand_on_uneven_ground(tmp_path):
    ground = '[ground]\nkind = "heights"\nsize = [40.0, 40.0]\nspacing = 0.25\nfunction = "sin(x / 2)"\n'
    with loaded(ground + '[walls]\nwkt = "LINESTRING (-9 2, 9 2)"\nheight = 1.5\n', tmp_path) as world:
        walls = stage_of(world).walls
    (surface,) = walls.surfaces
    over = surface.positions[:, 1] - np.sin(surface.positions[:, 0] / 2)
    np.testing.assert_allclose(np.where(over > 1, over - 1.5, over + 0.05), 0, atol=0.01)
    assert len(np.unique(surface.positions[:, 0])) > 18, "a long wall bends with the ground"


def test_whoever_starts_in_the_area_is_not_told_of(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded("[walls]\n" + ROOM, tmp_path).close()


def test_walls_from_a_picture_lie_where_its_keys_say(tmp_path):
    pixels = np.full((40, 60), 255)
    pixels[30:36, 10:40] = 0  # row 30 is 4 to 10 from below
    paint(tmp_path / "plan.png", pixels)
    scaled = walls_of('picture = { file = "plan.png", metres_per_pixel = 0.5, origin = [7.0, 8.0] }', tmp_path)
    assert bounds(scaled) == pytest.approx((12, 10, 27, 13))
    middle = walls_of('picture = { file = "plan.png", metres_per_pixel = 0.5 }', tmp_path)
    assert bounds(middle) == pytest.approx((-10, -8, 5, -5))
    corners = "[[7.0, 28.0], [37.0, 28.0], [37.0, 8.0], [7.0, 8.0]]"
    assert bounds(walls_of(f'picture = {{ file = "plan.png", corners = {corners} }}', tmp_path)) == bounds(scaled)
    rows = "[[0.5, 0.0, 7.25], [0.0, -0.5, 27.75], [0.0, 0.0, 1.0]]"  # of the middles of pixels
    by_rows = walls_of(f'picture = {{ file = "plan.png", homography = {rows} }}', tmp_path)
    assert bounds(by_rows) == pytest.approx(bounds(scaled))
    (tmp_path / "H.txt").write_text("0, 0.5, 7.25\n-0.5 0 27.75\n0 0 1")
    keys = 'homography = "H.txt", pixel_order = "row_column"'
    assert bounds(walls_of(f'picture = {{ file = "plan.png", {keys} }}', tmp_path)) == pytest.approx(bounds(scaled))


def test_light_pixels_are_walls_where_the_scene_says_so(tmp_path):
    pixels = np.full((30, 40), 40)
    pixels[10:20, 10:20] = 90
    paint(tmp_path / "plan.png", pixels)
    walls = walls_of(
        'picture = { file = "plan.png", metres_per_pixel = 1.0, walls = "light", threshold = 0.3 }', tmp_path
    )
    assert bounds(walls) == pytest.approx((-10, -5, 0, 5))


def test_a_pictures_homography_goes_both_ways(tmp_path):
    paint(tmp_path / "floor.png", np.zeros((20, 30, 3)))
    picture = picture_of('file = "floor.png", corners = [[-2.0, 5.0], [6.0, 4.0], [7.0, -3.0], [-4.0, -2.0]]', tmp_path)
    world = [[-2, -5], [6, -4], [7, 3], [-4, 2]]
    np.testing.assert_allclose(
        homography.applied(picture.from_world, world), [[0, 0], [1, 0], [1, 1], [0, 1]], atol=1e-9
    )
    depth = np.c_[np.array(world, float), np.ones(4)] @ picture.from_world[2]
    assert (depth > 0).all()


def test_a_mirrored_picture_is_told(tmp_path):
    paint(tmp_path / "floor.png", np.zeros((20, 30, 3)))
    with pytest.warns(
        InputWarning, match=r"^test\.toml: ground\.picture: these numbers mirror the picture. Write plan points"
    ):
        picture_of('file = "floor.png", homography = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]', tmp_path)


@pytest.mark.exhaustive
def test_the_gallery_keeps_its_visitors_inside():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = load_scene("gallery", threads=1)
    with world:
        walls = stage_of(world).walls
        for _ in range(20):
            for _ in range(30):
                world.step(1 / 60)
            for _, (_, transforms) in world.query(Crowd, Transforms):
                assert compiled_free(walls, plan_from_space(transforms.translation)).all()
                np.testing.assert_array_equal(transforms.translation[:, 1], 0)


def test_an_origin_moves_a_plan_and_a_level_is_chosen(tmp_path):
    lines = [{"type": "LineString", "coordinates": [[356000, y], [356004, y]]} for y in (5620002, 5620007)]
    features = [{"type": "Feature", "properties": {"level": k}, "geometry": lines[k]} for k in (0, 1)]
    (tmp_path / "plan.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    plan = 'file = "plan.geojson"\nthickness = 0.5\n'
    for level, y in (("0", 2), ('"1"', 7)):
        walls = walls_of(f"{plan}origin = [356000.0, 5620000.0]\nlevel = {level}", tmp_path)
        assert bounds(walls) == (-0.25, y - 0.25, 4.25, y + 0.25)
    for text, says in ((plan, "2 levels .0, 1."), (f"{plan}level = 1", r"Add origin = \[356000, 5620000\]")):
        with pytest.raises(InputError, match=rf"^test.toml: walls.file: plan.geojson: .*{says}"):
            walls_of(text, tmp_path)


FAULTS = [
    ('[walls]\npicture = { file = "f.png", metres_per_pixel = 1.0 }\nlevel = 0',
        r"walls: walls from a picture cannot have the keys origin and level"),
    ("[walls]", r"walls: write exactly one of the keys wkt, file and picture"),
    ('[walls]\nfile = "a.wkt"\nwkt = ""', r"walls: write exactly one of the keys wkt, file and picture"),
    ('[walls]\nwkt = "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))"', r"walls\.wkt: Polygon is not valid: .* at x = 1, y = 1"),
    ('[walls]\nwkt = "<geometry/>"', r"walls\.wkt: the text must begin with a WKT geometry"),
    ('[walls]\nfile = "none.wkt"', r"walls\.file: .*none\.wkt: cannot read the plan: there is no such file"),
    ('[walls]\nfile = "."', r"walls\.file: .*: this is a folder, not a plan"),
    ('[walls]\nfile = "junk.wkt"', r"walls\.file: .*junk\.wkt: this is text of an unknown type, not a plan\."),
    ('[walls]\nfile = "point.json"', r"walls\.file: point\.json: the plan must contain .* \(left out: 1 x point\)"),
    (f"[walls]\n{ROOM}\nheight = 0.0", r"walls\.height: should be greater than or equal to 0\.01 \(got 0\.0\)"),
    (f"[walls]\n{ROOM}\nthicknes = 0.3", r"walls\.thicknes: unknown key; did you mean 'thickness'\?"),
    (f'[walls]\n{ROOM}\npolygons = "free"', r"walls\.polygons: should be 'walkable' or 'obstacles' \(got \"free\"\)"),
    ('[walls]\npolygons = "walkable"\npicture = { file = "f.png", metres_per_pixel = 1.0 }',
        r"walls: walls from a picture cannot have the key polygons"),
    ('[walls]\npicture = { file = "f.png", metres_per_pixel = 1.0 }', r"walls\.picture: f\.png: the plan must contain"),
    ('[walls]\npicture = { file = "none.png", metres_per_pixel = 1.0 }', r"walls\.picture: .*none\.png: cannot read"),
    ('[walls]\npicture = { file = "junk.wkt", metres_per_pixel = 1.0 }',
        r"walls\.picture: .*junk\.wkt: this is text of an unknown type, not a picture"),
    ('[ground]\npicture = { file = "f.png" }',
        r"ground\.picture: write exactly one of the keys metres_per_pixel, corners and homography"),
    ('[ground]\npicture = { file = "f.png", corners = [[0, 1], [1, 1], [1, 0], [0, 0]], origin = [1.0, 1.0] }',
        r"ground\.picture: origin needs metres_per_pixel"),
    ('[ground]\npicture = { file = "f.png", metres_per_pixel = 1.0, pixel_order = "row_column" }',
        r"ground\.picture: pixel_order needs homography"),
    ('[ground]\npicture = { file = "f.png", corners = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [0.0, 0.0]] }',
        r"ground\.picture\.corners: three of the four corners are on one straight line"),
    ('[ground]\npicture = { file = "f.png", corners = [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]] }',
        r"ground\.picture\.corners"),
    ('[ground]\npicture = { file = "f.png", corners = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]] }',
        r"ground\.picture: all corners of the picture must show the floor"),
    ('[ground]\npicture = { file = "f.png", homography = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] }',
        r"ground\.picture: these numbers map the picture onto a line or a point"),
    ('[ground]\npicture = { file = "f.png", homography = "none.txt" }',
        r"ground\.picture\.homography: .*none\.txt: cannot read the homography: there is no such file"),
    ('[ground]\npicture = { file = "f.png", homography = "eight.txt" }',
        r"ground\.picture\.homography: .*eight\.txt must contain three rows of three numbers"),
    ('[ground]\npicture = { file = "f.png", homography = "point.json" }', r"a GeoJSON plan, not a homography"),
    ('[ground]\npicture = { file = "f.png", metres_per_pixel = 1e6 }',
        r"ground\.picture: all corners of the picture must be at most 16384 m from the point 0, 0"),
    ('[ground]\nkind = "blocks"\nblocks = []\npicture = { file = "f.png" }', r"ground\.picture: unknown key"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "says"), FAULTS, ids=range(len(FAULTS)))
def test_mistakes_are_one_line_with_key_and_file(tmp_path, text, says):
    paint(tmp_path / "f.png", np.full((8, 8), 255))
    (tmp_path / "junk.wkt").write_bytes(b"\xff\xfe\x00 POLYGON")
    (tmp_path / "point.json").write_text('{"type": "Point", "coordinates": [0, 0]}')
    (tmp_path / "eight.txt").write_text("1 2 3 4 5 6 7 8")
    with pytest.raises(InputError, match=rf"^test\.toml: .*{says}"):
        loaded(text, tmp_path)


@pytest.mark.parametrize(
    ("limit", "text", "says"),
    [
        ("PLAN_BYTES", 'file = "plan.wkt"', r"walls\.file: .*plan\.wkt: .* has .* bytes of plan, but the limit is 9"),
        ("WALL_CORNERS", 'file = "plan.wkt"', r"walls\.file: plan\.wkt: the plan has 30 corners .* limit is 9"),
        ("PLAN_PIXELS", 'picture = { file = "f.png", metres_per_pixel = 1.0 }', r"walls\.picture: .* 8 x 8"),
    ],
)  # fmt: skip
def test_too_large_plans_are_told(tmp_path, monkeypatch, limit, text, says):
    monkeypatch.setenv(f"ECS_ANIM_LIMIT_{limit}", "9")
    paint(tmp_path / "f.png", np.full((8, 8), 255))
    (tmp_path / "plan.wkt").write_text(f"LINESTRING ({', '.join(f'{x} 0' for x in range(30))})")
    with pytest.raises(InputError, match=rf"^test\.toml: {says}"):
        loaded("[walls]\n" + text, tmp_path)
