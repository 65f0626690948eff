"""Cameras of a scene: their places, their pictures, and the message for each mistake."""

import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths.quaternion import rotate
from ecs_anim.systems.camera_cycle import CameraCycle
from ecs_anim.systems.camera_drawing import CameraDrawer
from ecs_anim.systems.joints import joint_entries, joints_of_palettes
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.encoders import decode_ids
from ecs_anim.view.passes import Passes
from tests.helpers.command import ecs_anim
from tests.helpers.gl import context_fixture, renderer_fixture  # noqa: F401
from tests.oracles.pinhole import bent, seen_at
from tests.test_cli import assert_one_line

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 3
layout = { kind = "points", points = [[0.0, 0.0], [1.0, -0.5], [-1.0, -1.0]] }
heading_degrees = -50.0
clips = [{ name = "walk", phase = 0.3 }]
[[cameras]]
name = "one"
"""
EYE, LOOK_AT = np.array([1.0, 2.0, 5.0]), np.array([0.2, 0.5, -0.3])
BENT = (-0.22, 0.06, 0.004, -0.003, 0.0)
K = np.array([[150.0, 0, 88.0], [0, 155.0, 58.0], [0, 0, 1]])
BALLS = [[0.0, 0.0], [0.9, -0.4], [-0.9, -1.2], [-0.4, 1.6], [1.2, 1.0]]
RADIUS, HEIGHT = 0.2, 0.6
BALLS_SCENE = f"""
[rigs.ball]
model = "ball"
scale = 4.0
ground_offset = {HEIGHT}
[light]
shadows = "none"
[[crowds]]
name = "balls"
rig = "ball"
count = {len(BALLS)}
layout = {{ kind = "points", points = {BALLS} }}
tints = ["#ff0000"]
clips = [{{ name = "rest" }}]
[[cameras]]
name = "bent"
size = [160, 120]
eye = {EYE.tolist()}
look_at = {LOOK_AT.tolist()}
fx = {K[0, 0]}
fy = {K[1, 1]}
cx = {K[0, 2]}
cy = {K[1, 2]}
distortion = {{ k1 = {BENT[0]}, k2 = {BENT[1]}, p1 = {BENT[2]}, p2 = {BENT[3]} }}
"""


def load(camera: str, scene: str = SCENE) -> ea.World:
    return ea.load_scene(scene + camera, threads=1)


def one(camera: str, seconds: float = 0.0) -> ea.PinholeCamera:
    with load(camera) as world:
        if seconds:
            world.step(seconds)
        return ea.camera(world, "one")


def test_one_that_stands_and_looks():
    camera = one("eye = [1, 2, 5]\nlook_at = [0.2, 0.5, -0.3]\nfx = 900\nnear = 0.5\nfar = 50")
    k = np.array([[900.0, 0, 640.0], [0, 900.0, 360.0], [0, 0, 1]])
    for point in np.random.default_rng(0).uniform(-1, 1, (5, 3)):
        np.testing.assert_allclose(camera.project(point)[0], seen_at(point, EYE, LOOK_AT, k, (0,) * 5)[0])
    assert (camera.lens.near, camera.lens.far, camera.lens.size) == (0.5, 50.0, (1280, 720))
    assert camera.distance == pytest.approx(np.linalg.norm(EYE - LOOK_AT))


def test_fields_of_view():
    for key, angle, side in (("vertical", 50.0, 200), ("horizontal", 70.0, 400)):
        lens = one(f"size = [400, 200]\nmatrix = {np.eye(3, 4).tolist()}\n{key}_fov_degrees = {angle}").lens
        assert lens.fx == lens.fy == pytest.approx(side / 2 / np.tan(np.radians(angle / 2)))
        assert (lens.cx, lens.cy) == (200.0, 100.0)


def test_a_matrix_takes_the_world_to_the_camera():
    expected = ea.PinholeCamera.looking(ea.Lens.of_view((4, 3), 1.0), EYE, LOOK_AT)
    matrix = expected.view_matrix()[:3].astype(float)
    np.testing.assert_allclose(one(f"matrix = {matrix.tolist()}").pose, expected.pose, atol=1e-6)
    matrix[1:] *= -1  # x right, y down, z ahead
    np.testing.assert_allclose(one(f"matrix = {matrix.tolist()}\naxes = 'opencv'").pose, expected.pose, atol=1e-6)


def test_an_orbit_is_that_of_the_worlds_own_camera():
    camera = one(
        "orbit = { target = [1, 1, 0], distance = 4, azimuth_degrees = 110, elevation_degrees = 25 }\nsize = [64, 48]"
    )
    orbit = OrbitCamera(np.float32([1, 1, 0]), 4.0, np.radians(110), np.radians(25))
    np.testing.assert_allclose(camera.view_matrix(), orbit.view_matrix(), atol=1e-6)
    np.testing.assert_allclose(camera.projection_matrix(4 / 3), orbit.projection_matrix(4 / 3), rtol=1e-6)


PATH = """path = [
    { at_seconds = 1.0, eye = [0, 1, 5], look_at = [0, 1, 0] },
    { at_seconds = 2.0, eye = [1, 2, 5], look_at = [0, 2, 0] },
    { at_seconds = 4.0, eye = [5, 2, 4], look_at = [1, 1, 0] },
    { at_seconds = 5.0, eye = [6, 1, 0], look_at = [0, 1, 0] },
]"""


@pytest.mark.exhaustive
def test_a_path_is_at_its_points_at_their_times_and_smooth_between():
    with load(PATH) as world:
        found = {}
        for frame in range(601):
            found[frame] = ea.camera(world, "one").position.astype(float)
            world.step(0.01)
    for frame, eye in ((0, [0, 1, 5]), (100, [0, 1, 5]), (200, [1, 2, 5]), (400, [5, 2, 4]), (600, [6, 1, 0])):
        np.testing.assert_allclose(found[frame], eye, atol=1e-5)
    # At an inner point the velocity is the slope there of the parabola through it and its neighbours.
    times, x = np.array([1.0, 2.0, 4.0]), np.array([0.0, 1.0, 5.0])
    slope = np.polyval(np.polyder(np.polyfit(times, x, 2)), 2.0)
    assert (found[201][0] - found[199][0]) / 0.02 == pytest.approx(slope, abs=0.01)
    steps = np.diff([found[frame] for frame in range(100, 501)], axis=0)
    assert np.linalg.norm(np.diff(steps, axis=0), axis=1).max() < 0.002, "nowhere is there a corner"


def test_a_path_may_lead_through_what_it_looks_at_and_says_when():
    path = (
        "path = [{ at_seconds = 0, eye = [0, 1, 2], look_at = [0, 1, 0] }, "
        "{ at_seconds = 2, eye = [0, 1, 0], look_at = [0, 1, 2] }]"
    )
    with load(path) as world:
        world.step(1.0)
        with pytest.raises(
            ea.InputError,
            match=r"camera 'one': the path of the camera is not valid at 1.00 s: eye and look_at must be different",
        ):
            ea.camera(world, "one")


def carried(world: ea.World, joint: str, offset: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where skin that hangs from a joint alone takes a point and a direction of the rest pose, for actor 1."""
    ((_, (palette, transforms)),) = world.query(Palette, Transforms)
    skeleton = ea.crowd(world, "people").rig.skeleton
    number = skeleton.joint_index(joint)
    rest = ea.model_matrices(skeleton, skeleton.rest_pose)[number]
    entry = skeleton.skin_joints.tolist().index(number)
    bind = skeleton.inverse_bind[entry]
    np.testing.assert_allclose(bind[:, :3] @ rest[:, 3] + bind[:, 3], 0, atol=1e-6)  # it was bound in the rest pose
    matrix = palette.matrices[1, entry].astype(float)
    turn, scale = transforms.rotation[1].astype(float), float(transforms.scale[1])
    point = matrix[:, :3] @ (rest[:, 3] + offset) + matrix[:, 3]
    return transforms.translation[1] + scale * rotate(turn, point), rotate(turn, matrix[:, :3] @ direction)


@pytest.mark.parametrize("method", ["linear", "dual_quaternion"])
def test_one_on_a_head_goes_where_the_heads_skin_goes(method):
    with load('mount = { crowd = "people", actor = 1, joint = "Head", position = [0.02, 0.1, 0.15] }') as world:
        for _ in range(20):
            world.step(1 / 60)
        eye, ahead = carried(world, "Head", np.array([0.02, 0.1, 0.15]), np.array([0.0, 0, 1]))
        _, up = carried(world, "Head", np.zeros(3), np.array([0.0, 1, 0]))
        ea.crowd(world, "people").set_skinning(method)
        pose = ea.camera(world, "one").pose
    np.testing.assert_allclose(pose[:, 3], eye, atol=1e-5)
    np.testing.assert_allclose(pose[:, 2], -ahead, atol=1e-4)
    np.testing.assert_allclose(pose[:, 1], up, atol=1e-4)
    assert np.linalg.det(pose[:, :3]) == pytest.approx(1)


def test_a_joint_without_skin_hangs_from_the_one_above_as_its_clip_has_it():
    """Palettes that hold every third joint, each twice, come back to the poses that they were made of."""
    rig = ea.load_rig("mannequin")
    some = np.sort(np.concatenate([np.arange(0, 22, 3)] * 2))
    skeleton = replace(rig.skeleton, skin_joints=some.astype(np.int32), inverse_bind=rig.skeleton.inverse_bind[some])
    pose = rig.clips["wave"].sample(np.array([0.3, 0.9]))
    palettes = ea.skin_palette(skeleton, pose).astype(float)
    assert len(joint_entries(skeleton).joints) == 8
    found = joints_of_palettes(skeleton, palettes, pose.to_matrix())
    np.testing.assert_allclose(found, ea.model_matrices(skeleton, pose), atol=1e-5)


def test_one_that_the_gpu_poses_carries_a_camera_as_its_clips_say():
    camera = 'mount = { crowd = "people", actor = 1, joint = "Head" }'
    with load(camera) as posed, load(camera, SCENE.replace("count = 3", 'count = 3\npath = "baked"')) as baked:
        posed.step(0.2)
        baked.step(0.2)
        np.testing.assert_allclose(ea.camera(baked, "one").pose, ea.camera(posed, "one").pose, atol=1e-5)


def test_one_on_an_actor_turns_with_them_and_by_its_own_angles():
    angles = {"yaw_degrees": 20.0, "pitch_degrees": -10.0, "roll_degrees": 30.0}
    told = ", ".join(f"{name} = {angle}" for name, angle in angles.items())
    camera = one(f'mount = {{ crowd = "people", actor = 1, position = [0.0, 1.5, 0.5], {told} }}')
    heading = np.radians(40.0)
    np.testing.assert_allclose(
        camera.position, [1.0 + 0.5 * np.sin(heading), 1.5, 0.5 + 0.5 * np.cos(heading)], atol=1e-5
    )
    yaw, pitch = np.radians(60.0), np.radians(-10.0)
    ahead = np.array([np.cos(pitch) * np.sin(yaw), np.sin(pitch), np.cos(pitch) * np.cos(yaw)])
    np.testing.assert_allclose(-camera.pose[:, 2], ahead, atol=1e-6)
    right = np.cross(ahead, [0, 1, 0]) / np.cos(pitch)
    level = np.cross(right, ahead)
    np.testing.assert_allclose(
        camera.pose[:, 1], np.cos(np.pi / 6) * level + np.sin(np.pi / 6) * right, atol=1e-6
    )  # its top is tilted to its right


def test_whoever_faces_elsewhere_in_their_file_carries_it_the_same_way():
    mount = 'mount = { crowd = "people", actor = 1, position = [0.1, 1.5, 0.5], yaw_degrees = 10.0 }'
    turned = SCENE.replace('"mannequin"', '"mannequin"\nfacing_degrees = 90\nground_offset = 0.3')
    with load(mount) as world, load(mount, turned) as other:
        np.testing.assert_allclose(ea.camera(other, "one").pose, ea.camera(world, "one").pose, atol=1e-5)


def test_whoever_carries_one_keeps_it_and_takes_it_along():
    with load('mount = { crowd = "people", actor = 2 }') as world:
        people = ea.crowd(world, "people")
        people.remove([0])  # so the last row moves
        np.testing.assert_allclose(
            ea.camera(world, "one").position, people.positions_in_space[people.rows([3])[0]], atol=1e-6
        )
        people.remove(ids=[3])
        with pytest.raises(
            ea.InputError,
            match="camera 'one': the camera is mounted on actor 2 of crowd 'people', but this actor is absent",
        ):
            ea.camera(world, "one")
        cycle = CameraCycle(world, "one")
        assert cycle.seen_from() is stage_of(world).camera
        assert "but this actor is absent" in cycle.text()


def test_a_saved_world_keeps_who_carries_a_camera(tmp_path):
    scene = SCENE + 'mount = { crowd = "people", actor = 2, joint = "Head" }'
    with ea.load_scene(scene, threads=1) as world:
        ea.crowd(world, "people").remove([0])
        world.step(0.1)
        world.save(tmp_path / "x.npz")
        pose = ea.camera(world, "one").pose
    with ea.load_world(tmp_path / "x.npz", scene, threads=1) as again:
        np.testing.assert_array_equal(ea.camera(again, "one").pose, pose)


def test_a_world_of_fewer_actors_has_the_camera_and_nobody_who_carries_it():
    with ea.load_scene(SCENE + 'mount = { crowd = "people", actor = 2 }', threads=1, actors=1) as world:
        assert ea.cameras(world) == ["one"]
        with pytest.raises(
            ea.InputError,
            match="camera 'one': the camera is mounted on actor 2 of crowd 'people', but this actor is absent",
        ):
            ea.camera(world, "one")


def balls(renderer) -> tuple[Passes, ea.PinholeCamera]:
    with load("", BALLS_SCENE) as world, CameraDrawer(renderer) as drawer:
        camera = ea.camera(world, "bent")
        return drawer.passes(world, camera, camera.lens.size), camera


def test_bent_pictures_show_balls_where_a_calibration_says(renderer):
    """The outline of a ball by rays that touch it, each bent by the formula; and the depth of its nearest point."""
    passes, _ = balls(renderer)
    seen = 0
    for number, (x, y) in enumerate(BALLS):
        centre = np.array([x, HEIGHT, -y])
        away = centre - EYE
        distance = np.linalg.norm(away)
        first = np.cross(away, [0, 1.0, 0]) / np.linalg.norm(np.cross(away, [0, 1.0, 0]))
        second = np.cross(first, away / distance)
        sine = RADIUS / distance
        angles = np.linspace(0, 2 * np.pi, 180, endpoint=False)[:, None]
        rim = RADIUS * np.sqrt(1 - sine**2) * (np.cos(angles) * first + np.sin(angles) * second)
        outline = [seen_at(centre - sine * RADIUS * away / distance + own, EYE, LOOK_AT, K, BENT)[0] for own in rim]
        low, high = np.min(outline, axis=0), np.max(outline, axis=0)
        own = passes.ids == number + 1
        rows, columns = np.nonzero(own)
        if low.min() < 0 or high[0] > 160 or high[1] > 120:
            continue
        seen += 1
        box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        np.testing.assert_allclose(box, [*low, *high], atol=1.2)  # a mesh is inside its ball
        pixel, depth = seen_at(centre, EYE, LOOK_AT, K, BENT)
        np.testing.assert_allclose([columns.mean() + 0.5, rows.mean() + 0.5], np.mean(outline, axis=0), atol=0.35)
        column, row = pixel.astype(int)
        ahead = (LOOK_AT - EYE) / np.linalg.norm(LOOK_AT - EYE)
        assert passes.depth[row, column] == pytest.approx(depth - RADIUS * (ahead @ away) / distance, abs=0.02)
    assert seen >= 4


def test_the_bent_ground_is_where_bent_rays_meet_it(renderer):
    """Depths are those of pixels half as large, so they are as far off as a quarter of a pixel leads."""
    passes, camera = balls(renderer)
    columns, rows = np.meshgrid(np.arange(160) + 0.5, np.arange(120) + 0.5)
    assert camera.lens.is_distorted
    directions = camera.lens.directions()
    check = [[bent(*own, *BENT) for own in line] for line in directions[::40, ::40]]
    np.testing.assert_allclose(
        (np.array(check) * [K[0, 0], K[1, 1]] + K[:2, 2]), np.stack([columns, rows], axis=-1)[::40, ::40], atol=1e-6
    )
    rays = np.concatenate([directions * [1, -1], -np.ones((120, 160, 1))], axis=-1) @ camera.pose[:, :3].T
    with np.errstate(divide="ignore"):
        depth = np.where(rays[..., 1] < 0, -EYE[1] / rays[..., 1], 1e6)
    ground = (passes.ids == 0) & (depth < 30) & (passes.depth > 0)
    slope = np.maximum(*(np.abs(np.gradient(depth, axis=axis)) for axis in (0, 1)))
    off = np.abs(passes.depth - depth)[ground] / slope[ground]
    assert ground.mean() > 0.3
    assert off.max() < 0.75
    assert np.median(off) < 0.3


def test_all_passes_and_colours_are_bent_alike(context, renderer):
    passes, camera = balls(renderer)
    with load("", BALLS_SCENE) as world:
        picture = ea.render(world, camera="bent").astype(int)
        flat = ea.render(world, camera=replace(camera, lens=replace(camera.lens, distortion=(0.0,) * 5))).astype(int)
    assert picture.shape == (120, 160, 3)
    for shown, like in ((picture, True), (flat, False)):
        red = shown[..., 0] - shown[..., 1:].max(axis=-1) > 20
        both = (red & (passes.ids > 0)).sum() / (red | (passes.ids > 0)).sum()
        assert (both > 0.9) == like
    assert ((passes.depth > 0) == passes.normals.any(axis=-1)).all()


def test_a_picture_of_another_size_is_as_high(context):
    with load("eye = [0, 1, 5]\nlook_at = [0, 1, 0]\nsize = [80, 60]") as world:
        own = ea.render(world, camera="one")
        assert own.shape == (60, 80, 3)
        wide = ea.render(world, (120, 60), camera="one")
        np.testing.assert_allclose(wide[:, 20:100].astype(int), own, atol=40)
        assert np.abs(wide[:, 20:100].astype(int) - own).mean() < 0.5


def test_a_film_goes_along_with_a_camera(context, tmp_path):
    with load(PATH + "\nsize = [32, 24]") as world:
        ea.video(world, 3.0, tmp_path / "film", camera="one", fps=1)
        last = ea.render(world, camera="one")
    pictures = [np.asarray(Image.open(path)) for path in sorted((tmp_path / "film").iterdir())]
    assert len(pictures) == 3
    np.testing.assert_array_equal(pictures[-1], last)
    assert (pictures[0] != last).any()


def test_the_window_goes_from_camera_to_camera():
    with load("eye = [0, 1, 5]\nlook_at = [0, 1, 0]\n[[cameras]]\nname = 'two'\norbit = {}") as world:
        assert ea.cameras(world) == ["one", "two"]
        cycle, seen = CameraCycle(world), []
        for _ in range(4):
            seen.append((cycle.name, cycle.text(), tuple(cycle.seen_from().position.round(3).tolist())))
            cycle.advance()
        own = tuple(stage_of(world).camera.position.round(3).tolist())
        assert seen[0] == seen[3] == (None, "", own)
        assert seen[1] == ("one", "camera: one", (0.0, 1.0, 5.0))
        assert seen[2][0] == "two"
        with pytest.raises(ea.InputError, match="no camera 'tow'; did you mean 'two'"):
            CameraCycle(world, "tow")


@pytest.mark.exhaustive
def test_the_command_sees_with_a_camera_and_tells_its_lens(tmp_path):
    (tmp_path / "x.toml").write_text(BALLS_SCENE)
    done = ecs_anim("run", "x.toml", "--frames", 1, "--camera", "bent", "--pass", "ids", "--out", "x.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "x.json").read_text())
    told = facts["camera"]
    assert [told[name] for name in ("fx", "fy", "cx", "cy")] == [K[0, 0], K[1, 1], K[0, 2], K[1, 2]]
    assert list(told["distortion"].values()) == list(BENT)
    ids = decode_ids(np.asarray(Image.open(tmp_path / "x.png")))
    assert ids.shape == (120, 160)
    matrix = np.array(told["world_to_view"])
    x, y, z, _ = matrix @ [*[BALLS[0][0], HEIGHT, BALLS[0][1]], 1]
    u, v = K[:2, 2] + np.diag(K)[:2] * bent(x / -z, y / z, *told["distortion"].values())
    assert ids[int(v), int(u)] == 1
    assert_one_line(
        ecs_anim("run", "x.toml", "--camera", "bnet", cwd=tmp_path), "no camera 'bnet'", "did you mean 'bent'"
    )
    assert_one_line(ecs_anim("run", "x.toml", "--camera", "bent", "--no-draw", cwd=tmp_path), "--camera")
    (tmp_path / "x.toml").write_text(BALLS_SCENE.replace(f"k2 = {BENT[1]}", "k2 = 0"))
    wide = ecs_anim("run", "x.toml", "--camera", "bent", "--size", "1600x120", "--out", "y.png", cwd=tmp_path)
    assert_one_line(wide, "lens distortion")
    assert not (tmp_path / "y.png").exists()


MISTAKES = [
    ("", "cameras[0]: write exactly one of the keys eye (with look_at), matrix, orbit, path, mount and follow"),
    ("eye = [0, 1, 2]", "cameras[0]: the keys eye and look_at must be given together"),
    ("eye = [0, 1, 2]\nlook_at = [0, 1, 2]", "cameras[0]: eye and look_at must be different points"),
    ("eye = [0, 1, 2]\nlook_at = [0, 9, 2]", "cameras[0]: up must not be parallel to the view direction"),
    ("orbit = {}\neye = [0, 1, 2]\nlook_at = [0, 0, 0]", "exactly one of the keys"),
    ("orbit = {}\nup = [0, 1, 0]", "cameras[0]: up needs the key eye"),
    ("orbit = {}\naxes = 'opencv'", "cameras[0]: axes needs matrix"),
    ("orbti = {}", "cameras[0].orbti: unknown key; did you mean 'orbit'?"),
    ("orbit = { distnace = 3 }", "cameras[0].orbit.distnace: unknown key; did you mean 'distance'?"),
    ("orbit = {}\nsize = [0, 5]", "cameras[0].size[0]: should be greater than or equal to 1 (got 0)"),
    ("orbit = {}\nsize = [65000, 65000]", "cameras[0].size: 4,225,000,000 pixels"),
    (
        "orbit = {}\nfx = 100\nvertical_fov_degrees = 40",
        "at most one of the keys vertical_fov_degrees, horizontal_fov_degrees and fx",
    ),
    ("orbit = {}\nfy = 100", "cameras[0]: fy needs fx"),
    ("orbit = {}\nnear = 2\nfar = 1", "cameras[0]: near must be less than far"),
    ("orbit = {}\nnear = 1e-6\nfar = 10", "cameras[0]: lens near must be at least far / 1,000,000"),
    (
        "orbit = {}\nfx = 300\ndistortion = { k1 = -0.9 }",
        "cameras[0]: lens distortion must keep the border of the picture",
    ),
    ("matrix = [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 1, 0]]", "cameras[0]: the axes of the matrix must be perpendicular"),
    ("matrix = [[1, 0, 0, 0], [0, 1, 0, 0]]", "cameras[0].matrix"),
    ("path = [{ at_seconds = 0, eye = [0, 0, 1], look_at = [0, 0, 0] }]", "cameras[0].path: "),
    (
        PATH.replace("at_seconds = 2.0", "at_seconds = 0.5"),
        "path: the time of each point must be at least 1e-06 s after",
    ),
    (
        PATH.replace("eye = [1, 2, 5]", "eye = [0, 2, 0]"),
        "cameras[0]: path[1]: eye and look_at must be different points",
    ),
    ('mount = { crowd = "poeple" }', "cameras[0].mount.crowd: there is no crowd 'poeple'; did you mean 'people'?"),
    (
        'mount = { crowd = "people", actor = 3 }',
        "cameras[0].mount.actor: the index of the actor must be 0 to 2, because crowd 'people' has 3 actors (got 3)",
    ),
    ('mount = { crowd = "people", joint = "Haed" }', "has no joint 'Haed'; did you mean 'Head'?"),
    (
        "orbit = {}\n[[cameras]]\nname = 'one'\norbit = {}",
        "cameras[1].name: the names of cameras must be different (got 'one' twice)",
    ),
]


@pytest.mark.parametrize(("camera", "message"), MISTAKES, ids=[message[:40] for _, message in MISTAKES])
def test_a_mistake_is_one_line_with_its_place_and_fix(camera, message):
    with pytest.raises(ea.InputError) as caught:
        load(camera).close()
    line = str(caught.value)
    assert line.startswith("<text>: cameras[")
    assert message in line
    assert "\n" not in line


def test_cameras_change_nothing_of_what_is_simulated():
    with load('mount = { crowd = "people", joint = "Head" }') as seen, load("orbit = {}") as unseen:
        for _ in range(5):
            ea.camera(seen, "one")
            seen.step(1 / 60)
            unseen.step(1 / 60)
        assert seen.get(3, Crowd).actor_count == 3
        np.testing.assert_array_equal(ea.crowd(seen, "people").palettes(), ea.crowd(unseen, "people").palettes())


@pytest.mark.exhaustive
def test_several_passes_of_a_run_are_of_the_same_frames(tmp_path):
    (tmp_path / "x.toml").write_text(BALLS_SCENE)
    passes = [word for name in ("ids", "rgb", "classes", "ids") for word in ("--pass", name)]
    run = ("run", "x.toml", "--frames", 1, "--camera", "bent")
    done = ecs_anim(*run, *passes, "--out", "o.png", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert ecs_anim(*run, "--out", "alone.png", cwd=tmp_path).returncode == 0
    names = [path.name for path in sorted(tmp_path.iterdir())]
    files = [f"o_{name}.{kind}" for name in ("classes", "ids", "rgb") for kind in ("json", "png")]
    assert names == ["alone.png", *files, "x.toml"]
    assert (tmp_path / "o_rgb.png").read_bytes() == (tmp_path / "alone.png").read_bytes()
    ids, classes = (np.asarray(Image.open(tmp_path / f"o_{name}.png")) for name in ("ids", "classes"))
    np.testing.assert_array_equal(classes == 3, decode_ids(ids) > 0)
    told = "0 = nothing, 1 = ground, 2 = wall, 3 = actor, 4 = door, 5 = block, 6 = seat, 7 = prop"
    assert json.loads((tmp_path / "o_classes.json").read_text())["code"] == told
    assert ecs_anim(*run, *passes, "--out", "all", cwd=tmp_path).returncode == 0
    assert {path.parent.name for path in (tmp_path / "all").rglob("*.png")} == {"classes", "ids", "rgb"}
    assert (tmp_path / "all/rgb/frame_00000.png").read_bytes() == (tmp_path / "alone.png").read_bytes()
    nowhere = ecs_anim(*run, *passes, "--out", "no/o.png", cwd=tmp_path)
    assert nowhere.returncode == 2
    assert nowhere.stderr.count("the folder no does not exist") == 3, "a line for each file"
