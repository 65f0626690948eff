"""The vertex shader's numbers against plain numpy linear blend skinning."""

import dataclasses

import numpy as np
import pytest

from ecs_anim import quaternion
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.model import MeshVariant
from ecs_anim.gl.renderer import Renderer
from ecs_anim.mesh import Mesh
from tests.gl_support import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    random_instances,
    random_palettes,
    renderer_fixture,
)


def skin(mesh: Mesh, instances: np.ndarray, palettes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and normals [actor_count, vertex_count, 3], in float64."""
    palettes = palettes.astype(np.float64)[:, mesh.palette_indices]  # [actor, vertex, influence, 3, 4]
    blended = np.einsum("vi,avirc->avrc", mesh.weights.astype(np.float64), palettes)
    points = np.einsum("avrc,vc->avr", blended[..., :3], mesh.positions) + blended[..., 3]
    normals = np.einsum("avcr,vc->avr", np.linalg.inv(blended[..., :3]), mesh.normals)
    rotation = instances[:, None, 4:8].astype(np.float64)
    scale = instances[:, None, 3:4].astype(np.float64)
    points = instances[:, None, :3] + scale * quaternion.rotate(rotation, points)
    normals = quaternion.rotate(rotation, normals)
    return points, normals / np.linalg.norm(normals, axis=-1, keepdims=True)


def with_random_weights(mesh: Mesh, rng: np.random.Generator, palette_count: int, influence_count: int) -> Mesh:
    weights = np.zeros((mesh.vertex_count, 4))
    weights[:, :influence_count] = rng.uniform(0.05, 1, (mesh.vertex_count, influence_count))
    weights /= weights.sum(axis=1, keepdims=True)
    palette_indices = rng.integers(0, palette_count, (mesh.vertex_count, 4)).astype(np.uint16)
    return dataclasses.replace(mesh, weights=weights.astype(np.float32), palette_indices=palette_indices)


def gentle_palettes(rng: np.random.Generator, actor_count: int, palette_count: int) -> np.ndarray:
    """Palettes near each other, as a pose's are: blends of wild rotations may be singular."""
    wild = random_palettes(rng, actor_count, palette_count)
    near = random_palettes(rng, actor_count, 1)
    return (near + 0.15 * wild).astype(np.float32)


def check(renderer: Renderer, mesh: Mesh, instances: np.ndarray, palettes: np.ndarray) -> None:
    with renderer.upload((mesh,)) as model:
        positions, normals = renderer.skinned_vertices(CrowdDraw(model, instances, palettes), 0)
    expected_positions, expected_normals = skin(mesh, instances, palettes)
    size = np.abs(expected_positions).max()
    np.testing.assert_allclose(positions, expected_positions, rtol=1e-5, atol=1e-5 * size)
    np.testing.assert_allclose(normals, expected_normals, rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("influence_count", [1, 2, 3, 4])
@pytest.mark.parametrize("make_mesh", [capsule, flat_box])
def test_skinning_matches_numpy(renderer, make_mesh, influence_count):
    rng = np.random.default_rng(influence_count)
    mesh = with_random_weights(make_mesh(), rng, 7, influence_count)
    assert MeshVariant.of(mesh).influence_count == influence_count
    check(renderer, mesh, random_instances(rng, 5), gentle_palettes(rng, 5, 7))


def test_non_uniform_scale_and_mirror_keep_normals_outwards(renderer):
    rng = np.random.default_rng(3)
    palettes = np.tile(np.diag([1.0, 5.0, 0.2, 1.0])[:3].astype(np.float32), (2, 3, 1, 1))
    palettes[1, :, 0, 0] = -1.0
    check(renderer, capsule(), random_instances(rng, 2), palettes)


def test_a_small_rig_under_a_hundredth_keeps_unit_normals(renderer):
    rng = np.random.default_rng(4)
    check(renderer, capsule(), random_instances(rng, 3), 0.01 * gentle_palettes(rng, 3, 3))


def test_the_same_numbers_in_many_batches(context):
    rng = np.random.default_rng(5)
    mesh = with_random_weights(capsule(), rng, 6, 4)
    with Renderer(context, max_palette_texels=3 * 6 * 4) as renderer:  # four actors a batch
        check(renderer, mesh, random_instances(rng, 11), gentle_palettes(rng, 11, 6))


def test_no_actors(renderer):
    model = renderer.upload((capsule(),))
    crowd = CrowdDraw(model, np.zeros((0, 12), np.float32), np.zeros((0, 3, 3, 4), np.float32))
    positions, normals = renderer.skinned_vertices(crowd, 0)
    assert positions.shape == normals.shape == (0, model.meshes[0].mesh.vertex_count, 3)
