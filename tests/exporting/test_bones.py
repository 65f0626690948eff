"""Bones against the joints of posed skeletons."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.mesh import Material
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.bones import ball_mesh, bone_meshes, sphere
from ecs_anim.scenes.rigs import load_model
from tests.helpers import random_rotations, random_skeleton


def random_pose(rng: np.random.Generator, skeleton: Skeleton) -> Pose:
    """Rest translations and scales under other rotations, as clips move joints."""
    rest = skeleton.rest_pose
    return Pose(rest.translation, random_rotations(rng, skeleton.joint_count), rest.scale)


def vertex_sets(mesh, palette, vertices):
    """Skinned positions [part, vertices, 3] of a mesh made of equal parts."""
    return skin_linear(mesh, palette)[0].reshape(-1, vertices, 3)


@pytest.mark.parametrize("seed", range(4))
def test_bones_reach_from_joint_to_joint_in_any_pose(seed):
    """Inverse bind matrices of the random skeleton have nothing to do with its rest pose, and scales are not 1."""
    rng = np.random.default_rng(seed)
    skeleton = dataclasses.replace(random_skeleton(rng, 12), skin_joints=np.arange(12, dtype=np.int32))
    pose = random_pose(rng, skeleton)
    joints = model_matrices(skeleton, pose)[..., 3]
    bones, balls = bone_meshes(skeleton)
    parts = vertex_sets(bones, skin_palette(skeleton, pose), 10)
    children = np.flatnonzero(skeleton.parents >= 0)
    np.testing.assert_allclose(parts[:, 8], joints[skeleton.parents[children]], atol=2e-3)
    np.testing.assert_allclose(parts[:, 9], joints[children], atol=2e-3)
    segments, rings = 10, 6
    middles = vertex_sets(balls, skin_palette(skeleton, pose), segments * (rings - 1) + 2).mean(axis=1)
    nearest = np.linalg.norm(middles[:, None] - joints, axis=-1).min(axis=0)
    assert nearest.max() < 2e-3, "every joint has a ball round it"


def test_every_face_carries_its_own_normal():
    """In any pose, the normal of a triangle's last vertex is the triangle's, and both point outwards."""
    rng = np.random.default_rng(5)
    skeleton = load_model("chain").skeleton
    palette = skin_palette(skeleton, random_pose(rng, skeleton))
    bones, balls = bone_meshes(skeleton)
    assert bones.flat
    assert not balls.flat
    positions, normals = skin_linear(bones, palette)
    a, b, c = positions[bones.indices].reshape(-1, 3, 3).transpose(1, 0, 2)
    faces = np.cross(b - a, c - a)
    faces /= np.linalg.norm(faces, axis=-1, keepdims=True)
    np.testing.assert_allclose(normals[bones.indices[2::3]], faces, atol=1e-4)


def test_bones_are_closed_and_look_outwards():
    made = (*load_model("chain").meshes, *load_model("ball").meshes)
    for mesh in (*made, *bone_meshes(load_model("mannequin").skeleton)):
        assert is_closed(mesh), mesh.name


def test_joints_without_a_palette_entry_have_no_bones():
    skeleton = load_model("mannequin").skeleton
    assert skeleton.palette_count < skeleton.joint_count
    bones, balls = bone_meshes(skeleton)
    begins = np.isin(skeleton.parents, skeleton.skin_joints)
    assert bones.vertex_count == 10 * begins.sum()
    assert max(mesh.palette_indices.max() for mesh in (bones, balls)) < skeleton.palette_count


def test_bones_of_one_length_are_one_thickness_and_short_ones_thinner():
    def thickness(mesh):
        parts = mesh.positions.reshape(-1, 10, 3)
        return np.linalg.norm(parts[:, 0] - parts[:, 2], axis=-1) / 2

    chain = thickness(load_model("chain").meshes[0])
    np.testing.assert_allclose(chain, chain[0], rtol=1e-5)
    mannequin = thickness(bone_meshes(load_model("mannequin").skeleton)[0])
    assert mannequin.max() > 1.5 * mannequin.min()
    assert mannequin.max() < 0.06


def test_a_scaled_rig_has_the_same_bones():
    """Centimetres under a root of 0.01 look as metres do."""
    small = load_model("chain").skeleton
    scale = np.ones_like(small.rest_pose.scale)
    scale[0] = 0.01
    bind = small.inverse_bind.copy()
    bind[:, :, 3] *= 100
    bind[0] = affine.compose(np.zeros(3), np.array([0, 0, 0, 1]), np.full(3, 100.0))
    bind[1:, np.arange(3), np.arange(3)] = 100.0
    rest = Pose(small.rest_pose.translation * 100, small.rest_pose.rotation, scale)
    large = Skeleton(small.joint_names, small.parents, rest, small.skin_joints, bind.astype(np.float32))
    for a, b in zip(bone_meshes(small), bone_meshes(large), strict=True):
        seen_a = skin_linear(a, skin_palette(small, small.rest_pose))[0]
        seen_b = skin_linear(b, skin_palette(large, large.rest_pose))[0]
        np.testing.assert_allclose(seen_a, seen_b, atol=1e-5)


def test_a_ball_is_round_and_smooth():
    mesh = ball_mesh(0.3, Material())
    np.testing.assert_allclose(np.linalg.norm(mesh.positions, axis=-1), 0.3, rtol=1e-6)
    np.testing.assert_allclose(mesh.positions, 0.3 * mesh.normals, atol=1e-7)
    assert not mesh.flat


@pytest.mark.parametrize(("segments", "rings"), [(3, 2), (8, 5)])
def test_the_sphere_has_no_hole(segments, rings):
    positions, corners = sphere(segments, rings)
    edges = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    assert len(positions) - len(np.unique(edges, axis=0)) + len(corners) == 2, "Euler: a sphere"
