"""What is in the real characters of ../shared/assets, and what of it is easily lost."""

import base64
import json

import numpy as np
import pytest

from ecs_anim.gltf.load import load_rig
from tests.builders.gltf_builder import asset
from tests.gltf.test_lazy import same, with_points
from tests.helpers import ASSETS

if not ASSETS.is_dir():
    pytest.skip(f"{ASSETS}, the real characters, is not here", allow_module_level=True)


@pytest.mark.exhaustive
def test_the_woman():
    rig = load_rig(asset("Woman.gltf"))
    assert rig.name == "Woman"
    assert list(rig.clips)[:3] == ["Running", "Jump2", "PickUp"]
    walking = rig.clips["Walking"]
    assert walking.duration == pytest.approx(1.2, abs=1e-3)
    assert all(track.interpolation == "LINEAR" for track in walking.tracks)
    assert len(walking.tracks) == 102
    assert rig.skeleton.joint_names[0] == "Armature"
    assert rig.meshes[0].material.double_sided


def test_the_fox_and_its_picture():
    rig = load_rig(asset("Fox.glb"), name="reynard")
    assert rig.name == "reynard"
    (mesh,) = rig.meshes
    assert mesh.flat
    assert mesh.material.texture.pixels.shape[2] == 4
    assert list(rig.clips) == ["Survey", "Walk", "Run"]


def test_all_interpolations_and_a_picture_that_is_not_there():
    path = asset("interpolation_test.gltf")
    with pytest.warns(UserWarning, match=r"interpolation_test.gltf: images\[0\]: 'l.jpg' does not exist") as caught:
        rig = load_rig(path)
    assert len(caught) == 1
    assert "\n" not in str(caught[0].message)
    assert caught[0].filename == __file__
    assert {track.interpolation for clip in rig.clips.values() for track in clip.tracks} == {
        "STEP",
        "LINEAR",
        "CUBICSPLINE",
    }
    cubic = rig.clips["CubicSpline Rotation"].tracks[0]
    assert cubic.values.shape == (len(cubic.times), 3, 4)
    assert all(mesh.material.texture is None for mesh in rig.meshes)


def stored_corners(path):
    """Position, texture coordinate and normal of each triangle's corners, read by hand from an embedded .gltf."""
    document = json.loads(path.read_text())
    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    primitive = document["meshes"][0]["primitives"][0]

    def read(index, dtype, width):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", np.dtype(dtype).itemsize * width)
        rows = [np.frombuffer(data, dtype, width, start + k * stride) for k in range(accessor["count"])]
        return np.stack(rows)

    corners = read(primitive["indices"], np.uint16, 1).reshape(-1, 3)
    names = (("POSITION", 3), ("TEXCOORD_0", 2), ("NORMAL", 3))
    return [read(primitive["attributes"][name], np.float32, width)[corners] for name, width in names]


def as_multiset(positions, uvs, normals):
    rows = np.concatenate([positions, uvs, np.round(normals.astype(np.float64), 4)], axis=2) + 0.0
    return sorted(tuple(sorted(map(tuple, triangle))) for triangle in rows.tolist())


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "flat", "vertex_count"),
    [
        ("Woman.gltf", True, 1909),
        ("dq.gltf", True, 1564),
        ("IKCourse.gltf", True, 107),
        ("cesium_man.gltf", False, 3273),
    ],
)
def test_real_meshes_look_the_same_with_few_vertices(name, flat, vertex_count):
    path = asset(name)
    (mesh,) = load_rig(path).meshes
    assert mesh.flat == flat
    assert mesh.vertex_count <= vertex_count
    corners = mesh.indices.reshape(-1, 3)
    normals = mesh.normals[corners[:, [2, 2, 2]] if flat else corners]
    stored = stored_corners(path)
    stored[2] /= np.linalg.norm(stored[2], axis=2, keepdims=True)
    found = as_multiset(mesh.positions[corners], mesh.uvs[corners], normals)
    expected = as_multiset(*stored)
    assert len(found) == len(expected) == mesh.triangle_count
    np.testing.assert_allclose(found, expected, atol=2e-4)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["Woman.gltf", "cesium_man.gltf", "interpolation_test.gltf"])
def test_they_may_have_points_in_whole_numbers(tmp_path, name):
    path = asset(name)
    for beside in path.parent.iterdir():
        if beside != path and not beside.name.endswith((".gltf", ".glb")):
            (tmp_path / beside.name).write_bytes(beside.read_bytes())
    (tmp_path / name).write_text(json.dumps(with_points(json.loads(path.read_text()))))
    same(load_rig(tmp_path / name), load_rig(path))
