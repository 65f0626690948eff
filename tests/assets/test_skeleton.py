"""Skeletons: joints by name, by what is above them, and where they rest."""

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths import affine
from tests.characters import COMPACT
from tests.helpers import random_skeleton


def test_the_rest_pose_need_not_be_the_bind_pose():
    skeleton = load_rig(COMPACT).skeleton
    palette = skin_palette(skeleton, skeleton.rest_pose)
    scaled = np.linalg.norm(palette[..., :3], axis=-2, keepdims=True)
    assert np.abs(palette[..., :3] / scaled - affine.IDENTITY[:, :3]).max() > 0.5


def test_joint_index_of_an_unknown_name():
    skeleton = random_skeleton(np.random.default_rng(3), 4)
    with pytest.raises(KeyError, match="Tail"):
        skeleton.joint_index("Tail")


def test_generations_are_the_joints_by_what_is_above_them():
    skeleton = random_skeleton(np.random.default_rng(3), 40)
    above = [0] * 40
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above[joint] = above[parent] + 1 if parent >= 0 else 0
    assert [joints.tolist() for joints, _ in skeleton.generations] == [
        [joint for joint in range(40) if above[joint] == depth] for depth in range(max(above) + 1)
    ]
    assert all(parents.tolist() == skeleton.parents[joints].tolist() for joints, parents in skeleton.generations)
