"""All points of a scene are in one frame, x east and y north: an independent plan says where things are."""

import numpy as np
import pytest
import shapely
import shapely.affinity

import ecs_anim as ea
from ecs_anim.components.steering import Steering
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.queries import stage_of

HALL = "POLYGON ((-9 -4, 7 -4, 7 6, -9 6, -9 -4))"
BLOCK, SIZE, TURN = (3.0, 2.0), (4.0, 1.0), 30.0
STOOD = [[-6.0, -3.0], [-5.0, 1.0], [-7.0, 4.0]]
WAYPOINT, AREA = [5.0, -2.0], [[4.0, 4.0], [6.0, 4.0], [6.0, 5.0]]
WALKED = [(0.0, -8.0, -2.0), (2.0, -6.0, -1.0)]  # time, x, y
SCENE = f"""
[rigs.people]
model = "mannequin"
[ground]
kind = "blocks"
floor = 0.0
blocks = [{{ at = {list(BLOCK)}, size = {list(SIZE)}, height = 0.5, rotation_degrees = {TURN} }}]
[walls]
wkt = "{HALL}"
[[crowds]]
name = "agents"
rig = "people"
count = 3
layout = {{ kind = "points", points = {STOOD} }}
heading_degrees = 90.0
body = {{}}
[crowds.steering]
goals = [{{ at = {WAYPOINT} }}, {{ at = {{ area = {AREA} }} }}]
[[crowds]]
name = "recorded"
rig = "people"
count = 1
body = {{}}
trajectories = {{ file = "walked.csv", unit = "m", smooth_seconds = 0 }}
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one_frame")
    (start, x0, y0), (end, x1, y1) = WALKED
    times = np.linspace(start, end, 41)
    rows = [f"1,{t:.3f},{np.interp(t, (start, end), (x0, x1))},{np.interp(t, (start, end), (y0, y1))}" for t in times]
    (folder / "walked.csv").write_text("\n".join(["id,time,x,y", *rows]), "utf-8")
    path = folder / "scene.toml"
    path.write_text(SCENE, "utf-8")
    with ea.load_scene(path) as world:
        yield world


def on_plan(space):
    """Plan points [n, 2] of points in space [n, 3], by the rule: space = (x, height, -y)."""
    return np.stack([space[:, 0], -space[:, 2]], axis=-1).astype(np.float64)


def transforms_of(world):
    return [transforms for _, (transforms,) in world.query(Transforms)]


def test_actors_stand_in_the_hall_at_their_points(world):
    stood = on_plan(transforms_of(world)[0].translation)
    np.testing.assert_allclose(stood, STOOD, atol=1e-6)
    assert shapely.contains_xy(shapely.from_wkt(HALL), *stood.T).all()


def test_actors_of_a_file_are_where_the_file_says(world):
    np.testing.assert_allclose(on_plan(transforms_of(world)[1].translation), [WALKED[0][1:]], atol=1e-3)


def test_actors_face_their_heading(world):
    np.testing.assert_allclose(ea.crowd(world, "agents").headings, np.pi / 2, atol=1e-6)


def test_a_block_has_its_outline(world):
    (surface,) = stage_of(world).terrain.surfaces
    top = surface.positions[surface.positions[:, 1] > 0.4]
    box = shapely.box(-SIZE[0] / 2, -SIZE[1] / 2, SIZE[0] / 2, SIZE[1] / 2)
    expected = shapely.affinity.translate(shapely.affinity.rotate(box, TURN, origin=(0, 0)), *BLOCK)
    found = shapely.MultiPoint(on_plan(top)).convex_hull
    assert found.symmetric_difference(expected).area < 1e-4


def test_walls_are_the_edges_of_the_hall(world):
    segments = stage_of(world).walls.arrays.segments
    ends = np.asarray(segments)[:, :4].reshape(-1, 2)
    edges = shapely.from_wkt(HALL).boundary
    assert shapely.distance(edges, shapely.points(ends)).max() < 1e-5
    assert shapely.distance(shapely.MultiPoint(ends), shapely.points(edges.coords)).max() < 1e-5


def test_goals_are_where_the_file_says(world):
    ((_, (steering,)),) = world.query(Steering)
    waypoints = steering.waypoints * (1, -1)  # x, z of the simulation
    np.testing.assert_allclose(waypoints[0], WAYPOINT)
    assert shapely.Polygon(AREA).covers(shapely.Point(waypoints[1]))
