"""Copies by EXT_mesh_gpu_instancing, against a node for each copy."""

import tracemalloc

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mirroring import outward_indices
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths import quaternion
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder
from tests.gltf.test_meshes import skinned
from tests.helpers import EXHAUSTIVE

NAME = "EXT_mesh_gpu_instancing"
MOVES = [[1, 2, 3], [-4, 0, 2], [0, 0.5, 0]]
TURNS = quaternion.normalize(np.array([[0, 0, 0, 1], [0.5, 0.1, -0.3, 0.2], [0, -1, 0, 0.4]]))
SCALES = [[1, 1, 1], [2, -0.5, 1.5], [0.25, 3, 1]]  # the second is mirrored
NODE = {"translation": [5, 0, 0], "rotation": [0, 0.6, 0, 0.8], "scale": [2, 2, -2]}


def tetrahedron(builder, normals: bool, targets: bool = False) -> int:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    attributes = {"POSITION": builder.accessor(points, kind="VEC3")}
    if normals:
        attributes["NORMAL"] = builder.accessor(unit(points - 0.25), kind="VEC3")
    moved = {"targets": [{"POSITION": builder.accessor(points[::-1] * 0.2, kind="VEC3")}]} if targets else {}
    indices = builder.accessor([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], "u8")
    return builder.mesh(attributes, indices, **moved)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def copied(attributes, component=None, **options):
    """A file of one node with copies; `component` stores the rotations."""
    builder = GltfBuilder(extensionsRequired=[NAME], extensionsUsed=[NAME])
    accessors = {}
    for name, values in attributes.items():
        if name == "ROTATION" and component is not None:
            top = {"i8": 127, "i16": 32767}[component]
            stored = np.rint(np.asarray(values) * top).astype(int)
            accessors[name] = builder.accessor(stored, component, "VEC4", normalized=True)
        else:
            accessors[name] = builder.accessor(values, kind="VEC4" if name == "ROTATION" else "VEC3")
    mesh = tetrahedron(builder, **options)
    builder.add("nodes", mesh=mesh, extensions={NAME: {"attributes": accessors}}, **NODE)
    return builder


def apart(attributes, **options):
    """The same as nodes of their own."""
    builder = GltfBuilder()
    mesh = tetrahedron(builder, **options)
    names = {"TRANSLATION": "translation", "ROTATION": "rotation", "SCALE": "scale"}
    count = len(next(iter(attributes.values())))
    for k in range(count):
        own = {names[name]: np.asarray(values, float)[k].tolist() for name, values in attributes.items()}
        builder.add("nodes", mesh=mesh, **own)
    builder.add("nodes", children=list(range(count)), **NODE)
    return builder


def seen(rig):
    """Triangles as they are drawn: their corners and the normals that are used there, in any order."""
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    weights = np.full(len(rig.morph_targets.names), 0.7, np.float32)
    triangles = []
    for mesh in rig.meshes:
        positions, normals = skin_linear(mesh, palette, weights)
        corners = outward_indices(mesh, palette).reshape(-1, 3)
        normals = normals[corners[:, [2, 2, 2]] if mesh.flat else corners]
        for points, directions in zip(positions[corners], normals, strict=True):
            rows = np.round(np.concatenate([points, directions], axis=1), 4) + 0.0
            first = min(range(3), key=lambda k: rows[k].tolist())
            triangles.append(np.roll(rows, -first, axis=0).ravel().tolist())
    return np.array(sorted(triangles))


EVERYTHING = {"TRANSLATION": MOVES, "ROTATION": TURNS, "SCALE": SCALES}


@pytest.mark.parametrize("options", [{"normals": True}, {"normals": False}, {"normals": True, "targets": True}])
@pytest.mark.parametrize("names", [("TRANSLATION",), ("ROTATION", "SCALE"), ("TRANSLATION", "ROTATION", "SCALE")])
def test_copies_are_where_nodes_would_be(tmp_path, names, options):
    attributes = {name: EVERYTHING[name] for name in names}
    rig = load_rig(copied(attributes, **options).write(tmp_path / "a.glb"))
    expected = seen(load_rig(apart(attributes, **options).write(tmp_path / "b.glb")))
    assert len(rig.meshes) == 1
    assert rig.skeleton.joint_count == 1
    found = seen(rig)
    assert found.shape == expected.shape == (12, 18)
    np.testing.assert_allclose(found, expected, atol=3e-4)


@pytest.mark.parametrize(("component", "off"), [("i8", 0.02), ("i16", 2e-4)])
def test_rotations_of_few_bits(tmp_path, component, off):
    attributes = {"ROTATION": TURNS}
    (exact,) = load_rig(copied(attributes, normals=False).write(tmp_path / "a.glb")).meshes
    (coarse,) = load_rig(copied(attributes, component, normals=False).write(tmp_path / "b.glb")).meshes
    assert 0 < np.abs(exact.positions - coarse.positions).max() < off


def test_colors_and_texture_coordinates_are_each_copys(tmp_path):
    builder = copied({"TRANSLATION": MOVES}, normals=False)
    attributes = builder.document["meshes"][0]["primitives"][0]["attributes"]
    attributes["COLOR_0"] = builder.accessor([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0]], kind="VEC3")
    (mesh,) = load_rig(builder.write(tmp_path / "a.glb")).meshes
    part = mesh.vertex_count // 3
    for k in (1, 2):
        np.testing.assert_array_equal(mesh.colors[k * part : (k + 1) * part], mesh.colors[:part])
        moved = mesh.positions[k * part : (k + 1) * part] - mesh.positions[:part]
        np.testing.assert_allclose(moved, [np.subtract(MOVES[k], MOVES[0])] * part, atol=1e-6)


def test_no_copies_show_nothing_and_other_attributes_do_not_count(tmp_path):
    assert load_rig(copied({"TRANSLATION": np.zeros((0, 3))}, normals=True).write(tmp_path / "a.glb")).meshes == ()
    builder = copied({"_TINT": [[1, 1, 1]] * 5}, normals=True)
    assert load_rig(builder.write(tmp_path / "a.glb")).meshes[0].triangle_count == 4


def test_a_skinned_mesh_is_drawn_once(tmp_path):
    builder = skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]])
    places = builder.accessor(MOVES, kind="VEC3")
    builder.document["nodes"][8]["extensions"] = {NAME: {"attributes": {"TRANSLATION": places}}}
    with pytest.warns(
        UserWarning, match=rf"nodes\[8\].extensions.{NAME}: the copies are ignored, because a skinned mesh"
    ):
        assert load_rig(builder.write(tmp_path / "a.glb")).meshes[0].vertex_count == 3


@pytest.mark.parametrize(
    ("extension", "message"),
    [
        (7, r"attributes: the value of the key `attributes` must be a JSON object \(got a NoneType\)"),
        ({"attributes": [0]}, r"attributes: the value of the key `attributes` must be a JSON object \(got a list\)"),
        (
            {"attributes": {"TRANSLATION": 99}},
            r"attributes.TRANSLATION: the value must be the index of one of the file's \d accessors",
        ),
        (
            {"attributes": {"SCALE": 0, "TRANSLATION": 1}},
            r"all attributes of the mesh copies must have the same number of elements \(got .*4.*3",
        ),
        (
            {"attributes": {"ROTATION": 0}},
            r"attributes.ROTATION: the accessor must have the type VEC4 \(accessors\[0\] has the type VEC3\)",
        ),
        ({"attributes": {"TRANSLATION": 2}}, r"attributes.TRANSLATION: all numbers must be finite \(copy 1"),
        (
            {"attributes": {"SCALE": 3}},
            r"nodes\[0\]: all numbers must be finite \(after the transform of the copies, vertex",
        ),
    ],
)
def test_faults(tmp_path, extension, message):
    builder = GltfBuilder()
    builder.accessor(MOVES, kind="VEC3")
    points = builder.accessor([[0, 0, 0], [1e30, 0, 0], [0, 1, 0], [0, 0, 1]], kind="VEC3")
    builder.accessor([[0, 0, 0], [0, np.inf, 0]], kind="VEC3")
    builder.accessor([[1e30, 1, 1]], kind="VEC3")
    mesh = builder.mesh({"POSITION": points}, builder.accessor([0, 2, 1, 0, 1, 3], "u8"))
    builder.add("nodes", mesh=mesh, extensions={NAME: extension})
    with pytest.raises(InputError, match=message):
        load_rig(builder.write(tmp_path / "a.glb"))


@EXHAUSTIVE
def test_copies_of_nothing_count_too(tmp_path):
    """Places alone take memory and time, even where there is no triangle to copy."""
    builder = GltfBuilder()
    nothing = builder.mesh({"POSITION": builder.accessor(MOVES[:2], kind="VEC3")}, mode=5)
    for _ in range(5):
        places = builder.accessor_on(None, 1_000_000, "f32", "VEC3")
        builder.add("nodes", mesh=nothing, extensions={NAME: {"attributes": {"TRANSLATION": places}}})
    with pytest.raises(
        InputError, match=rf"nodes\[2\].extensions.{NAME}.attributes: 1000000 copies of a mesh with at least 3"
    ):
        load_rig(builder.write(tmp_path / "a.glb"))


@EXHAUSTIVE
@pytest.mark.parametrize(("count", "vertices"), [(1_100_000, 4), (20_000_000, 3)])
def test_too_many_copies_are_refused_before_they_are_made(tmp_path, count, vertices):
    """A few bytes ask for them: no buffer view backs their places."""
    builder = GltfBuilder()
    places = builder.accessor_on(None, count, "f32", "VEC3")
    mesh = tetrahedron(builder, normals=True)
    builder.add("nodes", mesh=mesh, extensions={NAME: {"attributes": {"TRANSLATION": places}}})
    builder.write(tmp_path / "a.glb")
    tracemalloc.start()
    with pytest.raises(
        InputError,
        match=rf"nodes\[0\].*: {count} copies of a mesh with at least {vertices} vertices.*limit is 4,194,304",
    ):
        load_rig(tmp_path / "a.glb")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.5e9
