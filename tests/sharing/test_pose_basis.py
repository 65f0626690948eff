"""A basis of poses: an error of a coefficient moves joints equally far in all poses, also far from the mean pose."""

import numpy as np

from ecs_anim.sharing.pose_basis import PoseBasis, model_points

PARENTS = [-1, 0, 1, 2]  # hips, upper leg, lower leg, foot
LENGTH = 0.45  # [m] of a bone


def _legs(count: int) -> np.ndarray:
    """Return poses of legs: straight and kicking, or lifted with bent knees."""
    random = np.random.default_rng(2)
    rows = np.zeros((count, len(PARENTS), 10))
    rows[:, 0, 1] = 0.9 + 0.05 * random.normal(size=count)
    rows[:, 1:, 1] = -LENGTH
    rows[..., 7:] = 1
    bent = random.uniform(size=count) < 0.9
    for joint, (low, high) in enumerate([(-0.1, 0.1), (0.8, 1.2), (-1.9, -1.3), (-0.5, 0.5)]):
        angle = np.where(bent | (joint == 0), random.uniform(low, high, count), random.uniform(-0.1, 0.1, count))
        rows[:, joint, 3], rows[:, joint, 6] = np.sin(angle / 2), np.cos(angle / 2)
    return rows.reshape(count, 10 * len(PARENTS)).astype(np.float32)


def test_errors_of_coefficients_are_movements_of_joints():
    rows = _legs(2000)
    basis = PoseBasis.fit(rows, PARENTS, np.ones(len(PARENTS)), 1e-6)
    exact = model_points(rows, PARENTS)
    coefficients = basis.coefficients(rows)
    np.testing.assert_allclose(model_points(basis.poses(coefficients), PARENTS), exact, atol=1e-5)
    errors = np.random.default_rng(3).normal(0, 1e-3, coefficients.shape)
    moved = model_points(basis.poses(coefficients + errors), PARENTS) - exact
    squares = np.sum(moved**2, axis=(1, 2)) / (basis.count * 1e-6)
    assert 0.5 < squares.mean() < 1.5
    is_straight = np.abs(rows.reshape(-1, 4, 10)[:, 2, 3]) < 0.2
    assert squares[is_straight].mean() < 4
