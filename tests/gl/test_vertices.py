"""Vertices packed for the GPU: what is lost, and what is not."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mesh import Material, Mesh, Texture
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.vertices import interleave, packed_normals, packed_shares
from ecs_anim.scenes.rigs import load_model
from tests.helpers import characters
from tests.helpers.gl import capsule, context_fixture, flat_box, instances_at, renderer_fixture  # noqa: F401
from tests.helpers.readback import gpu_vertices

CHARACTERS = ["Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf"]


@pytest.mark.parametrize(("kind", "top"), [(np.uint8, 255), (np.uint16, 65535)])
def test_weights_of_few_bits_stay_what_they_are(kind, top):
    rng = np.random.default_rng(0)
    cuts = np.sort(rng.integers(0, top + 1, (50, 3)), axis=1)
    whole = np.diff(np.concatenate([0 * cuts[:, :1], cuts, top + 0 * cuts[:, :1]], axis=1), axis=1)
    packed = packed_shares((whole / top).astype(np.float32))
    assert packed.dtype == kind
    np.testing.assert_array_equal(packed, whole)


def test_other_weights_are_not_rounded():
    weights = capsule().weights
    assert packed_shares(weights) is weights
    assert packed_shares(flat_box().weights).dtype == np.uint8


@given(arrays(np.float32, 3, elements=st.floats(-1, 1, width=32)))
def test_normals_are_within_half_a_step(normal):
    assert np.abs(packed_normals(normal) / 32767 - normal).max() <= 1 / 65534 + 1e-9


@pytest.mark.parametrize(
    ("mesh", "entry_count", "size"),
    [
        (flat_box(), 1, 28),  # position 12, normal 8, indices 4, weights 4
        (capsule(), 3, 40),  # weights 16
        (capsule(), 300, 44),  # indices 8
        (capsule(material=Material(texture=Texture(np.zeros((1, 1, 4), np.uint8)))), 3, 48),  # uv 8
    ],
)
def test_bytes_of_a_vertex(mesh: Mesh, entry_count: int, size: int):
    indices = mesh.palette_indices.copy()
    indices[0, 0] = entry_count - 1
    packed = interleave(dataclasses.replace(mesh, palette_indices=indices))
    assert packed.dtype.itemsize == size
    heaviest = np.argmax(mesh.weights[0])
    assert packed["palette_indices"][0, 0] == indices[0, heaviest]
    assert all(offset % 4 == 0 for _, offset in packed.dtype.fields.values())


@pytest.mark.parametrize("model", ["mannequin", *characters(*CHARACTERS)])
def test_characters_in_motion_are_where_the_cpu_puts_them(renderer, model):
    """From unpacked vertices: within 1e-5 of the model's size, normals within 1e-4."""
    rig = load_model(model)
    poses = [clip.sample(clip.start + 0.4 * clip.duration) for clip in list(rig.clips.values())[:4]]
    palettes = np.stack([skin_palette(rig.skeleton, pose) for pose in poses]).astype(np.float32)
    model = renderer.upload(rig.level(0))
    crowd = CrowdDraw(model, instances_at(np.zeros((len(poses), 3))), palettes)
    expected = [skin_linear(mesh, palettes.astype(np.float64)) for mesh in rig.level(0)]
    size = max(np.ptp(positions[0], axis=0).max() for positions, _ in expected)
    for index, (positions, normals) in enumerate(expected):
        found_positions, found_normals = gpu_vertices(renderer, crowd, index)
        assert np.abs(found_positions - positions).max() < 1e-5 * size
        assert np.percentile(np.abs(found_normals - normals), 99.9) < 1e-4
