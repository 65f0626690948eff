"""Fewer joints a vertex, against a plain loop."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.influences import limit_influences
from tests.gl_support import capsule


def some_mesh(rng: np.random.Generator):
    mesh = capsule()
    weights = rng.dirichlet([0.7] * 4, mesh.vertex_count).astype(np.float32)
    weights[:5] = [0, 0.25, 0.75, 0]
    return dataclasses.replace(
        mesh, palette_indices=rng.integers(0, 9, weights.shape).astype(np.uint16), weights=weights
    )


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_heaviest_stay_and_sum_to_one(count):
    mesh = some_mesh(np.random.default_rng(count))
    limited = limit_influences(mesh, count)
    assert (limited.palette_indices.dtype, limited.weights.dtype) == (np.uint16, np.float32)
    for vertex in range(mesh.vertex_count):
        pairs = zip(mesh.weights[vertex].tolist(), mesh.palette_indices[vertex].tolist(), strict=True)
        kept = sorted(pairs, key=lambda pair: -pair[0])[:count]
        whole = sum(weight for weight, _ in kept)
        expected = [weight / whole for weight, _ in kept] + [0.0] * (4 - count)
        np.testing.assert_allclose(limited.weights[vertex], expected, atol=1e-6)
        used = limited.weights[vertex] > 0
        assert limited.palette_indices[vertex][used].tolist() == [entry for weight, entry in kept if weight > 0]
        assert not limited.palette_indices[vertex, count:].any()


@pytest.mark.parametrize("count", [0, 5])
def test_other_counts_are_refused(count):
    with pytest.raises(ValueError, match="1 to 4"):
        limit_influences(capsule(), count)
