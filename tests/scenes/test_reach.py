"""Crowds that reach for targets: the scene `ik_chains` by numbers, chunks, weights, and how mistakes are told."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.reach import Reach
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Transform
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.scenes.parts.reach import make_limit
from ecs_anim.support.errors import InputError
from tests.helpers import EXHAUSTIVE, FEW
from tests.helpers.ik import LIMIT_SLACK, broken_by

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 9
heading_degrees = "random"
layout = { kind = "grid", spacing = 2.0 }
scale_range = [0.8, 1.2]
clips = [{ name = "walk" }]
locomotion = {}
parameters = { grip = 1.0 }
[crowds.targets.ball]
kind = "orbit"
space = "actor"
center = [-0.25, 1.15, 0.3]
radius = 0.1
[[crowds.reach]]
target = "ball"
root = "RightArm"
effector = "RightHand"
solver = "two_bone"
[crowds.limits.RightForeArm]
kind = "ball"
swing_degrees = 150
"""
FRAMES = 5 if FEW else 150


def load(text, **options):
    return load_scene(parse_scene(text, "x.toml", Path()), **{"threads": 1, **options})


def crowds(world):
    """Yield each reaching crowd: name, character, reach, places and model matrices [actor, joint, ...] as drawn."""
    for entity, (crowd, character, reach) in world.query(Crowd, Character, Reach):
        skeleton = character.rig.skeleton
        entries = [
            skeleton.skin_joints.tolist().index(j) for j in range(skeleton.joint_count) if j in skeleton.skin_joints
        ]
        palette = world.get(entity, Palette).matrices[:, entries].astype(np.float64)
        model = affine.multiply(palette, affine.inverse(skeleton.inverse_bind[entries].astype(np.float64)))
        transforms = world.get(entity, Transforms)
        turn = transforms.rotation.astype(np.float64)[:, None]
        place = transforms.scale[:, None, None] * quaternion.rotate(turn, model[..., 3])
        yield crowd.name, character, reach, place + transforms.translation[:, None], model


@EXHAUSTIVE
def test_chains_reach_their_balls_and_keep_their_limits():
    """The scene that ships: every frame, every chain within a millimetre, measured on what is drawn."""
    scene = read_scene("ik_chains")
    limits = {crowd.name: {j: make_limit(m) for j, m in crowd.limits.items()} for crowd in scene.model.crowds}
    worst_break, seen, before = 0.0, set(), {}
    with load_scene(scene, threads=1) as world:
        for _ in range(FRAMES):
            world.step(1 / 60)
            for name, character, reach, place, model in crowds(world):
                (goal,) = reach.goals
                effector = place[:, character.rig.skeleton.joint_index(goal.name)]
                distance = np.linalg.norm(effector - goal.target.position, axis=-1)
                assert distance.max() < 1.01e-3, name
                assert goal.reached.all()
                np.testing.assert_allclose(distance, goal.distance, atol=1e-5)
                worst_break = max(worst_break, broken(limits[name], character.rig.skeleton, model))
                seen.add(name)
                if name in before:  # no joint jumps: balls move by a centimetre a frame
                    assert np.linalg.norm(place - before[name], axis=-1).max() < 0.03, name
                before[name] = place
    assert seen == {"ccd", "fabrik", "two_bone", "limited_ccd", "limited_fabrik", "limited_two_bone"}
    assert worst_break < LIMIT_SLACK


def broken(limits, skeleton, model):
    """The most [rad] by which any actor of a chain rig breaks a limit."""
    frames = Transform.from_matrix(model).rotation
    worst = 0.0
    for name, limit in limits.items():
        joint = skeleton.joint_index(name)
        above = frames[:, joint - 1] if joint else quaternion.IDENTITY
        local = quaternion.multiply(quaternion.conjugate(above), frames[:, joint])
        worst = max(worst, float(broken_by(limit, skeleton.rest_pose.rotation[joint], local).max()))
    return worst


def test_chains_without_limits_would_break_those_of_their_neighbours():
    """Or the test above would hold whatever limits did."""
    scene = read_scene("ik_chains")
    limits = {crowd.name: {j: make_limit(m) for j, m in crowd.limits.items()} for crowd in scene.model.crowds}
    with load_scene(scene, threads=1) as world:
        world.step(1.0)
        for name, character, _, _, model in crowds(world):
            if not name.startswith("limited"):
                assert broken(limits[f"limited_{name}"], character.rig.skeleton, model) > 0.3


def test_walking_actors_of_all_sizes_hold_on():
    with load(SCENE) as world:
        for _ in range(FRAMES // 5):
            world.step(1 / 60)
            for _, character, reach, place, _ in crowds(world):
                (goal,) = reach.goals
                hand = place[:, character.rig.skeleton.joint_index("RightHand")]
                np.testing.assert_allclose(hand, goal.target.position, atol=1.01e-3)
                assert (goal.iterations_used == 1).all()


def test_chunks_and_threads_do_not_matter():
    hashes = set()
    for options in ({"chunk_size": 512}, {"chunk_size": 2}, {"chunk_size": 4, "threads": 3}):
        with load(SCENE, **options) as world:
            for _ in range(3):
                world.step(1 / 30)
            hashes.add(poses_hash(world))
    assert len(hashes) == 1


def test_a_parameter_fades_it_out():
    plain = SCENE.split("[[crowds.reach]]")[0]
    text = SCENE.replace('solver = "two_bone"', 'solver = "fabrik"\nweight = "grip"')
    with load(plain) as without, load(text.replace("grip = 1.0", "grip = 0.0")) as faded, load(text) as reaching:
        for world in (without, faded, reaching):
            world.step(0.1)
        assert poses_hash(without) == poses_hash(faded) != poses_hash(reaching)
        (_, (reach,)), *_ = faded.query(Reach)
        assert not reach.goals[0].reached.any()


def test_hands_may_reach_one_after_the_other():
    second = '[[crowds.reach]]\ntarget = "ball"\nroot = "LeftArm"\neffector = "LeftHand"\nsolver = "ccd"\n'
    with load(SCENE.replace("[crowds.limits.", second + "[crowds.limits.")) as world:
        world.step(0.1)
        for _, character, reach, place, _ in crowds(world):
            assert [goal.name for goal in reach.goals] == ["RightHand", "LeftHand"]
            left = place[:, character.rig.skeleton.joint_index("LeftHand")]
            apart = np.linalg.norm(left - reach.goals[1].target.position, axis=-1)
            np.testing.assert_allclose(apart, reach.goals[1].distance, atol=1e-5)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            '"RightHand"',
            '"RightHnad"',
            r"crowds\[0\].reach\[0\].effector: .*no joint 'RightHnad'; did you mean 'RightHand'",
        ),
        ('"RightArm"', '"Arm"', r"crowds\[0\].reach\[0\].root: .*no joint 'Arm'"),
        (
            'root = "RightArm"',
            'root = "LeftArm"',
            r"joint 'RightHand' must be a descendant of joint 'LeftArm'. Name an effector",
        ),
        ('root = "RightArm"', 'root = "Spine"', r"three joints \(got 7: Spine, Spine1, Spine2, RightShoulder"),
        (
            'target = "ball"',
            'target = "bell"',
            r"reach\[0\].target: the crowd has no target 'bell'; did you mean 'ball'",
        ),
        ('solver = "two_bone"', 'weight = "gripp"', r"reach\[0\].weight: .* 'gripp'; did you mean 'grip'"),
        (
            "limits.RightForeArm",
            "limits.RightForArm",
            r"crowds\[0\].limits: .*'RightForArm'; did you mean 'RightForeArm'",
        ),
        (
            "limits.RightForeArm",
            "limits.Neck",
            "limits.Neck: no chain in `reach` rotates this joint.* or name one of the joints: RightArm, RightFo",
        ),
        ("swing_degrees = 150", "swing_degrees = 200", "swing_degrees"),
        (
            "swing_degrees = 150",
            "swing_degrees = 20\ntwist_degrees = [9, 3]",
            "twist_degrees: write the smaller angle first",
        ),
        (
            'kind = "ball"\nswing_degrees = 150',
            'kind = "hinge"\naxis = [0, 0, 0]',
            "at least one number of axis must not be 0",
        ),
        ('kind = "ball"\nswing_degrees = 150', 'kind = "hing"', "hing"),
        ('solver = "two_bone"', 'solver = "cdc"', "solver"),
    ],
)
def test_mistakes_are_told(old, new, told):
    assert old in SCENE
    with pytest.raises(InputError, match=told) as caught:
        load(SCENE.replace(old, new)).close()
    assert "x.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_degrees_become_radians():
    scene = read_scene("ik_chains")
    limits = {crowd.name: crowd.limits for crowd in scene.model.crowds}["limited_ccd"]
    assert make_limit(limits["joint_0"]).swing == pytest.approx(math.radians(45))
    assert make_limit(limits["joint_5"]).angle == pytest.approx((0, math.radians(80)))
    assert Rotation.from_rotvec(make_limit(limits["joint_1"]).unit_axis).magnitude() == pytest.approx(1)
