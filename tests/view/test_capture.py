"""Captures: what cameras saw, against poses put into the world by hand, a plain pinhole, and pictures drawn alone."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.quaternion import rotate
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.view.label_passes import CLASSES
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401
from tests.oracles.pinhole import seen_at

EYE, LOOK_AT = np.array([0.0, 1.2, 6.0]), np.array([0.0, 1.0, 0.0])
BENT = (-0.2, 0.05, 0.002, 0.001, 0.0)
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 4
layout = { kind = "points", points = [[0.0, 0.0], [0.05, 1.5], [1.2, 0.0], [-40.0, 0.0]] }
heading_degrees = -70.0
clips = [{ name = "walk", phase = 0.3 }]
[[crowds]]
name = "balls"
rig = "ball"
layout = { kind = "points", points = [[-1.0, -0.5]] }
clips = [{ name = "rest" }]
[rigs.ball]
model = "ball"
scale = 4.0
ground_offset = 1.0
[[cameras]]
name = "front"
size = [200, 150]
eye = [0.0, 1.2, 6.0]
look_at = [0.0, 1.0, 0.0]
fx = 180.0
[[cameras]]
name = "bent"
size = [160, 120]
eye = [0.0, 1.2, 6.0]
look_at = [0.0, 1.0, 0.0]
fx = 150.0
cy = 66.0
distortion = { k1 = -0.2, k2 = 0.05, p1 = 0.002, p2 = 0.001 }
"""
K = {
    "front": np.array([[180.0, 0, 100.0], [0, 180.0, 75.0], [0, 0, 1]]),
    "bent": np.array([[150.0, 0, 80.0], [0, 150.0, 66.0], [0, 0, 1]]),
}


@pytest.fixture(name="world")
def world_fixture(context):
    with ea.load_scene(SCENE, threads=1) as world:
        for _ in range(12):
            world.step(1 / 60)
        yield world


def joints_by_hand(world: ea.World) -> np.ndarray:
    """Joints [actor, joint, 3] of the people: local poses down their skeletons, then as their transforms say."""
    people = ea.crowd(world, "people")
    models = ea.model_matrices(people.rig.skeleton, people.poses())[..., 3].astype(float)
    transforms = world.get(world.entities[-2], Transforms)
    turned = rotate(transforms.rotation[:, None].astype(float), models)
    return turned * transforms.scale[:, None, None] + transforms.translation[:, None]


@pytest.mark.parametrize(("name", "distortion"), [("front", (0.0,) * 5), ("bent", BENT)])
def test_joints_are_where_poses_and_a_pinhole_say(world, name, distortion):
    (seen,) = ea.capture(world, [name], ["ids"], joints=True)
    people, balls = seen.joints
    assert (people.crowd, balls.crowd) == ("people", "balls")
    assert people.actor_ids.tolist() == [1, 2, 3], "the fourth is far beside the picture"
    assert people.joint_names == ea.crowd(world, "people").rig.skeleton.joint_names
    expected = joints_by_hand(world)[:3]
    np.testing.assert_allclose(people.joints_3d, expected, atol=1e-5)
    for actor, joint in np.ndindex(*expected.shape[:2]):
        pixel, depth = seen_at(expected[actor, joint], EYE, LOOK_AT, K[name], distortion)
        np.testing.assert_allclose(people.joints_2d[actor, joint], pixel, atol=2e-3)
        assert people.depths[actor, joint] == pytest.approx(depth, abs=1e-5)
    pixel, depth = seen_at(np.array([-1.0, 1.0, 0.5]), EYE, LOOK_AT, K[name], distortion)
    np.testing.assert_allclose(balls.joints_2d[0, 0], pixel, atol=2e-3)
    column, row = pixel.astype(int)
    assert seen.ids[row, column] == balls.actor_ids[0] == 5


def test_who_stands_behind_somebody_is_hidden(world):
    (seen,) = ea.capture(world, ["front"], ["ids", "depth"], joints=True)
    people = seen.joints[0]
    named = {name: number for number, name in enumerate(people.joint_names)}
    trunk = [named[name] for name in ("Hips", "Spine", "Neck")]
    assert people.visibility[0, trunk].tolist() == [2, 2, 2]
    assert people.visibility[1, trunk].tolist() == [1, 1, 1], "0.05 m aside, 1.5 m behind the first"
    assert people.visibility[2, trunk].tolist() == [2, 2, 2]
    inside = ((people.joints_2d >= 0) & (people.joints_2d < [200, 150])).all(axis=-1)
    np.testing.assert_array_equal(people.visibility > 0, inside)
    # Whatever counts as seen has nothing of anybody else's before it.
    for actor, joint in zip(*np.nonzero(people.visibility == 2), strict=True):
        column, row = people.joints_2d[actor, joint].astype(int)
        if seen.ids[row, column] not in (0, people.actor_ids[actor]):
            assert seen.depth[row, column] > people.depths[actor, joint] - 0.02


def test_a_wall_hides_legs_and_no_heads(context):
    wall = '[walls]\nwkt = "LINESTRING (-3 -1, 3 -1)"\nheight = 0.9\n'
    with ea.load_scene(SCENE + wall, threads=1) as world:
        (seen,) = ea.capture(world, ["front"], ["classes"], joints=True)
    people = seen.joints[0]
    named = {name: number for number, name in enumerate(people.joint_names)}
    assert people.visibility[0, [named["LeftFoot"], named["RightFoot"]]].tolist() == [1, 1]
    assert people.visibility[0, named["Head"]] == 2
    assert set(np.unique(seen.classes)) == {0, 1, 2, 3}
    assert CLASSES == ("nothing", "ground", "wall", "actor", "door", "block", "seat", "prop")


@pytest.mark.exhaustive
def test_all_that_stands_there_has_a_class(context):
    """Rays from above, at places where a scene of each kind says what is there."""
    door = '[[walls.doors]]\nname = "gate"\nshape = [[-1, -5], [1, -5]]\n'
    walls = '[walls]\nwkt = "MULTILINESTRING ((-4 -5, -1 -5), (1 -5, 4 -5))"\nheight = 1.0\n' + door
    block = "blocks = [{ at = [2.0, -2.0], size = [1.0, 1.0], height = 0.5 }]\n"
    uneven = '[ground]\nkind = "heights"\nfunction = "0.1 * sin(x)"\nsize = [20.0, 20.0]\n' + block
    level = '[ground]\nkind = "blocks"\nfloor = 0.0\n' + block
    expected = {(-3, 5): "wall", (3, 5): "wall", (0, 5): "door", (2, 2): "block", (-2, 3): "ground"}
    for ground in (level, uneven):
        with ea.load_scene(SCENE + walls + ground, threads=1) as world:
            assert {at: class_below(world, *at) for at in expected} == expected
            ea.doors(world).open("gate")
            assert class_below(world, 0, 5) == "ground"
            assert class_below(world, 3, 5) == "wall"
    with ea.load_scene("stadium", threads=1) as world:
        (seen,) = ea.capture(world, [{}], ["classes"], size=(320, 180))
        shown = {CLASSES[number] for number in np.unique(seen.classes)}
    assert shown >= {"ground", "seat", "actor"}


def class_below(world, x, z):
    """Return the class that a camera sees straight below."""
    down = ea.PinholeCamera.looking(ea.Lens.of_view((3, 3), 0.01), [x, 20.0, z], [x, 0.0, z], up=[0, 0, -1])
    (seen,) = ea.capture(world, [down], ["classes"])
    return CLASSES[seen.classes[1, 1]]


def test_joints_at_the_edge_are_outside(world):
    camera = ea.PinholeCamera.looking(ea.Lens.of_view((100, 60), 0.2), EYE, [0, 1.6, 0])
    (seen,) = ea.capture(world, [camera], ["ids"], joints=True)
    people = seen.joints[0]
    named = {name: number for number, name in enumerate(people.joint_names)}
    assert people.visibility[0, named["LeftFoot"]] == 0
    assert people.visibility[0, named["Head"]] == 2
    assert (seen.camera_name, seen.rgb) == ("", None)


@pytest.mark.exhaustive
def test_pictures_are_those_that_are_drawn_alone(world, renderer):
    captures = ea.capture(world, passes=("rgb", "ids", "classes", "depth", "normals"))
    assert [seen.camera_name for seen in captures] == ["front", "bent"]
    for seen in captures:
        np.testing.assert_array_equal(seen.rgb, ea.render(world, camera=seen.camera_name))
        with CameraDrawer(renderer) as drawer:
            passes = drawer.passes(world, ea.camera(world, seen.camera_name), seen.camera.lens.size)
        for name in ("ids", "classes", "depth", "normals"):
            np.testing.assert_array_equal(getattr(seen, name), getattr(passes, name))
        assert (seen.time, seen.frame, seen.joints) == (world.time, 12, None)
    assert (captures[0].ids.shape, captures[1].ids.shape) == ((150, 200), (120, 160))
    assert set(np.unique(captures[0].ids)) == set(np.unique(captures[1].ids)) == {0, 1, 2, 3, 5}


def test_boxes_and_masks_are_those_of_the_ids(world):
    (seen,) = ea.capture(world, ["front"], ["ids"])
    assert seen.actors.ids.tolist() == [1, 2, 3, 5]
    for actor_id, area, box in zip(seen.actors.ids, seen.actors.areas, seen.actors.boxes, strict=True):
        mask = seen.mask(actor_id)
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        assert box.tolist() == [columns[0], rows[0], np.ptp(columns) + 1, np.ptp(rows) + 1]
        assert area == mask.sum()
    (colours,) = ea.capture(world, ["front"], ["rgb"])
    assert (colours.ids, colours.actors) == (None, None)
    with pytest.raises(ValueError, match="a mask needs the label pass 'ids'"):
        colours.mask(1)


def test_ids_are_for_life(world):
    people = ea.crowd(world, "people")
    people.remove(ids=[1])
    people.add(1, positions=[[-0.4, -1.0]])
    world.step(0.0)
    (seen,) = ea.capture(world, ["front"], ["ids"], joints=True)
    assert seen.actors.ids.tolist() == [2, 3, 5, 6]
    found = seen.joints[0]
    rows = people.rows(found.actor_ids)
    hips = found.joints_3d[:, found.joint_names.index("Hips")]
    np.testing.assert_allclose(hips[:, [0, 2]], people.positions[rows] * [1, -1], atol=0.1)


@pytest.mark.parametrize("path", ["baked", "auto"])
def test_joints_of_those_whom_the_gpu_poses_are_those_of_their_clips(context, path):
    near = "near_actors = { count = 1 }\n" if path == "auto" else ""
    with (
        ea.load_scene(SCENE.replace("count = 4", f'count = 4\npath = "{path}"\n{near}'), threads=1) as world,
        ea.load_scene(SCENE, threads=1) as posed,
    ):
        world.step(0.2)
        posed.step(0.2)
        (seen,), (expected,) = (ea.capture(own, ["front"], ["ids"], joints=True) for own in (world, posed))
        np.testing.assert_allclose(seen.joints[0].joints_3d, expected.joints[0].joints_3d, atol=1e-4)
        np.testing.assert_array_equal(seen.joints[0].visibility, expected.joints[0].visibility)


def test_the_scenes_own_camera_where_it_has_no_others(context):
    with ea.load_scene("single", threads=1) as world:
        (seen,) = ea.capture(world, size=(64, 36), joints=True)
        np.testing.assert_array_equal(seen.rgb, ea.render(world, (64, 36)))
        assert seen.camera.lens.size == (64, 36)
        (people,) = seen.joints
        column, row = people.joints_2d[0, people.joint_names.index("Spine")].astype(int)
        assert seen.ids[row, column] == 1
        assert ea.capture(world, []) == []


@pytest.mark.parametrize(
    ("arguments", "kind", "told"),
    [
        ({"cameras": ["frnot"]}, KeyError, "no camera 'frnot'; did you mean 'front'"),
        ({"cameras": "front"}, TypeError, "cameras must be a list"),
        ({"passes": ["flwo"]}, TypeError, "passes must be a list, each 'rgb' or 'ids' or"),
        ({"size": (0, 4)}, ea.InputError, "got 0x4"),
    ],
)
def test_what_cannot_be_captured_is_told(world, arguments, kind, told):
    with pytest.raises(kind, match=told):
        ea.capture(world, **arguments)


AROUND = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 8
layout = { kind = "points", points = [[0, 0], [20, 0], [40, 0], [60, 0], [80, 0], [0, -20], [20, -20], [40, -20]] }
clips = [{ name = "walk" }]
path = "pose"
"""


def crossings(origin, targets, triangles):
    """How many triangles [triangle, corner, 3] the ways from a point to others [n, 3] go through, and how far into the
    first of them the others lie [n] [m]; by Moeller and Trumbore 1997."""
    counts, depths = [], []
    a, b, c = (triangles[:, corner] for corner in range(3))
    for target in targets:
        way = target - origin
        p = np.cross(way, c - a)
        scale = np.einsum("ij,ij->i", b - a, p)
        t = origin - a
        q = np.cross(t, b - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            u, v, at = np.einsum("ij,ij->i", t, p) / scale, q @ way / scale, np.einsum("ij,ij->i", c - a, q) / scale
        hits = np.sort(at[(u >= 0) & (v >= 0) & (u + v <= 1) & (at > 0) & (at < 1)]) * np.linalg.norm(way)
        hits = hits[hits < np.linalg.norm(way) - 0.012]
        counts.append(len(hits))
        depths.append(np.linalg.norm(way) - hits[0] if len(hits) else 0.0)
    return np.array(counts), np.array(depths)


def test_keypoints_are_seen_where_nothing_but_the_flesh_about_them_is_before_them(context):
    """Beside ways through the CPU's triangles: at most one surface is before what lies inside, none before a face."""
    agreed, told = [], []
    with ea.load_scene(AROUND, threads=1) as world:
        world.step(0.4)
        ((_, (character, transforms, palette)),) = world.query(Character, Transforms, Palette)
        meshes = character.rig.level(0)
        for actor in range(8):
            angle = actor * np.pi / 4
            at = transforms.translation[actor].astype(float)
            eye = at + np.array([5 * np.sin(angle), 1.3, 5 * np.cos(angle)])
            camera = ea.PinholeCamera.looking(ea.Lens.of_view((400, 400), 0.5), eye, at + np.array([0, 0.9, 0]))
            (seen,) = ea.capture(world, [camera], ["ids"], keypoints=True)
            (people,) = seen.keypoints
            row = people.actor_ids.tolist().index(actor + 1)
            skin = []
            for mesh in meshes:
                points = skin_linear(mesh, palette.matrices[actor].astype(float))[0]
                points = rotate(transforms.rotation[actor].astype(float), points) * transforms.scale[actor] + at
                skin.append(points[mesh.indices.reshape(-1, 3)])
            counts, depths = crossings(eye, people.joints_3d[row], np.concatenate(skin))
            expected = np.where(np.arange(17) < 5, counts == 0, (counts <= 1) & (depths < 0.16))
            agreed.append((people.visibility[row] == 2) == expected)
            told.append(expected)
    assert 0.3 < np.mean(told) < 0.9, "many are seen and many are not"
    assert np.mean(agreed) > 0.9, np.mean(agreed, axis=0)
