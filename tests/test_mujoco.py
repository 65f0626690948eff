"""People in MuJoCo: the places of their bodies, the fit of the capsules, contacts with a robot, and wrong input."""

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.mujoco import capsules_of
from ecs_anim.systems.joints import joint_matrices

mujoco = pytest.importorskip("mujoco")

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
name = "people"
rig = "people"
count = 4
layout = { kind = "points", points = [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [3.0, 3.0]] }
scale_range = [0.8, 1.2]
clips = [{ name = "idle" }]
"""
ROBOT = """
<mujoco><worldbody>
  <geom type="plane" size="20 20 .1"/>
  <body name="robot" pos="{x} {y} 1.0"><freejoint/><geom type="sphere" size="0.3"/></body>
</worldbody></mujoco>
"""


@pytest.fixture(name="world")
def world_fixture():
    with ea.load_scene(SCENE, threads=1) as world:
        world.step(0.1)
        yield world


def placed(world, x=9.0, y=9.0):
    """Return People, and the data of a simulation with a robot at (x, y)."""
    spec = mujoco.MjSpec.from_string(ROBOT.format(x=x, y=y))
    people = ea.mujoco.People(spec, world)
    data = mujoco.MjData(spec.compile())
    people.place(data)
    mujoco.mj_forward(data.model, data)
    return people, data


def touched(data):
    """Return the names of the bodies that the robot touches."""
    pairs = [data.model.geom_bodyid[contact.geom] for contact in data.contact]
    return {data.model.body(body).name for pair in pairs for body in pair} - {"robot", "world"}


def test_capsules_surround_their_joints(world):
    """On the plan and in height, MuJoCo's frame of a capsule is near the joint that the world draws."""
    _, data = placed(world)
    (entity,) = [entity for entity, _ in world.query(Crowd)]
    rig = ea.crowd(world, "people").rig
    joints = joint_matrices(world, entity, np.arange(4, dtype=np.int32))[..., 3]
    for row, actor in enumerate(ea.crowd(world, "people").ids):
        for name in ("Hips", "Head", "LeftFoot", "RightForeArm"):
            east, up, south = joints[row, rig.skeleton.joint_index(name)]
            found = data.body(f"people/{actor}/{name}").xpos
            assert np.linalg.norm(found - [east, -south, up]) < 0.16, name


def test_capsules_contain_most_of_the_mesh_and_little_more():
    """For each joint, distances of its vertices to the capsule, by plain numpy in the bind pose."""
    rig = ea.load_rig("mannequin")
    points = np.concatenate([mesh.positions for mesh in rig.meshes if mesh.level == 0])
    bind = {joint: entry for entry, joint in enumerate(rig.skeleton.skin_joints)}
    least = np.full(len(points), np.inf)
    for own in capsules_of(rig):
        to_joint = rig.skeleton.inverse_bind[bind[own.joint]].astype(float)
        local = points @ to_joint[:, :3].T + to_joint[:, 3]
        local = (local - own.frame[:, 3]) @ own.frame[:, :3]
        axis = np.clip(local[:, 2], -own.half_length, own.half_length)
        distance = np.linalg.norm(local - axis[:, None] * [0, 0, 1], axis=1) - own.radius
        least = np.minimum(least, distance)
    assert np.quantile(least, 0.95) < 0.03
    assert least.min() > -0.12


def test_a_robot_touches_only_the_people_near_it(world):
    ids = ea.crowd(world, "people").ids
    _, data = placed(world, 3.2, 0.0)
    assert {name.split("/")[1] for name in touched(data)} == {str(ids[1])}
    _, data = placed(world, 1.5, 1.5)
    assert touched(data) == set()


def test_people_do_not_touch_each_other_or_the_floor(world):
    _, data = placed(world)
    assert data.ncon == 0


def test_bodies_follow_steps_and_leave(world):
    people, data = placed(world)
    first = data.mocap_pos.copy()
    gone = int(ea.crowd(world, "people").ids[0])
    ea.crowd(world, "people").remove(ids=[gone])
    world.step(0.5)
    people.place(data)
    mujoco.mj_forward(data.model, data)
    assert data.body(f"people/{gone}/Hips").xpos[2] == -100
    assert (np.abs(data.mocap_pos - first).max(axis=1) > 0).all()
    assert data.mocap_pos[:, 2].max() > 1.2


def test_wrong_input_is_one_line(world):
    spec = mujoco.MjSpec()
    people = ea.mujoco.People(spec, world)
    with pytest.raises(ea.InputError, match="the specification has a body 'people/"):
        ea.mujoco.People(spec, world)
    with pytest.raises(TypeError, match="must be a mujoco.MjSpec"):
        ea.mujoco.People("robot.xml", world)
    for wrong in (None, mujoco.MjData(mujoco.MjModel.from_xml_string("<mujoco/>"))):
        with pytest.raises(ValueError, match="mujoco.MjData of the specification"):
            people.place(wrong)
