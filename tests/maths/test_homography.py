"""Homographies against the linear system that four pairs of points make."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecs_anim.maths import homography

SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)


def solved(corners: np.ndarray) -> np.ndarray:
    """The homography with 1 in its last place, from eight equations."""
    rows, values = [], []
    for (u, v), (x, y) in zip(SQUARE, corners, strict=True):
        rows += [[u, v, 1, 0, 0, 0, -u * x, -v * x], [0, 0, 0, u, v, 1, -u * y, -v * y]]
        values += [x, y]
    return np.append(np.linalg.solve(np.array(rows), np.array(values)), 1).reshape(3, 3)


@given(st.integers(0, 10**6))
def test_a_quadrilaterals_homography_is_the_solution_of_its_equations(seed):
    rng = np.random.default_rng(seed)
    corners = SQUARE * 10 + rng.uniform(-3, 3, (4, 2)) + rng.uniform(-50, 50, 2)
    matrix = homography.square_onto(corners)
    np.testing.assert_allclose(matrix, solved(corners), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(homography.applied(matrix, SQUARE), corners, rtol=1e-9, atol=1e-9)


def test_a_parallelogram_is_an_affine_map():
    matrix = homography.square_onto([[1, 2], [4, 3], [6, 9], [3, 8]])
    np.testing.assert_array_equal(matrix[2], [0, 0, 1])
    np.testing.assert_allclose(homography.applied(matrix, [[0.5, 0.5]]), [[3.5, 5.5]])


@pytest.mark.parametrize("flat", [[0, 1, 2], [1, 2, 3], [0, 2, 3], [0, 1, 3]])
def test_three_corners_in_line_are_no_quadrilateral(flat):
    corners = np.array([[0, 0], [4, 0], [5, 5], [0, 4]], float)
    corners[flat] = [[0, 0], [1, 1], [3, 3]]
    with pytest.raises(ValueError, match="three of the four corners are on one straight line"):
        homography.square_onto(corners)


def test_what_lies_on_the_horizon_has_no_image():
    matrix = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, -1]])
    assert not np.isfinite(homography.applied(matrix, [[2.0, 1.0]])).any()
