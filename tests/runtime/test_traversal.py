"""Traversals against the skeletons they come from."""

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.track import Track
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.traversal import CHANNELS, LANES, TraversalArrays
from tests.helpers import ASSETS, needs_assets, random_clip, random_rotations, random_skeleton


def turning(skeleton: Skeleton, joints: list[int]) -> Clip:
    """A clip that turns some joints."""
    rng, times = np.random.default_rng(3), np.array([0, 0.5, 1], np.float32)
    tracks = tuple(Track(joint, "rotation", "LINEAR", times, random_rotations(rng, 3)) for joint in joints)
    return Clip("turn", skeleton, tracks, 0, 1)


def follow(traversal: TraversalArrays, rows: np.ndarray) -> dict[int, np.ndarray]:
    """Model matrices [n, 3, 4] by joint, in the traversal's order: plain numpy."""
    joint_count = len(traversal.rest) - 1
    channels = np.tile(traversal.rest[..., 0].reshape(-1), (len(rows), 1))
    channels[:, traversal.channel_rows // LANES] = rows
    pose = np.split(channels.reshape(len(rows), joint_count + 1, CHANNELS), [4, 7], axis=-1)
    local = Pose(pose[1], pose[0], pose[2]).to_matrix()
    found = {joint_count: np.tile(affine.IDENTITY, (len(rows), 1, 1))}
    for joint, parent in np.concatenate([traversal.fixed, traversal.moving]).tolist():
        found[joint] = affine.multiply(found[parent], local[:, joint])
    return found


@pytest.mark.parametrize("seed", range(6))
def test_a_traversal_of_all_joints_gives_model_matrices(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 11 + seed)
    clip = random_clip(rng, skeleton)
    layout = build_tables(skeleton, [clip]).layout
    poses = clip.sample(np.linspace(clip.start, clip.end, 5), loop=False)
    found, expected = follow(layout.traversal, layout.pack(poses)), model_matrices(skeleton, poses)
    for joint in range(skeleton.joint_count):
        np.testing.assert_allclose(found[joint], expected[:, joint], atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(8))
def test_the_shortest_traversal_gives_the_same_palette(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 14, palette_count=9)
    clip = turning(skeleton, sorted(rng.choice(14, 3, replace=False).tolist()))
    layout = build_tables(skeleton, [clip]).layout
    poses = clip.sample(np.linspace(0, 1, 5), loop=False)
    traversal, expected = layout.skin_traversal, skin_palette(skeleton, poses)
    found = follow(traversal.arrays, layout.pack(poses))
    for entry, joint in enumerate(traversal.joints.tolist()):
        own = affine.multiply(found[joint], traversal.inverse_bind[entry].reshape(3, 4))
        np.testing.assert_allclose(own, expected[:, entry], atol=1e-5 * np.abs(expected).max())


def test_joints_that_nothing_moves_ride_on_those_above():
    skeleton = random_skeleton(np.random.default_rng(1), 6)
    chain = Skeleton(
        skeleton.joint_names,
        np.array([-1, 0, 1, 2, 3, 1], np.int32),
        skeleton.rest_pose,
        np.arange(6, dtype=np.int32),
        skeleton.inverse_bind,
    )
    traversal = build_tables(chain, [turning(chain, [2])]).layout.skin_traversal
    assert traversal.joints.tolist() == [0, 1, 2, 2, 2, 1], "3 and 4 hang from 2, 5 from 1"
    assert traversal.arrays.fixed.tolist() == [[0, 6], [1, 0]], "above 2 nothing moves"
    assert traversal.arrays.moving.tolist() == [[2, 1]]


def test_what_no_skin_needs_is_not_visited():
    skeleton = random_skeleton(np.random.default_rng(2), 5)
    fork = Skeleton(
        skeleton.joint_names,
        np.array([-1, 0, 0, 1, 2], np.int32),
        skeleton.rest_pose,
        np.array([3], np.int32),
        skeleton.inverse_bind[:1],
    )
    traversal = build_tables(fork, [turning(fork, [0, 1, 2, 3, 4])]).layout.skin_traversal
    assert traversal.arrays.moving[:, 0].tolist() == [0, 1, 3]


def test_a_skeleton_that_nothing_moves_has_a_fixed_palette():
    skeleton = random_skeleton(np.random.default_rng(5), 4)
    traversal = build_tables(skeleton, [Clip("still", skeleton, (), 0, 0)]).layout.skin_traversal
    assert len(traversal.arrays.moving) == 0
    assert traversal.joints.tolist() == skeleton.skin_joints.tolist()


@needs_assets
def test_woman_needs_a_fifth_fewer_joints():
    rig = load_rig(ASSETS / "Woman.gltf")
    layout = build_tables(rig.skeleton, [rig.clips["Walking"], rig.clips["Running"]]).layout
    assert len(layout.traversal.moving) + len(layout.traversal.fixed) == 43
    assert len(layout.skin_traversal.arrays.moving) == 34
