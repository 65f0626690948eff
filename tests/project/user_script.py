"""A script of a user that uses all public names. The script runs, and type checkers find no error in it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

import ecs_anim as ea
from ecs_anim.components import (
    Arrival,
    Beside,
    ClipEvent,
    Column,
    Crowd,
    CrowdEvent,
    FootStrike,
    Index,
    Kept,
    NotNegativeColumn,
    NumberColumn,
    Palette,
    Parameters,
    Playback,
    PositiveColumn,
    ShareColumn,
    StateChange,
    Transforms,
    Within,
)

SCENE = """
rigs.people.model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 3
parameters = { lean = 0.0 }
clips = [{ name = "walk", event_seconds = { step = [0.1] } }, { name = "idle", weight = 0 }]
layers = [{ clip = "lean_left", weight = 0.5 }]
targets = { ball = { kind = "point", at = [0, 1, 2] } }
look_at = { target = "ball" }
locomotion = {}
"""


@dataclass
class Herding:
    """A component of a user."""

    herds: Annotated[Kept[int], Within(1, 100)]
    herd: Annotated[Column[np.int32], Index("herds", or_none=True)]
    fear: ShareColumn
    hunger: NotNegativeColumn
    weight: PositiveColumn
    drift: NumberColumn

    def flaw(self, beside: Beside) -> str:
        return "" if self.herds else "no herds"


class Drift:
    """A chunk system of a user."""

    name = "drift"
    components = (Transforms,)

    def run(self, chunk: ea.systems.Chunk, transforms: Transforms) -> None:
        workspace: ea.systems.Workspace = chunk.workspace
        chunk.write(transforms.translation)[:, 0] += np.float32(chunk.dt) * len(workspace.model[:0] + 1)


class Count(ea.systems.Forgetful):
    """A world system of a user."""

    name = "count"

    def run(self, world: ea.World, dt: float) -> None:
        self.crowds = len(ea.crowds(world))


def simulate(folder: Path) -> ea.World:
    before: ea.systems.Side = "before"
    chunked: ea.systems.ChunkSystem = Drift()
    whole: ea.systems.WorldSystem = Count()
    own: list[tuple[ea.systems.System, ea.systems.Side, str]] = [
        (chunked, before, "locomotion"),
        (whole, "after", "chunks"),
    ]
    world = ea.load_scene(SCENE, systems=own, threads=1)
    heard: list[ClipEvent] = []
    off = world.on("clip_event", heard.append)

    def told(event: CrowdEvent) -> object:
        match event:
            case StateChange(left=left, entered=entered):
                return left, entered
            case FootStrike(foot=foot, side=side):
                return foot, side, event.positions
            case Arrival(goal=goal):
                return goal
        return event.crowd, event.time, event.actors, event.ids

    for name in ("state_change", "foot_strike", "arrival"):
        world.on(name, told)
    people: ea.CrowdHandle = ea.crowd(world, "people")
    playing: ea.PlayingClips = people.playing_clips()
    assert playing.weights.min() > 0
    people.fade_to(ea.ALL, "idle", 0.2, phase="match")
    people.set_parameter([0], "lean", 0.5)
    people.set_target("ball", [0, 1, 3])
    people.set_skinning("dual_quaternion")
    with ea.save_trajectories(world, folder / "x.csv", sample_rate=60, crowds=["people"]) as saved:
        world.step(1 / 60)
    assert (saved.frames, saved.samples) == (2, 6)
    off()
    for _, (crowd, transforms, playback, parameters, palette) in world.query(
        Crowd, Transforms, Playback, Parameters, Palette
    ):
        rows: int = crowd.actor_count
        assert len(transforms.scale) == len(playback.phase) == len(parameters.value) == len(palette.matrices) == rows
    posing: list[ea.systems.Posing] = ea.systems.who_poses(world)
    assert posing[0].by_cpu == people.positions.shape[0] == len(people.headings) == len(people.phases)
    assert people.positions.shape == (3, 2) == people.positions_in_space[:, :2].shape
    assert people.palettes().ndim == 4
    assert people.parameter("lean").dtype == np.float32
    world.save(folder / "x.npz")
    return ea.load_world(folder / "x.npz", SCENE, systems=own)


def people_left(world: ea.World) -> int:
    return sum(len(crowd.positions) for crowd in ea.crowds(world))


def farms(folder: Path) -> list[int]:
    (folder / "scene.toml").write_text(SCENE)
    job = ea.farm.Job(folder / "scene.toml", ranges={"frames": [0, 2]}, make={"trajectories": {}})
    with ThreadPoolExecutor(1) as executor:
        outcome: ea.farm.Outcome = ea.farm.run(job, folder / "farm", executor=executor)
        assert (outcome.tasks, outcome.failed) == (1, {})
        return ea.farm.map(people_left, job, executor=executor)


def assets(folder: Path) -> ea.ik.Solution:
    rig: ea.Rig = ea.load_rig("mannequin")
    skeleton: ea.Skeleton = rig.skeleton
    clip: ea.Clip = ea.retarget(rig.clips["walk"], rig, rig, root_motion="extract")
    track: ea.Track = clip.tracks[0]
    scalar = ea.ScalarTrack("LINEAR", [0, 1], [0, 1])
    pose: ea.Pose = ea.blend(clip.sample(0.1), skeleton.rest_pose, 0.5, ea.subtree_mask(skeleton, "Spine"))
    moved: ea.Pose = ea.add(pose, pose, skeleton.rest_pose)
    still: ea.Transform = ea.Transform.identity()
    tables: ea.ClipTables = ea.build_tables(skeleton, [clip])
    mesh: ea.Mesh = rig.meshes[0]
    material: ea.Material = mesh.material
    texture: ea.Texture | None = material.texture
    points, _ = ea.skin_linear(mesh, ea.skin_palette(skeleton, moved))
    assert ea.model_matrices(skeleton, pose).shape[0] == len(skeleton.parents)
    assert points.shape == mesh.positions.shape
    print(track, scalar, still, tables, material, texture, ea.skin_dual_quaternion)
    bake: ea.bake.Bake = ea.bake.bake_rig(rig, ea.bake.BakeOptions(rate=2.0), ["idle"])
    ea.bake.save_bake(bake, folder / "x.bake")
    assert ea.bake.load_bake(folder / "x.bake").name == ea.bake.cached_bake(rig, bake.options, ["idle"], folder).name
    limits: dict[str, ea.ik.Limit] = {"LeftArm": ea.ik.BallLimit(1.0), "LeftForeArm": ea.ik.HingeLimit((1.0, 0.0, 0.0))}
    chain = ["LeftArm", "LeftForeArm", "LeftHand"]
    for solve in (ea.ik.solve_ccd, ea.ik.solve_fabrik):
        print(solve(skeleton, pose, chain, [0, 1, 0], limits=limits))
    return ea.ik.solve_two_bone(skeleton, pose, chain, [0, 1, 0], pole=[0, 0, 1])


def draw(world: ea.World, folder: Path) -> Any:
    """Call the functions that draw. Tests without OpenGL do not run this function."""
    change: ea.CameraChange = {"distance": 8.0}
    camera = ea.OrbitCamera(distance=8.0)
    with ea.Renderer((64, 36)) as renderer:
        print(renderer.render(world, camera).shape, ea.render(world, (64, 36), change).dtype)
    seen = ea.PinholeCamera.looking(ea.Lens.of_view((64, 36), 0.7), [0, 1, 5], [0, 1, 0])
    pixels, depths = seen.project([0, 1, 0])
    wide: list[ea.PinholeCamera] = [
        ea.PinholeCamera.looking(lens, [0, 1, 5], [0, 1, 0])
        for lens in (
            ea.FisheyeLens.of_view((64, 36), 3.0),
            ea.EquirectangularLens((64, 32)),
            ea.OrthographicLens((64, 36), 4.0),
        )
    ]
    print(wide[0].unproject(pixels, depths).shape, wide[1].lens.rays(pixels).dtype)
    own: list[ea.PinholeCamera] = [ea.camera(world, name) for name in ea.cameras(world)]
    print(ea.render(world, camera=seen).shape, pixels.shape, depths.shape, own)
    shot: ea.Capture = ea.capture(world, [seen], ["rgb", "ids", "depth"], joints=True, amodal=True)[0]
    actors: ea.SeenActors | None = shot.actors
    joints: tuple[ea.CrowdJoints, ...] | None = shot.joints
    print(shot.mask(1).dtype, shot.amodal_mask(1).sum(), actors, joints)
    stage: ea.components.Stage = ea.systems.stage_of(world)
    print(ea.save_dataset(SCENE, folder / "set", seeds=range(2), frames=[0, 5], passes=["rgb"], formats=["coco"]))
    print(stage.title, ea.video(world, 1.0, folder / "x.gif", camera=ea.Follow("people", distance=4.0)))
    print(ea.export(world, folder / "x.glb", frames=2, crowds=["people"]))
    print(ea.share(world, folder / "x.html", seconds=0.1).bytes, ea.open_share(folder / "x.html").crowds[0].name)
    handle: ea.DoorsHandle = ea.doors(world)
    print(handle.is_open["east"])
    return ea.show(world)


def simulated(simulation: object) -> ea.World:
    """Call the functions for JuPedSim. Tests without JuPedSim do not run this function."""
    system = ea.jupedsim.FollowSimulation(simulation, "people", each=print)
    print(system.name)
    return ea.jupedsim.world_of(simulation, rig="mannequin", threads=1)


def streamed(world: ea.World, folder: Path) -> ea.streaming.PoseFrame | None:
    """Publish a frame, and read the frame from shared memory."""
    with ea.streaming.PoseServer(world, memory=folder / "x.poses") as server:
        server.publish()
        reader = ea.streaming.PoseReader(folder / "x.poses")
        frame: ea.streaming.PoseFrame | None = reader.latest()
        if frame is not None:
            own: ea.streaming.CrowdPoses = frame.crowd("people")
            print(own.positions.shape, server.port, ea.streaming.read_frame)
        return frame


def robots(spec: object, data: object, world: ea.World) -> None:
    """Call the functions for MuJoCo. Tests without MuJoCo do not run this function."""
    ea.mujoco.People(spec, world).place(data)


def learns() -> object:
    """Make environments. Tests without Gymnasium do not run this function."""
    env = ea.gymnasium.CrowdEnv("crossing", reward=ea.gymnasium.Reward(progress=0.1))
    envs = ea.gymnasium.CrowdVectorEnv(num_envs=2, people=3)
    return env.reset(seed=1), envs.reset(seed=1)


def many() -> float:
    """Run a scene in two rooms."""
    crowd = {"rig": "people", "path": "baked", "steering": {"goal": [3.0, 0.0]}}
    rooms: ea.Rooms = ea.rooms({"rigs": {"people": {"model": "mannequin"}}, "crowds": [crowd]}, 2, seeds=[1, 2])
    with rooms:
        rooms.step(0.1)
        rooms.reset([1], [7])
        return float(rooms.seconds[0])


def skips(system: object) -> tuple[ea.systems.SkippingSystem | None, ea.systems.SkippingWorldSystem | None]:
    return None, None


def drives(world: ea.World) -> list[int]:
    robot: ea.AgentHandle = ea.agents(world)
    robot.drive(1.0, turn_rate=0.2)
    found: ea.Observation = robot.observe(5.0, "agent")
    hits: ea.RayHits = ea.cast_rays(world, robot.positions, found.position[None])
    touched: ea.Contacts = robot.contacts
    return [*ea.observe(world).id, *hits.other[0], *touched.other]


def others(world: ea.World, entity: int) -> list[object]:
    c = ea.components
    kinds = (c.Appearance, c.Character, c.Controller, c.Layers, c.Locomotion, c.Morphs, c.Steering, c.Targets)
    return [world.find(entity, kind) for kind in kinds]


def main(folder: Path) -> None:
    try:
        with simulate(folder) as world:
            assert len(others(world, world.entities[-1])) == 8
            assert streamed(world, folder) is not None
        assert assets(folder).reached.shape == ()
        assert farms(folder) == [3]
        assert many() == 0.1
    except ea.InputError as error:
        print(error, ea.InputWarning)
