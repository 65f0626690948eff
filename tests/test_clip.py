"""Clips: time, the golden poses, and clips on other skeletons."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.gltf.load import load_rig
from tests.support import ASSETS, GOLDEN, needs_assets, needs_golden, random_clip, random_skeleton

CLIP = random_clip(np.random.default_rng(4), random_skeleton(np.random.default_rng(3), 9))


@pytest.fixture(scope="module")
def woman():
    return load_rig(ASSETS / "Woman.gltf")


@given(st.floats(-1e6, 1e6), st.integers(-1000, 1000))
def test_whole_durations_make_no_difference(time, turns):
    apart = abs(float(CLIP.wrap(time + turns * CLIP.duration)) - float(CLIP.wrap(time)))
    assert min(apart, CLIP.duration - apart) < 1e-6


@given(st.floats(-1e300, 1e300))
def test_wrapped_times_are_inside(time):
    assert CLIP.start <= CLIP.wrap(time) < CLIP.end


def test_the_end_of_a_loop_is_its_start():
    assert CLIP.wrap(CLIP.end) == CLIP.start
    np.testing.assert_array_equal(CLIP.sample(CLIP.end).rotation, CLIP.sample(CLIP.start).rotation)


def test_without_a_loop_the_end_is_the_last_key():
    last = CLIP.sample(CLIP.end, loop=False)
    np.testing.assert_array_equal(last.translation[0], CLIP.tracks[-2].values[-1])
    np.testing.assert_array_equal(CLIP.sample(1e9, loop=False).translation, last.translation)


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_no_number_is_an_error(time):
    with pytest.raises(ValueError, match="finite"):
        CLIP.sample(time)


def test_joints_without_tracks_rest():
    pose, rest = CLIP.sample(0.7), CLIP.skeleton.rest_pose
    np.testing.assert_array_equal(pose.rotation[3], rest.rotation[3])
    np.testing.assert_array_equal(pose.translation[1:], rest.translation[1:])


@needs_assets
@needs_golden
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


@needs_assets
@needs_golden
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
