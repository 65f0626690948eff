"""What tables and layouts say of skin, against every vertex skinned on the CPU."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.assets.track import Track
from ecs_anim.maths import affine
from ecs_anim.maths.transform import Pose
from ecs_anim.runtime.body_points import BodyPoints
from ecs_anim.runtime.clip_table import POSITION_TOLERANCE, build_tables
from ecs_anim.runtime.quiet_channels import quiet_channels
from ecs_anim.scenes.rigs import BUILT_IN, load_model
from tests.helpers import EXHAUSTIVE, characters, random_clip, random_rotations, random_skeleton

RNG = np.random.default_rng(29)


def cloud(positions, indices, weights):
    """Vertices without triangles."""
    positions = np.asarray(positions, np.float32)
    up = np.tile(np.float32([0, 1, 0]), (len(positions), 1))
    return Mesh(
        "cloud",
        Material(),
        positions,
        up,
        np.zeros((len(positions), 2), np.float32),
        np.asarray(indices, np.uint16),
        np.asarray(weights, np.float32),
        np.zeros(0, np.uint32),
    )


def random_cloud(rng, skeleton, count=60):
    weights = rng.dirichlet([0.4] * 4, count)
    return cloud(rng.normal(size=(count, 3)), rng.integers(0, skeleton.palette_count, (count, 4)), weights)


def moved_apart(skeleton, meshes, pose, other):
    """How far any vertex is moved from one pose to the other, block by block."""
    worst = 0.0
    for first in range(0, len(pose.translation), 64):
        a, b = (skin_palette(skeleton, p[first : first + 64]).astype(np.float64) for p in (pose, other))
        for mesh in meshes:
            apart = skin_linear(mesh, a)[0].astype(np.float64) - skin_linear(mesh, b)[0]
            worst = max(worst, float(np.linalg.norm(apart, axis=-1).max(initial=0)))
    return worst


@pytest.mark.parametrize("seed", range(5))
def test_no_vertex_moves_farther_than_points(seed):
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, 6)
    meshes = [random_cloud(rng, skeleton), random_cloud(rng, skeleton)]
    a, b = (
        Pose(
            rng.normal(size=(20, 6, 3)).astype(np.float32),
            random_rotations(rng, 20, 6),
            rng.uniform(-2, 2, (20, 6, 3)).astype(np.float32),
        )
        for _ in range(2)
    )
    body = BodyPoints.of(skeleton, meshes)
    assert body.apart(a, b) >= moved_apart(skeleton, meshes, a, b)


def test_points_are_no_farther_out_than_a_box_of_vertices():
    """Boxes of eight vertices each, bound to one entry alone: points move as the vertices do."""
    skeleton = random_skeleton(RNG, 3)
    ends = np.stack(np.meshgrid([-0.2, 0.9], [0.1, 0.3], [1, 2]), axis=-1).reshape(-1, 3)
    mesh = cloud(np.tile(ends, (3, 1)), np.repeat([[0] * 4, [1] * 4, [2] * 4], 8, axis=0), [[1, 0, 0, 0]] * 24)
    a, b = (random_clip(RNG, skeleton).sample(np.linspace(0, 1, 9)) for _ in range(2))
    joints, body = BodyPoints.of(skeleton, ()).apart(a, b), BodyPoints.of(skeleton, [mesh]).apart(a, b)
    assert body == pytest.approx(max(joints, moved_apart(skeleton, [mesh], a, b)), rel=1e-5)


def winking_rig():
    """A joint at the origin, and an eyelid half a metre in front of it whose only track is a scale."""
    rest = Pose.identity(2)
    rest.translation[1] = (0, 0, 0.5)
    bind = np.stack([affine.IDENTITY, affine.inverse(rest.to_matrix()[1])]).astype(np.float32)
    skeleton = Skeleton(("head", "lid"), np.int32([-1, 0]), rest, np.int32([0, 1]), bind)
    spots = [[0, 0.2, 0], [0.1, 0.04, 0.5], [-0.1, -0.04, 0.5]]
    mesh = cloud(spots, [[0] * 4, [1] * 4, [1] * 4], [[1, 0, 0, 0]] * 3)
    times = np.float32([0, 0.31, 0.33, 0.36, 1.0])
    closes = np.float32([[1, 1, 1], [1, 1, 1], [0.5, 0.03, 1], [1, 1, 1], [1, 1, 1]])
    track = Track(1, "scale", "LINEAR", times, closes)
    return skeleton, (mesh,), Clip("wink", skeleton, (track,), 0.0, 1.0)


def test_a_leaf_that_only_scales_is_told_by_what_its_skin_does():
    skeleton, meshes, clip = winking_rig()
    blind, seeing = build_tables(skeleton, [clip]), build_tables(skeleton, [clip], meshes)
    assert blind.error(0).position == 0, "no joint is anywhere else"
    assert seeing.rate(0) > 4 * blind.rate(0)
    times = np.unique([*np.linspace(0, 1, 4001), *clip.tracks[0].times.astype(np.float64)])
    exact, read = clip.sample(times, loop=False), seeing.sample(0, times)
    moved = moved_apart(skeleton, meshes, exact, read)
    assert moved > 1e-3, "keys of no common rate"
    assert moved <= seeing.error(0).position * 1.001 <= 1.05 * moved


def check_error(rig, name):
    """The stated error holds for vertices; it is larger where those that move most weigh little on their joint."""
    tables, rng = build_tables(rig.skeleton, [rig.clips[name]], rig.meshes), np.random.default_rng(29)
    clip, stated = rig.clips[name], tables.error(0)
    keys = np.unique(np.concatenate([track.times for track in clip.tracks])).astype(np.float64)
    between = np.concatenate([keys[:30], np.nextafter(keys[:30], 0), rng.uniform(clip.start, clip.end, 60)])
    times = np.clip(between, clip.start, clip.end)
    moved = moved_apart(
        rig.skeleton, rig.level(0), clip.sample(times, loop=False), tables.sample(0, times - clip.start)
    )
    size = max(BodyPoints.of(rig.skeleton, rig.meshes).size, 1e-3)
    assert moved <= 1.02 * stated.position + 1e-6 * size
    bones = BodyPoints.of(rig.skeleton, ()).apart(clip.sample(times, loop=False), tables.sample(0, times - clip.start))
    assert stated.position <= 5 * max(moved, bones) + 2e-6 * size


@pytest.mark.parametrize("model", list(BUILT_IN))
@EXHAUSTIVE
def test_stated_errors_of_built_in_rigs(model):
    rig = load_model(model)
    for name in [name for name, clip in rig.clips.items() if clip.tracks][:3]:
        check_error(rig, name)


@pytest.mark.parametrize(
    "model", characters("Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf", "interpolation_test.gltf")
)
@EXHAUSTIVE
def test_stated_errors_of_characters(model):
    rig = load_model(model)
    for name in [name for name, clip in rig.clips.items() if clip.tracks][:4]:
        check_error(rig, name)


def test_skin_far_from_its_joint_makes_a_small_scale_loud():
    skeleton, (mesh,), _ = winking_rig()
    share = np.float32(0.2 * POSITION_TOLERANCE)
    track = Track(1, "scale", "LINEAR", np.float32([0, 1]), np.float32([[1, 1, 1], [1 + share, 1, 1]]))
    clips = [Clip("breath", skeleton, (track,), 0.0, 1.0)]
    long = replace(mesh, positions=mesh.positions * np.float32([100, 1, 1]))
    assert quiet_channels(BodyPoints.of(skeleton, [mesh]), clips, POSITION_TOLERANCE) == {("scale", 1)}
    assert quiet_channels(BodyPoints.of(skeleton, [long]), clips, POSITION_TOLERANCE) == set()


def test_what_clips_unfold_from_nothing_is_loud():
    """A prop that is hidden by a scale of 0 at rest, and slides once it is shown."""
    rest = Pose.identity(3)
    rest.translation[1:] = (0, 1, 0)
    rest.scale[1] = 0
    skeleton = Skeleton(tuple("abc"), np.int32([-1, 0, 1]), rest, np.int32([2]), affine.IDENTITY[None])
    times = np.float32([0, 1])
    shown = Track(1, "scale", "LINEAR", times, np.ones((2, 3), np.float32))
    slides = Track(2, "translation", "LINEAR", times, np.float32([[0, 1, 0], [0.5, 1, 0]]))
    tables = build_tables(skeleton, [Clip("show", skeleton, (shown, slides), 0.0, 1.0)])
    assert tables.layout.translation_joints.tolist() == [2]
    assert tables.error(0).position < 1e-6


def test_reaches_are_those_of_stretched_chains():
    rest = Pose.identity(3)
    rest.translation[1], rest.translation[2] = (0, 2, 0), (0, 0, 3)
    rest.scale[0] = 2
    skeleton = Skeleton(tuple("abc"), np.int32([-1, 0, 1]), rest, np.int32([2]), affine.IDENTITY[None])
    body = BodyPoints.of(skeleton, [cloud([[0.6, 0.8, 0]], [[0] * 4], [[1, 0, 0, 0]])])
    times = np.float32([0, 1])
    grows = Track(1, "scale", "LINEAR", times, np.float32([[1, 1, 1], [1, -5, 1]]))
    moves = Track(2, "translation", "LINEAR", times, np.float32([[0, 0, 3], [0, 0, 4]]))
    reach, stretch = body.reaches([Clip("a", skeleton, (grows, moves), 0.0, 1.0)])
    np.testing.assert_allclose(stretch, [2, 10, 10])
    np.testing.assert_allclose(reach, [2 * (2 + 5 * (4 + 1)), 10 * (4 + 1), 10], rtol=1e-6)


def test_a_body_is_as_large_as_its_joints_or_else_its_skin():
    skeleton = random_skeleton(RNG, 1)
    mesh = random_cloud(RNG, skeleton)
    assert BodyPoints.of(skeleton, ()).size == 0
    points = skin_linear(mesh, skin_palette(skeleton, skeleton.rest_pose))[0]
    assert BodyPoints.of(skeleton, [mesh]).size >= np.ptp(points, axis=0).max()
    clip = random_clip(RNG, skeleton)
    assert build_tables(skeleton, [clip], [mesh]).error(0).position > 0
