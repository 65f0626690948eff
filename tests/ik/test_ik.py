"""The readable solvers: poses, spaces, poles, limits, errors."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from scipy.spatial.transform import Rotation

import ecs_anim as ea
from ecs_anim.ik.limits import BallLimit, HingeLimit
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Pose, Transform
from ecs_anim.scenes.rigs import load_model
from tests.helpers import vectors
from tests.helpers.ik import broken_by, line_skeleton, places, random_poses, straight_poses

SOLVERS = [ea.ik.solve_ccd, ea.ik.solve_fabrik, ea.ik.solve_two_bone]
solvers = pytest.mark.parametrize("solve", SOLVERS)
ARM = ("RightArm", "RightForeArm", "RightHand")


@pytest.mark.exhaustive
@solvers
@example(target=np.full(3, 5e-159))
@example(target=np.zeros(3))
@given(target=vectors(2.0))
def test_any_target_is_met_as_nearly_as_can_be(solve, target):
    skeleton = line_skeleton(3)
    found = solve(skeleton, skeleton.rest_pose, ("j0", "j2"), target)
    most = 1.0
    away = np.linalg.norm(target)
    assert found.distance == pytest.approx(max(away - most, 0), abs=1.01e-4)
    assert bool(found.reached) == (away <= most + 1e-4) or abs(away - most) < 2e-4


@solvers
def test_only_rotations_of_the_chains_joints_change(solve):
    rig = load_model("mannequin")
    pose = rig.clips["walk"].sample(np.linspace(0, 1, 6).reshape(2, 3))
    shoulder = places(rig.skeleton, pose)[..., rig.skeleton.joint_index("RightArm"), :]
    target = shoulder + np.array([-0.1, -0.25, 0.3])
    found = solve(rig.skeleton, pose, ARM, target)
    assert found.reached.shape == found.distance.shape == found.iterations.shape == (2, 3)
    assert found.reached.all()
    hand = places(rig.skeleton, found.pose)[..., rig.skeleton.joint_index("RightHand"), :]
    np.testing.assert_allclose(np.linalg.norm(hand - target, axis=-1), found.distance, atol=1e-6)
    others = [name not in ARM[:2] for name in rig.skeleton.joint_names]
    np.testing.assert_array_equal(found.pose.rotation[..., others, :], pose.rotation[..., others, :])
    np.testing.assert_array_equal(found.pose.translation, pose.translation)
    np.testing.assert_array_equal(found.pose.scale, pose.scale)
    np.testing.assert_allclose(np.linalg.norm(found.pose.rotation, axis=-1), 1, atol=1e-6)


@solvers
def test_a_base_puts_the_target_into_its_space(solve):
    rng = np.random.default_rng(3)
    skeleton, pose = line_skeleton(3, scale=0.01), straight_poses(line_skeleton(3, scale=0.01), 20)
    base = Transform(np.array([5.0, -3.0, 2.0]), Rotation.random(rng=rng).as_quat(), np.full(3, 40.0)).to_matrix()
    inside = 0.008 * rng.uniform(-0.55, 0.55, (20, 3))
    target = affine.transform_points(base, inside)
    found = solve(skeleton, pose, ("j0", "j2"), target, base=base)
    assert found.reached.all()
    assert (found.distance <= 1e-4 * 0.4).all()  # in the base's units
    np.testing.assert_allclose(places(skeleton, found.pose)[:, 2], inside, atol=2e-6)


@solvers
@pytest.mark.parametrize("sizes", [(0.01, 1, 1), (1, 3, 0.5), (100, 0.2, 7)])
def test_uniform_scales_on_the_way(solve, sizes):
    skeleton, pose = line_skeleton(4), random_poses(np.random.default_rng(5), 4, 30)
    pose.scale[:, :3] = np.array(sizes)[:, None]
    at = places(skeleton, pose)
    links = np.linalg.norm(np.diff(at[:, 1:], axis=1), axis=-1)
    target = at[:, 1] + (np.abs(links[:, :1] - links[:, 1:]) + links.sum(axis=1, keepdims=True)) / 2 * [0.6, 0, -0.8]
    found = solve(skeleton, pose, ("j1", "j3"), target)
    assert found.reached.all()


@solvers
def test_chains_may_leave_joints_out(solve):
    skeleton = line_skeleton(6)
    target = [0.5, 1.4, 0.2]
    found = solve(skeleton, skeleton.rest_pose, ("j0", "j3", "j5"), target)
    assert found.reached
    turned = np.any(found.pose.rotation != skeleton.rest_pose.rotation, axis=-1)
    assert turned.tolist() == [True, False, False, True, False, False]


def test_two_bones_keep_plane_and_side():
    skeleton, pose = line_skeleton(3), straight_poses(line_skeleton(3), 100)
    bend = np.radians(np.linspace(-120, 120, 100))
    pose.rotation[:, 1] = Rotation.from_euler("x", bend[:, None]).as_quat()
    target = np.stack([np.zeros(100), np.linspace(0.2, 0.9, 100), np.linspace(-0.4, 0.4, 100)], axis=-1)
    found = ea.ik.solve_two_bone(skeleton, pose, ("j0", "j2"), target)
    assert found.reached.all()
    np.testing.assert_allclose(places(skeleton, found.pose)[..., 0], 0, atol=1e-5)
    now = Rotation.from_quat(found.pose.rotation[:, 1]).as_rotvec()[:, 0]
    assert (np.sign(now) == np.sign(bend)).all()


@pytest.mark.exhaustive
@given(target=vectors(0.6), pole=vectors(2.0))
def test_a_pole_turns_the_middle_joint_towards_it(target, pole):
    skeleton = line_skeleton(3)
    found = ea.ik.solve_two_bone(skeleton, skeleton.rest_pose, ("j0", "j2"), target, pole=pole)
    elbow = places(skeleton, found.pose)[1]
    assert found.distance < 1.01e-4 or np.linalg.norm(target) > 1
    size = np.linalg.norm(target)
    if size > 1e-2:
        along = target / size
        bend, wanted = (v - (v @ along) * along for v in (elbow, pole))
        if min(np.linalg.norm(bend), np.linalg.norm(wanted)) > 1e-2:
            assert bend @ wanted > 0.999 * np.linalg.norm(bend) * np.linalg.norm(wanted)


def test_a_straight_leg_bends_about_its_hinge_and_never_forward():
    skeleton = line_skeleton(3)
    knee = HingeLimit((1.0, 0.0, 0.0), (0.0, math.radians(150)))
    for solve in SOLVERS:
        for share in (0.9, 0.5, 0.3):
            found = solve(skeleton, skeleton.rest_pose, ("j0", "j2"), [0, share, 0], limits={"j1": knee})
            assert found.reached
            assert broken_by(knee, [0, 0, 0, 1], found.pose.rotation[1:2])[0] < 1e-6
            assert Rotation.from_quat(found.pose.rotation[1]).as_rotvec()[0] > 0.1


@solvers
def test_limits_hold_on_the_pose_though_the_pose_before_broke_them(solve):
    rig = load_model("mannequin")
    pose = rig.clips["wave"].sample(np.linspace(0, 2, 40))
    limits = {"RightArm": BallLimit(math.radians(50), (-0.2, 0.2)), "RightForeArm": HingeLimit((0, 0, 1), (-2.5, 0.0))}
    target = places(rig.skeleton, pose)[:, rig.skeleton.joint_index("Head")] + [-0.2, 0, 0.2]
    found = solve(rig.skeleton, pose, ARM, target, limits=limits)
    rest = ea.model_matrices(rig.skeleton, rig.skeleton.rest_pose).astype(np.float64)
    for name, below in pairwise(ARM):
        joint, child = rig.skeleton.joint_index(name), rig.skeleton.joint_index(below)
        way = Transform.from_matrix(rest[joint]).rotation
        bone = quaternion.rotate(quaternion.conjugate(way), rest[child, :, 3] - rest[joint, :, 3])
        bone /= np.linalg.norm(bone)
        rotation = found.pose.rotation[:, joint]
        assert broken_by(limits[name], rig.skeleton.rest_pose.rotation[joint], rotation, bone).max() < 1e-5


@solvers
def test_what_is_there_already_stays_as_it_is(solve):
    skeleton, pose = line_skeleton(3), random_poses(np.random.default_rng(2), 3, 10)
    found = solve(skeleton, pose, ("j0", "j2"), places(skeleton, pose)[:, 2])
    assert quaternion.angle_between(found.pose.rotation, pose.rotation).max() < 1e-3
    assert found.reached.all()


@solvers
def test_errors_name_the_joint_and_the_nearest(solve):
    skeleton = line_skeleton(4)
    rest = skeleton.rest_pose
    with pytest.raises(KeyError, match="no joint 'j22'; did you mean 'j2'"):
        solve(skeleton, rest, ("j0", "j1", "j22"), [0, 1, 0])
    with pytest.raises(KeyError, match="no joint 'elbow'; its joints are: j0, j1"):
        solve(skeleton, rest, ("j0", "j2"), [0, 1, 0], limits={"elbow": BallLimit(1.0)})
    with pytest.raises(ValueError, match="joint 'j0' must be a descendant of joint 'j2'"):
        solve(skeleton, rest, ("j2", "j0"), [0, 1, 0])
    with pytest.raises(ValueError, match="a root and an effector"):
        solve(skeleton, rest, ("j2",), [0, 1, 0])
    with pytest.raises(ValueError, match="must be finite"):
        solve(skeleton, rest, ("j0", "j2"), [0, np.nan, 0])
    with pytest.raises(ValueError, match="three numbers"):
        solve(skeleton, rest, ("j0", "j2"), [0, 1])


def test_two_bones_are_two():
    skeleton = line_skeleton(4)
    with pytest.raises(ValueError, match="must have three joints \\(got 4\\)"):
        ea.ik.solve_two_bone(skeleton, skeleton.rest_pose, ("j0", "j3"), [0, 1, 0])


@pytest.mark.exhaustive
def test_more_iterations_end_nearer():
    skeleton, pose = line_skeleton(8), random_poses(np.random.default_rng(7), 8, 200)
    target = places(skeleton, Pose(pose.translation, pose.rotation[::-1], pose.scale))[:, -1]
    for solve in (ea.ik.solve_ccd, ea.ik.solve_fabrik):
        left = [solve(skeleton, pose, ("j0", "j7"), target, iterations=n).distance.mean() for n in (0, 1, 2, 30)]
        assert left[0] > left[1] > left[2] >= left[3]
        assert solve(skeleton, pose, ("j0", "j7"), target, iterations=2).iterations.max() == 2
