"""Blending and adding poses: against the golden poses, and by what must hold for any pose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ecs_anim.assets.blending import add, blend, subtree_mask
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose
from tests.helpers import random_rotations, random_skeleton

JOINTS = 9
seeds = st.integers(0, 1000)
weights = st.floats(0, 1, width=32)


def random_pose(rng, *leading):
    shape = (*leading, JOINTS, 3)
    return Pose(
        rng.normal(size=shape).astype(np.float32),
        random_rotations(rng, *leading, JOINTS),
        rng.uniform(0.5, 2, shape).astype(np.float32),
    )


def poses(seed, count):
    rng = np.random.default_rng(seed)
    return [random_pose(rng) for _ in range(count)]


def assert_same(a, b):
    """Bit for bit."""
    for path in ("translation", "rotation", "scale"):
        np.testing.assert_array_equal(getattr(a, path), getattr(b, path))


def assert_close(a, b, tolerance=1e-6):
    """Values relative to the largest, rotations by their angle in radians."""
    for path in ("translation", "scale"):
        expected = getattr(b, path)
        np.testing.assert_allclose(getattr(a, path), expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())
    assert quaternion.angle_between(a.rotation.astype(np.float64), b.rotation.astype(np.float64)).max() < tolerance


@given(seeds)
def test_weights_of_zero_and_one_give_the_ends(seed):
    a, b = poses(seed, 2)
    assert_same(blend(a, b, 0.0), a)
    assert_same(blend(a, b, 1.0), b)


@given(seeds, weights)
def test_blending_is_symmetric(seed, weight):
    a, b = poses(seed, 2)
    assert_close(blend(a, b, weight), blend(b, a, 1 - weight), 2e-6)


@given(seeds, weights)
def test_blending_a_pose_with_itself_changes_nothing(seed, weight):
    (a,) = poses(seed, 1)
    negative = Pose(a.translation, -a.rotation, a.scale)
    for mixed in (blend(a, a, weight), blend(a, negative, weight)):
        np.testing.assert_array_equal(mixed.translation, a.translation)
        np.testing.assert_array_equal(mixed.scale, a.scale)
        assert quaternion.angle_between(mixed.rotation, a.rotation).max() < 1e-6


@given(seeds, weights)
def test_a_blend_is_each_parts_own_mix(seed, weight):
    a, b = poses(seed, 2)
    assert_close(blend(a, b, weight), a.mix(b, weight))


@given(seeds, weights)
def test_joints_that_the_mask_leaves_out_are_untouched(seed, weight):
    a, b, c = poses(seed, 3)
    mask = np.random.default_rng(seed).integers(0, 2, JOINTS)
    out, inside = np.flatnonzero(mask == 0), np.flatnonzero(mask)
    for masked, whole in (
        (blend(a, b, weight, mask), blend(a, b, weight)),
        (add(a, b, c, weight, mask), add(a, b, c, weight)),
    ):
        assert_same(masked[out], a[out])
        assert_same(masked[inside], whole[inside])


def test_weights_and_masks_multiply():
    a, b, c = poses(7, 3)
    half = np.full(JOINTS, 0.5, np.float32)
    assert_same(blend(a, b, 0.5, half), blend(a, b, 0.25))
    assert_same(add(a, b, c, 0.5, half), add(a, b, c, 0.25))


def test_many_poses_at_once_are_the_same_as_one_by_one():
    rng = np.random.default_rng(8)
    a, b, c = random_pose(rng, 5, 2), random_pose(rng, 5, 2), random_pose(rng)
    weight, mask = rng.uniform(0, 1, (5, 2)), rng.uniform(0, 1, JOINTS)
    mixed, added = blend(a, b, weight, mask), add(a, b, c, weight, mask)
    assert mixed.rotation.shape == added.rotation.shape == (5, 2, JOINTS, 4)
    assert mixed.rotation.dtype == added.translation.dtype == np.float32
    assert_same(mixed[3, 1], blend(a[3, 1], b[3, 1], weight[3, 1], mask))
    assert_same(added[3, 1], add(a[3, 1], b[3, 1], c, weight[3, 1], mask))


def test_one_pair_of_poses_at_many_weights():
    a, b = poses(9, 2)
    mixed = blend(a, b, np.linspace(0, 1, 4))
    assert mixed.translation.shape == (4, JOINTS, 3)
    assert_same(mixed[2], blend(a, b, 2 / 3))


@given(seeds, weights)
def test_adding_with_weight_zero_or_the_reference_itself_changes_nothing(seed, weight):
    pose, additive, reference = poses(seed, 3)
    assert_same(add(pose, additive, reference, 0.0), pose)
    assert_same(add(pose, reference, reference, weight), pose)


@given(seeds)
def test_adding_to_the_reference_gives_the_additive(seed):
    additive, reference = poses(seed, 2)
    assert_close(add(reference, additive, reference), additive, 2e-6)


@given(seeds)
def test_adding_turns_in_the_parents_space(seed):
    """(additive x reference^-1) x pose, by scipy's rotations."""
    pose, additive, reference = poses(seed, 3)
    p, a, r = (Rotation.from_quat(each.rotation) for each in (pose, additive, reference))
    expected = (a * r.inv() * p).as_quat()
    assert quaternion.angle_between(expected, add(pose, additive, reference).rotation).max() < 2e-6


@given(seeds, weights)
def test_a_part_of_a_turn_is_about_its_axis_on_the_short_arc(seed, weight):
    pose, additive, reference = poses(seed, 3)
    change = Rotation.from_quat(additive.rotation) * Rotation.from_quat(reference.rotation).inv()
    part = Rotation.from_quat(add(pose, additive, reference, weight).rotation) * Rotation.from_quat(pose.rotation).inv()
    assert (part.magnitude() <= change.magnitude() + 1e-5).all()
    along = np.sum(part.as_rotvec() * change.as_rotvec(), axis=-1)
    np.testing.assert_allclose(along, part.magnitude() * change.magnitude(), atol=1e-5)


@pytest.mark.parametrize(
    "mask", [np.ones(JOINTS - 1), np.full(JOINTS, 1.5), np.full(JOINTS, -0.1), np.ones((2, JOINTS))]
)
def test_a_mask_that_does_not_fit_is_refused(mask):
    a, b = poses(1, 2)
    with pytest.raises(ValueError, match="mask"):
        blend(a, b, 0.5, mask)
    with pytest.raises(ValueError, match="mask"):
        add(a, b, a, 0.5, mask)


@pytest.mark.parametrize("weight", [np.nan, np.inf, [0.5, np.nan], "half", None])
def test_a_weight_of_something_that_is_no_number_is_refused(weight):
    a, b = poses(1, 2)
    for act in (lambda: blend(a, b, weight), lambda: add(a, b, a, weight)):
        with pytest.raises(ValueError, match="weight must be"):
            act()


def test_a_mask_of_something_that_is_no_number_is_refused():
    a, b = poses(1, 2)
    with pytest.raises(ValueError, match="mask must be finite"):
        blend(a, b, 0.5, np.full(JOINTS, np.nan))


def test_a_subtree_is_a_joint_and_all_below():
    skeleton = random_skeleton(np.random.default_rng(3), 30)
    for joint, name in enumerate(skeleton.joint_names):
        mask = subtree_mask(skeleton, name)
        assert mask.dtype == np.float32
        for other in range(30):
            at = other
            while at not in (joint, -1):
                at = skeleton.parents[at]
            assert mask[other] == (at == joint)


def test_a_subtree_of_no_joint_names_the_nearest():
    skeleton = random_skeleton(np.random.default_rng(3), 4)
    with pytest.raises(KeyError, match="no joint 'jiont_2'; did you mean 'joint_2'"):
        subtree_mask(skeleton, "jiont_2")
    with pytest.raises(KeyError, match="its joints are: joint_0, joint_1"):
        subtree_mask(skeleton, "xyz")


def test_the_front_door_has_them():
    import ecs_anim as ea

    assert (ea.blend, ea.add, ea.subtree_mask) == (blend, add, subtree_mask)
