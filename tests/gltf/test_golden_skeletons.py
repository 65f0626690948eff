"""The skeletons of real files against the numbers of an independent implementation (../shared/golden)."""

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths import affine
from tests.builders.gltf_builder import asset, golden, skip_without_golden_numbers
from tests.helpers import to_4x4

skip_without_golden_numbers()


@pytest.fixture(scope="module", params=["woman", "dq"])
def case(request):
    """Skeleton, golden arrays by their short names, and the joint of each golden row."""
    skeleton = load_rig(asset({"woman": "Woman.gltf", "dq": "dq.gltf"}[request.param])).skeleton
    arrays = {
        k.removeprefix(f"{request.param}_"): v for k, v in golden("skeleton.npz").items() if k.startswith(request.param)
    }
    joints = np.array([skeleton.joint_index(name) for name in arrays["joint_names"]])
    return skeleton, arrays, joints


def test_joints_are_those_of_the_file_parents_first(case):
    skeleton, arrays, joints = case
    assert sorted(skeleton.joint_names) == sorted(arrays["joint_names"])
    expected = [-1 if parent < 0 else joints[parent] for parent in arrays["parents"]]
    np.testing.assert_array_equal(skeleton.parents[joints], expected)
    assert (skeleton.parents < np.arange(skeleton.joint_count)).all()


@pytest.mark.parametrize(("part", "key"), [("translation", "rest_t"), ("rotation", "rest_r"), ("scale", "rest_s")])
def test_rest_pose(case, part, key):
    skeleton, arrays, joints = case
    np.testing.assert_allclose(getattr(skeleton.rest_pose, part)[joints], arrays[key], rtol=1e-6, atol=1e-6)


def test_rest_palette(case):
    skeleton, arrays, joints = case
    model = model_matrices(skeleton, skeleton.rest_pose)
    np.testing.assert_allclose(to_4x4(model)[joints], arrays["rest_palette"], rtol=1e-6, atol=5e-6)


def test_inverse_bind_matrices_are_the_accessor_untouched_in_the_order_of_the_skin(case):
    skeleton, arrays, joints = case
    skin = arrays["gltf_skin_joints"]
    np.testing.assert_array_equal(skeleton.skin_joints, joints[skin])
    np.testing.assert_array_equal(to_4x4(skeleton.inverse_bind), arrays["inv_bind_gltf"][skin])


def test_inverse_bind_matrices_undo_the_bind_pose(case):
    skeleton, arrays, _ = case
    bind = affine.inverse(skeleton.inverse_bind.astype(np.float64))
    np.testing.assert_allclose(to_4x4(bind), arrays["bind_palette"][arrays["gltf_skin_joints"]], atol=1e-4)


def test_the_bind_pose_gives_a_palette_of_identities(case):
    skeleton, arrays, joints = case
    pose = type(skeleton.rest_pose)(
        *(np.empty_like(part) for part in (arrays["bind_t"], arrays["bind_r"], arrays["bind_s"]))
    )
    pose.translation[joints], pose.rotation[joints], pose.scale[joints] = (
        arrays["bind_t"],
        arrays["bind_r"],
        arrays["bind_s"],
    )
    palette = skin_palette(skeleton, pose)
    np.testing.assert_allclose(palette[..., :3], np.broadcast_to(np.eye(3), palette[..., :3].shape), atol=1e-4)


@pytest.mark.exhaustive
def test_the_rest_pose_need_not_be_the_bind_pose():
    skeleton = load_rig(asset("Woman.gltf")).skeleton
    palette = skin_palette(skeleton, skeleton.rest_pose)
    assert np.abs(palette - affine.IDENTITY).max() > 0.5
