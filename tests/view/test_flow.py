"""Flow against a plain z-buffer over vertices that the CPU skins twice: as they were, and as they are."""

import json
from dataclasses import replace

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.picture import past_positions
from ecs_anim.maths.quaternion import rotate
from ecs_anim.systems.skinning import swap_skinning
from ecs_anim.view.style import View
from tests.helpers import EXHAUSTIVE
from tests.helpers.command import ecs_anim
from tests.helpers.gl import context_fixture  # noqa: F401
from tests.oracles.pinhole import bent
from tests.oracles.raster import rasterize
from tests.test_cli import assert_one_line

SIZE = (120, 90)
SKINNERS = {"linear": skin_linear, "dual_quaternion": skin_dual_quaternion}
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 4
layout = { kind = "points", points = [[-0.6, -0.3], [0.7, 0.0], [0.1, 1.2], [0.2, -0.6]] }
heading_degrees = "random"
clips = [{ name = "walk" }, { name = "run" }]
locomotion = {}
[rigs.blob]
model = "blob"
[[crowds]]
name = "blobs"
rig = "blob"
count = 2
layout = { kind = "points", points = [[-1.4, -0.6], [1.5, -0.5]] }
clips = [{ name = "grin" }]
[[cameras]]
name = "moving"
size = [120, 90]
vertical_fov_degrees = 45.0
path = [
    { at_seconds = 0.0, eye = [0.0, 1.5, 4.5], look_at = [0.0, 0.9, 0.0] },
    { at_seconds = 2.0, eye = [3.0, 2.5, 3.5], look_at = [0.3, 0.9, 0.0] },
]
"""
BAKED, HYBRID = 'path = "baked"', 'path = "auto"\nnear_actors = { count = 2 }\nlevel = "auto"'
BENT = (-0.2, 0.05, 0.002, 0.001, 0.0)


def vertices(world: ea.World) -> dict[int, np.ndarray]:
    """World positions [vertex, 3] of each actor, by id, all meshes in a row."""
    found: dict[int, np.ndarray] = {}
    crowds = world.query(Crowd, Character, Transforms, Palette, Appearance)
    for entity, (crowd, character, transforms, palette, looks) in crowds:
        weights = world.find(entity, Morphs)
        for row, actor_id in enumerate(crowd.ids.tolist()):
            morphs = None if weights is None else weights.weights[row]
            meshes = character.rig.level(character.level)
            if figures := character.rig.figures:
                meshes = [mesh.of_figure(int(looks.variant[row]) % len(figures)) for mesh in meshes]
            own = [SKINNERS[palette.method](mesh, palette.matrices[row].astype(float), morphs)[0] for mesh in meshes]
            turned = rotate(transforms.rotation[row].astype(float), np.concatenate(own).astype(float))
            found[actor_id] = turned * float(transforms.scale[row]) + transforms.translation[row]
    return found


def triangles(world: ea.World) -> dict[int, np.ndarray]:
    """Vertices [triangle, 3] of each actor's triangles, by id, numbered as `vertices` has them."""
    found: dict[int, np.ndarray] = {}
    for _, (crowd, character) in world.query(Crowd, Character):
        meshes = character.rig.level(character.level)
        starts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes)])
        whole = [mesh.indices.reshape(-1, 3) + start for mesh, start in zip(meshes, starts, strict=False)]
        found |= dict.fromkeys(crowd.ids.tolist(), np.concatenate(whole).astype(int))
    return found


def by_hand(world: ea.World, then: dict[int, np.ndarray], camera, before) -> tuple[np.ndarray, np.ndarray]:
    """Flow [height, width, 2] of pixels that show an actor whose past is known, for sure; and which these are."""
    now, corners = vertices(world), triangles(world)
    ids = [actor_id for actor_id in now if actor_id in then]
    faces = np.concatenate([now[own][corners[own]] for own in ids])
    old = np.concatenate([then[own][corners[own]] for own in ids])
    seen = rasterize(faces, View.of(camera, SIZE[0] / SIZE[1]), SIZE)
    hit = seen.sure & (seen.triangle >= 0)
    was = np.sum(seen.weights[..., None] * old[seen.triangle], axis=-2)
    x, y, z = np.moveaxis((was - before.position.astype(float)) @ before.pose[:, :3], -1, 0)
    lens = before.lens
    pixels = np.stack([lens.fx * x / -z + lens.cx, lens.fy * y / z + lens.cy], axis=-1)
    columns, rows = np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5)
    return np.stack([columns, rows], axis=-1) - pixels, hit


@pytest.mark.parametrize(
    ("model", "most_texels", "method"),
    [
        ("mannequin", 1 << 24, "linear"),
        pytest.param("mannequin", 40_000, "linear", marks=EXHAUSTIVE),
        pytest.param("people", 1 << 24, "linear", marks=EXHAUSTIVE),
        pytest.param("mannequin", 1 << 24, "dual_quaternion", marks=EXHAUSTIVE),
        ("mannequin", 40_000, "dual_quaternion"),
        ("people", 1 << 24, "dual_quaternion"),
    ],
)
def test_bodies_move_as_their_vertices_do(context, method, model, most_texels, monkeypatch):
    """Walking, running and grinning, before a camera that moves; actors leave and come in between."""
    monkeypatch.setattr(past_positions, "MOST_TEXELS", most_texels)  # the second: one actor or two at a time
    with ea.load_scene(SCENE.replace("mannequin", model), threads=1) as world:
        if method == "dual_quaternion":
            swap_skinning(world)
        world.step(0.3)
        (first,) = ea.capture(world, ["moving"], ["flow"])
        assert np.isnan(first.flow).all()
        assert first.flow_since is None
        then = vertices(world)
        ea.crowd(world, "people").remove(ids=[1])  # so rows change
        newcomer = ea.crowd(world, "people").add(1, positions=[[-0.2, -1.2]])[0]
        world.step(0.05)
        world.step(0.05)
        (seen,) = ea.capture(world, ["moving"], ["flow", "ids", "depth"])
        assert seen.flow_since == pytest.approx(0.3)
        expected, hit = by_hand(world, then, seen.camera, first.camera)
    body = hit & np.isin(seen.ids, list(then))
    assert body.sum() > 600
    assert set(np.unique(seen.ids[body])) >= {2, 3, 4, 5, 6}
    np.testing.assert_allclose(seen.flow[body], expected[body], atol=0.01)
    assert np.linalg.norm(expected[body], axis=-1).max() > 3
    assert (seen.ids == newcomer).any()
    assert np.isnan(seen.flow[seen.ids == newcomer]).all(), "nobody knows where they were"
    assert np.isnan(seen.flow[seen.depth == 0]).all(), "nor the sky"
    ground = (seen.ids == 0) & (seen.depth > 0) & (seen.depth < 20)
    assert ground.sum() > 500
    columns, rows = np.meshgrid(np.arange(SIZE[0]) + 0.5, np.arange(SIZE[1]) + 0.5)
    lens, depth = seen.camera.lens, seen.depth.astype(float)
    points = np.stack([(columns - lens.cx) / lens.fx * depth, -(rows - lens.cy) / lens.fy * depth, -depth], axis=-1)
    was, _ = first.camera.project(points @ seen.camera.pose[:, :3].T + seen.camera.pose[:, 3])
    moved = np.stack([columns, rows], axis=-1) - was
    np.testing.assert_allclose(seen.flow[ground], moved[ground], atol=0.02)


def test_what_stands_before_a_camera_that_stands_does_not_flow(context):
    with ea.load_scene(SCENE, threads=1) as world:
        camera = {"distance": 5.0}
        ea.capture(world, [camera], ["flow"], size=SIZE)
        world.step(1e-9)
        (seen,) = ea.capture(world, [camera], ["flow", "classes"], size=SIZE)
    ground = seen.classes == 1
    np.testing.assert_allclose(seen.flow[ground], 0, atol=0.02)
    np.testing.assert_allclose(seen.flow[seen.classes == 3], 0, atol=0.02)


@EXHAUSTIVE
def test_a_bent_picture_flows_along_its_bends(context):
    """Compare with the formula at a ball's middle. Each camera is also asked separately for the same frames."""
    scene = f"""
[rigs.ball]
model = "ball"
scale = 6.0
ground_offset = 1.0
[[crowds]]
name = "ball"
rig = "ball"
layout = {{ kind = "points", points = [[0.6, -0.4]] }}
clips = [{{ name = "rest" }}]
[[cameras]]
name = "bent"
size = [160, 120]
fx = 120.0
distortion = {{ k1 = {BENT[0]}, k2 = {BENT[1]}, p1 = {BENT[2]}, p2 = {BENT[3]} }}
path = [
    {{ at_seconds = 0.0, eye = [0.0, 1.2, 4.0], look_at = [0.0, 1.2, 0.0] }},
    {{ at_seconds = 1.0, eye = [-0.4, 1.4, 4.0], look_at = [-0.4, 1.4, 0.0] }},
]
"""
    with ea.load_scene(scene, threads=1) as world:
        ea.capture(world, ["bent"], ["flow"])
        ea.capture(world, [{"distance": 5.0}], ["flow"])
        world.step(1.0)
        (other,) = ea.capture(world, [{"distance": 5.0}], ["flow", "ids"])
        (seen,) = ea.capture(world, ["bent"], ["flow", "ids"])
    assert other.flow_since == seen.flow_since == 0.0
    np.testing.assert_allclose(other.flow[other.ids == 1], 0, atol=0.02)
    front = np.array([0.6, 1.0, 0.4 + 0.3])  # the ball's point that is nearest to the plane through the eye
    places = []
    for x, y in ((0.0, 1.2), (-0.4, 1.4)):
        away = front - [x, y, 4.0]
        u, v = bent(away[0] / -away[2], away[1] / away[2], *BENT)
        places.append(np.array([120.0 * u + 80.0, 120.0 * v + 60.0]))
    column, row = places[1].astype(int)
    assert seen.ids[row, column] == 1
    np.testing.assert_allclose(seen.flow[row, column], places[1] - places[0], atol=0.15)


@pytest.mark.parametrize(
    ("crowd", "off", "has_compute", "is_software"),
    [
        (BAKED, 0.05, True, True),
        pytest.param(BAKED, 0.05, True, False, marks=EXHAUSTIVE),
        pytest.param(BAKED, 0.05, False, True, marks=EXHAUSTIVE),
        pytest.param(HYBRID, 0.15, True, True, marks=EXHAUSTIVE),
        (HYBRID, 0.15, True, False),
        (HYBRID, 0.15, False, True),
    ],
)
def test_bodies_that_the_gpu_poses_move_as_their_clips_do(context, crowd, off, has_compute, is_software, monkeypatch):
    """Beside the finest vertices of the same scene, skinned by the CPU; bakes are a bit off; actors leave and come."""
    monkeypatch.setattr(Capabilities, "has_compute", property(lambda _: has_compute))
    monkeypatch.setattr(context, "capabilities", replace(context.capabilities, is_software=is_software))
    baked = SCENE.replace("count = 4", f"count = 4\n{crowd}")
    with ea.load_scene(baked, threads=1) as world, ea.load_scene(SCENE, threads=1) as posed:
        for own in (world, posed):
            own.step(0.3)
        (first,) = ea.capture(world, ["moving"], ["flow"])
        then = vertices(posed)
        for own in (world, posed):
            people = ea.crowd(own, "people")
            people.remove(ids=[1])
            newcomer = people.add(1, positions=[[-0.2, -1.2]])[0]
            own.step(0.05)
            own.step(0.05)
        (seen,) = ea.capture(world, ["moving"], ["flow", "ids"])
        expected, hit = by_hand(posed, then, seen.camera, first.camera)
    body = hit & np.isin(seen.ids, [2, 3, 4])
    assert body.sum() > 300
    away = np.abs(seen.flow[body] - expected[body]).max(axis=-1)
    assert np.quantile(away, 0.98) < off  # elsewhere another surface is seen at this pixel
    assert np.linalg.norm(expected[body], axis=-1).max() > 3
    assert (seen.ids == newcomer).any()
    assert np.isnan(seen.flow[seen.ids == newcomer]).all(), "nobody knows where they were"


def test_bodies_that_the_gpu_poses_and_that_stand_do_not_flow(context):
    """Not by as much as a bake is off; the far ones' poses, every fourth picture's else, are those of this one."""
    scene = SCENE.replace("count = 4", 'count = 4\npath = "baked"\nlevel = "auto"\ndetail = { update_rates = true }')
    with ea.load_scene(scene, threads=1) as world:
        camera = {"distance": 15.0}
        for _ in range(3):
            world.step(1 / 30)
            ea.capture(world, [camera], ["flow"], size=SIZE)
        world.step(1e-9)
        (seen,) = ea.capture(world, [camera], ["flow", "ids"], size=SIZE)
    people = np.isin(seen.ids, [1, 2, 3, 4])
    assert people.sum() > 50
    np.testing.assert_allclose(seen.flow[people], 0, atol=0.02)


def test_the_classic_shader_knows_no_past(context):
    scene = SCENE.replace("count = 4", 'count = 4\npath = "baked"\nbake = { shader = "classic", space = "model" }')
    with ea.load_scene(scene, threads=1) as world:
        ea.capture(world, ["moving"], ["flow"])
        world.step(0.1)
        (seen,) = ea.capture(world, ["moving"], ["flow", "ids"])
    classic = np.isin(seen.ids, [1, 2, 3, 4])
    assert classic.any()
    assert np.isnan(seen.flow[classic]).all()
    assert np.isfinite(seen.flow[np.isin(seen.ids, [5, 6])]).all()


def read_flo(path):
    """As the format is described: a tag, width and height, then u and v of each pixel; large = unknown."""
    data = path.read_bytes()
    assert np.frombuffer(data, "<f4", 1)[0] == np.float32(202021.25)
    width, height = np.frombuffer(data, "<i4", 2, 4)
    flow = np.frombuffer(data, "<f4", offset=12).reshape(height, width, 2)
    return np.where(np.abs(flow) > 1e9, np.nan, flow)


@EXHAUSTIVE
@pytest.mark.parametrize("alone", [True, False])
def test_the_command_writes_flow_as_flo(context, tmp_path, alone):
    """The last frame's, and all of them beside other passes; the numbers are those of captures."""
    (tmp_path / "x.toml").write_text(SCENE)
    run = ["run", str(tmp_path / "x.toml"), "--headless", "--frames", "3", "--camera", "moving", "--pass", "flow"]
    more = ["--out", str(tmp_path / "x.flo")] if alone else ["--pass", "ids", "--out", str(tmp_path / "all")]
    assert ecs_anim(*run, *more).returncode == 0
    with ea.load_scene(SCENE) as world:
        for number in range(3):
            world.step(1 / 60)
            (seen,) = ea.capture(world, ["moving"], ["flow"])
            path = tmp_path / "x.flo" if alone else tmp_path / f"all/flow/frame_{number:05d}.flo"
            if number == 2 or not alone:
                np.testing.assert_array_equal(read_flo(path), seen.flow)
                told = json.loads(path.with_suffix(".json").read_text())
                assert (told["pass"], told["since"]) == ("flow", seen.flow_since)
    assert np.isfinite(seen.flow).any()
    if not alone:
        assert (tmp_path / "all/ids/frame_00002.png").is_file()


@pytest.mark.parametrize("name", ["x.png", "x.npz"])
def test_flow_goes_to_no_picture(tmp_path, name):
    told = ecs_anim("run", "single", "--headless", "--pass", "flow", "--out", tmp_path / name)
    assert_one_line(told, f"{name}: the pass flow must be written to .flo files. Name a .flo file or a folder")
    assert list(tmp_path.iterdir()) == []
