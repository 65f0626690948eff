"""Who stands nearest: the grid of cells finds what comparing all with all finds."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from ecs_anim.kernels.nearest import nearest_rows


def find(places, others, same):
    rows = np.full(len(places), -7, np.int32)
    nearest_rows(places, others, same, rows)
    return rows


def ground_distance(a, b):
    return np.linalg.norm((a - b)[..., [0, 2]].astype(np.float64), axis=-1)


@pytest.mark.parametrize("count", [2, 3, 10, 333])
@pytest.mark.parametrize("shape", ["even", "clustered", "in a line", "far out"])
def test_nobody_stands_nearer(count, shape):
    rng = np.random.default_rng(count)
    others = rng.uniform(-5, 5, (count, 3)).astype(np.float32)
    places = rng.uniform(-9, 9, (200, 3)).astype(np.float32)
    if shape == "clustered":
        others[: count // 2] *= 1e-3
    elif shape == "in a line":
        others[:, 2] = 3
    elif shape == "far out":
        others[0] = 1e5
    expected, _ = cKDTree(others[:, [0, 2]].astype(np.float64)).query(places[:, [0, 2]].astype(np.float64))
    np.testing.assert_allclose(ground_distance(places, others[find(places, others, False)]), expected, rtol=1e-6)


@pytest.mark.parametrize("count", [2, 50, 400])
def test_nobody_is_nearest_to_himself(count):
    others = np.random.default_rng(count).normal(size=(count, 3)).astype(np.float32)
    found = find(others, others, True)
    assert (found != np.arange(count)).all()
    expected = cKDTree(others[:, [0, 2]].astype(np.float64)).query(others[:, [0, 2]].astype(np.float64), 2)[0][:, 1]
    np.testing.assert_allclose(ground_distance(others, others[found]), expected, rtol=1e-6)


def test_actors_in_one_place_see_each_other_and_the_first_wins():
    others = np.ones((5, 3), np.float32)
    assert find(others, others, True).tolist() == [1, 0, 0, 0, 0]
    assert find(others[:2], others, False).tolist() == [0, 0]


def test_who_is_alone_sees_himself():
    alone = np.zeros((1, 3), np.float32)
    assert find(alone, alone, True).tolist() == [0]
