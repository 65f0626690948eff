"""The nearest pose of a sheet: what scipy finds among all, whatever the number of poses and points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from ecs_anim.kernels.nearest_poses import nearest_poses


def find(palettes, rows, entries, places, poses):
    """poses [pose, point, 3], about their middle."""
    flat = poses.reshape(len(poses), -1)
    sheet = np.ascontiguousarray(np.pad(flat, ((0, -len(flat) % 8), (0, 0)), "edge").T)
    found = np.full(len(rows), -7, np.int32), np.empty(len(rows), np.float32), np.empty((len(rows), 3), np.float32)
    nearest_poses(palettes.reshape(len(palettes), -1, 12), rows, entries, places, sheet, *found)
    return found


@given(st.integers(1, 40), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_it_is_what_scipy_finds(pose_count, point_count, seed):
    rng = np.random.default_rng(seed)
    palettes = rng.normal(size=(30, 5, 3, 4)).astype(np.float32)
    rows, entries = rng.permutation(30)[:17], rng.integers(0, 5, point_count)
    places = np.append(rng.normal(size=(point_count, 3)), np.ones((point_count, 1)), axis=1).astype(np.float32)
    poses = rng.normal(size=(pose_count, point_count, 3)).astype(np.float32)
    found, apart, middles = find(palettes, rows, entries, places, poses)

    points = np.einsum("nkij,kj->nki", palettes[rows][:, entries].astype(float), places.astype(float))
    np.testing.assert_allclose(middles, points.mean(axis=1), atol=1e-5)
    own = points - points.mean(axis=1, keepdims=True)
    away = cdist(own.reshape(17, -1), poses.reshape(pose_count, -1).astype(float)) / np.sqrt(point_count)
    np.testing.assert_allclose(apart, away.min(axis=1), atol=1e-4)
    np.testing.assert_allclose(away[np.arange(17), found], away.min(axis=1), atol=1e-4)


@pytest.mark.parametrize("count", [3, 8, 11])
def test_of_poses_as_near_it_is_the_first(count):
    palettes = np.zeros((1, 1, 3, 4), np.float32)
    places = np.ones((2, 4), np.float32)
    found, apart, _ = find(palettes, np.array([0]), np.array([0, 0]), places, np.ones((count, 2, 3), np.float32))
    assert (found.tolist(), apart.tolist()) == ([0], [pytest.approx(np.sqrt(3))])
