"""Fewer joints a vertex, against a plain loop."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets.influences import joined_influences, limit_influences
from ecs_anim.assets.skinning import LAYOUTS, METHODS, skin_dual_quaternion, skin_linear
from ecs_anim.gl.model.crowd import CrowdDraw
from tests.helpers.gl import capsule, context_fixture, instances_at, renderer_fixture  # noqa: F401
from tests.helpers.readback import gpu_vertices
from tests.helpers.skinning import ENTRIES, bound_at, palettes


def some_mesh(rng: np.random.Generator, influences: int = 4):
    mesh = capsule()
    weights = rng.dirichlet([0.7] * influences, mesh.vertex_count).astype(np.float32)
    weights[:5, :4], weights[:5, 4:] = [0, 0.25, 0.75, 0], 0
    return dataclasses.replace(
        mesh, palette_indices=rng.integers(0, ENTRIES, weights.shape).astype(np.uint16), weights=weights
    )


@pytest.mark.parametrize("influences", [4, 12])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_heaviest_stay_and_sum_to_one(count, influences):
    mesh = some_mesh(np.random.default_rng(count), influences)
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


def test_meshes_side_by_side_are_as_wide_as_the_widest():
    rng = np.random.default_rng(3)
    meshes = [some_mesh(rng), some_mesh(rng, 8)]
    entries, weights = joined_influences(meshes)
    assert (entries.dtype, entries.shape[1]) == (np.uint16, 8)
    first = meshes[0].vertex_count
    for mesh, own in zip(meshes, (slice(None, first), slice(first, None)), strict=True):
        width = mesh.weights.shape[1]
        np.testing.assert_array_equal(weights[own, :width], mesh.weights)
        np.testing.assert_array_equal(entries[own, :width], mesh.palette_indices)
        assert not weights[own, width:].any()


def test_a_mesh_has_whole_sets_of_influences():
    with pytest.raises(ValueError, match="4, 8, 12 or 16 influences .got 6"):
        some_mesh(np.random.default_rng(0), 6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("influences", [8, 12, 16])
def test_shaders_blend_all_influences(renderer, influences, method):
    rng = np.random.default_rng(influences)
    mesh, matrices = some_mesh(rng, influences), palettes(rng, 3)
    palette = LAYOUTS[method].from_matrices(matrices, bound_at(rng.normal(size=(ENTRIES, 3)))).astype(np.float32)
    expected, normals = {"linear": skin_linear, "dual_quaternion": skin_dual_quaternion}[method](mesh, palette)
    crowd = CrowdDraw(renderer.upload((mesh,)), instances_at(np.zeros((3, 3))), palette, skinning=method)
    found, turned = gpu_vertices(renderer, crowd, 0)
    np.testing.assert_allclose(found, expected, atol=2e-5)
    np.testing.assert_allclose(turned, normals, atol=1e-3)
