"""Public functions with invalid arguments. Each call raises an intended error with a message of one line."""

import inspect
import math
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mujoco import MjSpec

import ecs_anim as ea
from ecs_anim.streaming.messages import description_of, frame_of
from tests.helpers.gl import context_fixture  # noqa: F401
from tests.test_jupedsim import Scripted

ROOT = Path(__file__).resolve().parents[2]
SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 4
parameters = { lean = 0.0 }
triggers = ["greet"]
clips = [{ name = "idle" }, { name = "walk", weight = 0 }]
layers = [{ clip = "lean_left", weight = 0.5 }]
targets = { ball = { kind = "point", at = [0, 1, 2] } }
look_at = { target = "ball" }
[[crowds]]
name = "blobs"
rig = "blob"
clips = [{ name = "rest" }]
[rigs.blob]
model = "blob"
[walls]
wkt = "LINESTRING (30 0, 40 0)"
doors = [{ name = "east", shape = [[40, 0], [41, 0]] }]
[[agents]]
name = "robot"
position = [3, 3]
[[cameras]]
name = "door"
orbit = {}
"""
ROOMS = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
path = "baked"
steering = { goal = [3.0, 0.0] }
"""


class Odd:
    """An object that no function expects."""

    def __repr__(self) -> str:
        return "two\nlines"


JUNK = [
    None,
    True,
    -1,
    10**30,
    math.nan,
    math.inf,
    1j,
    "",
    "jnuk",
    "\x00",
    b"junk",
    [],
    [[1], [1, 2]],
    ["a"],
    [math.nan] * 3,
    {},
    {"jnuk": 1},
    (1, 2, 3, 4, 5),
    np.zeros((2, 0, 7)),
    np.array(["a"]),
    np.full((4, 3), np.nan),
    object,
    Odd(),
    lambda: None,
    slice("a", "b"),
    Path("/nowhere/at/all"),
]


@pytest.fixture(scope="module")
def world() -> Iterator[ea.World]:
    with ea.load_scene(SCENE, threads=1) as world:
        world.step(0.1)
        yield world


@pytest.fixture(scope="module")
def rig() -> ea.Rig:
    return ea.load_rig("mannequin")


def map_farm(**given: Any) -> list[Any]:
    """Call `ea.farm.map` with a valid function. Errors of users' functions reach the caller unchanged."""
    return ea.farm.map(str, **given)


@pytest.fixture(scope="module")
def calls(world: ea.World, rig: ea.Rig, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[..., Any]]:
    """Return the public callables by name, each with valid arguments.

    A test replaces one argument at a time by junk.
    """
    folder = tmp_path_factory.mktemp("calls")
    people, blobs = ea.crowd(world, "people"), ea.crowd(world, "blobs")
    robot = ea.agents(world)
    walk, skeleton, mesh = rig.clips["walk"], rig.skeleton, rig.meshes[0]
    other = ea.load_rig("mannequin")
    pose, palette = skeleton.rest_pose, ea.skin_palette(skeleton, skeleton.rest_pose)
    times, values = np.arange(2.0), np.zeros((2, 3), np.float32)
    track, scalar = ea.Track(0, "scale", "LINEAR", times, values), ea.ScalarTrack("LINEAR", times, times)
    bake = ea.bake.bake_rig(rig, ea.bake.BakeOptions(rate=2.0), ["idle"])
    ea.bake.save_bake(bake, folder / "x.bake")
    world.save(folder / "x.npz")
    page = ea.share(world, folder / "page.html", seconds=0.1).path
    served = ea.streaming.PoseServer(world, memory=folder / "served.poses")
    served.publish()
    poses = {"description": description_of(world), "frame": frame_of(world, 0)}
    solve = {"skeleton": skeleton, "pose": pose, "chain": ["LeftArm", "LeftForeArm", "LeftHand"], "target": [0, 1, 0]}
    solve |= {"iterations": 2, "tolerance": 0.1, "limits": {}, "base": np.eye(3, 4)}
    (folder / "scene.toml").write_text(SCENE)
    job = {"scene": str(folder / "scene.toml"), "ranges": {"frames": [0, 1]}, "make": {"trajectories": {}}}
    by_thread = {"executor": ThreadPoolExecutor(1)}
    lens = ea.Lens.of_view((8, 6), 1.0)
    some: dict[str, Any] = {"selection": [0]}
    found: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (ea.add, {"pose": pose, "additive": pose, "reference": pose, "weight": 1.0, "mask": np.ones(26)}),
        (ea.blend, {"a": pose, "b": pose, "weight": 0.5, "mask": np.ones(26)}),
        (ea.subtree_mask, {"skeleton": skeleton, "joint_name": "Spine"}),
        (ea.model_matrices, {"skeleton": skeleton, "pose": pose}),
        (ea.skin_palette, {"skeleton": skeleton, "pose": pose}),
        (ea.skin_linear, {"mesh": mesh, "palette": palette, "morph_weights": None}),
        (ea.skin_dual_quaternion, {"mesh": mesh, "palette": np.ones((22, 4, 4)), "morph_weights": None}),
        (ea.retarget, {"clip": walk, "source": rig, "target": other, "root_motion": "extract", "hands": True}),
        (ea.retarget, {"clip": walk, "source": rig, "target": other, "source_roles": {}, "target_roles": {}}),
        (ea.build_tables, {"skeleton": skeleton, "clips": [rig.clips["idle"]], "meshes": []}),
        (ea.load_rig, {"path": "ball", "name": "x"}),
        (ea.load_world, {"path": folder / "x.npz", "scene": SCENE, "threads": 1, "chunk_size": 64, "systems": []}),
        (ea.load_scene, {"source": SCENE, "actors": 2, "seed": 1, "threads": 1, "chunk_size": 64, "systems": []}),
        (ea.rooms, {"source": ROOMS, "count": 1, "seeds": [1], "threads": 1}),
        (ea.crowd, {"world": world, "name": "people"}),
        (ea.crowds, {"world": world}),
        (ea.agents, {"world": world, "name": "robot"}),
        (ea.AgentHandle, {"world": world, "name": "robot"}),
        (robot.drive, {"speed": 0.0, "turn_rate": 0.0}),
        (robot.set_velocity, {"velocity": [0.0, 0.0], "turn_rate": 0.0}),
        (robot.move_to, {"positions": [3.0, 3.0], "headings": 0.0}),
        (robot.place, {"positions": [3.0, 3.0], "headings": 0.0}),
        (robot.observe, {"range_m": 5.0, "frame": "agent", "row": 0}),
        (robot.lidar, {"rays": 4, "range_m": 5.0, "fov_degrees": 90.0}),
        (ea.observe, {"world": world}),
        (ea.cast_rays, {"world": world, "origins": [[0, 0]], "directions": [[[1, 0]]], "range_m": 5.0}),
        (ea.CrowdHandle, {"world": world, "entity": 3}),
        (ea.render, {"subject": world, "size": (8, 8), "camera": {"distance": 3.0}, "samples": 1}),
        (ea.Renderer, {"size": (8, 8), "samples": 1}),
        (ea.video, {"world": world, "seconds": 0.02, "path": folder / "a", "size": (8, 8), "fps": 30, "speed": 1.0}),
        (ea.save_trajectories, {"world": world, "path": folder / "x.csv", "sample_rate": 10.0, "crowds": ["people"]}),
        (ea.export, {"world": world, "path": folder / "x.glb", "frames": 1, "crowds": ["people"]}),
        (ea.share, {"world": world, "path": folder / "x.html", "seconds": 0.1, "fps": 30}),
        (ea.open_share, {"path": page}),
        (
            ea.save_dataset,
            {"source": SCENE, "path": folder / "set", "seeds": [1], "frames": [0], "cameras": ["door"], "size": (8, 6)}
            | {"passes": ["ids"], "formats": ["jsonl"], "actors": 2, "threads": 1, "split": (1.0, 0.0)},
        ),
        (ea.farm.run, {"job": job, "path": folder / "farm", "workers": 1, "dask": None, "threads": 1} | by_thread),
        (map_farm, {"job": job, "allow_code": False} | by_thread),
        (ea.show, {"subject": world, "size": (8, 8), "samples": 1, "paused": True}),
        (ea.OrbitCamera, {"target": [0, 1, 0], "distance": 3.0, "azimuth": 0.0, "vertical_fov": 1.0, "near": 0.1}),
        (
            ea.Follow,
            {"crowd": "people", "actor_id": 1, "distance": 3.0, "azimuth_from": "north", "smooth_seconds": 0.1},
        ),
        (ea.capture, {"world": world, "cameras": ["door"], "passes": ["ids"], "joints": True, "size": (8, 6)}),
        (ea.camera, {"world": world, "name": "door"}),
        (ea.cameras, {"world": world}),
        (ea.Lens, {"size": (8, 6), "fx": 9.0, "fy": 9.0, "cx": 4.0, "cy": 3.0, "distortion": [0.1, 0, 0, 0, 0]}),
        (ea.Lens, {"size": (8, 6), "fx": 9.0, "fy": 9.0, "cx": 4.0, "cy": 3.0, "near": 0.1, "far": 9.0}),
        (ea.Lens.of_view, {"size": (8, 6), "vertical_fov": 1.0, "distortion": [0.1, 0, 0, 0, 0], "near": 0.1}),
        (ea.FisheyeLens, {"size": (8, 6), "fx": 9.0, "fy": 9.0, "cx": 4.0, "cy": 3.0, "field_of_view": 3.0}),
        (ea.FisheyeLens.of_view, {"size": (8, 6), "horizontal_fov": 3.0, "distortion": [0.1, 0, 0, 0], "near": 0.1}),
        (ea.OrthographicLens, {"size": (8, 4), "view_width": 3.0, "near": 0.1, "far": 9.0}),
        (ea.EquirectangularLens, {"size": (8, 4), "near": 0.1, "far": 9.0}),
        (lens.fitted, {"size": (16, 12)}),
        (lens.pixels, {"points": [0.0, 0.0, -1.0]}),
        (ea.PinholeCamera, {"lens": lens, "pose": np.eye(3, 4), "distance": 2.0}),
        (ea.PinholeCamera.looking, {"lens": lens, "eye": [0, 1, 3], "look_at": [0, 1, 0], "up": [0, 1, 0]}),
        (ea.PinholeCamera(lens, np.eye(3, 4)).project, {"points": [[0.0, 0.0, 0.0]]}),
        (ea.PinholeCamera(lens, np.eye(3, 4)).unproject, {"pixels": [[1.0, 1.0]], "depths": [2.0]}),
        (ea.PinholeCamera(lens, np.eye(3, 4)).fitted, {"size": (16, 12)}),
        (ea.OrbitCamera().orbit, {"azimuth": 0.1, "elevation": 0.1}),
        (ea.OrbitCamera().zoom, {"factor": 1.1}),
        (ea.OrbitCamera().pan, {"right": 0.1, "up": 0.1}),
        (ea.OrbitCamera().projection_matrix, {"aspect": 1.5}),
        (ea.Pose, {"translation": np.zeros(3), "rotation": np.zeros(4), "scale": np.zeros(3)}),
        (walk.sample, {"time": 0.1, "loop": True, "rotation": "nlerp"}),
        (walk.sample_weights, {"time": 0.1, "loop": True}),
        (track.sample, {"times": 0.1, "rotation": "nlerp"}),
        (ea.ScalarTrack, {"interpolation": "LINEAR", "times": times, "values": times}),
        (scalar.sample, {"times": 0.1}),
        (skeleton.joint_index, {"name": "Spine"}),
        (skeleton.below, {"joint": 3}),
        (skeleton.above, {"joint": 3}),
        (skeleton.path, {"above": 0, "below": 3}),
        (rig.level, {"level": 0}),
        (world.step, {"dt": 0.0, "posed": True}),
        (world.skip, {"steps": 1, "dt": 0.01}),
        (world.save, {"path": folder / "y.npz"}),
        (world.on, {"event": "clip_event", "handler": print}),
        (world.declare, {"event": "goal"}),
        (world.hears, {"event": "clip_event"}),
        (world.get, {"entity": 3, "component_type": ea.components.Crowd}),
        (world.find, {"entity": 3, "component_type": ea.components.Crowd}),
        (world.components, {"entity": 3}),
        (world.attach, {"entity": 3}),
        (world.detach, {"entity": 3}),
        (world.needs_poses, {"entity": 3}),
        (people.rows, {"ids": [1]}),
        (people.add, {"count": 0}),
        (people.add, {"positions": [[0.0, 0.0]], "headings": 0.0, "sizes": 1.0, "tints": [1, 1, 1], "motion": "walk"}),
        (people.add, {"like": [0], "phase": 0.5, "parameters": {"lean": 1.0}}),
        (people.remove, {"selection": []}),
        (people.remove, {"ids": []}),
        (people.angles_around, {"center": (0.0, 0.0)}),
        (people.fade_to, some | {"motion": "walk", "duration": 0.1, "phase": "match", "speed": 1.0, "restart": True}),
        (people.set_parameter, some | {"parameter": "lean", "value": 1.0}),
        (people.playing_clips, some),
        (people.parameter, {"parameter": "lean"}),
        (people.trigger, some | {"name": "greet"}),
        (people.set_target, {"target": "ball", "positions": [0, 1, 0], "selection": [0]}),
        (people.set_layer_weight, some | {"layer": "lean_left", "weight": 0.5}),
        (people.set_ik_weight, some | {"what": "look_at", "weight": 0.5}),
        (people.set_skinning, {"method": "linear"}),
        (blobs.set_morph, some | {"target": "smile", "weight": 0.5}),
        (ea.ik.solve_ccd, solve),
        (ea.ik.solve_fabrik, solve),
        (ea.ik.solve_two_bone, solve | {"pole": [0, 0, 1]}),
        (ea.ik.BallLimit, {"swing": 1.0, "twist": (-1.0, 1.0)}),
        (ea.ik.HingeLimit, {"axis": (1.0, 0.0, 0.0), "angle": (-1.0, 1.0)}),
        (ea.bake.BakeOptions, {"space": "local", "number_format": "f32", "rate": 2.0, "error_mm": 1.0}),
        (ea.bake.bake_rig, {"rig": rig, "options": ea.bake.BakeOptions(rate=2.0), "clips": ["idle"]}),
        (ea.bake.cached_bake, {"rig": rig, "options": bake.options, "clips": ["idle"], "folder": folder}),
        (ea.bake.load_bake, {"path": folder / "x.bake", "skeleton": skeleton}),
        (ea.bake.save_bake, {"bake": bake, "path": folder / "z.bake"}),
        (bake.sample, {"clip": "idle", "time": 0.1, "loop": True}),
        (bake.palette, {"clip": 0, "time": 0.1, "loop": True}),
        (bake.decoded, {"clip": "idle"}),
        (bake.closes, {"clip": "idle"}),
        (ea.jupedsim.FollowSimulation, {"simulation": Scripted({}), "crowd": "people", "each": print}),
        (ea.jupedsim.world_of, {"simulation": Scripted({}), "each": print, "rig": "mannequin", "threads": 1}),
        (ea.mujoco.People, {"spec": MjSpec(), "world": world}),
        (ea.gymnasium.CrowdEnv, {"scene": ROOMS, "goal": [0.0, 5.0], "people": 2, "actions": "unicycle"}),
        (ea.gymnasium.CrowdVectorEnv, {"scene": ROOMS, "num_envs": 2}),
        (ea.gymnasium.Reward, {"goal": 1.0, "discomfort_m": 0.2}),
        (ea.streaming.PoseServer, {"world": world, "port": 0, "memory": folder / "x.poses"}),
        (ea.streaming.PoseReader, {"path": folder / "served.poses"}),
        (ea.streaming.read_frame, poses),
        (ea.streaming.read_frame(**poses).crowd, {"name": "people"}),
        (ea.systems.stage_of, {"world": world}),
        (ea.systems.who_poses, {"world": world}),
        (ea.doors, {"world": world}),
        (ea.DoorsHandle, {"world": world}),
        (ea.doors(world).open, {"names": "east"}),
        (ea.doors(world).close, {"names": ["east"]}),
    ]
    return {f"{number} {function.__qualname__}": (function, given) for number, (function, given) in enumerate(found)}


NUMBER = 131  # number of callables


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(NUMBER))
def test_junk_is_told_on_purpose_in_one_line(calls, number, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    function, given = list(calls.values())[number]
    close(function(**given))
    flaws = [
        f"{function.__qualname__}({name}={junk!r}): {flaw}"
        for name in given
        for junk in JUNK
        if (flaw := flaw_of(function, {**given, name: junk}))
    ]
    assert not flaws, "\n".join(flaws)


def flaw_of(function: Callable[..., Any], given: dict[str, Any]) -> str:
    """Return the fault in the outcome of a call.

    "" means that the call succeeds, or that a `raise` of this project refuses the call with one line.
    """
    try:
        close(function(**given))
    except (ea.InputError, TypeError, ValueError) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        told = f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
        if len(str(error).splitlines()) != 1:
            return f"not one line: {told}"
        ours = Path(last.filename).is_relative_to(ROOT) and ".venv" not in last.filename
        return "" if ours and str(last.line).startswith("raise ") else f"nobody raised it: {told}"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({last.filename}:{last.lineno})"
    return ""


def close(result: Any) -> None:
    if isinstance(result, ea.DoorsHandle):
        return  # here, `close` closes doors
    for name in ("close", "free"):
        end = getattr(result, name, None)
        if callable(end) and not isinstance(result, np.ndarray):
            end()


def test_all_public_callables_are_called(calls):
    """Exceptions are the classes in `test_public_classes.py`, and the types that users do not create."""
    assert len(calls) == NUMBER
    held = {"Clip", "ClipTables", "InputError", "InputWarning", "Material", "Mesh", "Rig", "Skeleton"}
    held |= {"Texture", "Track", "World", "CameraChange", "Bake", "Solution", "Transform"}
    held |= {"CrowdPoses", "PoseFrame", "Rooms"}
    held |= {"Contacts", "Observation", "RayHits", "Capture", "CrowdJoints", "SeenActors", "PlayingClips"}
    called = {function for function, _ in calls.values()}
    for package in (ea, ea.ik, ea.bake, ea.jupedsim, ea.mujoco, ea.streaming, ea.gymnasium):
        for name in package.__all__:
            value = getattr(package, name)
            assert name in held or not callable(value) or inspect.ismodule(value) or value in called, name
