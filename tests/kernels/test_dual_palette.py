"""Dual quaternion palettes: the kernel against the readable form, and both against the matrices they stand for."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import polar

from ecs_anim.assets import dual_palette
from ecs_anim.assets.skeleton import Skeleton
from ecs_anim.kernels.dual_palette import new_room, write_entries
from ecs_anim.maths import affine, quaternion
from ecs_anim.systems.stages import Stage
from tests.helpers import random_rotations, random_skeleton, vectors
from tests.helpers.skinning import bound_at
from tests.helpers.stages import run_stages, writing

RNG = np.random.default_rng(8)
IDENTITY = np.eye(3, 4, dtype=np.float32)


def taken_apart(matrices: np.ndarray, skeleton: Skeleton) -> np.ndarray:
    """Entries [n, 4, 4] of skin matrices [n, 3, 4] by the kernel."""
    count = len(matrices)
    out = np.full((1, count, 4, 4), np.nan, np.float32)
    model = np.ascontiguousarray(matrices, np.float32).reshape(1, count, 12)
    joints, bind = np.arange(count, dtype=np.int32), np.tile(IDENTITY.reshape(12), (count, 1))
    skin = joints, bind, skeleton.bind_places, skeleton.base_entries
    run_stages(model, Stage(write_entries, (*skin, np.zeros(1, np.int32), out, new_room())))
    return out.reshape(count, 4, 4)


def rotations(count: int) -> np.ndarray:
    return quaternion.to_matrix(random_rotations(RNG, count).astype(np.float64))


def half_turns(count: int) -> np.ndarray:
    """By 180 degrees, about the axes and others: where the quaternion's w is zero."""
    axes = np.concatenate([np.eye(3), RNG.normal(size=(count - 3, 3))])
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    return 2 * axes[:, :, None] * axes[:, None, :] - np.eye(3)


LINEAR = {
    "rotations": rotations(64),
    "half turns": half_turns(64),
    "a hundredth": 0.01 * rotations(64),
    "uniform scales": RNG.uniform(0.01, 50, (64, 1, 1)) * rotations(64),
    "as files round": rotations(64) + RNG.normal(0, 1e-4, (64, 3, 3)),
    "scales along axes": rotations(64) * RNG.uniform(0.1, 4, (64, 1, 3)),
    "scale and shear": RNG.normal(size=(64, 3, 3)),
    "mirrors": rotations(64) * np.array([-1.0, 1.0, 1.0]),
    "tiny": 1e-12 * rotations(64),
    "next to nothing": 1e-43 * rotations(64),
    "huge": 1e15 * rotations(64),
    "nearly lines": np.ones((64, 3, 3)) * 1.00001 - 1e-5 * RNG.integers(0, 2, (64, 3, 3)),
    "flat": rotations(64) @ np.diag([1.5, 0.0, 0.7]) @ rotations(64),
    "lines": rotations(64) @ np.diag([0.0, 2.0, 0.0]) @ rotations(64),
    "nothing": np.zeros((64, 3, 3)),
}


@pytest.mark.parametrize("kind", LINEAR)
def test_entries_are_the_matrices_they_were_made_of(kind):
    linear = LINEAR[kind]
    matrices = affine.join(linear, RNG.normal(size=(64, 3))).astype(np.float32)
    skeleton = bound_at(RNG.normal(size=(64, 3)))
    size = max(1.0, np.abs(matrices).max())
    for entries in (taken_apart(matrices, skeleton), dual_palette.from_matrices(matrices, skeleton)):
        assert entries.dtype == np.float32
        back = dual_palette.to_matrices(entries.astype(np.float64))
        np.testing.assert_allclose(back, matrices, atol=4e-6 * size)
        np.testing.assert_allclose(np.linalg.norm(entries[:, 0], axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 37])
def test_kinds_mixed_in_any_number_come_out_as_they_do_alone(count):
    """Matrices of uneven scale are decomposed in another way."""
    kinds = [
        kind for kind in LINEAR if kind not in ("flat", "lines", "nearly lines", "nothing", "next to nothing", "huge")
    ]
    linear = np.stack([LINEAR[kinds[k % len(kinds)]][k] for k in range(count)])
    matrices = affine.join(linear, RNG.normal(size=(count, 3))).astype(np.float32)
    skeleton = bound_at(RNG.normal(size=(count, 3)))
    found, expected = taken_apart(matrices, skeleton), dual_palette.from_matrices(matrices, skeleton)
    sign = np.where(np.sum(found[:, 0] * expected[:, 0], axis=-1, keepdims=True) < 0, -1, 1)
    np.testing.assert_allclose(sign * found[:, 0], expected[:, 0], atol=1e-5)
    size = np.abs(matrices).max()
    np.testing.assert_allclose(found[:, 1:], expected[:, 1:], atol=1e-5 * size)


def test_actors_side_by_side_come_out_as_each_does_alone():
    """Matrices of uneven scale are decomposed one by one, in lanes beside others."""
    linear = np.concatenate([LINEAR[kind][:3] for kind in LINEAR])
    matrices = affine.join(linear, RNG.normal(size=(len(linear), 3))).astype(np.float32)
    skeleton = bound_at(np.zeros((len(linear), 3)))
    out, model = np.full((len(linear), 1, 4, 4), np.nan, np.float32), matrices.reshape(-1, 1, 12)
    zeros = np.zeros(1, np.int32)
    skin = zeros, IDENTITY.reshape(1, 12), np.zeros((1, 3), np.float32), zeros
    rows = np.arange(len(linear), dtype=np.int32)
    run_stages(model, Stage(write_entries, (*skin, rows, out, new_room())))
    np.testing.assert_array_equal(out.reshape(-1, 4, 4), taken_apart(matrices, skeleton))


@pytest.mark.parametrize(
    "kind", [kind for kind in LINEAR if kind not in ("lines", "nearly lines", "nothing", "next to nothing")]
)
def test_the_kernel_finds_scipys_polar_decomposition(kind):
    """A mirror's rotation and stretch are both negative of scipy's improper ones; of a flat map the stretch alone is
    unique up to that."""
    matrices = affine.join(LINEAR[kind], np.zeros((64, 3))).astype(np.float32)
    entries = taken_apart(matrices, bound_at(np.zeros((64, 3)))).astype(np.float64)
    rotation = dual_palette.rigid_matrices(entries)[..., :3]
    stretch = dual_palette.stretch_matrices(entries)[..., :3]
    size = np.abs(matrices).max(axis=(1, 2))
    for i in range(64):
        u, p = polar(matrices[i, :, :3].astype(np.float64))
        sign = np.sign(np.linalg.det(u))
        if kind == "flat":
            np.testing.assert_allclose(stretch[i] @ stretch[i], p @ p, atol=3e-6 * size[i] ** 2)
        else:
            np.testing.assert_allclose(rotation[i], sign * u, atol=1e-5 * max(1, np.linalg.cond(p)))
            np.testing.assert_allclose(stretch[i], sign * p, atol=4e-6 * size[i])


@pytest.mark.parametrize("kind", ["uniform scales", "scales along axes", "scale and shear", "mirrors"])
def test_stretches_scale_the_joints_place_as_the_whole_is_scaled(kind):
    """The whole is scaled as the outermost joint is, which is the last entry here."""
    matrices = affine.join(LINEAR[kind], RNG.normal(size=(64, 3))).astype(np.float32)
    places = RNG.normal(size=(64, 3))
    skeleton = bound_at(places)
    for entries in (taken_apart(matrices, skeleton), dual_palette.from_matrices(matrices, skeleton)):
        stretch = dual_palette.stretch_matrices(entries)
        whole = np.trace(stretch[-1, :, :3]) / 3
        moved = affine.transform_points(stretch, skeleton.bind_places)
        np.testing.assert_allclose(moved, whole * places, atol=2e-5 * np.abs(matrices).max())


@pytest.mark.exhaustive
@settings(max_examples=60)
@given(vectors(3.0, (2, 3, 3)), vectors(5.0, (2, 3)), vectors(5.0, (2, 3)), st.floats(1e-3, 1e3))
def test_any_matrices_come_back(linear, translation, places, factor):
    matrices = affine.join(factor * linear, translation).astype(np.float32)
    skeleton = bound_at(places)
    for entries in (taken_apart(matrices, skeleton), dual_palette.from_matrices(matrices, skeleton)):
        back = dual_palette.to_matrices(entries.astype(np.float64))
        scale = np.abs(matrices).max() * (1 + np.abs(places).sum(axis=-1).max())  # a place adds three products
        np.testing.assert_allclose(back, matrices, atol=5e-6 * max(scale, 1e-3))


@pytest.mark.parametrize("count", [1, 7, 8, 9, 70])
def test_the_stage_takes_apart_what_the_stage_of_palettes_makes(count):
    """Whichever rows they go to."""
    skeleton = random_skeleton(RNG, 9, palette_count=12)
    model, rows = (
        RNG.normal(size=(count, 9, 12)).astype(np.float32),
        RNG.permutation(count + 2)[:count].astype(np.int32),
    )
    joints, inverse_bind = skeleton.skin_joints, skeleton.inverse_bind.reshape(-1, 12)
    skin = joints, inverse_bind, skeleton.bind_places, skeleton.base_entries
    matrices = np.empty((count, 12, 12), np.float32)
    entries = np.full((count + 2, 12, 16), np.nan, np.float32)
    kept = run_stages(
        model,
        writing(joints, inverse_bind, matrices),
        Stage(write_entries, (*skin, rows, entries.reshape(-1, 12, 4, 4), new_room())),
    )
    np.testing.assert_array_equal(kept, model)
    assert np.isnan(np.delete(entries, rows, axis=0)).all()
    back = dual_palette.to_matrices(entries[rows].reshape(count, 12, 4, 4))
    # the centres of such random binds lie far out
    size = np.abs(skeleton.bind_places).max()
    np.testing.assert_allclose(back, matrices.reshape(count, 12, 3, 4), atol=1e-5 * size)


def test_bind_places_are_where_the_joints_are_bound():
    skeleton = random_skeleton(RNG, 6)
    places = affine.inverse(skeleton.inverse_bind.astype(np.float64))[..., 3]
    np.testing.assert_allclose(skeleton.bind_places, places, rtol=1e-4, atol=1e-4)


def test_base_entries_are_the_outermost_of_each_tree():
    parents = np.array([-1, 0, 1, 1, -1, 4], np.int32)
    one = bound_at(np.zeros((6, 3)))
    skeleton = replace(
        one, parents=parents, skin_joints=np.array([3, 5, 2, 1, 4], np.int32), inverse_bind=one.inverse_bind[:5]
    )
    np.testing.assert_array_equal(skeleton.base_entries, [3, 4, 3, 3, 4])


def test_a_pose_of_rigid_joints_has_no_stretch():
    matrices = affine.join(rotations(6), RNG.normal(size=(6, 3))).astype(np.float32)
    entries = dual_palette.from_matrices(matrices, bound_at(RNG.normal(size=(6, 3))))
    np.testing.assert_allclose(dual_palette.stretch_matrices(entries), np.broadcast_to(IDENTITY, (6, 3, 4)), atol=1e-5)
