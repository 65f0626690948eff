"""Transforms and affine matrices against plain 4 x 4 arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.transform import Transform
from tests.helpers import rotations, to_4x4, vectors

scales = st.floats(0.01, 100)


def transforms(scale=scales):
    return st.builds(lambda t, r, s: Transform(t, r, np.full(3, s)), vectors(), rotations(), scale)


def four(m):
    return np.vstack([m, [0, 0, 0, 1]])


@pytest.mark.exhaustive
@given(transforms(), transforms())
def test_combine_is_the_matrix_product(a, b):
    expected = four(a.to_matrix()) @ four(b.to_matrix())
    np.testing.assert_allclose(to_4x4(a.combine(b).to_matrix()), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(to_4x4(affine.multiply(a.to_matrix(), b.to_matrix())), expected, atol=1e-6)


@given(transforms())
def test_inverse_undoes(a):
    both = a.combine(a.inverse())
    np.testing.assert_allclose(both.to_matrix(), np.eye(3, 4), atol=1e-9)
    np.testing.assert_allclose(affine.multiply(a.to_matrix(), affine.inverse(a.to_matrix())), np.eye(3, 4), atol=1e-7)


def test_zero_scale_inverts_to_zero():
    flat = Transform(np.ones(3), np.array([0.0, 0, 0, 1]), np.array([2.0, 0, 4]))
    inverse = flat.inverse()
    np.testing.assert_array_equal(inverse.scale, [0.5, 0, 0.25])
    assert np.isfinite(inverse.to_matrix()).all()


@pytest.mark.exhaustive
@given(vectors(), rotations(), vectors(10.0).filter(lambda s: np.abs(s).min() > 0.05))
def test_a_matrix_comes_apart_and_together(translation, rotation, scale):
    matrix = affine.compose(translation, rotation, scale)
    np.testing.assert_allclose(
        Transform.from_matrix(matrix).to_matrix(), matrix, atol=1e-9 * np.abs(matrix).max() + 1e-9
    )


@given(rotations(), st.floats(0.1, 10), st.integers(0, 2))
def test_a_mirror_stays_in_the_sign_of_the_scale(rotation, size, axis):
    scale = np.full(3, size)
    scale[axis] *= -1
    apart = Transform.from_matrix(affine.compose(np.zeros(3), rotation, scale))
    assert np.prod(np.sign(apart.scale)) == -1
    assert np.linalg.det(quaternion.to_matrix(apart.rotation)) > 0


def test_shear_is_dropped_and_the_scale_is_the_diagonal():
    shear = np.array([[2.0, 0.5, 0, 7], [0.5, 3, 0, 8], [0, 0, 4, 9]])
    apart = Transform.from_matrix(shear)
    expected = np.diag(quaternion.to_matrix(apart.rotation).T @ shear[:, :3])
    np.testing.assert_allclose(apart.scale, expected)
    np.testing.assert_array_equal(apart.translation, [7, 8, 9])


def test_a_vanishing_axis_still_gives_a_rotation():
    apart = Transform.from_matrix(affine.compose(np.zeros(3), [0, 0, 0, 1], [1.0, 0.0, 2.0]))
    np.testing.assert_allclose(apart.scale, [1, 0, 2], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(apart.rotation), 1)


@pytest.mark.exhaustive
@given(transforms(), vectors())
def test_points_and_vectors(a, p):
    matrix = a.to_matrix()
    np.testing.assert_allclose(a.point(p), matrix @ [*p, 1], atol=1e-7)
    np.testing.assert_allclose(a.vector(p), matrix[:, :3] @ p, atol=1e-7)
    np.testing.assert_allclose(affine.transform_points(matrix, p), a.point(p), atol=1e-7)


@given(transforms(), transforms())
def test_mix_begins_and_ends_at_its_ends(a, b):
    np.testing.assert_allclose(a.mix(b, 0.0).to_matrix(), a.to_matrix(), atol=1e-9)
    np.testing.assert_allclose(a.mix(b, 1.0).to_matrix(), b.to_matrix(), atol=1e-7)


def test_leading_axes_broadcast():
    poses = Transform.identity(5, 7)
    assert poses.to_matrix().shape == (5, 7, 3, 4)
    assert poses[2].combine(poses[3]).translation.shape == (7, 3)
    assert affine.multiply(poses.to_matrix(), np.eye(3, 4)).shape == (5, 7, 3, 4)
