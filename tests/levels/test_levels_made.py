"""Levels of detail made by edge collapse: fewer triangles, bound and painted as their originals, no holes."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.mesh import Material, Mesh
from ecs_anim.assets.mesh_build import weld
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.assets.rig import Rig
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.gltf.load import load_rig
from ecs_anim.levels.levels import build_levels
from ecs_anim.levels.simplify import with_levels
from ecs_anim.levels.surface import Surface
from ecs_anim.mannequin import PATH
from ecs_anim.support.errors import InputError
from tests.helpers import ASSETS, needs_assets

pytest.importorskip("fast_simplification", reason="the lod extra is not installed")


@pytest.fixture(scope="module")
def rig() -> Rig:
    return load_rig(PATH)


def in_two(rig: Rig) -> Rig:
    """Its finest mesh cut into shirt and trousers, two materials."""
    (mesh,) = rig.level(0)
    triangles = mesh.indices.reshape(-1, 3)
    upper = mesh.positions[triangles].mean(axis=1)[:, 1] > 0.95
    parts = [
        replace(mesh, name=name, material=Material(name), indices=np.ascontiguousarray(triangles[which].ravel()))
        for name, which in (("shirt", upper), ("trousers", ~upper))
    ]
    return replace(rig, meshes=tuple(parts))


def triangle_count(meshes: tuple[Mesh, ...]) -> int:
    return sum(mesh.triangle_count for mesh in meshes)


def is_whole(meshes: tuple[Mesh, ...]) -> bool:
    """Whether each edge belongs to two triangles that turn the same way."""
    surface = Surface.of(meshes)
    corners = weld(surface.positions)[1][surface.triangles]
    edges = np.concatenate([corners[:, [k, (k + 1) % 3]] for k in range(3)])
    return {tuple(edge) for edge in edges.tolist()} == {(b, a) for a, b in edges.tolist()}


def test_counts_are_about_those_asked_for(rig):
    made = with_levels(rig, [1000, 300, 290, 80])
    assert made.level_count == 4  # 290 is not clearly coarser than 300
    assert [triangle_count(made.level(level)) for level in range(4)] == pytest.approx([3518, 1000, 300, 80], abs=2)
    assert made.level(0) == rig.level(0)


def test_nothing_is_made_of_what_is_coarse_already(rig):
    coarse = replace(rig, meshes=tuple(replace(mesh, level=0) for mesh in rig.level(3)))
    assert with_levels(coarse).meshes == coarse.meshes


def test_two_materials_stay_joined_and_keep_their_parts(rig):
    made = with_levels(in_two(rig), [800, 200])
    for level in (1, 2):
        meshes = made.level(level)
        assert is_whole(meshes)
        assert [mesh.material.name for mesh in meshes] == ["shirt", "trousers"]
        shirt, trousers = (mesh.positions[:, 1] for mesh in meshes)
        assert shirt.min() > 0.8
        assert trousers.max() < 1.2


def test_every_vertex_is_bound_as_one_of_the_finest_nearby(rig):
    (mesh,), (made,) = rig.level(0), with_levels(rig, [600]).level(1)
    for vertex in range(0, made.vertex_count, 5):
        same = (mesh.palette_indices == made.palette_indices[vertex]).all(axis=1)
        same &= (mesh.weights == made.weights[vertex]).all(axis=1)
        assert same.any()
        away = np.linalg.norm(mesh.positions[same] - made.positions[vertex], axis=1).min()
        assert away < 0.06


def test_each_corner_keeps_a_place_in_the_texture(rig):
    (mesh,), (made,) = rig.level(0), with_levels(rig, [600]).level(1)
    assert {tuple(uv) for uv in made.uvs.tolist()} <= {tuple(uv) for uv in mesh.uvs.tolist()}


def test_morph_targets_go_along(rig):
    (mesh,) = rig.level(0)
    deltas = np.stack([0.1 * mesh.normals, 0.2 * mesh.positions])
    morphed = replace(mesh, morphs=MeshMorphs(("thick", "tall"), deltas, np.zeros_like(deltas)))
    (made,) = with_levels(replace(rig, meshes=(morphed,)), [600]).level(1)
    assert made.morphs.names == ("thick", "tall")
    assert made.morphs.positions.shape == made.morphs.normals.shape == (2, made.vertex_count, 3)
    away = np.linalg.norm(made.morphs.positions[1] - 0.2 * made.positions, axis=-1)
    assert np.quantile(away, 0.95) < 0.2 * 0.06


@pytest.mark.exhaustive
@needs_assets
def test_a_real_character_keeps_its_shape_and_its_look():
    rig = load_rig(ASSETS / "Woman.gltf")
    made = with_levels(rig)
    levels = build_levels(made, bake_rig(rig, BakeOptions(rate=10)))
    assert [triangle_count(meshes) for meshes in levels.meshes] == pytest.approx([1908, 636, 190, 100], abs=4)
    height = 5.2
    assert (levels.errors[1:] / height < [0.015, 0.035, 0.06]).all()
    assert all(mesh.flat for mesh in made.meshes)


def test_a_missing_library_is_named(rig, monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_simplification", None)
    with pytest.raises(InputError, match=r"rig 'mannequin': .* pip install 'ecs-anim\[lod\]'"):
        with_levels(rig)
