"""Morph targets on the GPU: numbers against the CPU's, by every pass that draws crowds."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ecs_anim.assets import dual_palette
from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.assets.skinning import skin_dual_quaternion, skin_linear
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.morphs import Morphs
from ecs_anim.components.palette import Palette
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.device.closed import is_closed
from ecs_anim.gl.model import model as gl_model
from ecs_anim.gl.model import morphs as gl_morphs
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.model import MeshVariant
from ecs_anim.gl.model.morphs import MorphBuffers, delta_texels, used_targets
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths.quaternion import rotate
from ecs_anim.rigs.blob import TARGETS, blob_rig
from ecs_anim.rigs.simple_rigs import straight_skeleton
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.instance_rows import instance_rows
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import Lighting
from tests.gl.test_ownership import live_names
from tests.gltf.test_morphs import KEYS, animated, two_faces
from tests.helpers.gl import (  # noqa: F401
    capsule,
    context_fixture,
    flat_box,
    identity_palettes,
    instances_at,
    random_instances,
    random_palettes,
    renderer_fixture,
    take_picture,
)
from tests.helpers.readback import gpu_vertices


def morphed(mesh: Mesh, rng: np.random.Generator, target_count: int, first: int = 0) -> Mesh:
    shape = (target_count, mesh.vertex_count, 3)
    names = tuple(f"target_{k}" for k in range(target_count))
    deltas = rng.normal(0, 0.2, (2, *shape)).astype(np.float32)
    return replace(mesh, morphs=MeshMorphs(names, deltas[0], deltas[1], first))


def some_weights(rng: np.random.Generator, actor_count: int, target_count: int) -> np.ndarray:
    """A third of them 0; the second actor has none."""
    weights = rng.uniform(-1, 2, (actor_count, target_count)) * (rng.random((actor_count, target_count)) > 1 / 3)
    weights[1] = 0
    return weights.astype(np.float32)


def placed(instances: np.ndarray, points: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rotation = instances[:, None, 4:8].astype(np.float64)
    points = instances[:, None, :3] + instances[:, None, 3:4] * rotate(rotation, points.astype(np.float64))
    return points, rotate(rotation, normals.astype(np.float64))


def check(renderer: Renderer, meshes: tuple[Mesh, ...], crowd_of, skin, palettes, weights) -> None:
    """Every vertex of every mesh within 1e-5 of the size."""
    instances = random_instances(np.random.default_rng(1), len(palettes))
    with renderer.upload(meshes) as model:
        crowd = crowd_of(model, instances, palettes, weights)
        for index, mesh in enumerate(meshes):
            found_points, found_normals = gpu_vertices(renderer, crowd, index)
            points, normals = placed(instances, *skin(mesh, palettes.astype(np.float64), weights))
            size = np.abs(points).max()
            np.testing.assert_allclose(found_points, points, rtol=0, atol=1e-5 * size)
            np.testing.assert_allclose(found_normals, normals, rtol=0, atol=1e-4)
            assert np.abs(points - placed(instances, *skin(mesh, palettes))[0]).max() > 0.01 * size, "nothing moved"


def linear(model, instances, palettes, weights) -> CrowdDraw:
    return CrowdDraw(model, instances, palettes, morph_weights=weights)


@pytest.mark.parametrize("make_mesh", [capsule, flat_box])
@pytest.mark.parametrize("target_count", [1, 3, 17])
def test_vertices_are_the_cpus(renderer, make_mesh, target_count):
    """Two meshes, each with its own part of the rig's targets, and one without any."""
    rng = np.random.default_rng(target_count)
    first, second = morphed(make_mesh(), rng, target_count), morphed(capsule(), rng, 2, first=target_count + 1)
    near = (identity_palettes(6) + 0.2 * random_palettes(rng, 6, 3)).astype(np.float32)
    weights = some_weights(rng, 6, target_count + 3)
    check(renderer, (first, second), linear, skin_linear, near, weights)
    with renderer.upload((capsule(),)) as plain:
        crowd = CrowdDraw(plain, instances_at(np.zeros((6, 3))), near, morph_weights=weights)
        points, _ = gpu_vertices(renderer, crowd, 0)
        np.testing.assert_allclose(points, skin_linear(capsule(), near)[0], atol=1e-5)


def test_dual_quaternions_move_the_morphed_shape(renderer):
    rng = np.random.default_rng(5)
    matrices = identity_palettes(4) + 0.2 * random_palettes(rng, 4, 3)
    dual = np.ascontiguousarray(dual_palette.from_matrices(matrices, straight_skeleton(3, np.zeros(3))), np.float32)

    def crowd_of(model, instances, palettes, weights):
        return CrowdDraw(model, instances, palettes, skinning="dual_quaternion", morph_weights=weights)

    check(renderer, (morphed(capsule(), rng, 3),), crowd_of, skin_dual_quaternion, dual, some_weights(rng, 4, 3))


@pytest.mark.parametrize("max_texels", [3 * 3 * 4, 19])
def test_the_same_numbers_in_many_batches(context, max_texels):
    """Four actors a batch, as their palettes fill it, or one, as its weights do."""
    rng = np.random.default_rng(6)
    palettes = (identity_palettes(9) + 0.1 * random_palettes(rng, 9, 3)).astype(np.float32)
    weights = np.ones((9, 17), np.float32)
    with Renderer(context, max_palette_texels=max_texels) as renderer:
        check(renderer, (morphed(capsule(), rng, 17),), linear, skin_linear, palettes, weights)


def test_without_weights_the_mesh_is_as_bound(renderer):
    mesh = morphed(capsule(), np.random.default_rng(7), 2)
    with renderer.upload((mesh,)) as model:
        for weights in (None, np.zeros((2, 2), np.float32)):
            crowd = CrowdDraw(model, instances_at(np.zeros((2, 3))), identity_palettes(2), morph_weights=weights)
            assert crowd.used_morphs.shape == (2, 0, 2)
            points, _ = gpu_vertices(renderer, crowd, 0)
            np.testing.assert_allclose(points, np.stack([mesh.positions] * 2), atol=1e-6)


def test_the_targets_in_use():
    weights = np.float32([[0, 0.5, 0, -1], [0, 0, 0, 0], [2, 0, 0, 0]])
    expected = [[[1, 0.5], [3, -1], [-1, -1]], [[-1, -1]] * 3, [[0, 2], [-1, -1], [-1, -1]]]
    np.testing.assert_array_equal(used_targets(weights), expected)
    assert used_targets(np.zeros((3, 4), np.float32)).shape == (3, 0, 2)
    assert used_targets(np.zeros((0, 4), np.float32)).shape == (0, 0, 2)


@given(arrays(np.float32, st.tuples(st.integers(0, 9), st.integers(0, 6)), elements=st.sampled_from([0.0, 0.5, -3.0])))
def test_the_targets_in_use_are_all_there_is(weights):
    again = np.zeros_like(weights)
    for actor, row in enumerate(used_targets(weights)):
        for target, weight in row:
            if target < 0:
                break
            again[actor, int(target)] += weight
    np.testing.assert_array_equal(again, weights)


def test_a_file_in_a_scene(renderer, tmp_path):
    """From a glTF with keyed weights through a step of a scene to vertices on the GPU."""
    builder = animated(KEYS, times=(0.0, 1.0, 1.5), builder=two_faces())
    model = builder.write(tmp_path / "face.glb")
    text = (
        '[rigs.face]\nmodel = "face.glb"\n[[crowds]]\nrig = "face"\ncount = 3\nclips = [{ name = "talk", phase = 0.0 }]'
    )
    rig = load_rig(model)
    with load_scene(parse_scene(text, "x.toml", tmp_path), threads=1) as world:
        world.step(0.4)
        ((_, (transforms, palette, appearance, morphs)),) = world.query(Transforms, Palette, Appearance, Morphs)
        instances = instance_rows(transforms, appearance)
        expected = np.tile(rig.clips["talk"].sample_weights(0.4), (3, 1))
        np.testing.assert_allclose(morphs.weights, expected, atol=1e-6)
        with renderer.upload(rig.meshes) as uploaded:
            crowd = CrowdDraw(uploaded, instances, palette.matrices, morph_weights=morphs.weights)
            for index, mesh in enumerate(rig.meshes):
                points, _ = placed(instances, *skin_linear(mesh, palette.matrices, expected))
                np.testing.assert_allclose(gpu_vertices(renderer, crowd, index)[0], points, atol=3e-5)


def test_weights_that_cannot_be(renderer):
    model = renderer.upload((morphed(capsule(), np.random.default_rng(8), 2, first=3),))
    for weights, words in (
        (np.zeros((2, 4), np.float32), "must have 5 columns, one for each morph target of the model .got 4"),
        (np.zeros((3, 5), np.float32), r"morph_weights must be a C-contiguous float32 array of shape \[2, 5\]"),
        (np.zeros((2, 5)), r"morph_weights must be a C-contiguous float32"),
    ):
        crowd = CrowdDraw(model, instances_at(np.zeros((2, 3))), identity_palettes(2), morph_weights=weights)
        with pytest.raises(ValueError, match=words):
            crowd.check()


def test_more_than_a_texture_buffer_takes(context, monkeypatch):
    monkeypatch.setattr(gl_morphs, "get_integer", lambda _: 65536)
    mesh = morphed(capsule(), np.random.default_rng(9), 300)
    with pytest.raises(InputError, match="300 morph targets of 120 vertices need 72000 texels"):
        MorphBuffers(mesh.morphs)
    assert delta_texels(mesh.morphs).shape == (300, 120, 2, 4)


def blob_crowd(renderer: Renderer, name: str, weight: float, **options) -> CrowdDraw:
    rig = blob_rig()
    model = renderer.upload(rig.meshes)
    weights = np.array([[weight * (own == name) for own in TARGETS.names]], np.float32)
    return CrowdDraw(model, instances_at(np.zeros((1, 3))), identity_palettes(1, 1), morph_weights=weights, **options)


CAMERA = OrbitCamera(target=np.array([0, 0.4, 0], np.float32), distance=3.0, azimuth=np.pi, elevation=0.0)


def test_a_picture_shows_the_squeezed_blob(renderer):
    """Its outline, in pixels, is wider and lower, or higher and narrower, as the targets say."""
    sizes = {}
    for name in ("rest", "squash", "stretch"):
        crowd = blob_crowd(renderer, name, 1.0, shadow_radius=0.0)
        crowd.instances[:, 8:11] = 1, 0, 0
        picture = take_picture(renderer, [crowd], CAMERA, (200, 200), Lighting(shadows="none"), ground=None).astype(int)
        rows, columns = np.nonzero(picture[..., 0] - picture[..., 2] > 40)
        sizes[name] = np.array([np.ptp(columns) + 1, np.ptp(rows) + 1])
    np.testing.assert_allclose(sizes["squash"] / sizes["rest"], [1.3, 0.6], rtol=0.06)
    np.testing.assert_allclose(sizes["stretch"] / sizes["rest"], [0.83, 1.45], rtol=0.06)


@pytest.mark.exhaustive
def test_shadows_are_the_morphed_shapes(renderer):
    """The sun stands at the back, at 45 degrees; nothing else is dark on the ground before the blob."""
    lengths = {}
    sun = Lighting(sun_direction=(0.0, 2**-0.5, -(2**-0.5)), shadows="map")
    camera = OrbitCamera(
        target=np.array([0, 0, 0.7], np.float32), distance=4.0, azimuth=np.pi, elevation=np.pi / 2 - 0.01
    )
    for name in ("rest", "stretch"):
        crowd = blob_crowd(renderer, name, 1.0, shadow_radius=0.0)
        lit, bare = (take_picture(renderer, crowds, camera, (200, 200), sun).astype(int) for crowds in ([crowd], []))
        dark = bare.sum(axis=-1) - lit.sum(axis=-1) > 60
        lengths[name] = np.nonzero(dark)[0].max() / 200 * 2 * 4.0 * np.tan(camera.vertical_fov / 2)
    assert lengths["stretch"] - lengths["rest"] == pytest.approx(0.45 * 0.84, abs=0.1)


def test_lips_that_meet_are_not_closed_once_they_can_open():
    box = flat_box()
    assert is_closed(box)
    moved = np.zeros((1, box.vertex_count, 3), np.float32)
    moved[0, :4, 1] = 0.5  # one face leaves the others
    parted = replace(box, morphs=MeshMorphs(("open",), moved, 0 * moved))
    whole = replace(box, morphs=MeshMorphs(("lift",), 0 * moved + 0.5, 0 * moved))
    assert not is_closed(parted)
    assert is_closed(whole)
    assert MeshVariant.of(whole).morphed
    assert not MeshVariant.of(box).morphed


def test_one_call_draws_all_actors_of_a_mesh(renderer, monkeypatch):
    """However many targets move them."""
    calls = []
    draw = gl_model.gl.glDrawElementsInstanced
    monkeypatch.setattr(gl_model.gl, "glDrawElementsInstanced", lambda *args: calls.append(args[-1]) or draw(*args))
    rng = np.random.default_rng(10)
    model = renderer.upload((morphed(capsule(), rng, 8),))
    weights = some_weights(rng, 500, 8)
    crowd = CrowdDraw(model, random_instances(rng, 500), identity_palettes(500), morph_weights=weights)
    take_picture(renderer, [crowd], lighting=Lighting(shadows="none"))
    assert calls == [500]


@pytest.mark.exhaustive
def test_nothing_is_left_on_the_gpu(context):
    before = live_names()
    with Renderer(context) as renderer:
        for _ in range(3):
            crowd = blob_crowd(renderer, "smile", 0.5)
            take_picture(renderer, [crowd], size=(16, 16))
            gpu_vertices(renderer, crowd, 0)
            crowd.model.free()
        blob_crowd(renderer, "smile", 0.5)
    assert live_names() == before
