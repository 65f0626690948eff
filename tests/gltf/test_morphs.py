"""Morph targets of glTF files: in step with vertices that are welded, split and dropped; weights and their keys."""

import copy
import random

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline

from ecs_anim.assets.morphs import add_morphs
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.gltf.load import load_rig
from ecs_anim.ground.placed import placed_surfaces
from ecs_anim.retargeting.same_names import by_names
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder
from tests.hostile.gltf import loads
from tests.hostile.mutations import change, key_paths

SQUARE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
CORNERS = [0, 1, 2, 1, 3, 2]
UP = [[0, 0, 1]] * 4
LIFT = [[0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 4]]
LEAN = [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0], [0, 0, -0.5]]


def face(*targets, positions=SQUARE, normals=UP, indices=CORNERS, node=None, **mesh):
    """A builder with one drawn mesh of one primitive; each target is a dict of accessors' values."""
    builder = GltfBuilder()
    primitive = {"attributes": {"POSITION": builder.accessor(positions, kind="VEC3")}}
    if normals is not None:
        primitive["attributes"]["NORMAL"] = builder.accessor(normals, kind="VEC3")
    if indices is not None:
        primitive["indices"] = builder.accessor(indices, "u16")
    primitive["targets"] = [
        {name: value if isinstance(value, int) else builder.accessor(value, kind="VEC3") for name, value in own.items()}
        for own in targets
    ]
    builder.add("nodes", name="face", mesh=builder.add("meshes", primitives=[primitive], **mesh), **(node or {}))
    return builder


def load(tmp_path, builder):
    return load_rig(builder.write(tmp_path / "model.glb"))


def only_mesh(tmp_path, builder):
    (mesh,) = load(tmp_path, builder).meshes
    return mesh


def by_place(mesh, places=SQUARE):
    """The vertex at each place; each must be there once."""
    return [int(np.flatnonzero((mesh.positions == np.float32(place)).all(axis=1)).item()) for place in places]


def test_deltas_are_those_of_the_file(tmp_path):
    mesh = only_mesh(tmp_path, face({"POSITION": LIFT, "NORMAL": LEAN, "TANGENT": UP}, {"POSITION": LEAN}))
    order = by_place(mesh)
    assert mesh.morphs.names == ("target_0", "target_1")
    np.testing.assert_array_equal(mesh.morphs.positions[:, order], np.float32([LIFT, LEAN]))
    np.testing.assert_array_equal(mesh.morphs.normals[:, order], np.float32([LEAN, np.zeros((4, 3))]))
    for array in (mesh.morphs.positions, mesh.morphs.normals):
        assert array.shape == (2, mesh.vertex_count, 3)
        assert array.flags.c_contiguous
        assert not array.flags.writeable


def test_weights_add_up(tmp_path):
    mesh = only_mesh(tmp_path, face({"POSITION": LIFT, "NORMAL": LEAN}, {"POSITION": LEAN}))
    order, weights = by_place(mesh), np.array([[0, 0], [1, 0], [0.25, -2]], np.float32)
    positions, normals = add_morphs(mesh.morphs, mesh.positions, mesh.normals, weights)
    for row, (a, b) in enumerate(weights):
        np.testing.assert_allclose(positions[row][order], SQUARE + a * np.array(LIFT) + b * np.array(LEAN), atol=1e-6)
        np.testing.assert_allclose(normals[row][order], UP + a * np.array(LEAN), atol=1e-6)


def test_a_mesh_without_targets_has_none(tmp_path):
    rig = load(tmp_path, face())
    assert rig.meshes[0].morphs is None
    assert len(rig.morph_targets) == 0


def corner_positions(mesh, weights):
    """Triangles' corners under some weights, each triangle turned so that its smallest corner comes first."""
    points = add_morphs(mesh.morphs, mesh.positions, mesh.normals, np.float32(weights))[0]
    triangles = [[tuple(corner) for corner in triangle] for triangle in points[mesh.indices.reshape(-1, 3)].tolist()]
    return sorted(t[t.index(min(t)) :] + t[: t.index(min(t))] for t in triangles)


SOUP = [SQUARE[k] for k in CORNERS]  # every corner its own vertex


@pytest.mark.parametrize("normals", [[[0, 0, 1]] * 6, None])
def test_equal_vertices_are_welded_only_if_targets_move_them_alike(tmp_path, normals):
    together = [LIFT[k] for k in CORNERS]
    apart = [
        *together[:3],
        [0, 0, 7],
        *together[4:],
    ]  # the second triangle's corner at (1, 0, 0) parts from the first's
    for deltas, count in ((together, 4), (apart, 5)):
        mesh = only_mesh(tmp_path, face({"POSITION": deltas}, positions=SOUP, normals=normals, indices=None))
        assert mesh.vertex_count == count
        points = np.array(SOUP, float).reshape(2, 3, 3)
        for weight in (0.0, 0.5, 1.0):
            moved = points + weight * np.array(deltas, float).reshape(2, 3, 3)
            triangles = [[tuple(corner) for corner in triangle] for triangle in moved.tolist()]
            expected = sorted(t[t.index(min(t)) :] + t[: t.index(min(t))] for t in triangles)
            np.testing.assert_allclose(corner_positions(mesh, [weight]), expected, atol=1e-6)


def test_smooth_vertices_that_differ_only_in_a_targets_normal_stay_two(tmp_path):
    base = [[0, 0, 1], [0, 0.6, 0.8], [0, 0, 1], [0, 0.6, 0.8], [0, 0, 1], [0, 0, 1]]  # smooth
    turns = [[0, 0, 0]] * 6
    still = only_mesh(tmp_path, face({"NORMAL": turns}, positions=SOUP, normals=base, indices=None))
    turned = only_mesh(
        tmp_path, face({"NORMAL": [*turns[:3], [1, 0, 0], *turns[4:]]}, positions=SOUP, normals=base, indices=None)
    )
    assert not still.flat
    assert (still.vertex_count, turned.vertex_count) == (4, 5)


def test_a_triangle_that_only_a_target_opens_is_kept(tmp_path):
    points = [[0, 0, 0], [1, 0, 0], [0, 0, 0]]
    opened = face({"POSITION": [[0, 0, 0], [0, 0, 0], [0, 1, 0]]}, positions=points, normals=None, indices=[0, 1, 2])
    shut = face({"POSITION": [[0, 1, 0]] * 3}, positions=points, normals=None, indices=[0, 1, 2])
    assert only_mesh(tmp_path, opened).triangle_count == 1
    assert load(tmp_path, shut).meshes == ()


PYRAMID = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
PYRAMID_FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]


def plane_normals(points):
    a, b, c = np.moveaxis(np.asarray(points, float), 1, 0)
    normals = np.cross(b - a, c - a)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def test_faces_without_normals_turn_with_their_planes(tmp_path):
    """At weight 0 and at weight 1 a face's normal, at its last corner, is that of its plane."""
    rng = np.random.default_rng(2)
    deltas = rng.uniform(-0.3, 0.3, (4, 3))
    mesh = only_mesh(tmp_path, face({"POSITION": deltas}, positions=PYRAMID, normals=None, indices=PYRAMID_FACES))
    assert mesh.flat
    triangles = mesh.indices.reshape(-1, 3)
    assert len(triangles) == 4
    for weight in (0.0, 1.0):
        positions, normals = add_morphs(mesh.morphs, mesh.positions, mesh.normals, np.float32([weight]))
        np.testing.assert_allclose(normals[triangles[:, 2]], plane_normals(positions[triangles]), atol=1e-5)


def test_flat_faces_keep_their_own_normals_deltas(tmp_path):
    """Corners of a face with one normal and one delta: flat, at the provoking vertex; with several deltas: smooth."""
    soup = [PYRAMID[k] for k in PYRAMID_FACES]
    normals = np.repeat(plane_normals(np.array(soup, float).reshape(4, 3, 3)), 3, axis=0)
    turns = np.repeat(np.random.default_rng(3).uniform(-1, 1, (4, 3)), 3, axis=0)
    mesh = only_mesh(tmp_path, face({"NORMAL": turns}, positions=soup, normals=normals, indices=None))
    assert mesh.flat
    assert mesh.vertex_count < 12
    last = mesh.indices.reshape(-1, 3)[:, 2]
    for normal, turn in zip(normals[::3], turns[::3], strict=True):
        (found,) = np.flatnonzero(np.abs(mesh.normals[last] - normal).max(axis=1) < 1e-6)
        np.testing.assert_allclose(mesh.morphs.normals[0, last[found]], turn, atol=1e-6)
    turns[0] += 0.5
    mixed = only_mesh(tmp_path, face({"NORMAL": turns}, positions=soup, normals=normals, indices=None))
    assert not mixed.flat


def test_sparse_targets(tmp_path):
    """Zeros, but for the elements that are named (section 3.6.2.3): how most exporters write targets."""
    builder = face()
    sparse = {
        "count": 2,
        "indices": {"bufferView": builder.view(bytes([1, 3])), "componentType": 5121},
        "values": {"bufferView": builder.view(np.float32([[1, 2, 3], [4, 5, 6]]).tobytes())},
    }
    accessor = builder.accessor_on(None, 4, "f32", "VEC3", sparse=sparse)
    builder.document["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": accessor}]
    mesh = only_mesh(tmp_path, builder)
    expected = np.float32([[0, 0, 0], [1, 2, 3], [0, 0, 0], [4, 5, 6]])
    np.testing.assert_array_equal(mesh.morphs.positions[0, by_place(mesh)], expected)


@pytest.mark.parametrize(("component", "largest"), [("i8", 127), ("i16", 32767)])
def test_normalised_integers(tmp_path, component, largest):
    builder = face()
    values = [[largest, 0, 0], [0, -largest, 0], [0, 0, 1], [-largest - 1, 0, 0]]
    accessor = builder.accessor(values, component, "VEC3", normalized=True)
    builder.document["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": accessor}]
    builder.document["extensionsRequired"] = ["KHR_mesh_quantization"]
    mesh = only_mesh(tmp_path, builder)
    expected = [[1, 0, 0], [0, -1, 0], [0, 0, 1 / largest], [-1, 0, 0]]
    np.testing.assert_allclose(mesh.morphs.positions[0, by_place(mesh)], expected, atol=1e-7)


def test_strips_and_mirrored_nodes_keep_deltas_with_their_vertices(tmp_path):
    builder = face({"POSITION": LIFT}, indices=None, node={"scale": [-1, 1, 1]})
    builder.document["meshes"][0]["primitives"][0]["mode"] = 5
    mesh = only_mesh(tmp_path, builder)
    np.testing.assert_array_equal(mesh.morphs.positions[0, by_place(mesh)], LIFT)


def test_targets_stay_with_vertices_whose_influences_are_sorted(tmp_path):
    """Each vertex has eight influences in an order of its own; vertices and targets stay as they are."""
    builder = face({"POSITION": LIFT})
    attributes = builder.document["meshes"][0]["primitives"][0]["attributes"]
    rng = np.random.default_rng(4)
    for number in range(2):
        attributes[f"JOINTS_{number}"] = builder.accessor(rng.integers(0, 8, (4, 4)), "u8", "VEC4")
        attributes[f"WEIGHTS_{number}"] = builder.accessor(rng.random((4, 4)), kind="VEC4")
    joints = [builder.add("nodes", name=f"joint_{k}") for k in range(8)]
    builder.document["nodes"][0]["skin"] = builder.add("skins", joints=joints)
    mesh = only_mesh(tmp_path, builder)
    assert (mesh.weights > 0).all()
    np.testing.assert_array_equal(mesh.morphs.positions[0, by_place(mesh)], LIFT)


def test_bounds_and_grounds_have_the_default_shape(tmp_path):
    rig = load(tmp_path, face({"POSITION": LIFT}, weights=[0.5]))
    low, high = rest_bounds(rig)
    np.testing.assert_allclose([low, high], [[0, 0, 0.5], [1, 1, 2]], atol=1e-6)
    (surface,) = placed_surfaces(rig, np.eye(3, 4))
    np.testing.assert_allclose(surface.positions[:, 2].max(), 2, atol=1e-6)


# Names and default weights


@pytest.mark.parametrize(
    ("extras", "names"),
    [
        ({"targetNames": ["smile", "blink"]}, ("smile", "blink")),
        ({"targetNames": ["smile"]}, ("target_0", "target_1")),
        ({"targetNames": ["smile", 3]}, ("smile", "target_1")),
        ({"targetNames": ["", "\ud800"]}, ("target_0", "target_1")),
        ({"targetNames": {"smile": 0}}, ("target_0", "target_1")),
        (["targetNames"], ("target_0", "target_1")),
    ],
)
def test_names(tmp_path, extras, names):
    rig = load(tmp_path, face({"POSITION": LIFT}, {"POSITION": LEAN}, extras=extras))
    assert rig.morph_targets.names == rig.meshes[0].morphs.names == names


@pytest.mark.parametrize(
    ("mesh", "node", "weights"),
    [
        ({}, {}, [0, 0]),
        ({"weights": [0.25, 2]}, {}, [0.25, 2]),
        ({"weights": [0.25, 2]}, {"weights": [-1, 0.5]}, [-1, 0.5]),
        ({}, {"weights": [-1, 0.5]}, [-1, 0.5]),
    ],
)
def test_default_weights(tmp_path, mesh, node, weights):
    rig = load(tmp_path, face({"POSITION": LIFT}, {"POSITION": LEAN}, node=node, **mesh))
    assert rig.morph_targets.defaults.tolist() == weights


def two_faces():
    """One mesh of two primitives that two nodes draw, and an undrawn third node."""
    builder = face({"POSITION": LIFT}, {"POSITION": LEAN}, extras={"targetNames": ["smile", "blink"]})
    primitives = builder.document["meshes"][0]["primitives"]
    primitives.append({**primitives[0], "targets": primitives[0]["targets"][::-1]})
    builder.add("nodes", name="twin", mesh=0, weights=[0.5, 0])
    builder.add("nodes", name="hidden", mesh=0)
    builder.document["scenes"] = [{"nodes": [0, 1]}]
    return builder


def test_each_node_has_its_own_weights_and_primitives_share_them(tmp_path):
    rig = load(tmp_path, two_faces())
    assert [mesh.morphs.first for mesh in rig.meshes] == [0, 0, 2, 2]
    assert rig.morph_targets.names == ("smile", "blink", "smile", "blink")
    assert [rig.skeleton.joint_names[joint] for joint in rig.morph_targets.joints] == ["face", "face", "twin", "twin"]
    assert rig.morph_targets.defaults.tolist() == [0, 0, 0.5, 0]
    assert rig.morph_targets.columns("blink").tolist() == [1, 3]
    assert rig.meshes[2].morphs.columns == slice(2, 4)
    with pytest.raises(KeyError):
        rig.morph_targets.columns("frown")


@pytest.mark.parametrize(("names", "first"), [(["smile"], 0), (["frown"], 1)])
def test_a_coarser_level_shares_the_targets_of_the_finest(tmp_path, names, first):
    builder = face({"POSITION": LIFT}, extras={"targetNames": ["smile"]})
    coarse = {**builder.document["meshes"][0], "extras": {"targetNames": names}}
    builder.add("nodes", name="coarse", mesh=builder.add("meshes", **coarse))
    builder.document["nodes"][0]["extensions"] = {"MSFT_lod": {"ids": [1]}}
    rig = load(tmp_path, builder)
    assert [(mesh.level, mesh.morphs.first) for mesh in rig.meshes] == [(0, 0), (1, first)]


# Keys of weights


def animated(values, interpolation="LINEAR", times=(0.5, 1.5, 2.0), node=0, builder=None, component="f32"):
    builder = builder or face({"POSITION": LIFT}, {"POSITION": LEAN}, weights=[0.25, 0.75])
    sampler = {
        "input": builder.accessor(times),
        "output": builder.accessor(values, component, normalized=component != "f32"),
        "interpolation": interpolation,
    }
    channel = {"sampler": 0, "target": {"node": node, "path": "weights"}}
    builder.add("animations", name="talk", channels=[channel], samplers=[sampler])
    return builder


KEYS = np.array([[0, 1], [1, 0.5], [0.5, -1]])  # of two targets
TIMES = np.array([0.5, 1.5, 2.0])
ASKED = np.linspace(0.5, 2.0, 61)


def test_linear_weights(tmp_path):
    clip = load(tmp_path, animated(KEYS)).clips["talk"]
    assert (clip.start, clip.end) == (0.5, 2.0)
    assert clip.tracks == ()
    expected = np.stack([np.interp(ASKED, TIMES, KEYS[:, k]) for k in range(2)], axis=-1)
    np.testing.assert_allclose(clip.sample_weights(ASKED, loop=False), expected, atol=1e-6)


def test_stepping_weights(tmp_path):
    clip = load(tmp_path, animated(KEYS, "STEP")).clips["talk"]
    expected = KEYS[np.searchsorted(TIMES, ASKED, side="right") - 1]
    np.testing.assert_allclose(clip.sample_weights(ASKED, loop=False), expected)


def test_cubic_weights(tmp_path):
    """A key holds the in-tangents of all targets, then the values, then the out-tangents (appendix C.5)."""
    rng = np.random.default_rng(8)
    keys = rng.normal(size=(3, 3, 2))  # key, tangent or value, target
    clip = load(tmp_path, animated(keys, "CUBICSPLINE")).clips["talk"]
    found = clip.sample_weights(ASKED, loop=False)
    for span in range(2):
        begin, end = TIMES[span : span + 2]
        inside = (begin <= ASKED) & (end >= ASKED)
        slopes = [keys[span, 2], keys[span + 1, 0]]
        spline = CubicHermiteSpline(TIMES[span : span + 2], keys[span : span + 2, 1], slopes)
        np.testing.assert_allclose(found[inside], spline(ASKED[inside]), atol=1e-5)


def test_normalised_weights(tmp_path):
    clip = load(tmp_path, animated(np.array([[0, 255], [51, 0], [255, 102]]), component="u8")).clips["talk"]
    np.testing.assert_allclose(clip.sample_weights(TIMES, loop=False), [[0, 1], [0.2, 0], [1, 0.4]], atol=1e-6)


def test_weights_wrap_with_the_clip_and_default_where_nothing_animates_them(tmp_path):
    rig = load(tmp_path, animated(KEYS, builder=two_faces()))
    clip = rig.clips["talk"]
    weights = clip.sample_weights([0.75, 2.25, -0.75])
    assert weights.shape == (3, 4)
    np.testing.assert_allclose(weights, weights[:1].repeat(3, axis=0), atol=1e-6)
    np.testing.assert_array_equal(weights[:, 2:], [[0.5, 0]] * 3)
    np.testing.assert_allclose(weights[0, :2], [0.25, 0.875], atol=1e-6)
    with pytest.raises(ValueError, match="must be finite"):
        clip.sample_weights(np.nan)


def test_a_clip_of_another_model_moves_targets_of_the_same_names(tmp_path):
    rig = load(tmp_path, animated(KEYS, builder=two_faces()))
    other = load(
        tmp_path,
        face(
            {"POSITION": LIFT},
            {"POSITION": LEAN},
            {"POSITION": UP},
            extras={"targetNames": ["frown", "blink", "smile"]},
            node={"weights": [3, 4, 5]},
        ),
    )
    skeleton = rig.skeleton
    clip = by_names(rig.clips["talk"], load(tmp_path, two_faces()).skeleton, other.morph_targets)
    assert clip.skeleton is not skeleton
    np.testing.assert_allclose(
        clip.sample_weights(TIMES, loop=False), np.stack([[3] * 3, KEYS[:, 1], KEYS[:, 0]], axis=-1)
    )


@pytest.mark.parametrize(("builder", "node"), [(two_faces, 2), (face, 0)])
def test_weights_that_move_nothing(tmp_path, builder, node, recwarn):
    """Of a node that is not drawn: left out in silence; of a mesh without targets: with a warning."""
    assert load(tmp_path, animated(KEYS, builder=builder(), node=node)).clips["talk"].morph_tracks == ()
    expected = (
        [] if node else ["animations[0].channels[0]: the channel is ignored, because its node has no morph targets"]
    )
    assert len(recwarn) == len(expected)
    for text in expected:
        assert text in str(recwarn.pop(UserWarning).message)


# Faults


def change_target(**changes):
    def change(builder):
        target = builder.document["meshes"][0]["primitives"][0]["targets"][0]
        target.update({name: make(builder) if callable(make) else make for name, make in changes.items()})

    return change


def values(array, component="f32", kind="VEC3"):
    return lambda builder: builder.accessor(array, component, kind)


def add_primitive(builder):
    primitives = builder.document["meshes"][0]["primitives"]
    primitives.append({key: value for key, value in primitives[0].items() if key != "targets"})


def add_twice(builder):
    animation = builder.document["animations"][0]
    animation["channels"] *= 2


TARGET = r"meshes\[0\].primitives\[0\].targets\[0\]"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            change_target(POSITION=values(LIFT[:3])),
            rf"{TARGET}.POSITION: the attribute must have 4 elements, as many as POSITION",
        ),
        (
            change_target(NORMAL=values(LIFT + LIFT)),
            rf"{TARGET}.NORMAL: the attribute must have 4 elements, as many as POSITION",
        ),
        (
            change_target(POSITION=values([[0, np.nan, 0]] * 4)),
            rf"{TARGET}.POSITION: all numbers must be finite \(vertex 0",
        ),
        (change_target(NORMAL=values([[0, 0, 0], [np.inf, 0, 0], *LIFT[:2]])), rf"{TARGET}.NORMAL: .*\(vertex 1"),
        (
            change_target(POSITION=values([[0, 0, 0, 0]] * 4, kind="VEC4")),
            rf"{TARGET}.POSITION: the accessor must have the type VEC3",
        ),
        (change_target(POSITION=99), rf"{TARGET}.POSITION: the value must be the index of one of the"),
        (change_target(POSITION="0"), rf"{TARGET}.POSITION: the value must be an integer"),
        (lambda b: b.document["meshes"][0]["primitives"][0].update(targets=3), r"targets: the value must be a list"),
        (add_primitive, r"meshes\[0\].primitives\[1\].targets: .* must have as many morph targets as .* 2 \(got 0\)"),
        (
            lambda b: b.document["meshes"][0].update(weights=[1]),
            r"meshes\[0\].weights: the list must have 2 numbers \(got 1\)",
        ),
        (
            lambda b: b.document["nodes"][0].update(weights=[1, 2, 3]),
            r"nodes\[0\].weights: the list must have 2 numbers",
        ),
        (
            lambda b: b.document["nodes"][0].update(weights=["1", 2]),
            r"nodes\[0\].weights\[0\]: the value must be a finite numb",
        ),
        (lambda b: b.document["nodes"][0].update(weights=0.5), r"nodes\[0\].weights: the value must be a list"),
        (
            lambda b: b.document["animations"][0]["samplers"][0].update(output=0),
            r"output: the accessor must have the type SCALAR",
        ),
        (
            lambda b: b.document["animations"][0]["samplers"][0].update(interpolation="CUBICSPLINE"),
            r"must have 18 values",
        ),
        (
            lambda b: b.document["animations"][0]["samplers"][0].update(input=b.accessor([0, 1])),
            r"2 morph targets \(got 6",
        ),
        (add_twice, r"channels\[1\]: two channels of clip .* animate the weights of joint 'face'"),
    ],
)
def test_faults(tmp_path, change, message):
    builder = animated(KEYS)
    change(builder)
    with pytest.raises(InputError, match=message):
        load(tmp_path, builder)


def test_targets_that_would_fill_the_memory(tmp_path):
    """One accessor of a few elements, named by thousands of targets, is a small file."""
    count = 3 * 20_000
    builder = GltfBuilder()
    accessor = builder.accessor_on(None, count, "f32", "VEC3")
    primitive = {"attributes": {"POSITION": accessor}, "targets": [{"POSITION": accessor}] * 1000}
    builder.add("nodes", mesh=builder.add("meshes", primitives=[primitive]))
    with pytest.raises(
        InputError,
        match=r"exceeds a limit: 1,440,000,000 bytes of morph targets, but the limit is 1,073,741,824",
    ):
        load(tmp_path, builder)


@pytest.mark.exhaustive
def test_mutated_documents(tmp_path):
    """Each round replaces, deletes or doubles a value of the document, or changes bytes: a rig or one line."""
    chance = random.Random(21)
    builder = animated(KEYS, builder=two_faces())
    original, data = builder.document, bytes(builder.data)
    every = [keys for keys in key_paths(original) if keys]
    path = tmp_path / "model.glb"
    outcomes = []
    for round_number in range(500):
        builder.document, builder.data = copy.deepcopy(original), bytearray(data)
        if round_number % 5:
            change(builder.document, chance.choice(every), chance)
        else:
            for _ in range(8):
                builder.data[chance.randrange(len(data))] = chance.choice([0, 127, 128, 255])
        path.write_bytes(builder.binary())
        outcomes.append(loads(path))
    assert 50 < sum(outcomes) < 480
