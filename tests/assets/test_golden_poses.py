"""Clips, palettes, blends, additive poses: against an independent implementation's numbers (../shared/golden)."""

import numpy as np
import pytest

from ecs_anim.assets.blending import add, blend, subtree_mask
from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths.transform import Pose
from tests.assets.test_blending import assert_close
from tests.builders.gltf_builder import skip_without_golden_numbers
from tests.helpers import ASSETS, GOLDEN

skip_without_golden_numbers()


@pytest.fixture(scope="module")
def woman():
    return load_rig(ASSETS / "Woman.gltf")


@pytest.mark.parametrize("mode", ["loop", "clamp"])
def test_woman_clips_follow_the_golden_poses(woman, mode):
    golden, names = np.load(GOLDEN / "sampling_woman.npz"), np.load(GOLDEN / "skeleton.npz")["woman_joint_names"]
    order = [woman.skeleton.joint_names.index(name) for name in names]
    for index, name in enumerate(golden["clip_names"]):
        pose = woman.clips[str(name)].sample(golden["times"][index], loop=mode == "loop", rotation="nlerp")
        for path, key in (("translation", "t"), ("scale", "s")):
            expected = golden[f"{mode}_local_{key}"][index]
            np.testing.assert_allclose(
                getattr(pose, path)[:, order], expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max()
            )
        expected = golden[f"{mode}_local_r"][index]
        sign = np.sign(np.sum(expected * pose.rotation[:, order], axis=-1, keepdims=True))
        np.testing.assert_allclose(pose.rotation[:, order] * sign, expected, atol=1e-6)


def test_woman_palettes_follow_the_golden_matrices(woman):
    golden, facts = np.load(GOLDEN / "sampling_woman.npz"), np.load(GOLDEN / "skeleton.npz")
    order = [woman.skeleton.joint_names.index(name) for name in facts["woman_joint_names"]]
    skin_nodes = facts["woman_gltf_skin_joints"]
    for index, name in enumerate(golden["clip_names"]):
        pose = woman.clips[str(name)].sample(golden["times"][index], rotation="nlerp")
        model = model_matrices(woman.skeleton, pose)[:, order]
        np.testing.assert_allclose(
            model, golden["loop_palette_bfs"][index][..., :3, :], atol=5e-6 * max(1, np.abs(model).max())
        )
        palette = skin_palette(woman.skeleton, pose)[:, : len(skin_nodes)]
        np.testing.assert_allclose(palette, golden["loop_skin"][index][:, skin_nodes, :3], atol=4e-4)


class Golden:
    """blend.npz and the woman's own poses, both in the order of the file's nodes."""

    def __init__(self):
        self.woman = load_rig(ASSETS / "Woman.gltf")
        self.arrays = np.load(GOLDEN / "blend.npz")
        names = np.load(GOLDEN / "skeleton.npz")["woman_joint_names"]
        self.order = [self.woman.skeleton.joint_names.index(name) for name in names]
        self.mask = subtree_mask(self.woman.skeleton, "Spine")[self.order]

    def pose(self, key):
        return Pose(*(self.arrays[f"{key}_{part}"] for part in "trs"))

    def sample(self, clip, time, loop=True):
        return self.woman.clips[clip].sample(time, loop=loop, rotation="nlerp")[..., self.order, :]


@pytest.fixture(scope="module")
def golden():
    return Golden()


def test_the_spine_is_the_golden_spine(golden):
    np.testing.assert_array_equal(golden.mask, golden.arrays["in_spine"])


def test_blends_follow_the_golden_poses(golden):
    a, b = golden.sample("Walking", 0.4), golden.sample("Running", 0.2)
    assert_close(a, golden.pose("a"))
    assert_close(b, golden.pose("b"))
    assert_close(blend(a, b, golden.arrays["weights"]), golden.pose("whole"))
    assert_close(blend(a, b, golden.arrays["weights"], golden.mask), golden.pose("spine"))


def test_a_lean_on_a_walk_follows_the_golden_poses(golden):
    """No difference to explain: the reference, too, puts the change on the left, in the parent's space."""
    lean = golden.woman.clips["Lean_Left"]
    reference = golden.sample("Lean_Left", lean.start, loop=False)
    additive = golden.sample("Lean_Left", lean.start + golden.arrays["add_fraction"] * lean.duration, loop=False)
    assert_close(reference, golden.pose("additive_base"))
    assert_close(additive, golden.pose("add_pose"))
    walk = golden.sample("Walking", golden.arrays["add_walk_time"][:, None])
    assert_close(add(walk, additive, reference), golden.pose("added"))
    assert_close(add(walk, additive, reference, 1.0, golden.mask), golden.pose("added_spine"))
