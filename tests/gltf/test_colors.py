"""COLOR_0 in files: every kind of number, what is welded, what is wrong."""

import numpy as np
import pytest

from ecs_anim.gltf.load import load_rig
from ecs_anim.levels.simplify import with_levels
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder

SQUARE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
TWO = [0, 1, 2, 1, 3, 2]
RED, BLUE = [1.0, 0.0, 0.0, 1.0], [0.0, 0.2, 1.0, 0.5]


def load_colored(tmp_path, colors, component="f32", kind="VEC4", normals=True, points=SQUARE, order=TWO, **accessor):
    builder = GltfBuilder()
    attributes = {
        "POSITION": builder.accessor(points, kind="VEC3"),
        "COLOR_0": builder.accessor(colors, component, kind, **accessor),
    }
    if normals:
        bent = 0.5 * np.array(points)[:, 0]  # not all alike, or the mesh would be flat
        attributes["NORMAL"] = builder.accessor(np.stack([np.sin(bent), 0 * bent, np.cos(bent)], axis=1), kind="VEC3")
    builder.add("nodes", mesh=builder.mesh(attributes, builder.accessor(order, "u8")))
    return load_rig(builder.write(tmp_path / "model.glb"))


def by_position(mesh):
    return {tuple(p): c for p, c in zip(mesh.positions.tolist(), mesh.colors.tolist(), strict=True)}


@pytest.mark.parametrize("kind", ["VEC3", "VEC4"])
@pytest.mark.parametrize(("component", "top"), [("f32", 1), ("u8", 255), ("u16", 65535)])
def test_every_kind_of_number(tmp_path, component, top, kind):
    width = int(kind[3])
    shares = np.array([[0, 0.2, 0.4, 0.6], [1, 0.8, 0.6, 0.4], [0.2, 0.2, 0.2, 0.2], [1, 1, 1, 1]])[:, :width]
    stored = shares * top if component == "f32" else np.rint(shares * top).astype(int)
    (mesh,) = load_colored(tmp_path, stored, component, kind, normalized=component != "f32").meshes
    assert mesh.colors.dtype == np.float32
    assert mesh.colors.shape == (4, 4)
    assert not mesh.colors.flags.writeable
    found = by_position(mesh)
    for point, share in zip(SQUARE, shares.tolist(), strict=True):
        assert found[tuple(map(float, point))] == pytest.approx([*share, 1.0][:4], abs=1e-6)


def test_colors_are_shares(tmp_path):
    """The specification has them clamped."""
    (mesh,) = load_colored(tmp_path, [[-1, 2, 0.5, 7]] * 4).meshes
    np.testing.assert_array_equal(mesh.colors, [[0, 1, 0.5, 1]] * 4)


def test_meshes_without_them_have_none(tmp_path):
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    assert load_rig(builder.write(tmp_path / "model.glb")).meshes[0].colors is None


@pytest.mark.parametrize("normals", [True, False])
def test_vertices_of_two_colors_are_two(tmp_path, normals):
    """A red and a blue face that share an edge; the same in one colour shares its vertices."""
    points = [SQUARE[k] for k in TWO]
    (two,) = load_colored(tmp_path, [RED] * 3 + [BLUE] * 3, points=points, order=range(6), normals=normals).meshes
    (one,) = load_colored(tmp_path, [RED] * 6, points=points, order=range(6), normals=normals).meshes
    assert (two.flat, two.vertex_count, one.vertex_count) == (not normals, 6, 4)
    faces = two.colors[two.indices.reshape(-1, 3)]
    assert sorted(faces[:, 0].tolist()) == [np.float32(BLUE).tolist(), RED]
    assert (faces == faces[:, :1]).all()


def test_coarser_levels_keep_their_colors(tmp_path):
    pytest.importorskip("fast_simplification")
    x, y = np.meshgrid(np.arange(21.0), np.arange(21.0))
    points = np.stack([x.ravel(), y.ravel(), 0.3 * np.sin(x.ravel())], axis=1)
    first = (np.arange(20)[:, None] * 21 + np.arange(20)).ravel()
    builder = GltfBuilder()
    colors = np.where(points[:, :1] < 10, [RED], [BLUE])
    attributes = {"POSITION": builder.accessor(points, kind="VEC3")}
    attributes["COLOR_0"] = builder.accessor(colors, kind="VEC4")
    corners = np.stack([first, first + 1, first + 22, first, first + 22, first + 21], axis=1).ravel()
    builder.add("nodes", mesh=builder.mesh(attributes, builder.accessor(corners, "u16")))
    coarse = with_levels(load_rig(builder.write(tmp_path / "model.glb")), [200]).level(1)[0]
    assert coarse.triangle_count < 400
    assert coarse.colors.shape == (coarse.vertex_count, 4)
    away = np.abs(coarse.positions[:, 0] - 9.5) > 4
    expected = np.where(coarse.positions[:, :1] < 10, [RED], [BLUE])
    np.testing.assert_allclose(coarse.colors[away], expected[away], atol=1e-6)


@pytest.mark.parametrize(
    ("colors", "kind", "message"),
    [
        ([[0, np.nan, 0, 1]] * 4, "VEC4", r"COLOR_0: all numbers must be finite \(vertex 0"),
        ([RED] * 3, "VEC4", r"COLOR_0: the attribute must have 4 elements, as many as POSITION \(got 3\)"),
        ([[0, 0]] * 4, "VEC2", r"COLOR_0: the accessor must have the type VEC4 \(accessors\[1\] has the type VEC2\)"),
    ],
)
def test_faults(tmp_path, colors, kind, message):
    with pytest.raises(InputError, match=message):
        load_colored(tmp_path, colors, kind=kind)
