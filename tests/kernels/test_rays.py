"""Rays on the plan. The references are intersections by shapely."""

import numpy as np
import pytest
import shapely

import ecs_anim as ea

SCENE = {
    "rigs": {"ball": {"model": "ball", "height": 1.0}},
    "walls": {"wkt": "POLYGON ((-9 -9, 9 -7, 8 9, -9 9, -9 -9), (2 1, 4 1, 4 2, 2 2, 2 1))"},
    "crowds": [{"name": "people", "rig": "ball", "count": 25, "layout": {"kind": "scatter", "radius": 6.0}}],
    "agents": [{"name": "robot", "positions": [[0.0, 0.0], [5.0, -2.0]], "heading_degrees": [30.0, 170.0]}],
}


@pytest.fixture(scope="module")
def world():
    with ea.load_scene(SCENE, seed=4, threads=1) as world:
        yield world


def first_hits(world, origin, direction, reach, agents):
    """Return the distance to the first object on a ray by shapely, or `reach`."""
    ((_, (stage,)),) = world.query(ea.components.Stage)
    shapes = [*map(shapely.LineString, stage.walls.arrays.segments.astype(float))]
    shapes += [shapely.Point(place).buffer(0.15, quad_segs=64) for place in ea.crowd(world, "people").positions]
    shapes += [shapely.Point(place).buffer(0.3, quad_segs=64) for place in agents]
    ray = shapely.LineString([origin, origin + reach * direction])
    met = shapely.intersection(ray, np.array(shapes))
    distances = shapely.distance(shapely.Point(origin), met)
    return np.nanmin(np.where(shapely.is_empty(met), reach, distances))


@pytest.mark.exhaustive
def test_rays_equal_intersections_by_shapely(world):
    rng = np.random.default_rng(2)
    origins, angles = rng.uniform(-6, 6, (6, 2)), rng.uniform(-np.pi, np.pi, (6, 40))
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    found = ea.cast_rays(world, origins, 3 * ways, range_m=8.0)
    places = ea.agents(world).positions
    expected = [[first_hits(world, o, w, 8.0, places) for w in row] for o, row in zip(origins, ways, strict=True)]
    np.testing.assert_allclose(found.distance, expected, atol=2e-2)
    assert np.mean(np.abs(found.distance - expected) < 2e-3) > 0.98  # polygons of 256 sides differ at grazing rays
    assert {0, 1} <= set(found.kind.ravel().tolist())
    assert (found.other[found.kind < 0] == -1).all()
    assert np.isin(found.other[found.is_a("person")], ea.crowd(world, "people").ids).all()


def test_the_lidar_of_an_agent_does_not_see_this_agent(world):
    robots = ea.agents(world)
    found = robots.lidar(rays=16, range_m=6.0, fov_degrees=180.0)
    for row in range(2):
        angles = robots.headings[row] + np.pi * ((np.arange(16) + 0.5) / 16 - 0.5)
        for ray, angle in enumerate(angles):
            way = np.array([np.cos(angle), np.sin(angle)])
            expected = first_hits(world, robots.positions[row], way, 6.0, robots.positions[[1 - row]])
            assert found.distance[row, ray] == pytest.approx(expected, abs=2e-2)


def test_observations_are_in_the_frame_of_the_agent(world):
    robot, people = ea.agents(world), ea.crowd(world, "people")
    found = robot.observe(4.0, frame="agent", row=1)
    away = people.positions - robot.positions[1]
    turn = np.exp(-1j * robot.headings[1])
    expected = (away[:, 0] + 1j * away[:, 1]) * turn
    near = np.argsort(np.abs(expected))[: np.count_nonzero(np.abs(expected) <= 4.0)]
    np.testing.assert_array_equal(found.id, people.ids[near])
    np.testing.assert_allclose(found.position[:, 0] + 1j * found.position[:, 1], expected[near], atol=1e-6)
    assert len(ea.observe(world).id) == 25
