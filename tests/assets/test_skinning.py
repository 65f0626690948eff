"""Skinning on the CPU against the papers' formulas."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import blend_dual_quaternion, blend_linear, skin_dual_quaternion, skin_linear
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths import affine
from ecs_anim.maths.solids import volume
from ecs_anim.rigs.twist_rigs import bar_rig, forearm_rig
from tests.helpers import ASSETS, needs_assets, rotations, vectors
from tests.helpers.gl import capsule
from tests.helpers.skinning import ENTRIES, any_weights, bound_at, kavan, palettes, surface_normals, twisted
from tests.oracles.sections import section_area

RNG = np.random.default_rng(11)
SKELETON = bound_at(RNG.normal(size=(ENTRIES, 3)))
THREE = bound_at(np.array([[0.0, 0, 0], [0, 0.85, 0], [0, 1.7, 0]]))  # of the capsule


@pytest.mark.parametrize("influences", [1, 2, 3, 4])
@pytest.mark.parametrize("scale", [0.0, 0.4])
def test_dual_quaternion_skinning_is_the_papers(influences, scale):
    mesh = any_weights(RNG, influences)
    entries = dual_palette.from_matrices(palettes(RNG, 1, scale)[0], SKELETON)
    positions, normals = skin_dual_quaternion(mesh, entries)
    expected = kavan(mesh, entries)
    np.testing.assert_allclose(positions, expected, atol=3e-6 * np.abs(expected).max())
    linear = blend_dual_quaternion(mesh, entries)[..., :3]
    np.testing.assert_allclose(normals, surface_normals(mesh, linear), atol=1e-4)


@pytest.mark.parametrize(("skin", "rows"), [(skin_linear, 3), (skin_dual_quaternion, 4)])
def test_palettes_that_do_not_fit_are_told(skin, rows):
    for shape in ((1, 3, 2, 4), (1, 2, rows, 4)):
        with pytest.raises(ValueError, match="palette"):
            skin(capsule(), np.zeros(shape, np.float32))


def both(mesh, matrices):
    """Positions and normals by both methods."""
    entries = dual_palette.from_matrices(matrices, SKELETON if len(matrices) == ENTRIES else THREE)
    return skin_linear(mesh, matrices), skin_dual_quaternion(mesh, entries)


@pytest.mark.exhaustive
@settings(max_examples=30)
@given(rotations(), vectors(5.0))
def test_a_motion_that_all_joints_share_moves_all_vertices_rigidly(rotation, translation):
    """Whatever the joints do among themselves: skinning does not depend on where the character stands."""
    rng = np.random.default_rng(3)
    mesh, matrices = any_weights(rng), palettes(rng, 1)[0].astype(np.float64)
    motion = affine.compose(translation, rotation, np.ones(3))
    for (p, n), (moved_p, moved_n) in zip(
        both(mesh, matrices), both(mesh, affine.multiply(motion, matrices)), strict=True
    ):
        size = np.abs(moved_p).max()
        np.testing.assert_allclose(moved_p, affine.transform_points(motion, p), atol=1e-5 * size)
        np.testing.assert_allclose(moved_n, affine.transform_vectors(motion, n), atol=1e-4)


def test_joints_that_move_as_one_are_one_joint():
    mesh = any_weights(RNG)
    matrix = palettes(RNG, 1, 0.5)[0, 0]
    same = np.broadcast_to(matrix, (ENTRIES, 3, 4))
    together = bound_at(np.broadcast_to((0.3, -0.2, 0.9), (ENTRIES, 3)))
    expected = affine.transform_points(matrix, mesh.positions)
    expected_normals = surface_normals(mesh, np.broadcast_to(matrix[:, :3], (mesh.vertex_count, 3, 3)))
    entries = dual_palette.from_matrices(same, together)
    for positions, normals in (skin_linear(mesh, same), skin_dual_quaternion(mesh, entries)):
        np.testing.assert_allclose(positions, expected, atol=3e-6 * np.abs(expected).max())
        np.testing.assert_allclose(normals, expected_normals, atol=1e-5)


def test_a_quaternion_and_its_negative_are_one_rotation():
    mesh = any_weights(RNG)
    entries = dual_palette.from_matrices(palettes(RNG, 4), SKELETON)
    flipped = entries.copy()
    flipped[..., 0, :] *= np.where(RNG.random((4, ENTRIES, 1)) < 0.5, -1, 1)
    assert (flipped != entries).any()
    for found, expected in zip(skin_dual_quaternion(mesh, flipped), skin_dual_quaternion(mesh, entries), strict=True):
        np.testing.assert_allclose(found, expected, atol=2e-6 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_a_rig_under_a_scale_is_the_same_in_other_units(factor):
    mesh = any_weights(RNG)
    matrices = palettes(RNG, 2, 0.3)
    for before, after in zip(both(mesh, matrices[0]), both(mesh, np.float32(factor) * matrices[0]), strict=True):
        np.testing.assert_allclose(after[0], factor * before[0], atol=1e-5 * factor * np.abs(before[0]).max())
        np.testing.assert_allclose(after[1], before[1], atol=1e-4)


def test_normals_stay_at_right_angles_to_the_surface_under_any_scale_and_in_mirrors():
    mesh = capsule()
    matrix = np.diag([-1.0, 5.0, 0.2, 1.0])[:3].astype(np.float32)
    expected = surface_normals(mesh, np.broadcast_to(matrix[:, :3], (mesh.vertex_count, 3, 3)))
    for _, normals in both(mesh, np.broadcast_to(matrix, (3, 3, 4))):
        np.testing.assert_allclose(normals, expected, atol=1e-5)


def test_a_joint_scaled_to_nothing_draws_its_vertices_to_its_place():
    mesh = replace(capsule(), palette_indices=np.zeros_like(capsule().palette_indices))
    matrix = np.zeros((3, 3, 4), np.float32)
    matrix[..., 3] = (1, 2, 3)
    for positions, normals in both(mesh, matrix):
        np.testing.assert_allclose(positions, np.broadcast_to((1, 2, 3), positions.shape), atol=1e-6)
        assert np.isfinite(normals).all()


@pytest.mark.parametrize("make", [bar_rig, forearm_rig])
def test_the_rigs_that_twist_are_closed_and_weigh_one(make):
    (mesh,) = make().meshes
    np.testing.assert_allclose(mesh.weights.sum(axis=1), 1, atol=1e-6)
    assert (np.diff(mesh.weights, axis=1) <= 0).all(), "the heaviest first"
    edges = np.concatenate([mesh.indices.reshape(-1, 3)[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    _, place = np.unique(np.round(mesh.positions, 5), axis=0, return_inverse=True)
    ends = place.reshape(-1)[edges]
    ends = ends[ends[:, 0] != ends[:, 1]]  # at the poles
    assert {tuple(edge) for edge in ends.tolist()} == {tuple(edge[::-1]) for edge in ends.tolist()}
    faces = mesh.positions[mesh.indices.reshape(-1, 3)]
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    agree = np.einsum("fi,fi->f", normals, mesh.normals[mesh.indices.reshape(-1, 3)].mean(axis=1))
    assert (agree >= 0).all()
    assert volume(mesh.positions, mesh.indices) > 0


@pytest.mark.exhaustive
@settings(max_examples=25)
@given(st.floats(0, 175), st.floats(0.32, 0.68))
def test_a_twisted_bar_keeps_its_section_with_dual_quaternions(degrees, height):
    """Linear skinning leaves |w a + (1 - w)|^2 of it, for weight w of the joint that is turned by a."""
    rig = bar_rig()
    (mesh,) = rig.meshes
    matrices = twisted(degrees)
    entries = dual_palette.from_matrices(matrices, rig.skeleton)
    ring = mesh.positions[np.argmin(np.abs(mesh.positions[:, 1] - height)), 1]
    at_ring = np.isclose(mesh.positions[:, 1], ring)
    upper = float(np.sum((mesh.weights * mesh.palette_indices)[at_ring][0]))
    shrunk = abs(1 - upper + upper * np.exp(1j * np.radians(degrees))) ** 2
    area = 0.22**2
    for (positions, _), share in ((skin_linear(mesh, matrices), shrunk), (skin_dual_quaternion(mesh, entries), 1.0)):
        found = section_area(positions, mesh.indices, (0, ring, 0), (0, 1, 0)) / area
        assert found == pytest.approx(share, abs=2e-3)


def test_a_twist_of_dual_quaternions_is_the_screw_in_between():
    """For two joints and no scale the blend is near the motion's own power: exactly so half-way."""
    mesh = bar_rig().meshes[0]
    half = np.isclose(mesh.positions[:, 1], 0.5)
    matrices = twisted(120.0, (0.0, 0.6, 0.8))
    entries = dual_palette.from_matrices(matrices, bar_rig().skeleton)
    positions, _ = skin_dual_quaternion(mesh, entries)
    turn = Rotation.from_rotvec(np.radians(60.0) * np.array([0.0, 0.6, 0.8]))
    pivot = np.array([0.0, 0.5, 0.0])
    expected = turn.apply(mesh.positions[half] - pivot) + pivot
    assert half.sum() > 30
    np.testing.assert_allclose(positions[half], expected, atol=1e-6)


def test_a_scaled_joint_grows_about_its_own_place_while_it_turns():
    """Of a joint scaled by 2 and turned, vertices half its own are scaled by 1.5 about the joint and turned half."""
    mesh = bar_rig().meshes[0]
    half = np.isclose(mesh.positions[:, 1], 0.5)
    matrices = twisted(90.0)
    pivot = np.array([0.0, 0.5, 0.0])
    matrices[1, :, :3] *= 2
    matrices[1, :, 3] = pivot - matrices[1, :, :3] @ pivot
    entries = dual_palette.from_matrices(matrices, bar_rig().skeleton)
    positions, _ = skin_dual_quaternion(mesh, entries)
    turn = Rotation.from_rotvec([0.0, np.radians(45.0), 0.0])
    expected = 1.5 * turn.apply(mesh.positions[half] - pivot) + pivot
    np.testing.assert_allclose(positions[half], expected, atol=1e-6)


@needs_assets
def test_dq_gltf_twisted_by_180_degrees():
    """At the vertices next to the middle: at least 95 % of the section is left by dual quaternions, under 20 % else."""
    rig = load_rig(ASSETS / "dq.gltf")
    clip, (mesh,) = rig.clips["Twisting"], rig.meshes
    ring = np.unique(np.abs(mesh.positions[:, 0]))[0]
    assert ring < 0.2, "the bar is 10 long, along X"
    matrices = skin_palette(rig.skeleton, clip.sample(clip.start + np.array([0.0, 5.0])))
    turned = Rotation.from_matrix(matrices[1, :, :, :3])
    assert (turned[0].inv() * turned[1]).magnitude() == pytest.approx(np.pi, abs=1e-3)
    entries = dual_palette.from_matrices(matrices, rig.skeleton)
    shares = {}
    for name, (positions, _) in (
        ("linear", skin_linear(mesh, matrices)),
        ("dual", skin_dual_quaternion(mesh, entries)),
    ):
        for side in (-ring, ring):
            rest, twist = (section_area(p, mesh.indices, (side, 0, 0), (1, 0, 0)) for p in positions)
            assert rest == pytest.approx(4.0, rel=1e-4)
            shares[name, side] = twist / rest
    assert max(shares["linear", side] for side in (-ring, ring)) < 0.2
    assert min(shares["dual", side] for side in (-ring, ring)) > 0.95


def test_blending_is_of_matrices_where_there_is_one_influence():
    mesh = any_weights(RNG, 1)
    matrices = palettes(RNG, 1, 0.5)[0]
    entries = dual_palette.from_matrices(matrices, SKELETON)
    np.testing.assert_allclose(blend_dual_quaternion(mesh, entries), blend_linear(mesh, matrices), atol=1e-5)
