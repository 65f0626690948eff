"""Keypoints: joints found by shape are those that names say; a face is where it was painted."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.labels.keypoints import COCO, COCO_LINES, FACE, coco_keypoints, joint_keypoints
from ecs_anim.maths import quaternion
from ecs_anim.roles.roles import find_roles
from ecs_anim.scenes.rigs import load_model
from tests.helpers import MOTIONS, real

NAMED = [
    pytest.param("mannequin", id="mannequin"),
    *real("Woman.gltf"),
    *real("manny_med_mod.gltf", "Med_MovementBasic.glb", folder=MOTIONS),
]


def load(path):
    return load_model(path, Path())


def nameless(rig):
    names = tuple(f"joint {number}" for number in range(rig.skeleton.joint_count))
    return replace(rig, skeleton=replace(rig.skeleton, joint_names=names))


def at_rest(rig, points):
    return points.positions(model_matrices(rig.skeleton, rig.skeleton.rest_pose))


@pytest.mark.parametrize("path", NAMED)
def test_the_shape_says_what_names_say(path):
    rig = load(path)
    named, found = find_roles(rig), find_roles(nameless(rig))
    assert None not in (*named.arms, *named.legs)
    assert found.arms == named.arms
    assert found.legs == named.legs
    if rig.meshes:
        assert found.head == named.head


def test_what_is_no_body_has_no_keypoints():
    rig = load("chain")
    points = coco_keypoints(rig)
    assert (points.joints == -1).all()
    assert np.isnan(at_rest(rig, points)).all()


def test_the_mannequin_s_face_is_where_it_was_modelled_and_painted():
    """Places [m] of its generator's own shapes: the nose's tip, the ears' rims, the eyes of its texture."""
    nose, left_eye, right_eye, left_ear, right_ear = at_rest(load("mannequin"), coco_keypoints(load("mannequin")))[:5]
    np.testing.assert_allclose(nose, [0, 1.613, 0.1095], atol=0.008)
    for eye, ear, side in ((left_eye, left_ear, 1), (right_eye, right_ear, -1)):
        np.testing.assert_allclose(eye[:2], [side * 0.031, 1.647], atol=0.01)
        np.testing.assert_allclose(ear, [side * 0.087, 1.632, -0.006], atol=0.02)


@pytest.mark.parametrize("path", NAMED[:2])
def test_faces_are_points_of_the_skin_and_stay_with_it(path):
    rig = load(path)
    points, pose = coco_keypoints(rig), rig.skeleton.rest_pose
    turned = pose.rotation.copy()
    turned[points.joints[0]] = quaternion.multiply(
        turned[points.joints[0]], np.float32([0, math.sin(0.3), 0, math.cos(0.3)])
    )
    posed = replace(pose, rotation=turned)
    palette, matrices = skin_palette(rig.skeleton, posed), model_matrices(rig.skeleton, posed)
    skin = np.concatenate([skin_linear(mesh, palette)[0] for mesh in rig.level(0)])
    face = points.positions(matrices)[: len(FACE)]
    away = np.linalg.norm(skin[:, None] - face, axis=-1).min(axis=0)
    assert away.max() < 0.01 * np.ptp(skin[:, 1])


@pytest.mark.parametrize("degrees", [0, 37, 90, 180, -130])
def test_wherever_a_character_looks_left_is_left(degrees):
    rig = load("mannequin")
    turn = np.float32([0, math.sin(math.radians(degrees) / 2), 0, math.cos(math.radians(degrees) / 2)])
    pose = rig.skeleton.rest_pose
    rotation, translation = pose.rotation.copy(), pose.translation.copy()
    for joint in np.flatnonzero(rig.skeleton.parents < 0):
        rotation[joint] = quaternion.multiply(turn, rotation[joint])
        translation[joint] = quaternion.rotate(turn, translation[joint])
    other = replace(
        rig, skeleton=replace(rig.skeleton, rest_pose=replace(pose, rotation=rotation, translation=translation))
    )
    expected, found = coco_keypoints(rig), coco_keypoints(nameless(other), math.radians(degrees))
    np.testing.assert_array_equal(found.joints, expected.joints)
    np.testing.assert_allclose(found.offsets, expected.offsets, atol=1e-5)


def test_all_joints_are_keypoints_of_their_own():
    rig = load("mannequin")
    points = joint_keypoints(rig)
    matrices = model_matrices(rig.skeleton, rig.skeleton.rest_pose)
    np.testing.assert_array_equal(points.positions(matrices), matrices[..., 3])
    assert len(points.lines) == (rig.skeleton.parents >= 0).sum()


def test_lines_are_between_keypoints_and_each_is_once():
    assert len({frozenset(line) for line in COCO_LINES}) == len(COCO_LINES) == 19
    assert {point for line in COCO_LINES for point in line} == set(range(len(COCO)))
