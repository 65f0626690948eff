"""Crowds as SMPL-X poses: scipy's forward kinematics puts the joints of each file where they are in the world."""

import re

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.components.crowd import Crowd
from ecs_anim.exporting import smpl_file
from ecs_anim.roles.roles import find_roles
from ecs_anim.smpl.bodies import joint_names, skeleton_of
from ecs_anim.support.errors import InputError, InputWarning
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.smpl_poses import LIMBS
from tests.helpers import ASSETS, needs_assets
from tests.smpl.test_load import placed

FRAMES, RATE = 30, 60
SCENE = {
    "rigs": {"a": {"model": "mannequin", "height": 1.9}},
    "crowds": [
        {
            "rig": "a",
            "clips": [{"name": "walk"}, {"name": "run"}],
            "count": 2,
            "layout": {"kind": "disc"},
            "locomotion": {"turn_rate_degrees_s": 60.0},
        }
    ],
}
BONES = [("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The files of two walking actors, and the joints of these actors in the world [frame, actor, joint, 3]."""
    folder, seen = tmp_path_factory.mktemp("poses"), []
    with ea.load_scene(SCENE, threads=1) as world:
        ea.export(world, folder / "x.npz", frames=FRAMES)
    with ea.load_scene(SCENE, threads=1) as world:
        ((entity, (crowd,)),) = world.query(Crowd)
        for frame in range(FRAMES):
            if frame:
                world.step(1 / RATE)
            seen.append(joint_matrices(world, entity, np.arange(crowd.actor_count, dtype=np.int32))[..., 3])
        ids = crowd.ids[: crowd.actor_count].tolist()
    (name,) = {path.name.split("_")[1] for path in folder.iterdir()}
    return [folder / f"x_{name}_{own}.npz" for own in ids], np.stack(seen)


def joints_of(path):
    """The joints of SMPL-X by scipy, with +Y up."""
    own = np.load(path)
    skeleton = skeleton_of(165, own["rest_joints"])
    points = placed(skeleton, own["poses"].reshape(-1, 55, 3), own["trans"] + own["rest_joints"][0])
    return points[..., [0, 2, 1]] * [1, 1, -1]


def test_joints_are_where_they_were(exported):
    paths, seen = exported
    rig = ea.load_rig("mannequin")
    joints, names = find_roles(rig).joints, joint_names(165)
    roles = {f"{side}_{role}": f"{side}_{name}" for side in ("left", "right") for role, name in LIMBS.items()}
    apart, turned = [], []
    for actor, path in enumerate(paths):
        points, world = joints_of(path), seen[:, actor]
        pairs = {names.index(name): joints[role] for role, name in ({"hips": "pelvis", "head": "head"} | roles).items()}
        apart += [np.linalg.norm(points[:, a] - world[:, b], axis=-1).max() for a, b in pairs.items()]
        for side in ("left", "right"):
            for begin, end in BONES:
                a, b = (names.index(f"{side}_{name}") for name in (begin, end))
                ways = points[:, b] - points[:, a], world[:, pairs[b]] - world[:, pairs[a]]
                ours, theirs = (way / np.linalg.norm(way, axis=-1, keepdims=True) for way in ways)
                turned.append(np.degrees(2 * np.arcsin(np.linalg.norm(ours - theirs, axis=-1).max() / 2)))
    print(f"{1000 * max(apart):.2f} mm, {max(turned):.3f} degrees")
    assert max(apart) < 0.01
    assert max(turned) < 1


def test_the_file_is_read_again(exported):
    paths, _ = exported
    rig = ea.load_rig(paths[0])
    (clip,) = rig.clips.values()
    told = ea.model_matrices(rig.skeleton, clip.sample(np.arange(FRAMES) / RATE, loop=False))[..., 3]
    np.testing.assert_allclose(told, joints_of(paths[0]), atol=1e-4)
    lent = ea.retarget(clip, rig, ea.load_rig("mannequin"))
    assert lent.extras["ground_speed"] > 1.2


@pytest.mark.exhaustive
@needs_assets
def test_the_error_of_another_body_is_measured_and_told(tmp_path, monkeypatch):
    model = str(ASSETS / "Woman.gltf")
    scene = {"rigs": {"a": {"model": model, "height": 1.7}}, "crowds": [{"rig": "a", "clips": [{"name": "Walking"}]}]}
    monkeypatch.setattr(smpl_file, "NEAR", 0.0)
    with ea.load_scene(scene, threads=1) as world, pytest.warns(InputWarning, match=r"cm from the joints") as caught:
        ea.export(world, tmp_path / "woman.npz", frames=10)
    (told,) = [own for own in caught if "SMPL-X" in str(own.message)]
    print(told.message)
    assert float(re.search(r"up to (\S+) cm", str(told.message))[1]) < 1


def test_one_actor_gets_the_named_file_and_others_are_refused(tmp_path):
    with ea.load_scene({"rigs": SCENE["rigs"], "crowds": [{"rig": "a"}]}, threads=1) as world:
        assert ea.export(world, tmp_path / "one.npz", frames=2) == tmp_path / "one.npz"
    assert np.load(tmp_path / "one.npz")["poses"].shape == (2, 165)
    with (
        ea.load_scene({"rigs": {"a": {"model": "chain"}}, "crowds": [{"rig": "a"}]}, threads=1) as world,
        pytest.raises(InputError, match=r"SMPL poses need a humanoid \(.*\). Export other crowds with --crowd"),
    ):
        ea.export(world, tmp_path / "chain.npz", frames=2)
    assert [path.name for path in tmp_path.iterdir()] == ["one.npz"]
