"""SMPL-X poses in labels: scipy's forward kinematics puts the joints where the label has the joints of the actor."""

import json

import numpy as np
import pytest

import ecs_anim as ea
from ecs_anim.labels.schema import Label
from ecs_anim.roles.roles import find_roles
from ecs_anim.smpl.bodies import joint_names, skeleton_of
from ecs_anim.systems.smpl_poses import LIMBS
from tests.smpl.test_load import placed

BONES = [("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle")]
SCENE = {
    "seed": 4,
    "camera": {"distance": 16.0},
    "rigs": {"people": {"model": "people"}, "blob": {"model": "blob"}},
    "crowds": [
        {
            "name": "walkers",
            "rig": "people",
            "count": 5,
            "layout": {"kind": "disc"},
            "clips": [{"name": "walk"}, {"name": "dance"}],
            "body": {},
        },
        {"name": "sitters", "rig": "people", "count": 3, "layout": {"kind": "disc"}, "clips": [{"name": "sit"}]},
        {"name": "blobs", "rig": "blob"},
    ],
}


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    folder = ea.save_dataset(
        SCENE,
        tmp_path_factory.mktemp("set") / "set",
        frames=range(0, 60, 20),
        passes=("ids",),
        formats=("jsonl",),
        size=(160, 90),
        poses="smplx",
    )
    return [Label.model_validate_json(line) for line in (folder / "labels.jsonl").read_text().splitlines()]


def limbs():
    """The pairs of a joint of SMPL-X and a joint of the actor, by the name of the joint of SMPL-X."""
    joints, names = find_roles(ea.load_rig("people")).joints, joint_names(165)
    roles = {f"{side}_{role}": f"{side}_{name}" for side in ("left", "right") for role, name in LIMBS.items()}
    pairs = ({"hips": "pelvis", "head": "head"} | roles).items()
    return {name: (names.index(name), joints[role]) for role, name in pairs if role in joints}


def angles(ours, theirs):
    first, second = (way / np.linalg.norm(way, axis=-1, keepdims=True) for way in (ours, theirs))
    return np.degrees(2 * np.arcsin(np.linalg.norm(first - second, axis=-1) / 2))


def test_forward_kinematics_gives_the_joints_of_the_actor(labels):
    pairs, distances, turns = limbs(), [], []
    for actor in (own for label in labels for own in label.actors if own.category == "person"):
        rest = np.array(actor.smplx.rest_joints)
        points = placed(skeleton_of(165, rest), np.array([actor.smplx.poses]), actor.smplx.trans + rest[:1])[0]
        world = np.array(actor.joints.positions)
        apart = max(np.linalg.norm(points[a] - world[b]) for a, b in pairs.values())
        assert actor.smplx.error == pytest.approx(apart, abs=5e-4)
        for side in ("left", "right"):
            for begin, end in BONES:
                (a, b), (c, d) = pairs[f"{side}_{begin}"], pairs[f"{side}_{end}"]
                turns.append(angles(points[c] - points[a], world[d] - world[b]))
        distances.append(apart)
    print(f"{1000 * max(distances):.2f} mm, {max(turns):.3f} degrees, {len(distances)} actors")
    assert len(distances) > 15
    assert max(distances) < 0.01
    assert max(turns) < 1


def test_other_rigs_have_no_pose(labels):
    blobs = [own for label in labels for own in label.actors if own.category != "person"]
    assert blobs
    assert all(own.smplx is None for own in blobs)


def test_without_the_option_labels_have_no_poses(tmp_path):
    folder = ea.save_dataset(
        SCENE, tmp_path / "set", frames=range(1), passes=("ids",), formats=("jsonl",), size=(64, 36)
    )
    (line,) = (folder / "labels.jsonl").read_text().splitlines()
    assert all("smplx" not in own for own in json.loads(line)["actors"])
