"""Small matrices without BLAS and LAPACK, held against both."""

import numpy as np
import pytest
from hypothesis import given
from scipy.linalg import polar

from ecs_anim.maths import small_matrices
from tests.helpers import vectors

RNG = np.random.default_rng(5)
MANY = RNG.normal(size=(500, 3, 3)) * 10.0 ** RNG.uniform(-4, 4, (500, 1, 1))
FLAT = [
    np.zeros((3, 3)),
    np.diag([1.0, 2.0, 0.0]),
    np.diag([0.0, 0.0, -3.0]),
    np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0]),
    np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 2.0]) + np.outer([0.0, 1.0, 1.0], [3.0, 1.0, 2.0]),
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(dtype):
    a, b = RNG.normal(size=(7, 1, 3, 4)).astype(dtype), RNG.normal(size=(5, 4, 2)).astype(dtype)
    found = small_matrices.product(a, b)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, a @ b, atol=16 * np.finfo(dtype).eps)


def test_applied_to_vectors():
    m, v = RNG.normal(size=(6, 3, 3)), RNG.normal(size=(4, 1, 3))
    np.testing.assert_allclose(small_matrices.applied(m, v), (m @ v[..., None])[..., 0], atol=1e-14)


def test_units_and_what_is_at_right_angles_to_them():
    v = np.concatenate([RNG.normal(size=(50, 3)), np.eye(3), np.zeros((1, 3))])
    sizes = np.linalg.norm(v, axis=-1)
    np.testing.assert_allclose(small_matrices.unit(v) * sizes[:, None], v, atol=1e-15)
    across = small_matrices.perpendicular(v)
    np.testing.assert_allclose(np.linalg.norm(across, axis=-1), sizes > 0, atol=1e-15)
    np.testing.assert_allclose(np.sum(across * v, axis=-1), 0, atol=1e-14)


def test_determinants():
    np.testing.assert_allclose(small_matrices.determinant(MANY), np.linalg.det(MANY), rtol=1e-9)


def test_inverses():
    scale = np.linalg.norm(MANY, axis=(-2, -1), keepdims=True) * np.linalg.norm(
        np.linalg.inv(MANY), axis=(-2, -1), keepdims=True
    )
    identity = small_matrices.inverse(MANY) @ MANY
    assert np.all(np.abs(identity - np.eye(3)) <= 1e-14 * scale)


def test_a_singular_matrix_has_no_inverse():
    with pytest.raises(np.linalg.LinAlgError):
        small_matrices.inverse(np.diag([1.0, 0.0, 2.0]))


def test_inverses_keep_their_type():
    assert small_matrices.inverse(np.eye(3, dtype=np.float32)).dtype == np.float32
    assert small_matrices.inverse(2 * np.eye(3, dtype=int)).tolist() == (np.eye(3) / 2).tolist()


@pytest.mark.exhaustive
def test_pseudo_inverses():
    for m in [*MANY[:100], *FLAT]:
        expected = np.linalg.pinv(m)
        condition = np.linalg.norm(m) * np.linalg.norm(expected)
        np.testing.assert_allclose(
            small_matrices.pseudo_inverse(m),
            expected,
            rtol=0,
            atol=1e-14 * max(condition, 1) * max(np.abs(expected).max(), 1),
        )


@pytest.mark.exhaustive
def test_orthonormal_factors_are_scipys():
    for m in MANY[:100]:
        np.testing.assert_allclose(small_matrices.orthonormal(m), polar(m)[0], atol=1e-11)


@pytest.mark.parametrize("m", FLAT)
def test_orthonormal_factors_of_flat_matrices(m):
    basis = small_matrices.orthonormal(m)
    np.testing.assert_allclose(basis @ basis.T, np.eye(3), atol=1e-14)
    stretch = basis.T @ m
    np.testing.assert_allclose(stretch, stretch.T, atol=1e-13)
    assert np.linalg.eigvalsh(stretch).min() > -1e-13  # what is left of the rotation is a stretch


@given(vectors(10.0, (3, 3)))
def test_axes_come_to_right_angles(m):
    axes, turn = small_matrices.right_angled(m)
    np.testing.assert_allclose(axes, m @ turn, atol=1e-12)
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-13)
    inner = axes.T @ axes
    assert np.all(np.abs(inner - np.diag(np.diag(inner))) <= 1e-13 * max(np.abs(inner).max(), 1e-200))


@pytest.mark.exhaustive
@pytest.mark.parametrize("power", [-900, -600, -300, 300, 600, 900])
def test_neither_small_nor_large_matrices_change_what_is_found(power):
    for m in [*MANY[:20], *FLAT]:
        scaled = np.ldexp(m, power)
        axes, turn = small_matrices.right_angled(scaled)
        np.testing.assert_array_equal(np.ldexp(axes, -power), small_matrices.right_angled(m)[0])
        np.testing.assert_array_equal(turn, small_matrices.right_angled(m)[1])
        np.testing.assert_array_equal(small_matrices.orthonormal(scaled), small_matrices.orthonormal(m))
        inverses = np.ldexp(small_matrices.pseudo_inverse(scaled), power)
        np.testing.assert_array_equal(inverses, small_matrices.pseudo_inverse(m))
