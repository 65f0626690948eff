"""The vertex shader's numbers against plain numpy linear blend skinning."""

import dataclasses

import numpy as np
import pytest

from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.skinning import (
    BLENDS,
    LAYOUTS,
    METHODS,
    blend_dual_quaternion,
    keeps_matrices,
    rest_bounds,
    skin_dual_quaternion,
    skin_linear,
)
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.maths import affine, quaternion
from ecs_anim.scenes.rigs import load_model
from ecs_anim.systems.skinning import entries_of
from tests.gl.test_context import STRICT_ENVIRONMENT, run_python
from tests.helpers import EXHAUSTIVE, characters
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    instances_at,
    random_instances,
    random_palettes,
    renderer_fixture,
)
from tests.helpers.readback import gpu_vertices
from tests.helpers.skinning import ENTRIES, any_weights, bound_at, kavan, palettes, surface_normals

RNG = np.random.default_rng(9)
STRICT = """
import sys
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.picture.renderer import Renderer
from tests.helpers import characters
from tests.gl.test_gl_skinning import FILES, worst_difference
context = open_headless()
files = [name for case in characters(*FILES) for name in case.values]
with Renderer(context) as renderer:
    worst = max(worst_difference(renderer, name) for name in ["mannequin", "bar", "forearm", *files])
print(context.capabilities.version, worst)
"""
FILES = ("dq.gltf", "Woman.gltf", "Fox.glb", "cesium_man.gltf")
CHARACTERS = ["mannequin", "bar", "forearm", *characters(*FILES, "IKCourse.gltf", "interpolation_test.gltf")]


def worst_difference(renderer: Renderer, name: str) -> float:
    """Largest distance between the GPU's positions and the CPU's, of both methods and all clips and levels.

    As a share of the model's size.
    """
    rig = load_model(name)
    moments = [clip.sample(np.linspace(clip.start, clip.end, 5)) for clip in rig.clips.values()]
    matrices = [skin_palette(rig.skeleton, pose) for pose in moments or [rig.skeleton.rest_pose[None]]]
    linear = np.ascontiguousarray(np.concatenate(matrices))
    dual = dual_palette.from_matrices(linear, rig.skeleton)
    instances = instances_at(np.zeros((len(linear), 3)))
    size, worst = float(np.ptp(rest_bounds(rig), axis=0).max()), 0.0
    with renderer.upload(rig.meshes) as model:
        for method, palette, skinned in (
            ("linear", linear, skin_linear),
            ("dual_quaternion", dual, skin_dual_quaternion),
        ):
            crowd = CrowdDraw(model, instances, palette, skinning=method)
            for index, mesh in enumerate(rig.meshes):
                positions, normals = gpu_vertices(renderer, crowd, index)
                expected, expected_normals = skinned(mesh, palette)
                worst = max(worst, float(np.linalg.norm(positions - expected, axis=-1).max()) / size)
                np.testing.assert_allclose(normals, expected_normals, atol=5e-5)
    return worst


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
        positions, normals = gpu_vertices(renderer, CrowdDraw(model, instances, palettes), 0)
    expected_positions, expected_normals = skin(mesh, instances, palettes)
    size = np.abs(expected_positions).max()
    np.testing.assert_allclose(positions, expected_positions, rtol=1e-5, atol=1e-5 * size)
    np.testing.assert_allclose(normals, expected_normals, rtol=1e-5, atol=6e-5)  # of 16 bits, stretched by scales


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
    positions, normals = gpu_vertices(renderer, crowd, 0)
    assert positions.shape == normals.shape == (0, model.meshes[0].mesh.vertex_count, 3)


def check_dual(renderer: Renderer, mesh: Mesh, instances: np.ndarray, entries: np.ndarray) -> None:
    """Against the formulas of the paper."""
    with renderer.upload((mesh,), "dual_quaternion") as model:
        crowd = CrowdDraw(model, instances, entries, skinning="dual_quaternion")
        positions, normals = gpu_vertices(renderer, crowd, 0)
    for actor, (instance, own) in enumerate(zip(instances, entries, strict=True)):
        rotation = instance[4:8].astype(np.float64)
        expected = instance[:3] + instance[3] * quaternion.rotate(rotation, kavan(mesh, own))
        size = np.ptp(expected, axis=0).max()
        np.testing.assert_allclose(positions[actor], expected, atol=1e-5 * size)
        expected = surface_normals(mesh, blend_dual_quaternion(mesh, own.astype(np.float64))[..., :3])
        np.testing.assert_allclose(normals[actor], quaternion.rotate(rotation, expected), atol=1e-4)


@EXHAUSTIVE
@pytest.mark.parametrize("influence_count", [1, 2, 3, 4])
@pytest.mark.parametrize("scale", [0.0, 0.4])
def test_dual_quaternion_skinning_is_the_papers(renderer, influence_count, scale):
    """Influences in no order, with joints that are stretched all ways."""
    rng = np.random.default_rng(influence_count)
    skeleton = bound_at(rng.normal(size=(ENTRIES, 3)))
    entries = dual_palette.from_matrices(palettes(rng, 4, scale), skeleton)
    check_dual(renderer, any_weights(rng, influence_count), random_instances(rng, 4), entries)


def test_a_quaternion_and_its_negative_are_one_rotation(renderer):
    rng = np.random.default_rng(6)
    entries = dual_palette.from_matrices(palettes(rng, 3), bound_at(rng.normal(size=(ENTRIES, 3))))
    entries[..., 0, :] *= np.where(rng.random((3, ENTRIES, 1)) < 0.5, -1, 1)
    check_dual(renderer, any_weights(rng), random_instances(rng, 3), entries)


@EXHAUSTIVE
def test_dual_quaternions_in_many_batches(context):
    rng = np.random.default_rng(7)
    entries = dual_palette.from_matrices(palettes(rng, 11, 0.3), bound_at(rng.normal(size=(ENTRIES, 3))))
    with Renderer(context, max_palette_texels=4 * ENTRIES * 4 + 3) as renderer:  # four actors a batch
        check_dual(renderer, any_weights(rng), random_instances(rng, 11), entries)


@pytest.mark.parametrize("method", METHODS)
def test_any_method_s_palettes_are_made_brought_back_and_drawn(renderer, method):
    """The kernel against the readable layout, that against the matrices, and the shader against the readable blend."""
    rng, layout = np.random.default_rng(10), LAYOUTS[method]
    skeleton = bound_at(rng.normal(size=(ENTRIES, 3)))
    matrices = palettes(rng, 4, 0.0)
    entries = layout.from_matrices(matrices, skeleton)
    assert entries.shape == (4, ENTRIES, layout.rows, 4)
    np.testing.assert_allclose(layout.to_matrices(entries), matrices, atol=1e-5)
    if not keeps_matrices(method):
        entries = entries_of(skeleton, matrices, method)
        np.testing.assert_allclose(layout.to_matrices(entries), matrices, atol=1e-5)
    mesh = any_weights(rng)
    with renderer.upload((mesh,), method) as model:
        crowd = CrowdDraw(model, instances_at(np.zeros((4, 3))), entries, skinning=method)
        positions, _ = gpu_vertices(renderer, crowd, 0)
    blended = BLENDS[method](mesh, entries.astype(np.float64))
    expected = affine.transform_points(blended, mesh.positions)
    np.testing.assert_allclose(positions, expected, atol=1e-5 * np.ptp(expected))


def test_palettes_of_the_other_method_are_told(renderer):
    model = renderer.upload((capsule(),))
    for rows, method in ((3, "dual_quaternion"), (4, "linear")):
        crowd = CrowdDraw(model, random_instances(RNG, 1), np.zeros((1, 3, rows, 4), np.float32), skinning=method)
        with pytest.raises(ValueError, match="palettes must be"):
            gpu_vertices(renderer, crowd, 0)


@EXHAUSTIVE
@pytest.mark.parametrize("name", CHARACTERS)
def test_characters_are_within_a_hundred_thousandth_of_the_cpu(renderer, name):
    assert worst_difference(renderer, name) < 1e-5


@EXHAUSTIVE
def test_so_are_they_on_strict_gl_3_3():
    done = run_python(STRICT, **STRICT_ENVIRONMENT)
    assert (done.returncode, done.stderr) == (0, "")
    version, worst = done.stdout.splitlines()[-1].rsplit(maxsplit=1)  # Mesa tells first what it cannot leave out
    assert version == "(3, 3)"
    assert float(worst) < 1e-5
