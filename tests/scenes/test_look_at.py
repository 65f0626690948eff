"""Crowds that look at targets: the scene `look_at` in numbers, chunks, weights, and the message for each mistake."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.look_at import LookAt
from ecs_anim.components.palette import Palette
from ecs_anim.components.targets import Targets
from ecs_anim.components.transforms import Transforms
from ecs_anim.maths import affine
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.support.errors import InputError
from tests.helpers import FEW

SCENE = """
[rigs.people]
model = "mannequin"
[[crowds]]
rig = "people"
count = 9
heading_degrees = "random"
layout = { kind = "grid", spacing = 2.0 }
clips = [{ name = "walk" }]
locomotion = {}
parameters = { interest = 1.0 }
[crowds.targets.ball]
kind = "orbit"
center = [0, 1.5, 1]
radius = 3
[crowds.look_at]
target = "ball"
joints = ["Spine1", "Neck", "Head"]
"""


def load(text, **options):
    return load_scene(parse_scene(text, "x.toml", Path()), **{"threads": 1, **options})


def heads(world, number=0):
    """Return place [n, 3] and direction [n, 3] of one crowd's heads in the world, computed from the palettes."""
    entity = [entity for entity, _ in world.query(Crowd)][number]
    character, palette, transforms = (world.get(entity, part) for part in (Character, Palette, Transforms))
    skeleton = character.rig.skeleton
    joint = skeleton.joint_index("Head")
    entry = skeleton.skin_joints.tolist().index(joint)
    model = affine.multiply(palette.matrices[:, entry].astype(np.float64), affine.inverse(skeleton.inverse_bind[entry]))
    rest = model_matrices(skeleton, skeleton.rest_pose)[joint, :, :3]
    ahead = model[..., :3] @ np.linalg.inv(rest.astype(np.float64)) @ [0.0, 0.0, 1.0]
    turn = Rotation.from_quat(transforms.rotation.astype(np.float64))
    place = transforms.translation + transforms.scale[:, None] * turn.apply(model[..., 3])
    return place, turn.apply(ahead / np.linalg.norm(ahead, axis=-1, keepdims=True))


def needed(world, animated, target, number=0):
    """Degrees of yaw and pitch from where animated heads look to where the target is, [n, 2], each actor's own way."""
    entity = [entity for entity, _ in world.query(Crowd)][number]
    back = Rotation.from_quat(world.get(entity, Transforms).rotation.astype(np.float64)).inv()
    old, new = (back.apply(v) for v in (animated[1], target - animated[0]))
    azimuths = [np.arctan2(v[:, 0], v[:, 2]) for v in (old, new)]
    elevations = [np.arctan2(v[:, 1], np.hypot(v[:, 0], v[:, 2])) for v in (old, new)]
    yaw = (azimuths[1] - azimuths[0] + np.pi) % (2 * np.pi) - np.pi
    return np.degrees(np.stack([yaw, elevations[1] - elevations[0]], axis=-1))


def degrees_off(head, target):
    away = target - head[0]
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(head[1], away), axis=-1), np.sum(head[1] * away, axis=-1)))


@pytest.mark.exhaustive
def test_actors_look_at_what_is_within_their_limits():
    """In the scene that ships: nine with one ball, two with a ball each."""
    scene = read_scene("look_at")
    off, inside, rates, before = [[], []], [[], []], [], None
    with load_scene(scene, threads=1) as world, load_scene(scene, threads=1) as blind:
        for _, (look_at,) in blind.query(LookAt):
            look_at.looks[0].weight[:] = 0
        for frame in range(60 if FEW else 300):
            world.step(1 / 60)
            blind.step(1 / 60)
            for number, name in enumerate(["ball", "own"]):
                target = [targets for _, (targets,) in world.query(Targets)][number].by_name[name].position
                head = heads(world, number)
                if frame > 45:
                    turn = np.abs(needed(world, heads(blind, number), target, number))
                    inside[number].append((turn < [74, 39]).all(axis=-1))
                    off[number].append(degrees_off(head, target))
            direction = heads(world)[1]
            if before is not None:
                rates.append(np.degrees(np.arccos(np.clip(np.sum(direction * before, axis=-1), -1, 1))) * 60)
            before = direction
    for number in range(2):
        close = np.concatenate(off[number])[np.concatenate(inside[number])] < 3
        assert np.mean(np.concatenate(inside[number])) > 0.4
        assert np.mean(close) > 0.97, number
    assert np.max(rates) < 420, "no head is jerked"


@pytest.mark.exhaustive
def test_the_bits_do_not_depend_on_threads_or_chunks():
    def run(threads, chunk_size):
        with load(SCENE, actors=FEW or 60, threads=threads, chunk_size=chunk_size) as world:
            for _ in range(20):
                world.step(1 / 60)
            return poses_hash(world)

    expected = run(1, 512)
    for threads, chunk_size in [(1, 7), (2, 16), (3, 1)]:
        assert run(threads, chunk_size) == expected


def run(text, frames=40):
    with load(text) as world:
        for _ in range(frames):
            world.step(1 / 60)
        return poses_hash(world), heads(world)


def test_no_weight_is_as_if_there_were_no_look_at():
    plain = run(SCENE.split("[crowds.look_at]")[0])[0]
    assert run(SCENE + "weight = 0.0\n")[0] == plain
    assert run(SCENE)[0] != plain


def test_a_parameter_fades_it():
    target = [0, 1.5, 1]
    text = SCENE.replace("radius = 3", "radius = 0.01") + 'weight = "interest"\nmax_yaw_degrees = 180\n'
    off = [
        np.median(degrees_off(run(text.replace("interest = 1.0", f"interest = {w}"), 120)[1], target))
        for w in (0, 0.5, 1)
    ]
    assert off[0] > off[1] > off[2]
    assert off[2] < 1.0


def test_several_looks_follow_one_another():
    """Such as a head and then an eye: the second one makes up for what the first one leaves."""
    first = '{ target = "ball", max_yaw_degrees = 20, max_pitch_degrees = 10 }'
    second = '{ target = "ball", joints = ["Head"], max_yaw_degrees = 180, max_pitch_degrees = 90, seconds = 0.0 }'
    text = SCENE.split("[crowds.look_at]")[0].replace("clips =", f"look_at = [{first}, {second}]\nclips =")
    text = text.replace('"random"', "0.0").replace("[0, 1.5, 1]", "[0, 1.5, 8]")
    with load(text) as world:
        for _ in range(90):
            world.step(1 / 60)
        ((_, (look_at,)),) = world.query(LookAt)
        ((_, (targets,)),) = world.query(Targets)
        assert [len(look.chain.joints) for look in look_at.looks] == [5, 1]
        assert np.mean(degrees_off(heads(world), targets.by_name["ball"].position) < 0.5) == 1


def test_keys_reach_the_component():
    keys = """
joints = { Neck = 1, Head = { share = 3, max_yaw_degrees = 50 } }
max_yaw_degrees = 60
max_pitch_degrees = 30
beyond = "release"
release_degrees = 20
seconds = 0.4
max_speed_degrees_s = 90
weight = 0.5
"""
    with load(SCENE.replace('joints = ["Spine1", "Neck", "Head"]', keys)) as world:
        ((_, (look_at,)),) = world.query(LookAt)
        (look,) = look_at.looks
        np.testing.assert_allclose(np.degrees(look.settings[:3]), [60, 30, 20])
        assert (look.settings.seconds, np.degrees(look.settings.speed)) == (0.4, pytest.approx(90))
        np.testing.assert_allclose(look.chain.share, [0.25, 0.75])
        np.testing.assert_allclose(np.degrees(look.chain.limit), [[np.inf, np.inf], [50, np.inf]], rtol=1e-6)
        assert look.weight.tolist() == [0.5] * 9


MISTAKES = [
    (
        'target = "ball"',
        'target = "bll"',
        "crowds[0].look_at.target: the crowd has no target 'bll'; did you mean 'ball'?",
    ),
    (
        '"Neck", ',
        '"Nekc", ',
        "crowds[0].look_at.joints: rig 'people' (mannequin) has no joint 'Nekc'; did you mean 'Neck'",
    ),
    (
        '"Spine1", "Neck", "Head"',
        '"Head", "Neck"',
        "look_at.joints: joint 'Neck' must be a descendant of joint 'Head'. Name the joints",
    ),
    (
        'joints = ["Spine1", "Neck", "Head"]',
        "joints = { Head = 0 }",
        "look_at.joints: the shares of the joints in a head turn must be finite numbers of 0 or more",
    ),
    (
        'target = "ball"',
        'target = "ball"\nsecond = 1',
        "crowds[0].look_at.second: unknown key; did you mean 'seconds'?",
    ),
    ('target = "ball"', 'target = "ball"\nweight = "intrest"', "no parameter 'intrest'; did you mean 'interest'?"),
    ('target = "ball"', 'target = "ball"\nbeyond = "drop"', "crowds[0].look_at.beyond: should be 'hold' or 'release'"),
    ('target = "ball"', 'target = "ball"\nmax_yaw_degrees = 200', "crowds[0].look_at.max_yaw_degrees: should be less"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[message[:50] for *_, message in MISTAKES])
def test_a_mistake_is_told_with_its_fix(old, new, message):
    assert old in SCENE
    with pytest.raises(InputError) as caught:
        load(SCENE.replace(old, new, 1))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_crowd_without_targets_is_told():
    without = SCENE.split("[crowds.targets.ball]")[0] + "[crowds.look_at]\ntarget = 'ball'\n"
    with pytest.raises(InputError, match=r"no target 'ball'. Add \[crowds.targets.ball\]"):
        load(without)


def test_a_rig_without_a_head_is_told():
    text = SCENE.replace('"mannequin"', '"chain"').replace('"walk"', '"rest"').replace("locomotion = {}\n", "")
    with pytest.raises(InputError, match="no joint with the name Head. Name the joints that turn"):
        load(text.replace('joints = ["Spine1", "Neck", "Head"]\n', ""))
