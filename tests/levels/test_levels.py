"""Levels of detail: balls that hold every vertex, errors that are what they say, joints that may go."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.gltf.load import load_rig
from ecs_anim.levels.bounds import animated_bounds
from ecs_anim.levels.error import Comparison, sample_palettes
from ecs_anim.levels.joints import Binding, drop_joints, used_entries
from ecs_anim.levels.levels import Levels, build_levels
from ecs_anim.levels.posed import PosedLevels
from ecs_anim.levels.surface import Surface, closest_shares, nearest_points, posed_points
from ecs_anim.mannequin import PATH
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Pose
from ecs_anim.rigs.accessories import with_accessories
from ecs_anim.scenes.rigs import load_model
from tests.helpers import characters

MILLIMETRE = 1e-3


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig(PATH)


@pytest.fixture(scope="module")
def bake(rig: Rig) -> Bake:
    return bake_rig(rig, BakeOptions(rate=15))


@pytest.fixture(scope="module")
def levels(rig: Rig, bake: Bake) -> Levels:
    return build_levels(rig, bake)


def vertices(rig: Rig, palettes: np.ndarray) -> np.ndarray:
    """Of the finest meshes [pose, vertex, 3]."""
    return np.concatenate([skin_linear(mesh, palettes)[0] for mesh in rig.level(0)], axis=1)


def outside(points: np.ndarray, ball: np.ndarray) -> float:
    """How far the farthest point is outside a ball."""
    return float(np.linalg.norm(points - ball[:3], axis=-1).max() - ball[3])


def check_bounds(rig: Rig, bake: Bake, bounds: np.ndarray) -> None:
    """At moments that are no rows, exactly sampled; and not much larger than need be."""
    rng = np.random.default_rng(0)
    for number, clip in enumerate(rig.clips.values()):
        times = rng.uniform(clip.start, clip.end, 20)
        points = vertices(rig, skin_palette(rig.skeleton, clip.sample(times, loop=False)))
        assert outside(points, bounds[number]) <= 0
        assert outside(points, bounds[-1]) <= 0
        tight = np.linalg.norm(points - (points.min((0, 1)) + points.max((0, 1))) / 2, axis=-1).max()
        assert bounds[number, 3] < 1.5 * tight


@pytest.mark.exhaustive
def test_every_vertex_is_in_its_clips_ball(rig, bake):
    check_bounds(rig, bake, animated_bounds(bake, rig.level(0)))


@pytest.mark.parametrize("name", characters("Woman.gltf", "Fox.glb", "cesium_man.gltf"))
def test_every_vertex_of_characters_is_in_its_clips_ball(name):
    rig = load_rig(name)
    bake = bake_rig(rig, BakeOptions(rate=15))
    check_bounds(rig, bake, animated_bounds(bake, rig.level(0)))


@pytest.mark.exhaustive
@pytest.mark.parametrize("space", ["local", "model"])
def test_few_rows_a_second_are_held_between_them_too(rig, space):
    bake = bake_rig(rig, BakeOptions(rate=3, space=space))
    bounds = animated_bounds(bake, rig.level(0))
    for number, clip in enumerate(bake.clips):
        times = clip.span.start + np.linspace(0, clip.span.duration, 16)
        assert outside(vertices(rig, bake.palette(number, times, loop=False)), bounds[number]) <= 0


@settings(max_examples=15)
@given(st.integers(0, 10_000))
def test_any_mix_and_any_turn_is_in_the_last_ball(rig, bake, levels, seed):
    """Cross-fades in local space, then joints below the hips turned at random."""
    rng = np.random.default_rng(seed)
    first, second = rng.choice(list(rig.clips.values()), 2)
    poses = [clip.sample(rng.uniform(clip.start, clip.end, 6), loop=False) for clip in (first, second)]
    share = rng.uniform(0, 1, (6, 1, 1))
    sign = np.where(np.sum(poses[0].rotation * poses[1].rotation, axis=-1, keepdims=True) < 0, -1, 1)
    rotation = quaternion.normalize(poses[0].rotation * (1 - share) + sign * poses[1].rotation * share)
    rotation[3:, 1:] = quaternion.normalize(rng.normal(size=rotation[3:, 1:].shape))
    translation = poses[0].translation * (1 - share) + poses[1].translation * share
    pose = Pose(translation, rotation, poses[0].scale)
    assert outside(vertices(rig, skin_palette(rig.skeleton, pose)), levels.bounds[-1]) <= 0


@pytest.mark.exhaustive
def test_model_space_bakes_have_the_same_balls(rig, levels):
    other = animated_bounds(bake_rig(rig, BakeOptions(rate=15, space="model")), rig.level(0))
    np.testing.assert_allclose(other[:-1], levels.bounds[:-1], atol=10 * MILLIMETRE)


@pytest.mark.exhaustive
def test_errors_grow_and_are_those_of_other_moments_too(rig, bake, levels):
    """Against the nearest vertices or places of each pose by itself, at moments that were not sampled."""
    assert levels.errors[0] == 0
    assert (np.diff(levels.errors) > 0).all()
    assert levels.errors[-1] < 0.08
    palettes = sample_palettes(bake, 7)
    finest = vertices(rig, palettes)
    for level in range(1, levels.count):
        away = []
        for pose, points in enumerate(finest):
            surface = Surface.of(levels.meshes[level])
            posed = posed_points(levels.meshes[level], palettes[pose : pose + 1])[0]
            corners = posed[surface.triangles]
            some = points[::11]
            places = closest_shares(some[:, None], corners[None])[..., None] * corners[None]
            away.append(np.linalg.norm(places.sum(axis=-2) - some[:, None], axis=-1).min(axis=1))
        exact = np.quantile(away, 0.95)
        assert 0.75 * exact < levels.errors[level] < 1.7 * exact


def test_entries_are_nested_and_all_that_vertices_name(levels):
    for finer, coarser in zip(levels.entries, levels.entries[1:], strict=False):
        assert set(coarser) <= set(finer)
    assert len(levels.entries[-1]) < len(levels.entries[0])
    for meshes, entries in zip(levels.meshes, levels.entries, strict=True):
        assert set(used_entries(meshes)) <= set(entries)


def test_the_finest_level_looks_as_the_file_says(rig, bake, levels):
    palettes = sample_palettes(bake, 5)
    for own, given_mesh in zip(levels.meshes[0], rig.level(0), strict=True):
        np.testing.assert_allclose(skin_linear(own, palettes)[0], skin_linear(given_mesh, palettes)[0], atol=1e-5)


def test_joints_that_are_let_go_move_nothing_by_more_than_allowed(rig, bake):
    palettes = sample_palettes(bake, 64)
    meshes = rig.level(2)
    counts = []
    for tolerance in (0.0, 0.02, 0.08, 10.0):
        binding = drop_joints(Binding.whole(rig.skeleton), meshes, palettes, tolerance)
        counts.append(len(np.unique(binding.target)))
        for mesh in meshes:
            moved = skin_linear(binding.bind(mesh), palettes)[0] - skin_linear(mesh, palettes)[0]
            assert np.linalg.norm(moved, axis=-1).max() <= tolerance + 1e-5
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2] > counts[3] == 1


def test_influences_without_weight_name_the_heaviest_entry(rig):
    binding = Binding.whole(rig.skeleton).without(5, 2)
    for mesh in rig.level(0):
        bound = binding.bind(mesh)
        nothing = bound.weights == 0
        heaviest = np.broadcast_to(bound.palette_indices[:, :1], nothing.shape)
        assert nothing.any()
        np.testing.assert_array_equal(bound.palette_indices[nothing], heaviest[nothing])
        assert (np.diff(bound.weights, axis=1) <= 0).all()
        np.testing.assert_allclose(bound.weights.sum(axis=1), mesh.weights.sum(axis=1), atol=1e-6)
        assert not (bound.palette_indices == 5).any()


@settings(max_examples=100)
@given(st.integers(0, 100_000))
def test_no_place_on_the_triangle_is_nearer(seed):
    rng = np.random.default_rng(seed)
    corners, point = rng.normal(size=(3, 3)), rng.normal(size=3) * 2
    if seed % 5 == 0:
        corners[2] = corners[0] + 0.5 * (corners[1] - corners[0])  # a line
    shares = closest_shares(point, corners)
    assert shares.sum() == pytest.approx(1)
    assert (shares >= -1e-12).all()
    others = rng.dirichlet(np.ones(3), 500)
    assert np.linalg.norm(shares @ corners - point) <= np.linalg.norm(others @ corners - point, axis=1).min() + 1e-9


def test_the_nearest_point_is_among_the_candidates(rig):
    """Eight candidates are approximate: for one point in a hundred, the nearest point can be more than 3 mm nearer."""
    surface = Surface.of(rig.level(2))
    points = Surface.of(rig.level(0)).positions[::3]
    nearest = nearest_points(points, surface, 8)
    found = np.linalg.norm(nearest.on(surface.positions) - points[:, None], axis=-1).min(axis=1)
    corners = surface.positions[surface.triangles]
    shares = closest_shares(points[:, None], corners[None])
    exact = np.linalg.norm(np.sum(shares[..., None] * corners, axis=-2) - points[:, None], axis=-1).min(axis=1)
    assert (found <= exact + 3 * MILLIMETRE).mean() > 0.98
    assert (np.abs(found - exact) < 1e-9).mean() > 0.95


def test_a_level_beside_itself_is_not_off(rig, bake):
    beside = Comparison(rig.level(1), rig.level(1), sample_palettes(bake, 4))
    assert beside.error(rig.level(1)) < 1e-6


def test_a_shifted_level_is_off_by_the_shift(rig, bake):
    palettes = np.tile(affine.IDENTITY, (1, rig.skeleton.palette_count, 1, 1))
    (mesh,) = rig.level(0)
    raised = replace(mesh, positions=mesh.positions + np.array([0, 3, 0], np.float32))
    assert Comparison((mesh,), (raised,), palettes).error((raised,)) == pytest.approx(3, rel=0.25)


def test_the_same_mesh_in_another_pose_is_off_by_what_lies_between(rig, bake):
    exact = sample_palettes(bake, 3)
    moved = exact + np.float32(3) * (np.arange(12) == 7).reshape(3, 4)  # 3 units up, wherever a vertex is bound
    meshes = rig.level(1)
    beside = Comparison(meshes, meshes, exact)
    for away in beside.distances(meshes, moved):
        assert away.max() < 3.001
        assert away.min() > 2.8  # where a triangle beside is nearer


def test_a_rig_without_meshes_is_refused(rig, bake):
    with pytest.raises(ValueError, match="must have at least one mesh"):
        build_levels(Rig("bare", rig.skeleton, (), rig.clips), bake)


def test_hidden_accessories_do_not_count_as_errors():
    """The bodies of people with accessories are the bodies without, so their levels have nearly the same errors."""
    plain = load_model("people")
    equipped = with_accessories(plain)
    np.testing.assert_allclose(PosedLevels.of(equipped).errors, PosedLevels.of(plain).errors, rtol=0.25)


def test_all_triangles_of_bodies_count_in_the_errors_of_people():
    """Parts of a body that few figures change, such as the nose, are not hidden accessories."""
    plain, body = load_model("people"), load_model("mannequin")
    for level in range(body.level_count):
        (mesh,) = body.level(level)
        assert len(Surface.shown(plain.level(level)).triangles) == mesh.triangle_count
