import numpy as np
import pytest

from ecs_anim.gl.model import triangle_order
from ecs_anim.gl.model.triangle_order import reuse_order


def grid(size: int) -> np.ndarray:
    """Triangles [count, 3] of a square of size x size quads."""
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(size), np.arange(size)))
    a = y * (size + 1) + x
    b, c, d = a + 1, a + size + 1, a + size + 2
    return np.concatenate([np.stack([a, b, d], -1), np.stack([a, d, c], -1)]).astype(np.uint32)


def shaded_count(indices: np.ndarray, cache_size: int) -> int:
    """Vertices shaded with a first-in first-out cache."""
    cache: list[int] = []
    count = 0
    for vertex in indices.tolist():
        if vertex not in cache:
            count += 1
            cache = [*cache[-cache_size + 1 :], vertex]
    return count


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_triangles_each_corner_in_its_place(seed):
    triangles = np.random.default_rng(seed).permutation(grid(6))
    ordered = reuse_order(triangles.ravel(), 49).reshape(-1, 3)
    assert ordered.dtype == np.uint32
    assert sorted(map(tuple, ordered.tolist())) == sorted(map(tuple, triangles.tolist()))


def test_vertices_are_shaded_about_once():
    triangles = np.random.default_rng(2).permutation(grid(20))
    vertex_count = 21 * 21
    assert shaded_count(triangles.ravel(), 32) > 2000
    assert shaded_count(reuse_order(triangles.ravel(), vertex_count), 32) < 1.5 * vertex_count


@pytest.mark.parametrize(
    "triangles", [np.zeros((0, 3)), [[0, 1, 2]], [[0, 1, 2], [5, 6, 7]], [[0, 0, 1], [3, 3, 3], [0, 1, 2]]]
)
def test_odd_meshes(triangles):
    indices = np.asarray(triangles, np.uint32).ravel()
    assert sorted(reuse_order(indices, 8).tolist()) == sorted(indices.tolist())


def test_huge_meshes_keep_their_order(monkeypatch):
    monkeypatch.setattr(triangle_order, "MAX_TRIANGLES", 10)
    indices = grid(6).ravel()
    assert reuse_order(indices, 49) is indices
