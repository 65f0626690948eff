"""Scans of a lidar, against ranges of a plane and of a box that plain trigonometry gives, and against changed files."""

import math
import shutil

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.verifying.verify import verify_dataset
from ecs_anim.view.lidar import RETURN, Lidar, LidarLens
from ecs_anim.view.pinhole import PinholeCamera
from tests.helpers.gl import context_fixture  # noqa: F401  pytest finds the fixture by its name

SCATTERED = 'count = 5\nlayout = { kind = "scatter", radius = 1.6, min_distance = 0.5 }'
SCENE = """
seed = 4
[rigs.people]
model = "people"
[[crowds]]
name = "people"
rig = "people"
SCATTERED
clips = [{ name = "walk" }]
[[cameras]]
name = "door"
size = [160, 120]
eye = [0.0, 2.0, 6.0]
look_at = [0.0, 0.9, 0.0]
[lidar]
ring_elevations_degrees = [-30.0, -4.0, -10.0, 20.0]
azimuth_steps = 180
range = [1.0, 30.0]
offset = [0.5, 1.0, 0.25]
""".replace("SCATTERED", SCATTERED)
WALL = 'walls = { wkt = "POLYGON ((-8 -7, 8 -7, 8 7, -8 7, -8 -7))", height = 4.0 }\n'
DEGREES = (20.0, -4.0, -10.0, -30.0)  # of the rings, falling
HEIGHT, AHEAD, LEFT = 2.25, 0.5, 1.0
WRONG_RAY = math.radians(0.1)


@pytest.fixture(name="scan", scope="module")
def scan_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("lidar") / "hall.toml"
    path.write_text(WALL + SCENE.replace(SCATTERED, "layout = { kind = 'points', points = [[0.0, 0.0]] }"))
    with ea.load_scene(path, threads=1) as world:
        return ea.capture(world, passes=["lidar"])[0].lidar


def hall_ranges() -> np.ndarray:
    """Return the ranges [ring, step] of an empty hall: the nearest hit of floor and walls."""
    azimuth = 2 * np.pi * ((np.arange(180) + 0.5) / 180 - 0.5)  # clockwise from ahead, which is -z
    east, south = np.sin(azimuth), -np.cos(azimuth)
    with np.errstate(divide="ignore"):
        x = np.where(east > 0, (8 + LEFT) / east, (-8 + LEFT) / east)
        z = np.where(south > 0, (7 - 6 + AHEAD) / south, (-7 - 6 + AHEAD) / south)
    along, found = np.minimum(x, z), []
    for degrees in DEGREES:
        rise = math.radians(degrees)
        wall = along / math.cos(rise)
        wall[HEIGHT + along * math.tan(rise) > 4.0] = np.inf
        found.append(np.minimum(wall, HEIGHT / math.sin(-rise) if rise < 0 else np.inf))
    return np.array(found)


def test_ranges_of_a_hall_agree_with_trigonometry(scan):
    wanted, is_empty = hall_ranges(), scan["id"] == 0
    wanted = np.where((wanted >= 1.0) & (wanted <= 30.0), wanted, 0.0)
    away = np.abs(scan["range"] - wanted)
    # a ray that is wrong by an angle hits a surface at a flat angle farther or nearer
    bound = 2 * WRONG_RAY * wanted**2 / HEIGHT + 0.01
    assert (away <= bound)[is_empty].mean() > 0.995  # other rays hit the edge of a wall, or the other side of a corner
    assert (scan["range"] == 0).any()
    assert {*np.unique(scan["class"])} == {0, 1, 2, 3}


def test_points_are_on_the_surfaces_that_the_classes_name(scan):
    points = scan["points"]
    assert np.abs(points[scan["class"] == 1][:, 1]).max() < 1e-3
    walls = points[scan["class"] == 2]
    assert np.minimum(np.abs(np.abs(walls[:, 0]) - 8), np.abs(np.abs(walls[:, 2]) - 7)).max() < 0.01
    distance = np.linalg.norm(points - [-LEFT, HEIGHT, 6 - AHEAD], axis=-1)
    is_hit = scan["range"] > 0
    np.testing.assert_allclose(distance[is_hit], scan["range"][is_hit], atol=1e-4)
    people = points[scan["class"] == 3]
    assert (scan["id"][scan["class"] == 3] == 1).all()
    assert np.abs(people[:, [0, 2]]).max() < 1.0


def test_the_intensity_of_the_floor_is_the_sine_of_the_elevation(scan):
    lowest = scan[3][scan["class"][3] == 1]
    np.testing.assert_allclose(lowest["intensity"], math.sin(math.radians(30)), atol=3e-3)


def test_a_lidar_stands_upright_with_the_heading_of_its_camera():
    lens = ea.EquirectangularLens((8, 4))
    looking_down = PinholeCamera.looking(lens, [1, 5, 2], [1, 0, 2], up=[1, 0, 0])
    lidar = Lidar(offset=(2.0, 0.0, -1.0)).camera(looking_down)
    np.testing.assert_allclose(lidar.pose[:, 3], [3, 4, 2], atol=1e-6)
    np.testing.assert_allclose(lidar.pose[:, :3] @ [0, 0, -1], [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(lidar.pose[:, :3] @ [0, 1, 0], [0, 1, 0], atol=1e-6)


def test_a_lidar_lens_projects_its_rays_to_their_columns_and_rings():
    lens = LidarLens((16, 3), elevations=(0.5, 0.2, -0.4))
    centers = lens.pixel_centers()
    np.testing.assert_allclose(lens.pixels(3 * lens.rays(centers)), centers, atol=1e-9)


@pytest.fixture(name="made", scope="module")
def made_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("scanned") / "room.toml"
    path.write_text(SCENE)
    passes = ["ids", "depth", "lidar"]
    return ea.save_dataset(path, path.parent / "set", frames=[3], passes=passes, formats=["jsonl"], threads=1)


def test_a_data_set_contains_scans_that_verify(made):
    with np.load(made / "door/lidar/000000.npz") as file:
        assert {*file.files} == {*RETURN.names}
        assert (file["points"].shape, file["range"].dtype) == ((4, 180, 3), np.float32)
        assert (file["class"] == 3).any()
    done = verify_dataset(made)
    assert done.findings.deviations == []
    assert sum("lidar" in rule.text for rule in done.findings.checks) == 10


@pytest.mark.parametrize(
    ("field", "change", "text"),
    [
        ("points", lambda own: own + np.float32([0.6, 0, 0]), "lidar points of actors outside of their boxes"),
        ("range", lambda own: own * np.float32(1.01), "distances of lidar points from the lidar against the ranges"),
        ("points", lambda own: np.roll(own, 1, axis=1), "directions of lidar points against the rings and steps"),
        ("id", lambda own: own * 0, "actors in the classes of lidar returns against the ids"),
    ],
)
def test_a_changed_scan_is_a_deviation(made, tmp_path, field, change, text):
    copied = shutil.copytree(made, tmp_path / "set")
    path = copied / "door/lidar/000000.npz"
    with np.load(path) as file:
        fields = dict(file)
    fields[field] = change(fields[field])
    np.savez(path, **fields)
    assert text in {own.rule.text for own in verify_dataset(copied).findings.deviations}


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("rings = 0", "lidar.rings"),
        ("elevation_degrees = [5.0, -5.0]", "smaller number must come first"),
        ("range = [5.0, 2.0]", "smallest distance must be less"),
        ("rings = 3\nring_elevations_degrees = [1.0]", "ring_elevations_degrees"),
    ],
)
def test_wrong_keys_of_a_lidar_give_one_line(tmp_path, table, problem):
    path = tmp_path / "wrong.toml"
    path.write_text(SCENE.split("[lidar]", maxsplit=1)[0] + "[lidar]\n" + table)
    with pytest.raises(ea.InputError, match=problem):
        ea.load_scene(path)
