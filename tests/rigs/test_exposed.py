"""Rigs that show bones, weights, normals, or the bind pose."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.skinning import rest_bounds, skin_linear
from ecs_anim.maths.color import linear_to_srgb
from ecs_anim.rigs.bones import body_joints, bone_meshes
from ecs_anim.rigs.exposed import exposed, in_bind_pose, with_bones, with_weight_colors
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from tests.helpers import ASSETS, needs_assets, some

MODELS = ["mannequin", "forearm", *(pytest.param(str(ASSETS / name), id=name) for name in ("Woman.gltf", "Fox.glb"))]


@needs_assets
@pytest.mark.parametrize("model", some(MODELS, "mannequin", "Fox.glb"))
def test_the_bind_pose_leaves_vertices_where_the_file_has_them(model):
    """In the bind pose, the skin matrix of each joint is the identity, by definition of inverse bind matrices."""
    rig = in_bind_pose(load_model(model))
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    for mesh in rig.level(0):
        found, _ = skin_linear(mesh, palette)
        size = float(np.abs(mesh.positions).max())
        np.testing.assert_allclose(found, mesh.positions, atol=2e-5 * size)
    assert rig.clips == {}


@pytest.mark.parametrize("model", ["mannequin", "chain"])
def test_bones_go_from_joint_to_joint_in_each_pose(model):
    rig = with_bones(load_model(model))
    clip = next(iter(rig.clips.values()), None)
    pose = clip.sample(clip.start + 0.3 * clip.duration) if clip else rig.skeleton.rest_pose
    joints = model_matrices(rig.skeleton, pose)[..., 3]
    palette = skin_palette(rig.skeleton, pose)
    vertices = np.concatenate([skin_linear(mesh, palette)[0] for mesh in rig.meshes])
    nearest = np.linalg.norm(vertices[:, None] - joints[None], axis=-1).min(axis=0)
    lengths = np.linalg.norm(joints - joints[rig.skeleton.parents], axis=-1)
    assert (nearest[lengths > 0.05] < 0.05).all()


@needs_assets
@pytest.mark.parametrize("name", ["Woman.gltf", "Fox.glb", "cesium_man.gltf"])
def test_bones_are_inside_of_the_surface(name):
    """A bone from the origin of the model to the hips would be outside while the body jumps."""
    rig = load_model(str(ASSETS / name))
    shown = with_bones(rig)
    for clip in rig.clips.values():
        pose = clip.sample(clip.start + 0.4 * clip.duration)
        (low, high), (lowest, highest) = (rest_bounds(own.posed(pose)) for own in (rig, shown))
        margin = 0.04 * float((high - low).max())
        assert (lowest > low - margin).all()
        assert (highest < high + margin).all()


@needs_assets
@pytest.mark.parametrize(
    ("name", "others"), [("Woman.gltf", {"Armature", "Woman"}), ("Fox.glb", {"root", "fox", "_rootJoint", "b_Root_00"})]
)
def test_joints_above_the_body_are_not_parts_of_the_body(name, others):
    rig = load_model(str(ASSETS / name))
    names = rig.skeleton.joint_names
    assert set(names) - {names[joint] for joint in body_joints(rig)} == others
    assert len(body_joints(replace(rig, meshes=()))) == len(names)


@needs_assets
def test_bones_begin_at_the_given_joints():
    skeleton = load_model(str(ASSETS / "Fox.glb")).skeleton
    joints = range(5, skeleton.joint_count)
    shown = np.unique(np.concatenate([mesh.palette_indices[:, 0] for mesh in bone_meshes(skeleton, joints=joints)]))
    assert skeleton.skin_joints[shown].min() == 5


def test_a_rig_without_bones_is_an_error():
    with pytest.raises(InputError, match="ball: the skeleton must have two joints at different positions"):
        with_bones(load_model("ball"))


def test_colours_are_means_of_the_colours_of_joints_by_weight():
    rig = load_model("mannequin")
    shown = with_weight_colors(rig)
    for before, mesh in zip(rig.meshes, shown.meshes, strict=True):
        assert mesh.colors is not None
        whole = np.flatnonzero(before.weights.max(axis=1) == 1)
        entry = before.palette_indices[whole, before.weights[whole].argmax(axis=1)]
        for number in np.unique(entry):
            assert len(np.unique(mesh.colors[whole[entry == number]], axis=0)) == 1
        assert ((mesh.colors >= 0) & (mesh.colors <= 1)).all()
    solid = np.concatenate([mesh.colors for mesh in shown.meshes])
    assert len(np.unique(solid.round(3), axis=0)) > 10


def test_normals_are_colours():
    rig = exposed(load_model("ball"), "normals")
    for mesh in rig.meshes:
        normals = 2 * linear_to_srgb(mesh.colors[:, :3].astype(np.float64)) - 1
        np.testing.assert_allclose(normals, mesh.normals, atol=1e-5)


def test_a_rig_without_meshes_shows_its_bones():
    rig = replace(load_model("chain"), meshes=())
    assert exposed(rig, "surface").meshes
    assert exposed(load_model("ball"), "surface").meshes[0].material.name != "bone"
