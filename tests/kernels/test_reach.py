"""The stage that bends chains: how many targets it reaches, how near it ends, and that it is the readable form."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.ik.arrays import CCD, FABRIK, TWO_BONE
from ecs_anim.ik.limits import BallLimit, HingeLimit
from ecs_anim.ik.solve import solve_ccd, solve_fabrik, solve_two_bone
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose, Transform
from tests.helpers import EXHAUSTIVE, FEW, random_rotations
from tests.helpers.ik import (
    LIMIT_SLACK,
    broken_by,
    chain_length,
    line_skeleton,
    places,
    random_poses,
    run_kernel,
    straight_poses,
)

COUNT = FEW or 10_000
METHODS = [("ccd", CCD, 3), ("ccd", CCD, 5), ("ccd", CCD, 8), ("fabrik", FABRIK, 3), ("fabrik", FABRIK, 5)]
METHODS += [("fabrik", FABRIK, 8), ("two_bone", TWO_BONE, 3)]
SOLVERS = {CCD: solve_ccd, FABRIK: solve_fabrik, TWO_BONE: solve_two_bone}
methods = pytest.mark.parametrize(("name", "method", "joint_count"), METHODS)

KNEE = HingeLimit((1.0, 0.0, 0.0), (math.radians(5), math.radians(150)))
BALL = BallLimit(math.radians(60), (math.radians(-40), math.radians(40)))


def setting(joint_count, seed=0, count=COUNT):
    """Chains in random poses: skeleton, poses, lengths [k], roots [k, 3]."""
    rng = np.random.default_rng([seed, joint_count])
    skeleton, pose = line_skeleton(joint_count), random_poses(rng, joint_count, count)
    return rng, skeleton, pose, chain_length(skeleton, pose), places(skeleton, pose)[:, 0]


def reaches(skeleton, pose):
    """The least and the largest distance from its root that each effector can have [k]."""
    links = np.linalg.norm(np.diff(places(skeleton, pose), axis=1), axis=-1)
    return np.maximum(2 * links.max(axis=1) - links.sum(axis=1), 0), links.sum(axis=1)


def directions(rng, count):
    ways = rng.normal(size=(count, 3))
    return ways / np.linalg.norm(ways, axis=1, keepdims=True)


def assert_chain_is_whole(skeleton, pose, model):
    """Links keep their lengths, nothing is NaN, matrices stay rotations."""
    assert np.isfinite(model).all()
    before = np.linalg.norm(np.diff(places(skeleton, pose), axis=1), axis=-1)
    after = np.linalg.norm(np.diff(model[..., 3].astype(np.float64), axis=1), axis=-1)
    np.testing.assert_allclose(after, before, atol=5e-6)
    np.testing.assert_allclose(np.linalg.det(model[..., :3]), 1, atol=2e-5)


@methods
@pytest.mark.parametrize("spread", ["other poses", "even distances"])
def test_reachable_targets_are_reached(name, method, joint_count, spread):
    rng, skeleton, pose, length, root = setting(joint_count)
    if spread == "other poses":
        other = places(skeleton, Pose(pose.translation, random_rotations(rng, COUNT, joint_count), pose.scale))
        target = other[:, -1] - other[:, 0] + root
    else:  # from where a folded chain ends to where a straight one does
        least, most = reaches(skeleton, pose)
        target = root + directions(rng, COUNT) * (least + (most - least) * rng.random(COUNT))[:, None]
    model, distance, used = run_kernel(method, skeleton, pose, target, tolerance=1e-4 * length)
    assert_chain_is_whole(skeleton, pose, model)
    measured = np.linalg.norm(model[:, -1, :, 3] - target, axis=-1)
    np.testing.assert_allclose(distance, measured, atol=2e-6)
    reached = measured <= 1e-4 * length
    assert reached.mean() == 1 if method == TWO_BONE else reached.mean() >= 0.99
    assert used.max() <= (1 if method == TWO_BONE else 30)


@methods
def test_targets_out_of_reach_end_at_the_nearest_reachable_point(name, method, joint_count):
    rng, skeleton, pose, length, root = setting(joint_count, seed=1)
    least, most = reaches(skeleton, pose)
    away = np.where(rng.random(COUNT) < 0.5, most * rng.uniform(1, 5, COUNT), least * rng.random(COUNT))
    way = directions(rng, COUNT)
    model, _, _ = run_kernel(method, skeleton, pose, root + way * away[:, None], tolerance=1e-4 * length)
    nearest = root + way * np.clip(away, least, most)[:, None]
    assert_chain_is_whole(skeleton, pose, model)
    assert (np.linalg.norm(model[:, -1, :, 3] - nearest, axis=-1) / length).max() < 1e-3


@methods
def test_straight_chains_reach_targets_on_their_own_line(name, method, joint_count):
    skeleton = line_skeleton(joint_count)
    share = np.array([0.999, 0.7, 0.31, 0.1, -0.1, -0.6, -0.999])
    pose, length = straight_poses(skeleton, len(share)), 0.5 * (joint_count - 1)
    target = np.zeros((len(share), 3))
    target[:, 1] = share * length
    _, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4 * length)
    assert distance.max() <= 1e-4 * length


@methods
def test_odd_input_never_makes_nan(name, method, joint_count):
    skeleton, count = line_skeleton(joint_count), 64
    rng, _, pose, _, root = setting(joint_count, seed=2, count=count)
    pose.translation[: count // 2, 1] = 0  # links without length
    pose.translation[: count // 4] = 0  # a chain without any
    target = np.concatenate([root[:8], root[8:16] + 1e-9, 1e30 * directions(rng, 8), root[24:]])
    target[40:48] = places(skeleton, pose)[40:48, -1]
    model, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4)
    assert_chain_is_whole(skeleton, pose, model)
    assert np.isfinite(distance).all()
    limits = {"j0": BALL, "j1": KNEE}
    model, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4, limits=limits)
    assert np.isfinite(model).all()
    assert np.isfinite(distance).all()


@methods
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_targets_that_are_no_numbers_leave_the_pose_alone(name, method, joint_count, wrong):
    _, skeleton, pose, length, root = setting(joint_count, count=6)
    target = root + 0.3
    target[::2, 1] = wrong
    model, distance, used = run_kernel(method, skeleton, pose, target, tolerance=1e-4 * length)
    before = model_matrices(skeleton, pose)
    np.testing.assert_array_equal(model[::2], before[::2])
    assert np.isinf(distance[::2]).all()
    assert (used[::2] == 0).all()
    assert not np.array_equal(model[1::2], before[1::2])


@methods
def test_weight(name, method, joint_count):
    _, skeleton, pose, length, root = setting(joint_count, count=40)
    target = root + 0.2 * length[:, None] * [1, 1, 0]
    before = model_matrices(skeleton, pose)
    kept, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4, weight=0.0)
    np.testing.assert_array_equal(kept, before)
    np.testing.assert_allclose(distance, np.linalg.norm(before[:, -1, :, 3] - target, axis=-1), rtol=1e-5)
    turned = [turns(before, run_kernel(method, skeleton, pose, target, tolerance=1e-4, weight=w)[0]) for w in (0.4, 1)]
    wanted = quaternion.nlerp(quaternion.IDENTITY.astype(np.float64), turned[1], 0.4)
    half_turn = quaternion.angle_between(turned[1], quaternion.IDENTITY) > math.pi - 1e-3  # has two ways back
    assert quaternion.angle_between(turned[0], wanted)[~half_turn].max() < 1e-4


def turns(before, after):
    """How far each joint was turned in model space [k, joint, 4]."""
    linear = after[..., :3].astype(np.float64) @ np.linalg.inv(before[..., :3].astype(np.float64))
    return Transform.from_matrix(np.concatenate([linear, np.zeros((*linear.shape[:-1], 1))], axis=-1)).rotation


@EXHAUSTIVE
@methods
@pytest.mark.parametrize("limits", [None, {"j0": BALL, "j1": KNEE}, {"j0": BALL, "j1": BALL}])
def test_the_kernel_is_the_readable_form(name, method, joint_count, limits):
    _, skeleton, pose, length, root = setting(joint_count, seed=3, count=FEW or 100)
    target = (root + 0.4 * length[:, None] * [0.3, 0.7, -0.5]).astype(np.float32)
    model, distance, used = run_kernel(method, skeleton, pose, target, tolerance=1e-3, limits=limits)
    ends = (skeleton.joint_names[0], skeleton.joint_names[-1])
    found = SOLVERS[method](skeleton, pose, ends, target, tolerance=1e-3, limits=limits)
    same = found.iterations == used
    assert same.mean() == 1 if limits is None else same.mean() > 0.9  # where limits choose, rounding may
    equal = np.abs(model - model_matrices(skeleton, found.pose)).max(axis=(1, 2, 3)) < 1e-4
    assert equal.mean() == 1 if limits is None else equal.mean() > 0.9
    np.testing.assert_allclose(distance[equal], found.distance[equal], atol=1e-4)


@methods
@pytest.mark.parametrize("start", ["rest", "random"])
@EXHAUSTIVE
def test_limits_hold_wherever_the_target_is(name, method, joint_count, start):
    count = FEW or 2000
    rng = np.random.default_rng(joint_count)
    skeleton = line_skeleton(joint_count, random_rotations(rng, joint_count))
    pose = straight_poses(skeleton, count)
    if start == "random":
        pose = Pose(pose.translation, random_rotations(rng, count, joint_count), pose.scale)
    names = skeleton.joint_names[:-1]
    kinds = [BALL, KNEE, HingeLimit((0.3, 0.2, 1.0), (-0.5, 0.6)), BallLimit(0.3, (0.0, 0.2))]
    limits = {joint: kinds[i % 4] for i, joint in enumerate(names)}
    target = directions(rng, count) * rng.uniform(0, 0.6 * joint_count, (count, 1))
    model, _, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4, limits=limits)
    frames = Transform.from_matrix(model.astype(np.float64)).rotation
    for joint, limit in enumerate(limits.values()):
        above = frames[:, joint - 1] if joint else quaternion.IDENTITY
        local = quaternion.multiply(quaternion.conjugate(above), frames[:, joint])
        assert broken_by(limit, skeleton.rest_pose.rotation[joint], local).max() < 0.01 * LIMIT_SLACK


@pytest.mark.parametrize("method", [CCD, FABRIK, TWO_BONE])
def test_legs_reach_with_knees_that_never_bend_forward(method):
    count = FEW or 2000
    rng = np.random.default_rng(4)
    skeleton = line_skeleton(3)
    limits = {"j0": BallLimit(math.radians(120)), "j1": KNEE}
    bend = quaternion.from_axis_angle(np.array([1.0, 0, 0]), rng.uniform(*KNEE.angle, count))
    pose = straight_poses(skeleton, count)
    legal = Pose(pose.translation, pose.rotation.copy(), pose.scale)
    legal.rotation[:, 1] = bend
    legal.rotation[:, 0] = limits["j0"].clamp(random_rotations(rng, count), (0.0, 1.0, 0.0))
    target = places(skeleton, legal)[:, -1]
    model, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4, limits=limits)
    assert (distance <= 1e-4).mean() > (0.95 if method == TWO_BONE else 0.99)
    frames = Transform.from_matrix(model.astype(np.float64)).rotation
    local = quaternion.multiply(quaternion.conjugate(frames[:, 0]), frames[:, 1])
    assert broken_by(KNEE, [0, 0, 0, 1], local).max() < 0.01 * LIMIT_SLACK


@pytest.mark.parametrize("method", [CCD, FABRIK])
@pytest.mark.parametrize("joint_count", [3, 5, 8])
def test_most_targets_inside_the_limits_are_reached(method, joint_count):
    count = FEW or 2000
    rng = np.random.default_rng(6)
    skeleton = line_skeleton(joint_count)
    limits = dict.fromkeys(skeleton.joint_names[:-1], BALL)
    inner = BallLimit(0.8 * BALL.swing, (0.8 * BALL.twist[0], 0.8 * BALL.twist[1]))
    pose = straight_poses(skeleton, count)
    legal = inner.clamp(random_rotations(rng, count, joint_count), (0.0, 1.0, 0.0)).astype(np.float32)
    target = places(skeleton, Pose(pose.translation, legal, pose.scale))[:, -1]
    _, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4 * (joint_count - 1) / 2, limits=limits)
    assert (distance <= 1e-4 * (joint_count - 1) / 2).mean() >= 0.99


def test_hanging_joints_follow_and_others_stay():
    rng = np.random.default_rng(8)
    skeleton = line_skeleton(6)
    skeleton.parents[:] = [-1, 0, 1, 2, 1, 3]  # j4 hangs from j1, j5 from the effector
    pose = random_poses(rng, 6, 20)
    before = model_matrices(skeleton, pose)
    target = before[:, 1, :, 3] + 0.2
    model, _, _ = run_kernel(CCD, skeleton, pose, target, tolerance=1e-4, chain=("j1", "j3"))
    np.testing.assert_array_equal(model[:, 0], before[:, 0])
    for joint, above in ((4, 1), (5, 3), (3, 2)):
        kept = np.linalg.inv(before[:, above, :, :3]) @ (before[:, joint, :, 3] - before[:, above, :, 3])[..., None]
        now = np.linalg.inv(model[:, above, :, :3]) @ (model[:, joint, :, 3] - model[:, above, :, 3])[..., None]
        np.testing.assert_allclose(now, kept, atol=1e-5)


@pytest.mark.parametrize("size", [0.01, 100.0])
@pytest.mark.parametrize("method", [CCD, FABRIK, TWO_BONE])
def test_scale_on_the_way_is_kept(method, size):
    rng, count = np.random.default_rng(10), 50
    skeleton = line_skeleton(3)
    pose = random_poses(rng, 3, count)
    pose.scale[:, 0] = size
    pose.scale[:, 1] = 1.7
    least, most = reaches(skeleton, pose)
    target = places(skeleton, pose)[:, 0] + directions(rng, count) * (0.5 * least + 0.5 * most)[:, None]
    model, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4 * most)
    assert (distance / most).max() < 1e-4
    scale = np.linalg.norm(model[..., :3], axis=-2)
    np.testing.assert_allclose(scale, np.linalg.norm(model_matrices(skeleton, pose)[..., :3], axis=-2), rtol=1e-5)


def test_world_points_in_the_space_of_each_actor():
    from ecs_anim.kernels.reach import bring_to_actors

    rng = np.random.default_rng(11)
    place, at = rng.normal(size=(2, 40, 3)).astype(np.float32)
    turn, scale = random_rotations(rng, 40), rng.uniform(0.01, 3, 40).astype(np.float32)
    scale[5] = 0
    target, tolerance = np.empty((40, 3), np.float32), np.empty(40, np.float32)
    bring_to_actors(at, (place, turn, scale), 0.001, target, tolerance)
    sized = scale != 0
    back = Rotation.from_quat(turn).apply(scale[:, None] * target.astype(np.float64)) + place
    np.testing.assert_allclose(back[sized], at[sized], atol=1e-5)
    np.testing.assert_allclose(tolerance[sized] * scale[sized], 0.001, rtol=1e-6)
    assert np.isnan(target[~sized]).all()


@pytest.mark.parametrize("size", [1e-15, 1e15])
@pytest.mark.parametrize("method", [CCD, FABRIK, TWO_BONE])
@pytest.mark.parametrize("limits", [None, {"j0": BALL, "j1": KNEE}])
def test_sizes_far_from_one(method, size, limits):
    rng = np.random.default_rng(12)
    skeleton, pose = line_skeleton(3), random_poses(rng, 3, 30)
    pose = Pose(pose.translation * np.float32(size), pose.rotation, pose.scale)
    length = chain_length(skeleton, pose)
    target = places(skeleton, pose)[:, 0] + directions(rng, 30) * 0.5 * length[:, None]
    model, distance, _ = run_kernel(method, skeleton, pose, target, tolerance=1e-4 * length, limits=limits)
    assert np.isfinite(model).all()
    least, _ = reaches(skeleton, pose)
    if limits is None:
        assert (distance <= np.maximum(1e-4 * length, least - 0.5 * length + 1e-4 * length)).all()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 70])
def test_results_hang_on_the_actor_alone(count):
    _, skeleton, pose, length, root = setting(4, count=70)
    target = root + 0.3 * length[:, None]
    target[::5, 1] = np.nan
    expected = run_kernel(CCD, skeleton, pose, target, tolerance=1e-3)
    few = Pose(*(part[:count] for part in (pose.translation, pose.rotation, pose.scale)))
    for found, all_of_it in zip(run_kernel(CCD, skeleton, few, target[:count], tolerance=1e-3), expected, strict=True):
        np.testing.assert_array_equal(found, all_of_it[:count])


def test_distances_are_metres():
    _, skeleton, pose, length, root = setting(3, count=20)
    target = root + 5 * length[:, None]
    _, rig_units, _ = run_kernel(CCD, skeleton, pose, target, tolerance=1e-3)
    _, metres, _ = run_kernel(CCD, skeleton, pose, target, tolerance=1e-3, scale=2.5)
    np.testing.assert_allclose(metres, 2.5 * rig_units, rtol=1e-6)
