"""One coordinate system: each call that takes plan points or headings, against each one that returns them.

A new call is one row of `PUTS` or `GETS`. All conversions of this file are written out: it does not use the package's.
"""

import json
import math
import re

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim import trajectories
from ecs_anim.components.transforms import Transforms
from ecs_anim.systems.actor_ids import ActorRow
from ecs_anim.systems.picking import Picking
from tests.helpers.gl import context_fixture  # noqa: F401
from tests.test_jupedsim import Agent, Scripted

DT = 1 / 60
POINTS = np.array([[3.0, 5.0], [-2.0, 1.5]])  # east and north, then west and north: no mirror leaves them
HEADINGS = np.array([0.4, -2.0])
WAYS = np.stack([np.cos(HEADINGS), np.sin(HEADINGS)], axis=-1)
HIGH = 20.0  # [m], of a camera that looks down
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 2
layout = { kind = "grid", center = [40.0, 40.0] }
clips = [{ name = "idle" }, { name = "walk" }]
"""
BODY = SCENE + "body = { poise = 0.0 }\n"
STEERING = BODY + "steering = { goal = [0.0, 0.0] }\n"


# Calls that take points and headings. Each returns a world in which two actors stand at POINTS and face HEADINGS.


def world_of(scene):
    world = ea.load_scene(scene, threads=1)
    return world, ea.crowd(world, "people")


def run(world, seconds):
    for _ in range(round(seconds / DT)):
        world.step(DT)
    return world


def by_add(folder):
    world, people = world_of(SCENE)
    people.remove(ea.ALL)
    people.add(positions=POINTS, headings=HEADINGS)
    return run(world, DT)


def by_add_in_space(folder):
    world, people = world_of(SCENE)
    people.remove(ea.ALL)
    people.add(positions=[[x, 0.0, -y] for x, y in POINTS], headings=HEADINGS)
    return run(world, DT)


def by_add_of_copies(folder):
    world, people = world_of(SCENE)
    people.add(like=[0, 1], positions=POINTS, headings=HEADINGS)
    people.remove([0, 1])
    return run(world, DT)


def by_place(folder):
    world, people = world_of(BODY)
    people.place(ea.ALL, POINTS, HEADINGS)
    return run(world, 1.0)


def by_set_velocity(folder):
    """They walk to the points, as they face, and brake."""
    world, people = world_of(BODY)
    people.place(ea.ALL, POINTS - 2.0 * WAYS, HEADINGS)
    people.set_velocity(ea.ALL, WAYS)
    run(world, 2.0)
    people.set_velocity(ea.ALL, [0.0, 0.0], HEADINGS)
    return run(world, 1.0)


def by_set_velocity_aside(folder):
    """They walk to their left, and face their headings."""
    world, people = world_of(BODY)
    left = np.stack([-WAYS[:, 1], WAYS[:, 0]], axis=-1)
    people.place(ea.ALL, POINTS - left, HEADINGS)
    people.set_velocity(ea.ALL, 0.5 * left, HEADINGS)
    run(world, 2.0)
    people.set_velocity(ea.ALL, [0.0, 0.0], HEADINGS)
    return run(world, 1.0)


def by_go_to(folder):
    world, people = world_of(STEERING)
    people.place(ea.ALL, POINTS - 2.0 * WAYS, HEADINGS)
    people.go_to(ea.ALL, POINTS)
    return run(world, 5.0)


def by_follow(folder):
    world, people = world_of(BODY)
    people.follow(people.ids, [[0.0, 2.0]] * 2, [[to - 2.0 * way, to] for to, way in zip(POINTS, WAYS, strict=True)])
    return run(world, 3.0)


def by_a_recording(folder):
    rows = [
        f"{actor},{frame},{x},{y},{ahead},{aside}"
        for actor, ((x, y), (ahead, aside)) in enumerate(zip(POINTS, WAYS, strict=True))
        for frame in range(50)
    ]
    (folder / "people.csv").write_text("\n".join(["id,frame,x_m,y_m,ori_x,ori_y", *rows]))
    recording = {"file": str(folder / "people.csv"), "rate": 25.0}
    crowd = {"name": "people", "rig": "people", "body": {}, "trajectories": recording}
    world = ea.load_scene({"rigs": {"people": {"model": "mannequin"}}, "crowds": [crowd]}, threads=1)
    return run(world, 1.0)


def by_jupedsim(folder):
    class Still(Scripted):
        def agents(self):
            return [Agent(number, POINTS[number], WAYS[number]) for number in range(2)]

    return run(ea.jupedsim.world_of(Still({}), threads=1), 0.1)


PUTS = {  # how far positions [m] and headings [rad] may be off: bodies that walk there stop beside it
    by_add: (1e-5, 1e-5),
    by_add_in_space: (1e-5, 1e-5),
    by_add_of_copies: (1e-5, 1e-5),
    by_place: (1e-5, 1e-5),
    by_set_velocity: (0.4, 0.1),
    by_set_velocity_aside: (0.4, 0.1),
    by_go_to: (0.3, 0.3),
    by_follow: (0.01, 0.1),
    by_a_recording: (0.01, 0.05),
    by_jupedsim: (1e-5, 1e-3),
}


# Calls that return points. Each returns plan points [2, 2], by id.


def positions(world, folder):
    return ea.crowd(world, "people").positions


def positions_in_space(world, folder):
    return from_space(ea.crowd(world, "people").positions_in_space)


def angles_around(world, folder):
    """The direction from a point, and the distance to it."""
    people, center = ea.crowd(world, "people"), np.array([1.0, 2.0])
    angles, far = people.angles_around(center), np.linalg.norm(POINTS - center, axis=1)
    return center + far[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def written_trajectories(world, folder):
    return written(world, folder).xy


def columns(world, folder):
    """What systems of users read and write."""
    ((_, (transforms,)),) = world.query(Transforms)
    return from_space(transforms.translation)


def picked(world, folder):
    picking, found = Picking(world), []
    ((entity, _),) = world.query(Transforms)
    for row in range(2):
        picking.pick(ActorRow(entity, row))
        found.append([float(number) for number in picking.text().split("at ")[1].removesuffix(" m").split(", ")])
    return np.array(found)


def joints(world, folder):
    found = captured(world).joints[0]
    return from_space(found.joints_3d[:, found.joint_names.index("Hips")])


def boxes(world, folder):
    """In a picture from above, with north at its top."""
    left, top, width, height = captured(world).actors.boxes.T
    middle = np.stack([left + width / 2 - 200, 200 - (top + height / 2)], axis=-1)
    return middle * HIGH / 300


def exported(world, folder):
    return from_space(np.array([node["translation"] for node in actor_nodes(world, folder)]))


GETS = {  # [m] by which they may be off: hips are beside feet, and bodies are seen from the middle
    positions: 0.0,
    positions_in_space: 0.0,
    angles_around: 1e-6,
    written_trajectories: 1e-6,
    columns: 1e-6,
    exported: 1e-6,
    picked: 0.051,
    joints: 0.15,
    boxes: 0.5,
}


# Calls that return headings. Each returns angles [2], by id.


def headings(world, folder):
    return ea.crowd(world, "people").headings


def exported_rotations(world, folder):
    """A rotation about the axis up, of bodies that look to the south without one."""
    turned = np.array([node["rotation"] for node in actor_nodes(world, folder)])
    return 2 * np.arctan2(turned[:, 1], turned[:, 3]) - math.pi / 2


def written_headings(world, folder):
    return written(world, folder).headings


def written_vectors(world, folder):
    x, y = written(world, folder).heading_vectors.T
    return np.arctan2(y, x)


def hips(world, folder):
    """To the right of the left hip, and up, is ahead."""
    found = captured(world).joints[0]
    left, right = (found.joints_3d[:, found.joint_names.index(name)] for name in ("LeftUpLeg", "RightUpLeg"))
    x, y = from_space(np.cross(left - right, [0.0, 1.0, 0.0])).T
    return np.arctan2(y, x)


GET_HEADINGS = {
    headings: 0.0,
    written_headings: 1e-6,
    written_vectors: 1e-6,
    exported_rotations: 1e-6,
    hips: 0.3,
}  # [rad] by which they may be off


def from_space(points):
    """Plan points [n, 2] of points in space [n, 3]: x east, y up, z south."""
    return np.stack([points[:, 0], -points[:, 2]], axis=-1)


def written(world, folder):
    with ea.save_trajectories(world, folder / "written.csv", sample_rate=60.0):
        pass
    return trajectories.load(folder / "written.csv")


def actor_nodes(world, folder):
    """The nodes of actors in a .glb of this moment, by id."""
    ea.export(world, folder / "people.glb", frames=1)
    content = (folder / "people.glb").read_bytes()
    nodes = json.loads(content[20 : 20 + int.from_bytes(content[12:16], "little")])["nodes"]
    found = {
        int(node["name"].split("_")[1]): node for node in nodes if re.fullmatch(r"people_\d+", node.get("name", ""))
    }
    return [found[actor] for actor in sorted(found)]


def captured(world):
    lens = ea.Lens((400, 400), 300.0, 300.0, 200.0, 200.0)
    down = ea.PinholeCamera.looking(lens, [0.0, HIGH, 0.0], [0.0, 0.0, 0.0], up=[0.0, 0.0, -1.0])
    return ea.capture(world, [down], ["ids"], joints=True)[0]


@pytest.fixture(scope="module", params=PUTS, ids=lambda put: put.__name__)
def put(request, tmp_path_factory):
    with request.param(tmp_path_factory.mktemp("put")) as world:
        yield world, *PUTS[request.param]


@pytest.mark.parametrize("get", GETS, ids=lambda get: get.__name__)
def test_points_that_are_put_are_those_that_are_read(put, get, tmp_path, context):
    world, off, _ = put
    np.testing.assert_allclose(get(world, tmp_path), POINTS, atol=off + GETS[get])


@pytest.mark.parametrize("get", GET_HEADINGS, ids=lambda get: get.__name__)
def test_headings_that_are_put_are_those_that_are_read(put, get, tmp_path, context):
    world, _, off = put
    turned = (get(world, tmp_path) - HEADINGS + math.pi) % (2 * math.pi) - math.pi
    np.testing.assert_allclose(turned, 0, atol=off + GET_HEADINGS[get])


def test_a_saved_world_keeps_points_and_headings(tmp_path):
    with by_add(tmp_path) as world:
        world.save(tmp_path / "world.npz")
    with ea.load_world(tmp_path / "world.npz", SCENE) as again:
        np.testing.assert_allclose(positions(again, tmp_path), POINTS, atol=1e-5)
        np.testing.assert_allclose(headings(again, tmp_path), HEADINGS, atol=1e-5)
