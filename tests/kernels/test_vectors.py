"""Small vectors in kernels against numpy, rotations against scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from ecs_anim.kernels import vectors as module
from tests.helpers import called_in, rotations, vectors

kernels = called_in(module)

few = settings(max_examples=40)
away_from_zero = vectors(5.0).filter(lambda v: np.linalg.norm(v) > 1e-2)
angles = st.floats(-3.1, 3.1)


def row(values):
    """Numbers as kernels take them."""
    return tuple(np.float32(value) for value in np.asarray(values).ravel())


def assert_close(found, expected, atol=1e-5):
    np.testing.assert_allclose(found, np.ravel(expected), rtol=1e-5, atol=atol)


def matrix(q):
    return Rotation.from_quat(q).as_matrix()


@pytest.mark.exhaustive
@few
@given(vectors(100.0), vectors(100.0), st.floats(-10, 10))
def test_sums_and_products(a, b, share):
    x, y, factor = row(a), row(b), np.float32(share)
    assert_close(kernels.add(x, y), a + b)
    assert_close(kernels.subtract(x, y), a - b)
    assert_close(kernels.scaled(x, factor), share * a)
    assert_close(kernels.along(x, y, factor), a + share * b, atol=1e-3)
    assert_close(kernels.dot(x, y), a @ b, atol=2e-2)
    assert_close(kernels.cross(x, y), np.cross(a, b), atol=2e-2)


@pytest.mark.exhaustive
@few
@given(away_from_zero, vectors(5.0))
def test_directions(a, b):
    direction = kernels.unit(row(a))
    assert_close(direction, a / np.linalg.norm(a))
    level = kernels.across(row(b), direction)
    assert_close(level, b - (b @ a) * a / (a @ a), atol=1e-4)


def test_a_vector_without_length_stays_so():
    assert kernels.unit(row([0, 0, 0])) == (0, 0, 0)


@pytest.mark.exhaustive
@few
@given(rotations(), rotations(), vectors(5.0))
def test_rotations_turn_vectors(q, r, v):
    m, n = matrix(q), matrix(r)
    assert_close(kernels.quaternion_rotation(*row(q)), m)
    assert_close(kernels.turned(row(m), row(v)), m @ v, atol=1e-4)
    assert_close(kernels.turned_back(row(m), row(v)), m.T @ v, atol=1e-4)
    assert_close(kernels.after(row(m), row(n)), m @ n)


@few
@given(away_from_zero, angles)
def test_rotations_about_an_axis(axis, angle):
    axis = axis / np.linalg.norm(axis)
    found = kernels.about(row(axis), np.float32(np.sin(angle)), np.float32(np.cos(angle)))
    assert_close(found, Rotation.from_rotvec(angle * axis).as_matrix())


@pytest.mark.exhaustive
@few
@given(rotations(), rotations())
def test_rotations_between_frames(q, r):
    m, n = matrix(q), matrix(r)
    found = kernels.between_frames(row(m[:, 0]), row(m[:, 1]), row(n[:, 0]), row(n[:, 1]))
    assert_close(found, n @ m.T)


def random_matrices(seed=0, count=7):
    """Any affine matrices, sheared and mirrored [count, 3, 4]."""
    return np.random.default_rng(seed).normal(size=(count, 3, 4))


def test_places_of_joints():
    matrices = random_matrices()
    model = matrices.reshape(-1, 12).astype(np.float32)
    for joint in range(len(model)):
        assert_close(kernels.origin_of(model, joint), matrices[joint, :, 3])


@pytest.mark.exhaustive
def test_products_of_matrices_may_replace_a_factor():
    matrices = random_matrices(count=3)
    model = matrices.reshape(-1, 12).astype(np.float32)
    kernels.multiply_affine(model, 0, model, 2, model, 2)
    product = matrices[0, :, :3] @ matrices[2] + np.pad(matrices[0, :, 3:], ((0, 0), (3, 0)))
    assert_close(model[2], product)
    assert_close(model[:2].ravel(), matrices[:2])
