"""Local poses in skin palettes: the poses of the palettes come back, and shear and mirrors are found. scipy rotates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.kernels.local_rows import local_rows
from ecs_anim.systems.palette_poses import EXACT, PaletteJoints, pose_rows

RIG = ea.load_rig("mannequin")


def _skeleton(entries):
    bind = RIG.skeleton.inverse_bind[entries]
    return replace(RIG.skeleton, skin_joints=np.array(entries, np.int32), inverse_bind=bind)


def _found(skeleton, palettes, clips):
    rows, off = pose_rows(clips), np.empty(len(palettes))
    flat = np.ascontiguousarray(palettes, float).reshape(len(palettes), -1, 12)
    local_rows(flat, *PaletteJoints.of(skeleton)[1:], skeleton.parents, rows, off)
    return rows.reshape(len(rows), -1, 10), off


def _posed(count=40, scale=1.0):
    random, joints = np.random.default_rng(4), RIG.skeleton.joint_count
    rotation = Rotation.random(count * joints, random_state=3).as_quat().reshape(count, joints, 4)
    scales = np.broadcast_to(scale, (count, joints, 3))
    moved = RIG.skeleton.rest_pose.translation + random.normal(0, 0.05, (count, joints, 3))
    return ea.Pose(*(values.astype(np.float32) for values in (moved, rotation, scales)))


@pytest.mark.parametrize("scale", [1.0, 1.2])
def test_local_poses_come_back(scale):
    pose, skeleton = _posed(scale=scale), _skeleton(range(RIG.skeleton.joint_count - 4))
    found, off = _found(skeleton, ea.skin_palette(skeleton, pose), pose)
    np.testing.assert_allclose(found[..., :3], pose.translation, atol=1e-4)
    np.testing.assert_allclose(found[..., 7:], pose.scale, atol=1e-4)
    apart = Rotation.from_quat(found[..., 3:7].reshape(-1, 4)).inv() * Rotation.from_quat(pose.rotation.reshape(-1, 4))
    assert apart.magnitude().max() < 2e-4
    assert off.max() < EXACT


def test_joints_without_an_entry_keep_the_pose_of_the_clips():
    pose, clips, skeleton = _posed(), _posed(scale=1.5), _skeleton([0, 1, 2])
    found, _ = _found(skeleton, ea.skin_palette(skeleton, pose), clips)
    played = np.concatenate([clips.translation, clips.rotation, clips.scale], axis=-1)
    np.testing.assert_array_equal(found[:, 3:], played[:, 3:])
    np.testing.assert_allclose(found[:, :3, :3], pose.translation[:, :3], atol=1e-4)


@pytest.mark.parametrize(
    "change", [[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]], np.diag([-1, 1, 1]), np.diag([1, 0, 1])], ids=str
)
def test_shear_and_mirrors_and_flat_joints_are_found(change):
    pose, skeleton = _posed(), _skeleton([0])
    palettes = ea.skin_palette(skeleton, pose)
    palettes[..., :3] = np.einsum("ij,nejk->neik", change, palettes[..., :3])
    _, off = _found(skeleton, palettes, pose)
    assert not (off <= EXACT).any()
