from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ecs_anim.assets.mesh_build import Geometry, build, repair_normals, weld
from ecs_anim.assets.mesh_flat import provoking_corners


def make_geometry(
    positions, corners, normals=None, uvs=None, palette_indices=None, weights=None, flat=False, deltas=None, colors=None
):
    count = len(positions)
    return Geometry(
        positions=np.asarray(positions, np.float32),
        normals=np.zeros((count, 3), np.float32) if normals is None else np.asarray(normals, np.float32),
        uvs=np.zeros((count, 2), np.float32) if uvs is None else np.asarray(uvs, np.float32),
        colors=np.zeros((count, 0), np.float32) if colors is None else np.asarray(colors, np.float32),
        palette_indices=np.zeros((count, 4), np.uint16) if palette_indices is None else palette_indices,
        weights=np.tile(np.float32([1, 0, 0, 0]), (count, 1)) if weights is None else weights,
        corners=np.asarray(corners, np.uint32),
        flat=flat,
        position_deltas=np.zeros((count, 0, 3), np.float32) if deltas is None else np.asarray(deltas[0], np.float32),
        normal_deltas=np.zeros((count, 0, 3), np.float32) if deltas is None else np.asarray(deltas[1], np.float32),
    )


def face_normals(positions, corners):
    a, b, c = np.moveaxis(np.asarray(positions, float)[np.asarray(corners)], 1, 0)
    normals = np.cross(b - a, c - a)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def unweld(geometry):
    """Every corner its own vertex, with its own face's normal."""
    flat = geometry.corners.ravel()
    return make_geometry(
        geometry.positions[flat],
        np.arange(len(flat)).reshape(-1, 3),
        np.repeat(face_normals(geometry.positions, geometry.corners), 3, axis=0),
        geometry.uvs[flat],
        geometry.palette_indices[flat],
        geometry.weights[flat],
    )


def corner_multiset(geometry, normals):
    """Triangles as sorted rows of their corners' attributes, each triangle turned to a canonical first corner."""
    attributes = np.concatenate(
        [geometry.positions, geometry.uvs, geometry.palette_indices, geometry.weights], axis=1
    ).astype(np.float64)[geometry.corners]
    rows = np.concatenate([attributes, np.round(normals, 5)], axis=2) + 0.0
    triangles = []
    for triangle in rows.tolist():
        first = triangle.index(min(triangle))
        triangles.append(tuple(map(tuple, triangle[first:] + triangle[:first])))
    return sorted(triangles)


def seen_normals(geometry):
    """The normal that a renderer uses at each corner: in flat meshes the last vertex' one."""
    return geometry.normals[geometry.corners[:, [2, 2, 2]] if geometry.flat else geometry.corners]


def icosahedron():
    phi = (1 + 5**0.5) / 2
    points = [(0, 1, phi), (0, -1, phi), (0, 1, -phi), (0, -1, -phi)]
    points += [(y, z, x) for x, y, z in points[:4]] + [(z, x, y) for x, y, z in points[:4]]
    points = np.array(points, float)
    triples = [(i, j, k) for i in range(12) for j in range(i + 1, 12) for k in range(j + 1, 12)]
    close = [t for t in triples if all(np.linalg.norm(points[t[a]] - points[t[a - 1]]) < 2.1 for a in range(3))]
    out = [
        t if np.dot(np.cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]), points[t[0]]) > 0 else t[::-1]
        for t in close
    ]
    return make_geometry(points, out)


CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
CUBE_FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def test_weld_keeps_the_first_of_equal_rows_in_order():
    first, group = weld(np.float32([[5, 1], [2, 2], [5, 1], [0, 0], [2, 2]]))
    assert first.tolist() == [0, 1, 3]
    assert group.tolist() == [0, 1, 0, 2, 1]


def test_weld_looks_at_all_columns_and_takes_zeros_by_value():
    one = np.float32([[0.0], [-0.0], [0.0]])
    two = np.uint16([[7], [7], [8]])
    assert weld(one, two)[1].tolist() == [0, 0, 1]


def test_weld_of_nothing():
    first, group = weld(np.zeros((0, 3), np.float32))
    assert len(first) == len(group) == 0


def test_a_cube_of_corners_becomes_flat_with_one_vertex_for_a_normal_where_coplanar_faces_share():
    raw = unweld(make_geometry(CUBE, CUBE_FACES))
    mesh = build(raw)
    assert mesh.flat
    assert len(mesh.positions) <= 12
    assert corner_multiset(mesh, seen_normals(mesh)) == corner_multiset(raw, raw.normals[raw.corners])


def test_an_icosahedron_needs_exactly_as_many_vertices_as_faces():
    raw = unweld(icosahedron())
    mesh = build(raw)
    assert len(raw.positions) == 60
    assert len(mesh.corners) == 20
    assert len(mesh.positions) == 20
    assert corner_multiset(mesh, seen_normals(mesh)) == corner_multiset(raw, raw.normals[raw.corners])


def test_a_smooth_mesh_is_welded_and_stays_smooth():
    sphere = icosahedron()
    flat = sphere.corners.ravel()
    raw = make_geometry(sphere.positions[flat], np.arange(60).reshape(-1, 3), sphere.positions[flat])
    mesh = build(raw)
    assert not mesh.flat
    assert len(mesh.positions) == 12
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-6)
    unit = raw.positions / np.linalg.norm(raw.positions, axis=1, keepdims=True)
    assert corner_multiset(mesh, seen_normals(mesh)) == corner_multiset(raw, unit[raw.corners])


def test_a_mesh_without_normals_is_flat_by_its_own_planes():
    mesh = build(replace(icosahedron(), flat=True))
    assert mesh.flat
    np.testing.assert_allclose(seen_normals(mesh)[:, 2], face_normals(mesh.positions, mesh.corners), atol=1e-6)


def test_unused_vertices_go():
    mesh = build(make_geometry([[9, 9, 9], [0, 0, 0], [1, 0, 0], [0, 1, 0], [8, 8, 8]], [[1, 2, 3]], flat=True))
    assert sorted(mesh.positions.tolist()) == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]


def test_texture_seams_stay_apart():
    positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0.5], [0, 1, 0]]
    uvs = [[0, 0], [1, 0], [0, 1], [0.5, 0], [1, 1], [0, 1]]
    mesh = build(make_geometry(positions, [[0, 1, 2], [3, 4, 5]], uvs=uvs, flat=True))
    assert len(mesh.positions) == 5


def test_degenerate_triangles_are_dropped():
    positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [2, 0, 0]]
    corners = [[0, 1, 2], [0, 0, 1], [0, 1, 3], [0, 1, 4]]
    mesh = build(make_geometry(positions, corners, flat=True))
    assert len(mesh.corners) == 1


def test_a_slit_whose_lips_move_apart_is_kept():
    positions = [[0, 0, 0], [1, 0, 0], [1, 0, 0]]
    palette_indices = np.uint16([[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]])
    mesh = build(make_geometry(positions, [[0, 1, 2]], palette_indices=palette_indices, flat=True))
    assert len(mesh.corners) == 1
    assert np.isfinite(mesh.normals).all()


def test_nothing_left():
    assert build(make_geometry([[0, 0, 0]] * 3, [[0, 1, 2]], flat=True)).corners.shape == (0, 3)
    assert build(make_geometry(np.zeros((0, 3)), np.zeros((0, 3)))).corners.shape == (0, 3)


@pytest.mark.parametrize("bad", [[0, 0, 0], [np.nan, 0, 1], [np.inf, 0, 0]])
def test_unusable_normals_become_the_mean_of_their_faces(bad):
    positions = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    corners = np.uint32([[0, 1, 2], [0, 2, 3]])
    given = np.float32([bad, [0, 0, 2], [0, 0, 1], [1, 0, 0]])
    repaired = repair_normals(given, positions, corners)
    np.testing.assert_allclose(repaired[0], [0.5**0.5, 0, 0.5**0.5], atol=1e-6)
    np.testing.assert_allclose(repaired[1:], [[0, 0, 1], [0, 0, 1], [1, 0, 0]], atol=1e-6)


@settings(max_examples=60)
@given(st.integers(3, 12), st.integers(1, 30), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_provoking_corners_give_each_face_its_normal_without_flipping(vertex_count, face_count, normal_count, seed):
    random = np.random.default_rng(seed)
    triangles = np.array([random.choice(vertex_count, 3, replace=False) for _ in range(face_count)])
    used, triangles = np.unique(triangles, return_inverse=True)
    triangles = triangles.reshape(-1, 3)
    normals = random.integers(0, normal_count, face_count)
    vertex, normal, turned = provoking_corners(triangles, normals, len(used))
    np.testing.assert_array_equal(normal[turned[:, 2]], normals)
    copied = vertex[turned]
    turns = np.stack([np.roll(triangles, k, axis=1) for k in range(3)])
    assert (copied == turns).all(axis=2).any(axis=0).all()
    assert set(vertex.tolist()) == set(range(len(used)))
    assert set(turned.ravel().tolist()) == set(range(len(vertex)))
    pairs = len({(int(v), int(n)) for face, n in zip(triangles, normals, strict=True) for v in face})
    assert len(vertex) <= min(pairs, len(used) + face_count)


def test_a_flat_grid_in_one_plane_needs_no_extra_vertices():
    grid = np.arange(100).reshape(10, 10)
    a, b, c, d = (x.ravel() for x in (grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)])
    vertex, _, _ = provoking_corners(triangles, np.zeros(len(triangles), np.intp), 100)
    assert len(vertex) == 100


@settings(max_examples=60)
@given(st.integers(1, 25), st.booleans(), st.integers(0, 2**32 - 1))
def test_any_soup_looks_the_same_and_is_no_larger(triangle_count, flat, seed):
    random = np.random.default_rng(seed)
    points = random.integers(0, 3, (12, 3)) + random.random((12, 3)) * 0.01
    picked = np.array([random.choice(12, 3, replace=False) for _ in range(triangle_count)]).ravel()
    normals = np.eye(3)[random.integers(0, 3, 12)][picked]
    if flat:
        normals = np.repeat(np.eye(3)[random.integers(0, 3, triangle_count)], 3, axis=0)
    raw = make_geometry(
        points[picked],
        random.permutation(len(picked)).reshape(-1, 3) if not flat else np.arange(len(picked)).reshape(-1, 3),
        normals,
        random.integers(0, 2, (len(picked), 2)),
        np.pad(random.integers(0, 2, (len(picked), 1)), ((0, 0), (0, 3))).astype(np.uint16),
    )
    keep = [len(set(map(tuple, triangle))) == 3 for triangle in raw.positions[raw.corners].tolist()]
    raw = replace(raw, corners=raw.corners[keep])
    mesh = build(raw)
    assert corner_multiset(mesh, seen_normals(mesh)) == corner_multiset(raw, raw.normals[raw.corners])
    assert len(mesh.positions) <= raw.corners.size
