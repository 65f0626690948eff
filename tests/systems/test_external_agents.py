"""External agents: movement, contacts, avoidance and state. References: shapely and analytic formulas."""

import math
from typing import Any

import numpy as np
import pytest
import shapely
from shapely import affinity

import ecs_anim as ea
from tests.scenes.test_look_at import degrees_off, heads

ROOM = "POLYGON ((-9 -9, 9 -9, 9 9, -9 9, -9 -9), (-1 3, 1 3, 1 4, -1 4, -1 3))"
FOOTPRINTS = {
    "disc": {"kind": "disc", "radius": 0.3},
    "capsule": {"kind": "capsule", "length": 1.4, "radius": 0.3},
    "box": {"kind": "box", "length": 1.2, "width": 0.6},
}

MOUNT = {"crowd": "robot", "position": [0.0, 0.8, 0.4]}


def scene(people: dict[str, Any] | None = None, **agent: Any) -> dict[str, Any]:
    crowd = {"name": "people", "rig": "ball", "count": 1, "layout": {"kind": "points", "points": [[8.0, 8.0]]}}
    return {
        "rigs": {"ball": {"model": "ball", "height": 1.0}, "mannequin": {"model": "mannequin"}},
        "walls": {"wkt": ROOM},
        "props": [{"model": "bench", "position": [-5.0, -3.0], "obstacle": True}],
        "crowds": [{**crowd, **(people or {})}],
        "agents": [{"name": "robot", "position": [0.0, 0.0], "heading_degrees": 0.0, **agent}],
    }


def outline(footprint: dict[str, Any], position: np.ndarray, heading: float) -> shapely.Polygon:
    """Return the footprint as a polygon of shapely."""
    match footprint["kind"]:
        case "disc":
            shape = shapely.Point(0, 0).buffer(footprint["radius"], quad_segs=64)
        case "capsule":
            half = footprint["length"] / 2 - footprint["radius"]
            shape = shapely.LineString([(-half, 0), (half, 0)]).buffer(footprint["radius"], quad_segs=64)
        case _:
            length, width = footprint["length"] / 2, footprint["width"] / 2
            shape = shapely.box(-length, -width, length, width)
    turned = affinity.rotate(shape, heading, origin=(0, 0), use_radians=True)
    return affinity.translate(turned, *position)


def obstacles(world: ea.World) -> list[shapely.LineString]:
    walls = world_walls(world)
    return [shapely.LineString(segment) for segment in walls.segments.astype(float)]


def world_walls(world: ea.World) -> Any:
    ((_, (stage,)),) = world.query(ea.components.Stage)
    return stage.walls.arrays


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FOOTPRINTS)
def test_agents_never_enter_walls_and_report_all_contacts(kind):
    footprint, rng = FOOTPRINTS[kind], np.random.default_rng(5)
    touched = 0
    with ea.load_scene(scene(footprint=footprint), seed=1, threads=1) as world:
        robot, walls = ea.agents(world), obstacles(world)
        people = shapely.Point(8.0, 8.0).buffer(0.15, quad_segs=64)
        tree = shapely.STRtree(walls)
        for _ in range(150):
            robot.drive(rng.uniform(-1, 4), rng.uniform(-2, 2))
            world.step(0.1)
            shape = outline(footprint, robot.positions[0], robot.headings[0])
            assert shapely.distance(shape, walls).min() > 0
            near = set(tree.query(shape, "dwithin", 1.9e-3).tolist())
            found = robot.contacts
            segments = set(found.other[(found.kind == 1) | (found.kind == 2)].tolist())
            assert near <= segments  # the disc of shapely is smaller than a circle
            assert (shape.distance(people) < 1.9e-3) <= (len(found.where("person").agent) == 1)
            for number, point, gap in zip(found.other, found.point, found.gap, strict=True):
                distance = shape.distance(walls[number]) if number in segments else shape.distance(people)
                assert gap == pytest.approx(distance, abs=3e-4)
                assert shape.distance(shapely.Point(point)) == pytest.approx(distance, abs=3e-4)
            touched += len(near)
    assert touched > 20


def test_props_are_told_from_walls():
    with ea.load_scene(scene(position=[-5.0, -1.0], heading_degrees=-90.0), threads=1) as world:
        robot = ea.agents(world)
        robot.drive(1.0)
        for _ in range(30):
            world.step(0.1)
        assert set(robot.contacts.kind.tolist()) == {2}
        assert robot.positions[0, 1] > -3.0


@pytest.mark.exhaustive
def test_the_distance_to_standing_people_never_falls_below_the_sum_of_the_radii():
    crowd = {"count": 60, "layout": {"kind": "disc", "spacing": 0.9, "center": [4.0, 0.0]}}
    with ea.load_scene(scene(crowd, position=[-2.0, 0.1]), threads=1) as world:
        robot, others = ea.agents(world), ea.crowd(world, "people").positions
        least, reported = np.inf, 0
        for step in range(480):
            robot.set_velocity([1.3, 0.6 * math.sin(step / 40)])
            world.step(1 / 60)
            gap = np.linalg.norm(others - robot.positions[0], axis=1) - 0.3 - 0.15
            assert set(np.flatnonzero(gap < 1.9e-3)) <= set(
                np.flatnonzero(np.isin(ea.crowd(world, "people").ids, robot.contacts.where("person").other))
            )
            least, reported = min(least, gap.min()), reported + len(robot.contacts.agent)
    assert 0 <= least < 2e-3
    assert reported > 50


def test_stopping_agents_do_not_slide():
    with ea.load_scene(scene(position=[0.0, 2.0], on_contact="stop"), threads=1) as world:
        robot = ea.agents(world)
        robot.set_velocity([1.0, 1.0])
        for _ in range(40):
            world.step(0.05)
        x, y = robot.positions[0]
        assert y == pytest.approx(2.7, abs=2e-3)
        assert x == pytest.approx(0.7, abs=2e-3)


def test_unicycles_drive_exact_arcs():
    with ea.load_scene(scene(position=[0.0, -4.0]), threads=1) as world:
        robot = ea.agents(world)
        robot.drive(1.2, 0.8)
        for _ in range(7):
            world.step(0.3)
        angle, radius = 0.8 * 2.1, 1.2 / 0.8
        goal = [radius * math.sin(angle), -4.0 + radius * (1 - math.cos(angle))]
        np.testing.assert_allclose(robot.positions[0], goal, atol=1e-5)
        assert robot.headings[0] == pytest.approx(angle, abs=1e-5)
        assert robot.turn_rates[0] == pytest.approx(0.8, abs=1e-5)


def test_poses_are_reached_in_one_step_unless_an_object_is_in_the_way():
    with ea.load_scene(scene(footprint=FOOTPRINTS["box"], on_contact="stop"), threads=1) as world:
        robot = ea.agents(world)
        robot.move_to([-2.0, -1.0], 2.0)
        world.step(0.5)
        np.testing.assert_allclose([*robot.positions[0], robot.headings[0]], [-2, -1, 2], atol=1e-5)
        robot.move_to([0.0, 8.0], math.pi / 2)
        world.step(0.5)
        assert robot.positions[0, 1] < 3.0


def test_agents_keep_apart_from_other_agents():
    said = {"position": None, "positions": [[-2.0, 0.0], [2.0, 0.0]], "heading_degrees": [0.0, 180.0]}
    del (written := scene(**said))["agents"][0]["position"]
    with ea.load_scene(written, threads=1) as world:
        robots = ea.agents(world)
        robots.drive(1.0)
        for _ in range(40):
            world.step(0.1)
            assert np.linalg.norm(np.diff(robots.positions, axis=0)) >= 0.6
        assert robots.contacts.kind.tolist() == [3, 3]
        assert robots.contacts.other.tolist() == robots.ids[::-1].tolist()


def test_snapshots_and_resets_contain_agents(tmp_path):
    with ea.load_scene(scene(), seed=3, threads=1) as world:
        robot = ea.agents(world)
        robot.drive(0.7, 0.4)
        for _ in range(10):
            world.step(0.1)
        world.save(tmp_path / "world.npz")
        world.step(0.1)
        ends = robot.positions, robot.headings
        with ea.load_world(tmp_path / "world.npz", scene(), threads=1) as again:
            again.step(0.1)
            np.testing.assert_array_equal(ea.agents(again).positions, ends[0])
        world.reset(seed=3)
        np.testing.assert_array_equal(robot.positions, [[0, 0]])
        world.step(0.1)
        np.testing.assert_array_equal(robot.positions, [[0, 0]])


@pytest.mark.parametrize("model", [None, "none", "bench"])
def test_agents_are_drawn_with_their_model(model):
    written = scene(**({} if model is None else {"model": model}), position=[0.0, -2.0])
    written["cameras"] = [{"name": "eye", "size": [160, 90], "eye": [4.0, 2.0, 6.0], "look_at": [0.0, 0.5, 2.0]}]
    with ea.load_scene(written, threads=1) as world:
        (seen,) = ea.capture(world, [ea.camera(world, "eye")], ["ids"])
        assert bool((seen.ids == ea.agents(world).ids[0]).any()) == (model != "none")


def test_a_camera_on_an_agent_drives_and_turns_with_the_agent():
    written = scene(position=[0.0, -5.0]) | {"cameras": [{"name": "eye", "mount": MOUNT}]}
    with ea.load_scene(written, threads=1) as world:
        robot = ea.agents(world)
        robot.drive(1.0, 0.5)
        for _ in range(10):
            world.step(0.1)
        ahead = np.array([math.cos(robot.headings[0]), math.sin(robot.headings[0])])
        eye, pose = robot.positions[0] + 0.4 * ahead, ea.camera(world, "eye").pose
    np.testing.assert_allclose(pose[:, 3], [eye[0], 0.8, -eye[1]], atol=1e-5)
    np.testing.assert_allclose(-pose[:, 2], [ahead[0], 0.0, -ahead[1]], atol=1e-5)


def test_people_look_at_a_moving_agent():
    people = {
        "rig": "mannequin",
        "layout": {"kind": "points", "points": [[3.0, 0.0]]},
        "heading_degrees": 180.0,
        "targets": {"robot": {"kind": "actor", "crowd": "robot"}},
        "look_at": {"target": "robot", "joints": ["Spine1", "Neck", "Head"]},
    }
    with ea.load_scene(scene(people, height=1.2), threads=1) as world:
        robot = ea.agents(world)
        for side in (-1.5, 1.5):
            robot.place([[1.0, side]], [math.pi / 2])
            robot.drive(0.1 * side)
            for _ in range(60):
                world.step(1 / 30)
            x, y = robot.positions[0]
            assert degrees_off(heads(world), [x, 0.93 * 1.2, -y])[0] < 1.0


def test_errors_name_the_key_and_the_fix():
    with pytest.raises(ea.InputError, match=r"agents\[0\].name: the name 'people' must be unique"):
        ea.load_scene(scene(name="people"))
    with pytest.raises(ea.InputError, match=r"agents\[0\].model: .*no file"):
        ea.load_scene(scene(model="nothing.glb"))
    with pytest.raises(ea.InputError, match="length must be more than 2"):
        ea.load_scene(scene(footprint={"kind": "capsule", "length": 0.5, "radius": 0.3}))
    with ea.load_scene(scene(), threads=1) as world:
        with pytest.raises(ea.InputError, match="no external agent 'cart'"):
            ea.agents(world, "cart")
        with pytest.raises(ValueError, match="speed must be at most 1000"):
            ea.agents(world).drive(2000.0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("avoided", [True, False])
def test_people_avoid_agents_that_are_avoided(avoided):
    crowd = {
        "rig": "mannequin",
        "body": {},
        "layout": {"kind": "points", "points": [[-4.0, 0.0]]},
        "steering": {"goal": [5.0, 0.0], "desired_speed_m_s": 1.3, "radius": 0.2},
    }
    with ea.load_scene(scene(crowd, avoided=avoided), threads=1) as world:
        gaps = []
        for _ in range(120):
            world.step(0.05)
            gaps.append(np.linalg.norm(ea.crowd(world, "people").positions[0] - ea.agents(world).positions[0]) - 0.5)
        assert (min(gaps) > -0.02) == avoided
        assert ea.crowd(world, "people").positions[0, 0] > 1.0
