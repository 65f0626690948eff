"""Bakes that leave out translations and scales where bones keep their lengths."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.cache import cached_bake
from ecs_anim.bake.file import from_bytes, to_bytes
from ecs_anim.bake.options import SPACES, BakeOptions
from ecs_anim.bake.rotation_only import carriers
from ecs_anim.maths.transform import Pose
from ecs_anim.scenes.rigs import load_model
from tests.bake.test_bake import joint_matrices
from tests.characters import PATCHWORK, SHAPES
from tests.helpers import ASSETS, needs_assets, random_clip, random_skeleton
from tests.helpers.command import ecs_anim

RNG = np.random.default_rng(62)
SKELETON = replace(random_skeleton(RNG, 9), skin_joints=np.arange(9, dtype=np.int32))  # the last joint stretches
RIG = Rig("made up", SKELETON, (), {"a": random_clip(RNG, SKELETON, "a")})


def brute_carriers(skeleton: Skeleton) -> list[bool]:
    """By what hangs from each joint."""
    found = []
    for joint in range(skeleton.joint_count):
        root = joint
        while skeleton.parents[root] >= 0:
            root = int(skeleton.parents[root])
        moved, all_ = (set(skeleton.below(j)) & set(skeleton.skin_joints.tolist()) for j in (joint, root))
        found.append(joint == root or bool(moved and moved == all_))
    return found


def test_carriers_have_every_palette_entry_of_their_root():
    rng = np.random.default_rng(3)
    for joint_count in range(1, 30):
        skeleton = random_skeleton(rng, joint_count, max(1, joint_count // 4))
        assert carriers(skeleton).tolist() == brute_carriers(skeleton)
        forest = np.where(rng.random(joint_count) < 0.2, -1, skeleton.parents).astype(np.int32)
        names, rest, inverse_bind = skeleton.joint_names, skeleton.rest_pose, skeleton.inverse_bind
        skeleton = Skeleton(names, forest, rest, skeleton.skin_joints, inverse_bind)
        assert carriers(skeleton).tolist() == brute_carriers(skeleton)


def test_hips_carry_the_body():
    skeleton = load_model(str(SHAPES)).skeleton
    assert [skeleton.joint_names[j] for j in np.flatnonzero(carriers(skeleton))] == ["Hips", "head", "body"]


@pytest.mark.parametrize("space", SPACES)
def test_what_carries_less_than_the_whole_body_only_turns(space):
    bake = bake_rig(RIG, BakeOptions(space, error_mm=0.1, rotation_only=True))
    skeleton, clip = RIG.skeleton, RIG.clips["a"]
    times = np.linspace(clip.start, clip.end, 60)
    exact, rest = clip.sample(times, loop=False), skeleton.rest_pose
    carries = np.array(brute_carriers(skeleton))[:, None]
    assert not carries.all(), "the last joint scales and carries little"
    turned = Pose(
        np.where(carries, exact.translation, rest.translation),
        exact.rotation,
        np.where(carries, exact.scale, rest.scale),
    )
    wanted = skin_palette(skeleton, turned)
    got = bake.palette("a", times, loop=False)
    np.testing.assert_allclose(got, wanted, atol=3e-3 * np.abs(wanted).max())
    assert np.abs(skin_palette(skeleton, exact) - wanted).max() > 0.1, "something is left out"


def test_the_stated_error_is_against_the_whole_clip():
    bake = bake_rig(RIG, BakeOptions(rotation_only=True))
    clip, stated = RIG.clips["a"], bake.clips[bake.index["a"]].error
    times = np.random.default_rng(1).uniform(clip.start, clip.end, 400)
    wanted = joint_matrices(bake, clip.sample(times, loop=False))
    got = model_matrices(bake.skeleton, bake.sample("a", times, loop=False))
    apart = np.linalg.norm(got[..., 3] - wanted[..., 3], axis=-1).max()
    assert 0.3 * stated.position <= apart <= 1.02 * stated.position + 1e-5
    axes = np.linalg.norm(got[..., :3] - wanted[..., :3], axis=-2).max()
    assert axes > 0.1
    assert stated.angle > 0.05


def test_files_and_caches_tell_them_apart(tmp_path):
    options = BakeOptions("local", "f16", rate=8, rotation_only=True)
    bake = bake_rig(RIG, options)
    data = to_bytes(bake)
    again = from_bytes(data, "x")
    assert again.options == options
    assert to_bytes(again) == data
    whole = BakeOptions("local", "f16", rate=8)
    made = [cached_bake(RIG, each, folder=tmp_path) for each in (whole, options, whole, options)]
    assert [bake.options.rotation_only for bake in made] == [False, True, False, True]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.exhaustive
@needs_assets
def test_the_command_leaves_out_what_bones_do_not_need(tmp_path):
    widths = []
    for extra in ((), ("--rotation-only",)):
        arguments = ("bake", ASSETS / "Woman.gltf", "--out", tmp_path / "w.bake", "--clip", "Walking", "--json")
        result = ecs_anim(*arguments, *extra)
        assert result.returncode == 0, result.stderr
        told = json.loads(result.stdout)
        assert told["bake"]["rotation_only"] is bool(extra)
        assert told["clips"][0]["error_mm"] < 0.2
        widths.append(told["bake"]["numbers_a_row"])
    assert widths[1] < 0.6 * widths[0]


def test_a_clip_that_needs_more_says_so(tmp_path):
    """Its head is squashed."""
    result = ecs_anim("bake", PATCHWORK, "--out", tmp_path / "m.bake", "--rotation-only")
    assert result.returncode == 0, result.stderr
    assert "'greet' has an error of 25 mm" in result.stderr
    assert "Leave out --rotation-only" in result.stderr
