"""Primitives: indices, modes, attributes, influences."""

from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets import mesh_build
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.mirroring import outward_indices
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.gltf.load import load_rig
from ecs_anim.gltf.meshes import largest_influences
from ecs_anim.support.errors import InputError, InputWarning
from tests.builders.gltf_builder import GltfBuilder

SQUARE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
UP = [[0, 0, 1]] * 4


def load_mesh(tmp_path, builder, attributes, indices=None, node=None, **primitive):
    builder.add("nodes", **(node or {}), mesh=builder.mesh(attributes, indices, **primitive))
    return load_rig(builder.write(tmp_path / "model.glb")).meshes


def triangles_of(mesh):
    """Corner positions of the triangles, each turned so that its smallest corner comes first."""
    result = []
    for triangle in mesh.positions[mesh.indices.reshape(-1, 3)].tolist():
        first = triangle.index(min(triangle))
        result.append(triangle[first:] + triangle[:first])
    return sorted(result)


def corners(*triples):
    return sorted([[float(x) for x in SQUARE[k]] for k in triple] for triple in triples)


@pytest.mark.parametrize("component", ["u8", "u16", "u32"])
def test_indices(tmp_path, component):
    builder = GltfBuilder()
    positions = builder.accessor(SQUARE, kind="VEC3")
    indices = builder.accessor([0, 1, 2, 1, 3, 2], component)
    (mesh,) = load_mesh(tmp_path, builder, {"POSITION": positions}, indices)
    assert triangles_of(mesh) == corners((0, 1, 2), (2, 1, 3))


def test_missing_indices(tmp_path):
    builder = GltfBuilder()
    positions = builder.accessor([SQUARE[k] for k in (0, 1, 2, 1, 3, 2)], kind="VEC3")
    (mesh,) = load_mesh(tmp_path, builder, {"POSITION": positions})
    assert triangles_of(mesh) == corners((0, 1, 2), (2, 1, 3))
    assert mesh.vertex_count == 4


@pytest.mark.parametrize(
    ("mode", "order", "expected"),
    [
        (5, [0, 1, 2, 3], [(0, 1, 2), (2, 1, 3)]),
        (5, [2, 0, 3, 1], [(0, 3, 2), (0, 1, 3)]),
        (6, [0, 1, 3, 2], [(0, 1, 3), (0, 3, 2)]),
    ],
)
@pytest.mark.parametrize("indexed", [True, False])
def test_strips_and_fans_keep_their_winding(tmp_path, mode, order, expected, indexed):
    builder = GltfBuilder()
    points = SQUARE if indexed else [SQUARE[k] for k in order]
    positions = builder.accessor(points, kind="VEC3")
    indices = builder.accessor(order, "u8") if indexed else None
    (mesh,) = load_mesh(tmp_path, builder, {"POSITION": positions}, indices, mode=mode)
    assert triangles_of(mesh) == corners(*expected)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_points_and_lines_are_skipped(tmp_path, mode):
    builder = GltfBuilder()
    positions = builder.accessor(SQUARE, kind="VEC3")
    assert load_mesh(tmp_path, builder, {"POSITION": positions}, mode=mode) == ()


@pytest.mark.parametrize("mode", [5, 6])
def test_a_strip_of_two_is_nothing(tmp_path, mode):
    builder = GltfBuilder()
    positions = builder.accessor(SQUARE[:2], kind="VEC3")
    assert load_mesh(tmp_path, builder, {"POSITION": positions}, mode=mode) == ()


def test_several_primitives(tmp_path):
    builder = GltfBuilder(materials=[{"name": "skin"}])
    positions = builder.accessor(SQUARE, kind="VEC3")
    first, second = builder.accessor([0, 1, 2], "u8"), builder.accessor([1, 3, 2], "u8")
    primitives = [
        {"attributes": {"POSITION": positions}, "indices": first, "material": 0},
        {"attributes": {"POSITION": positions}, "indices": second},
    ]
    builder.add("nodes", mesh=builder.add("meshes", name="body", primitives=primitives))
    meshes = load_rig(builder.write(tmp_path / "model.glb")).meshes
    assert [(mesh.name, mesh.material.name, mesh.vertex_count) for mesh in meshes] == [
        ("body_0", "skin", 3),
        ("body_1", "", 3),
    ]


def scattered(shared):
    """A square under five nodes, plain, skinned by two skins, mirrored and morphing: as one mesh, or one for each."""
    builder = GltfBuilder(nodes=[{"name": "a"}, {"name": "b"}])
    skins = [builder.add("skins", joints=joints) for joints in ([0, 1], [1, 0])]

    def mesh():
        attributes = {
            "POSITION": builder.accessor([SQUARE[k] for k in (0, 1, 2, 1, 3, 2)], kind="VEC3"),
            "JOINTS_0": builder.accessor([[0, 1, 0, 0]] * 6, "u8", "VEC4"),
            "WEIGHTS_0": builder.accessor([[0.75, 0.25, 0, 0]] * 6, kind="VEC4"),
        }
        lifted = builder.accessor([[0, 0, k] for k in (0, 1, 2, 1, 3, 2)], kind="VEC3")
        return builder.mesh(attributes, targets=[{"POSITION": lifted}])

    one = mesh()
    for node in ({}, {"skin": skins[0]}, {"skin": skins[1]}, {"scale": [-1, 1, 1]}, {"weights": [0.5]}):
        builder.add("nodes", **node, mesh=one if shared else mesh())
    return builder


def test_copies_of_a_mesh_are_what_a_mesh_for_each_would_be(tmp_path):
    copies, own = (load_rig(scattered(shared).write(tmp_path / "model.glb")) for shared in (True, False))
    assert copies.skeleton.skin_joints.tolist() == own.skeleton.skin_joints.tolist() == [0, 1, 2, 5, 6]
    assert len(copies.meshes) == len(own.meshes) == 5
    for copy, mesh in zip(copies.meshes, own.meshes, strict=True):
        for array in ("positions", "normals", "uvs", "palette_indices", "weights", "indices"):
            np.testing.assert_array_equal(getattr(copy, array), getattr(mesh, array))
        np.testing.assert_array_equal(copy.morphs.positions, mesh.morphs.positions)
        assert copy.morphs.first == mesh.morphs.first
    assert copies.meshes[1].palette_indices[0].tolist() == [0, 1, 0, 0]
    assert copies.meshes[2].palette_indices[0].tolist() == [1, 0, 0, 0]
    assert copies.meshes[3].palette_indices[:, 0].tolist() == [3] * copies.meshes[3].vertex_count


def test_copies_of_a_mesh_are_welded_once(tmp_path, monkeypatch):
    welded, build = [], mesh_build.build
    monkeypatch.setattr(mesh_build, "build", lambda raw: welded.append(raw) or build(raw))
    rig = load_rig(scattered(shared=True).write(tmp_path / "model.glb"))
    assert len(welded) == 3  # for its nodes, and for each skin
    assert rig.meshes[0].positions is rig.meshes[4].positions


def test_missing_normals_are_flat(tmp_path):
    builder = GltfBuilder()
    positions = builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1]], kind="VEC3")
    indices = builder.accessor([0, 1, 2, 0, 2, 3], "u8")
    (mesh,) = load_mesh(tmp_path, builder, {"POSITION": positions}, indices)
    assert mesh.flat
    last = mesh.indices.reshape(-1, 3)[:, 2]
    assert sorted(mesh.normals[last].tolist()) == [[-1, 0, 0], [0, 0, 1]]


def test_quantised_attributes(tmp_path):
    builder = GltfBuilder(extensionsRequired=["KHR_mesh_quantization"])
    attributes = {
        "POSITION": builder.accessor([[0, 0, 0], [300, 0, 0], [0, 300, 0]], "i16", "VEC3"),
        "NORMAL": builder.accessor([[0, 0, 127], [0, 127, 0], [127, 0, 0]], "i8", "VEC3", normalized=True),
        "TEXCOORD_0": builder.accessor([[0, 0], [255, 0], [0, 51]], "u8", "VEC2", normalized=True),
    }
    (mesh,) = load_mesh(tmp_path, builder, attributes)
    assert not mesh.flat
    order = np.lexsort(mesh.positions.T)
    np.testing.assert_allclose(mesh.positions[order], [[0, 0, 0], [300, 0, 0], [0, 300, 0]])
    np.testing.assert_allclose(mesh.normals[order], [[0, 0, 1], [0, 1, 0], [1, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(mesh.uvs[order], [[0, 0], [1, 0], [0, 0.2]], atol=1e-6)


@pytest.mark.parametrize(
    ("scales", "flipped"),
    [(([1, 1, 1], [1, 1, 1]), False), (([-1, 1, 1], [1, 1, 1]), True), (([-1, 1, 1], [1, 1, -2]), False)],
)
@pytest.mark.parametrize("with_normals", [True, False])
def test_a_mirrored_node_flips_the_winding_and_keeps_the_provoking_vertex(tmp_path, scales, flipped, with_normals):
    builder = GltfBuilder()
    attributes = {"POSITION": builder.accessor(SQUARE[:3], kind="VEC3")}
    if with_normals:
        attributes["NORMAL"] = builder.accessor(UP[:3], kind="VEC3")
    builder.add("nodes", mesh=builder.mesh(attributes), scale=scales[1])
    builder.add("nodes", children=[0], scale=scales[0])
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    (mesh,) = rig.meshes
    assert mesh.mirrors == flipped
    outward = outward_indices(mesh, skin_palette(rig.skeleton, rig.skeleton.rest_pose))
    assert triangles_of(replace(mesh, indices=outward)) == corners((0, 2, 1) if flipped else (0, 1, 2))
    assert outward[2] == mesh.indices[2]
    np.testing.assert_array_equal(mesh.normals[mesh.indices[2]], [0, 0, 1])


def test_a_mirrored_flat_mesh_keeps_the_normal_of_each_face(tmp_path):
    builder = GltfBuilder()
    positions = builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -1]], kind="VEC3")
    indices = builder.accessor([0, 1, 2, 0, 2, 3, 0, 3, 1], "u8")
    (mesh,) = load_mesh(tmp_path, builder, {"POSITION": positions}, indices, node={"scale": [1, 1, -1]})
    for triangle in mesh.indices.reshape(-1, 3):
        a, b, c = mesh.positions[triangle]
        np.testing.assert_allclose(np.cross(b - a, c - a), mesh.normals[triangle[2]], atol=1e-6)


@pytest.mark.parametrize(("component", "refused"), [("u8", True), ("u16", False)])
def test_an_index_that_restarts_is_refused_even_where_there_is_such_a_vertex(tmp_path, component, refused):
    builder = GltfBuilder()
    positions = builder.accessor(np.random.default_rng(0).random((256, 3)), kind="VEC3")
    indices = builder.accessor([0, 1, 255], component)
    if refused:
        with pytest.raises(InputError, match="the vertex index 255 is not allowed, because glTF reserves"):
            load_mesh(tmp_path, builder, {"POSITION": positions}, indices)
    else:
        assert load_mesh(tmp_path, builder, {"POSITION": positions}, indices)[0].triangle_count == 1


# Influences


def skinned(joints, weights, joint_component="u8", weight_component="f32", count=3, **node):
    builder = GltfBuilder(nodes=[{"name": f"j{k}"} for k in range(8)])
    builder.add("skins", joints=[7, 6, 5, 4, 3, 2, 1, 0])
    attributes = {"POSITION": builder.accessor(SQUARE[:3], kind="VEC3")}
    for number, (joint, weight) in enumerate(zip(joints, weights, strict=True)):
        attributes[f"JOINTS_{number}"] = builder.accessor([joint] * count, joint_component, "VEC4")
        attributes[f"WEIGHTS_{number}"] = builder.accessor(
            [weight] * count, weight_component, "VEC4", normalized=weight_component != "f32"
        )
    builder.add("nodes", name="mesh", skin=0, mesh=builder.mesh(attributes), **node)
    return builder


def joint_weights(rig):
    """Weights of the first mesh's first vertex by joint name."""
    (mesh,) = rig.meshes
    names = [rig.skeleton.joint_names[joint] for joint in rig.skeleton.skin_joints]
    pairs = zip(mesh.palette_indices[0], mesh.weights[0].tolist(), strict=True)
    return {names[entry]: pytest.approx(weight, abs=1e-6) for entry, weight in pairs if weight}


@pytest.mark.parametrize("joint_component", ["u8", "u16"])
@pytest.mark.parametrize(
    ("weight_component", "weights"),
    [("f32", [0.75, 0.25, 0, 0]), ("f32", [3, 1, 0, 0]), ("u8", [153, 51, 0, 0]), ("u16", [39321, 13107, 0, 0])],
)
def test_weights_sum_to_one(tmp_path, joint_component, weight_component, weights):
    builder = skinned([[1, 3, 0, 0]], [weights], joint_component, weight_component)
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    assert joint_weights(rig) == {"j6": 0.75, "j4": 0.25}
    assert rig.meshes[0].weights.sum(axis=1).tolist() == pytest.approx([1] * 3, abs=1e-7)


def test_eight_influences_are_all_kept_the_largest_first(tmp_path):
    joints = [[0, 1, 2, 3], [4, 5, 6, 7]]
    weights = [[0.1, 0.05, 0.2, 0.02], [0.3, 0.03, 0.1, 0.2]]
    rig = load_rig(skinned(joints, weights).write(tmp_path / "model.glb"))
    given = np.ravel(weights) / np.sum(weights)
    assert joint_weights(rig) == {f"j{7 - k}": pytest.approx(share, abs=1e-6) for k, share in enumerate(given)}
    assert (np.diff(rig.meshes[0].weights, axis=1) <= 0).all()


@pytest.mark.parametrize(
    ("joints", "weights", "expected"),
    [
        ([[3, 1, 0, 0]], [[0, 0, 0, 0]], {"j4": 1.0}),
        ([[3, 1, 99, 99]], [[0.5, 0.5, 0, 0]], {"j4": 0.5, "j6": 0.5}),
        ([[3, 1, 0, 0]], [[0.5, -0.5, 0, 0]], {"j4": 1.0}),
    ],
)
def test_odd_weights(tmp_path, joints, weights, expected):
    assert expected == joint_weights(load_rig(skinned(joints, weights).write(tmp_path / "model.glb")))


def test_unused_entries_are_zero(tmp_path):
    builder = skinned([[5, 6, 7, 1]], [[1, 0, 0, 0]])
    builder.document["skins"].insert(0, {"joints": [3, 2]})
    builder.document["nodes"][8]["skin"] = 1
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    assert joint_weights(rig) == {"j2": 1.0}
    np.testing.assert_array_equal(rig.meshes[0].palette_indices[:, 1:], 0)


@pytest.mark.parametrize("count", [12, 20])
def test_largest_influences_against_sorting(count):
    """All that a vertex has, up to sixteen; what is lost of others is told."""
    random = np.random.default_rng(5)
    joints = random.permuted(np.tile(np.arange(count, dtype=np.uint16), (50, 1)), axis=1)
    weights = random.random((50, count)).astype(np.float32)
    found_joints, found_weights, lost = largest_influences(joints, weights)
    for row in range(50):
        best = sorted(zip(weights[row].tolist(), joints[row].tolist(), strict=True), reverse=True)[:16]
        assert found_joints[row].tolist() == [joint for _, joint in best]
        total = sum(weight for weight, _ in best)
        assert found_weights[row].tolist() == pytest.approx([weight / total for weight, _ in best], rel=1e-6)
        assert lost[row] == pytest.approx(1 - total / weights[row].sum(dtype=np.float64), abs=1e-12)


@pytest.mark.parametrize("sets", [2, 3, 4])
def test_all_influences_of_several_sets_count(tmp_path, sets):
    """A vertex at the origin goes to the weighted mean of its joints' places, whatever the order of the sets."""
    rig = load_rig(many_influences(sets).write(tmp_path / "model.glb"))
    count = 4 * sets
    shares = np.arange(1, count + 1) / np.arange(1, count + 1).sum()
    expected = np.sum(shares[:, None] * np.stack([np.arange(count), np.arange(count) ** 2, 0 * shares], axis=1), axis=0)
    palette = skin_palette(rig.skeleton, rig.skeleton.rest_pose)
    points, _ = skin_linear(rig.meshes[0], palette)
    np.testing.assert_allclose(points[0], expected, rtol=1e-5)


def test_influences_beyond_sixteen_are_told(tmp_path):
    with pytest.warns(
        InputWarning, match=r"more than 16 influences per vertex; a vertex loses up to 0.0476 of its weight"
    ):
        rig = load_rig(many_influences(5).write(tmp_path / "model.glb"))
    assert rig.meshes[0].weights.shape[1] == 16


def many_influences(sets):
    """A triangle at the origin, bound to joints at (k, k squared, 0) by weights of k + 1."""
    count = 4 * sets
    builder = skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]])
    first = len(builder.document["nodes"])
    builder.document["nodes"] += [{"translation": [k, k * k, 0]} for k in range(count)]
    builder.document["skins"][0]["joints"] = list(range(first, first + count))
    attributes = builder.document["meshes"][0]["primitives"][0]["attributes"]
    vertices = builder.document["accessors"][attributes["POSITION"]]["count"]
    for number in range(sets):
        joints = np.tile(np.arange(4 * number, 4 * number + 4), (vertices, 1))
        attributes[f"JOINTS_{number}"] = builder.accessor(joints, "u16", "VEC4")
        attributes[f"WEIGHTS_{number}"] = builder.accessor(joints + 1.0, "f32", "VEC4")
    return builder


def test_the_transform_of_a_skinned_meshs_own_node_is_ignored(tmp_path):
    plain = load_rig(skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]]).write(tmp_path / "a.glb")).meshes[0]
    builder = skinned([[0, 0, 0, 0]], [[1, 0, 0, 0]], scale=[-5, 1, 1], translation=[1, 2, 3])
    moved = load_rig(builder.write(tmp_path / "b.glb")).meshes[0]
    np.testing.assert_array_equal(plain.positions, moved.positions)
    np.testing.assert_array_equal(plain.indices, moved.indices)
    np.testing.assert_array_equal(plain.palette_indices, moved.palette_indices)


def remove_weights(builder):
    del builder.document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]


def set_attribute(name, values, component="f32", kind="VEC3"):
    def change(builder):
        attributes = builder.document["meshes"][0]["primitives"][0]["attributes"]
        attributes[name] = builder.accessor(values, component, kind)

    return change


def set_primitive(**changes):
    return lambda builder: builder.document["meshes"][0]["primitives"][0].update(changes)


def set_indices(values, component="u8", kind="SCALAR"):
    def change(builder):
        builder.document["meshes"][0]["primitives"][0]["indices"] = builder.accessor(values, component, kind)

    return change


PRIMITIVE = r"meshes\[0\].primitives\[0\]"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            remove_weights,
            rf"{PRIMITIVE}.attributes.WEIGHTS_0: the primitive has JOINTS_0, so it must also have WEIGHTS_0",
        ),
        (
            set_attribute("JOINTS_0", [[8, 0, 0, 0]] * 3, "u8", "VEC4"),
            r"JOINTS_0: each joint number must be below the skin's joint count 8",
        ),
        (
            set_attribute("JOINTS_0", [[1, 0, 0, 0]] * 3, "f32", "VEC4"),
            r"JOINTS_0: the accessor must contain unsigned integers",
        ),
        (
            set_attribute("WEIGHTS_0", [[np.nan, 0, 0, 0]] * 3, kind="VEC4"),
            r"WEIGHTS_0: all numbers must be finite \(vertex 0",
        ),
        (
            set_attribute("POSITION", [[0, 0, 0], [0, np.nan, 0], [1, 0, 0]]),
            r"POSITION: all numbers must be finite \(vertex 1",
        ),
        (
            set_attribute("POSITION", SQUARE),
            r"JOINTS_0: the attribute must have 4 elements, as many as POSITION \(got 3\)",
        ),
        (set_attribute("NORMAL", UP), r"NORMAL: the attribute must have 3 elements, as many as POSITION \(got 4\)"),
        (set_attribute("TEXCOORD_0", [[np.inf, 0]] * 3, kind="VEC2"), r"TEXCOORD_0: all numbers must be finite"),
        (
            set_attribute("TEXCOORD_0", UP[:3]),
            r"TEXCOORD_0: the accessor must have the type VEC2 \(accessors\[\d+\] has the type VEC3\)",
        ),
        (
            set_indices([0, 1, 3]),
            rf"{PRIMITIVE}.indices: each vertex index must be below 3, the number of vertices \(got 3\)",
        ),
        (
            set_indices([0, 1, 2, 0]),
            rf"{PRIMITIVE}.indices: the number of indices of a triangle list must be a multiple of 3 \(got 4\)",
        ),
        (
            set_indices([0, 1, 255]),
            rf"{PRIMITIVE}.indices: the vertex index 255 is not allowed, because glTF reserves this index for",
        ),
        (set_indices([0, 1, 65535], "u16"), rf"{PRIMITIVE}.indices: the vertex index 65535 is not allowed"),
        (set_indices([0, 1, 2**32 - 1], "u32"), rf"{PRIMITIVE}.indices: the vertex index 4294967295 is not allowed"),
        (set_indices([0, 1, 2], "i16"), rf"{PRIMITIVE}.indices: the accessor must contain unsigned integers"),
        (
            set_primitive(indices=99),
            rf"{PRIMITIVE}.indices: the value must be the index of one of the file's 3 accessors \(got 99\)",
        ),
        (
            set_primitive(material=4),
            rf"{PRIMITIVE}.material: the value must be the index of one of the file's 0 materials",
        ),
        (set_primitive(mode=7), rf"{PRIMITIVE}.mode: the mode of a primitive must be 0 to 6 \(got 7\)"),
        (
            set_primitive(attributes={"POSITION": "0"}),
            rf"{PRIMITIVE}.attributes.POSITION: the value must be an integer",
        ),
        (set_primitive(attributes=None), rf"{PRIMITIVE}.attributes: is missing"),
        (
            lambda b: b.document["nodes"][8].update(skin=3),
            r"nodes\[8\].skin: the value must be the index of one of the file's 1 skins",
        ),
    ],
)
def test_faults(tmp_path, change, message):
    builder = skinned([[0, 1, 0, 0]], [[0.5, 0.5, 0, 0]])
    change(builder)
    with pytest.raises(InputError, match=message):
        load_rig(builder.write(tmp_path / "model.glb"))
