"""Joints from nodes: order, names, rest pose, levels of detail; palettes from skins."""

import numpy as np
import pytest

from ecs_anim.assets.hierarchy import model_matrices, skin_palette
from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from ecs_anim.support.names import unique_names
from tests.builders.gltf_builder import GltfBuilder


def load_nodes(tmp_path, *nodes, **lists):
    builder = GltfBuilder(nodes=list(nodes), **lists)
    return load_rig(builder.write(tmp_path / "model.gltf"))


@pytest.mark.parametrize(
    ("children", "names", "parents"),
    [
        ({}, "abcd", [-1, -1, -1, -1]),
        ({0: [1], 1: [2], 2: [3]}, "abcd", [-1, 0, 1, 2]),
        ({3: [2], 2: [1], 1: [0]}, "dcba", [-1, 0, 1, 2]),
        ({0: [3, 2], 2: [1]}, "acbd", [-1, 0, 1, 0]),
        ({2: [0], 3: [1]}, "cadb", [-1, 0, -1, 2]),
    ],
)
def test_order_is_parents_first_else_that_of_the_file(tmp_path, children, names, parents):
    nodes = [{"name": name, **({"children": children[k]} if k in children else {})} for k, name in enumerate("abcd")]
    skeleton = load_nodes(tmp_path, *nodes).skeleton
    assert "".join(skeleton.joint_names) == names
    np.testing.assert_array_equal(skeleton.parents, parents)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        ([None, "", "a"], ["node_0", "node_1", "a"]),
        (["a", "a", "a"], ["a", "a_2", "a_3"]),
        (["a", "a", "a_2"], ["a", "a_3", "a_2"]),
        (["node_1", None], ["node_1", "node_1_2"]),
        (["a_2", "a", "a", "a_2"], ["a_2", "a", "a_3", "a_2_2"]),
    ],
)
def test_names_are_made_unique(given, expected):
    assert unique_names(given, "node") == expected


def test_rest_pose_from_parts_and_from_matrices(tmp_path):
    quarter = [0, 0.5**0.5, 0, 0.5**0.5]  # about y: x goes to -z
    matrix = [0, 0, -2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 5, 6, 7, 1]
    parts = {"translation": [5, 6, 7], "rotation": quarter, "scale": [2, 3, 4]}
    pose = load_nodes(tmp_path, parts, {"matrix": matrix}, {"rotation": [0, 0, 0, 2]}, {"rotation": [0, 0, 0, 0]})
    pose = pose.skeleton.rest_pose
    for row in (0, 1):
        np.testing.assert_allclose(pose.translation[row], [5, 6, 7])
        np.testing.assert_allclose(pose.rotation[row], quarter, atol=1e-7)
        np.testing.assert_allclose(pose.scale[row], [2, 3, 4], rtol=1e-6)
    np.testing.assert_array_equal(pose.rotation[2:], [[0, 0, 0, 1]] * 2)


def test_shear_is_dropped_with_a_warning(tmp_path):
    matrix = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    with pytest.warns(
        UserWarning,
        match=r"model.gltf: nodes\[0\].matrix: the matrix has shear .40% of its scale.*is ignored. Apply the node's",
    ):
        load_nodes(tmp_path, {"matrix": matrix})


def test_a_mirror_in_a_matrix_stays_in_the_scale(tmp_path):
    matrix = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    pose = load_nodes(tmp_path, {"matrix": matrix}).skeleton.rest_pose
    np.testing.assert_allclose(pose.to_matrix()[0], np.array(matrix, float).reshape(4, 4).T[:3], atol=1e-7)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([{"children": [1]}, {"children": [0]}], r"nodes\[0\]: the parents of this node form a cycle"),
        ([{}, {"children": [1]}], r"nodes\[1\]: the parents of this node form a cycle"),
        (
            [{"children": [2]}, {"children": [2]}, {}],
            r"nodes\[2\]: the node must have at most one parent .*nodes\[0\] and of nodes\[1\]",
        ),
        ([{"children": [1, 1]}, {}], r"nodes\[1\]: the node must have at most one parent"),
        (
            [{"children": [1]}],
            r"nodes\[0\].children\[0\]: the value must be the index of one of the file's 1 nodes \(got 1\)",
        ),
        ([{"children": [-1]}], r"nodes\[0\].children\[0\]: the value must be the index of one of"),
        ([{"children": ["1"]}], r"nodes\[0\].children\[0\]: the value must be an integer \(got '1'\)"),
        ([{"children": [True]}], r"nodes\[0\].children\[0\]: the value must be an integer \(got True\)"),
        ([{"translation": [1, 2]}], r"nodes\[0\].translation: the list must have 3 numbers \(got 2\)"),
        ([{"rotation": [0, 0, "0", 1]}], r"nodes\[0\].rotation\[2\]: .* fits into float32 \(got '0'\)"),
        ([{"scale": [1e39, 1, 1]}], r"nodes\[0\].scale\[0\]: the value must be a finite number"),
        ([{"matrix": [1] * 15}], r"nodes\[0\].matrix: the list must have 16 numbers \(got 15\)"),
        ([{"matrix": [1e31] * 16}], r"nodes\[0\].matrix: all numbers in the matrix of a node must be at most"),
        ([{"mesh": 0}], r"nodes\[0\].mesh: the value must be the index of one of the file's 0 meshes"),
        ([{"name": 7}], r"nodes\[0\].name: the value must be a string \(got 7\)"),
        (
            [{"extensions": {"MSFT_lod": {"ids": [4]}}}],
            r"nodes\[0\].extensions.MSFT_lod.ids\[0\]: the value must be the index of one of",
        ),
        (
            [{"extensions": {"MSFT_lod": {"ids": 4}}}],
            r"nodes\[0\].extensions.MSFT_lod.ids: the value of the key `ids` must be a list",
        ),
        (
            [{"extensions": {"MSFT_lod": 4}}],
            r"nodes\[0\].extensions.MSFT_lod.ids: the value of the key `ids` must be a list",
        ),
    ],
)
def test_faults(tmp_path, nodes, message):
    with pytest.raises(InputError, match=message):
        load_nodes(tmp_path, *nodes)


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ({"scene": 1, "scenes": [{}]}, r"scene: the value must be the index of one of the file's 1 scenes \(got 1\)"),
        (
            {"scenes": [{"nodes": [3]}]},
            r"scenes\[0\].nodes\[0\]: the value must be the index of one of the file's 1 nodes",
        ),
        (
            {"skins": [{"joints": [7]}]},
            r"skins\[0\].joints\[0\]: the value must be the index of one of the file's 1 nodes",
        ),
        ({"skins": [{}]}, r"skins\[0\].joints: is missing"),
    ],
)
def test_faults_of_scenes_and_skins(tmp_path, lists, message):
    with pytest.raises(InputError, match=message):
        load_nodes(tmp_path, {"skin": 0} if "skins" in lists else {}, **lists)


# Palettes


def column_major(*matrices):
    return [np.asarray(matrix, float).T.ravel() for matrix in matrices]


def moved(x):
    matrix = np.eye(4)
    matrix[0, 3] = x
    return matrix


def test_the_palette_is_the_union_of_the_skins_first_skin_first(tmp_path):
    builder = GltfBuilder(nodes=[{"name": name} for name in "abc"])
    one = builder.accessor(column_major(moved(1), moved(2), moved(9)), kind="MAT4")  # one more than joints
    two = builder.accessor(column_major(moved(1), moved(3)), kind="MAT4")
    builder.add("skins", joints=[2, 0], inverseBindMatrices=one)
    builder.add("skins", joints=[2, 1], inverseBindMatrices=two)
    builder.add("skins", joints=[1])
    skeleton = load_rig(builder.write(tmp_path / "model.glb")).skeleton
    assert [skeleton.joint_names[joint] for joint in skeleton.skin_joints] == ["c", "a", "b", "b"]
    np.testing.assert_array_equal(skeleton.inverse_bind[:, 0, 3], [1, 2, 3, 0])
    np.testing.assert_array_equal(skeleton.inverse_bind[:, :, :3], np.tile(np.eye(3), (4, 1, 1)))


def test_too_few_inverse_bind_matrices(tmp_path):
    builder = GltfBuilder(nodes=[{"skin": 0}, {}])
    builder.add("skins", joints=[0, 1], inverseBindMatrices=builder.accessor(column_major(moved(1)), kind="MAT4"))
    message = r"skins\[0\].inverseBindMatrices: the accessor must have one matrix for each of the 2 joints .*got 1"
    with pytest.raises(InputError, match=message):
        load_rig(builder.write(tmp_path / "model.glb"))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (moved(np.nan), r"all numbers must be finite \(matrix 1"),
        (np.zeros((4, 4)), r"inverse bind matrix 1 scales by zero"),
        (moved(2).T, r"the last row must be 0, 0, 0, 1 \(matrix 1 has \[2.0, 0.0, 0.0, 1.0\]\). .* column by column"),
        (np.diag([0, 0, 0, 1]), r"inverse bind matrix 1 scales by zero"),
    ],
)
def test_inverse_bind_matrices_that_would_show_something_else(tmp_path, matrix, message):
    """Refused where a node has the skin; without one, nothing is drawn by it."""
    builder = GltfBuilder(nodes=[{"skin": 0}, {}])
    matrices = builder.accessor(column_major(moved(1), matrix), kind="MAT4")
    builder.add("skins", joints=[0, 1], inverseBindMatrices=matrices)
    with pytest.raises(InputError, match=r"skins\[0\].inverseBindMatrices: " + message):
        load_rig(builder.write(tmp_path / "model.glb"))
    del builder.document["nodes"][0]["skin"]
    assert load_rig(builder.write(tmp_path / "model.glb")).skeleton.palette_count == 0


def test_a_joint_that_is_named_twice_is_told(tmp_path):
    builder = GltfBuilder(nodes=[{"skin": 0}, {}])
    matrices = builder.accessor(column_major(moved(1), moved(2), moved(3)), kind="MAT4")
    builder.add("skins", joints=[1, 0, 1], inverseBindMatrices=matrices)
    with pytest.warns(UserWarning, match=r"skins\[0\].joints: the list contains a node twice"):
        skeleton = load_rig(builder.write(tmp_path / "model.glb")).skeleton
    assert skeleton.skin_joints.tolist() == [1, 0, 1]
    np.testing.assert_array_equal(skeleton.inverse_bind[:, 0, 3], [1, 2, 3])


def test_a_mesh_without_a_skin_follows_its_node(tmp_path):
    builder = GltfBuilder()
    mesh = builder.triangle()
    builder.add("nodes", name="leaf", mesh=mesh, translation=[0, 2, 0])
    builder.add("nodes", name="root", children=[0], translation=[1, 0, 0], scale=[2, 2, 2])
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    skeleton, (mesh,) = rig.skeleton, rig.meshes
    assert [skeleton.joint_names[joint] for joint in skeleton.skin_joints] == ["leaf"]
    np.testing.assert_array_equal(mesh.palette_indices[:, 0], 0)
    np.testing.assert_array_equal(mesh.weights, [[1, 0, 0, 0]] * 3)
    (palette,) = skin_palette(skeleton, skeleton.rest_pose)
    world = mesh.positions @ palette[:, :3].T + palette[:, 3]
    np.testing.assert_allclose(np.sort(world, axis=0), [[1, 4, 0], [1, 4, 0], [3, 6, 0]])


def test_levels_begin_where_there_are_meshes(tmp_path):
    """A node without a mesh whose coarser stand-ins have some."""
    builder = GltfBuilder()
    coarse = [builder.triangle(), builder.triangle()]
    builder.add("nodes", extensions={"MSFT_lod": {"ids": [1, 2]}})
    for mesh in coarse:
        builder.add("nodes", mesh=mesh)
    builder.document["scenes"] = [{"nodes": [0]}]
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    assert [(mesh.name, mesh.level) for mesh in rig.meshes] == [("mesh_0", 0), ("mesh_1", 1)]


def test_a_mesh_that_several_nodes_use_appears_once_for_each(tmp_path):
    builder = GltfBuilder()
    mesh = builder.triangle()
    for x in range(3):
        builder.add("nodes", mesh=mesh, translation=[x, 0, 0])
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    assert [int(m.palette_indices[0, 0]) for m in rig.meshes] == [0, 1, 2]
    model = model_matrices(rig.skeleton, rig.skeleton.rest_pose)
    np.testing.assert_array_equal(model[rig.skeleton.skin_joints, 0, 3], [0, 1, 2])


# Scenes and levels of detail


def mesh_levels(rig):
    return [(mesh.name, mesh.level) for mesh in rig.meshes]


def lod_builder(*nodes, **lists):
    builder = GltfBuilder(**lists)
    for node in nodes:
        if node.pop("mesh", True):
            builder.document.setdefault("meshes", [])
            node["mesh"] = builder.triangle()
            builder.document["meshes"][node["mesh"]]["name"] = node["name"]
        builder.add("nodes", **node)
    return builder


def lod(*ids):
    return {"extensions": {"MSFT_lod": {"ids": list(ids)}}}


def test_nodes_outside_the_scene_are_joints_but_not_drawn(tmp_path):
    builder = lod_builder({"name": "a"}, {"name": "b"}, scenes=[{"nodes": [0]}, {"nodes": [1]}], scene=1)
    rig = load_rig(builder.write(tmp_path / "model.glb"))
    assert rig.skeleton.joint_names == ("a", "b")
    assert mesh_levels(rig) == [("b", 0)]


def test_levels_of_detail_outside_the_scene(tmp_path):
    nodes = [
        {"name": "root", "mesh": False, "children": [1], "translation": [3, 0, 0]},
        {"name": "fine", **lod(2, 3)},
        {"name": "middle"},
        {"name": "coarse"},
    ]
    rig = load_rig(lod_builder(*nodes, scenes=[{"nodes": [0]}]).write(tmp_path / "model.glb"))
    assert mesh_levels(rig) == [("fine", 0), ("middle", 1), ("coarse", 2)]
    assert rig.level_count == 3
    model = model_matrices(rig.skeleton, rig.skeleton.rest_pose)
    np.testing.assert_array_equal(model[rig.skeleton.skin_joints, 0, 3], 3)  # levels hang where the finest does


def test_what_has_fewer_levels_is_drawn_at_all_of_them(tmp_path):
    nodes = [{"name": "body", **lod(1, 2)}, {"name": "body1"}, {"name": "body2"}, {"name": "hat"}]
    nodes += [{"name": "boot", **lod(5)}, {"name": "boot1"}]
    rig = load_rig(lod_builder(*nodes, scenes=[{"nodes": [0, 3, 4]}]).write(tmp_path / "model.glb"))
    names = [{mesh.name for mesh in rig.level(level)} for level in range(3)]
    assert names == [{"body", "hat", "boot"}, {"body1", "hat", "boot1"}, {"body2", "hat", "boot1"}]


def test_levels_are_inherited_by_children(tmp_path):
    nodes = [{"name": "fine", "mesh": False, "children": [1], **lod(2)}, {"name": "fine-part"}]
    nodes += [{"name": "coarse", "mesh": False, "children": [3]}, {"name": "coarse-part"}]
    rig = load_rig(lod_builder(*nodes, scenes=[{"nodes": [0]}]).write(tmp_path / "model.glb"))
    assert mesh_levels(rig) == [("fine-part", 0), ("coarse-part", 1)]


def test_levels_of_a_node_that_is_not_drawn_are_not_drawn(tmp_path):
    nodes = [{"name": "fine", **lod(1)}, {"name": "coarse"}, {"name": "other"}]
    rig = load_rig(lod_builder(*nodes, scenes=[{"nodes": [2]}]).write(tmp_path / "model.glb"))
    assert mesh_levels(rig)[0] == ("other", 0)
    assert {mesh.name for mesh in rig.meshes} == {"other"}
