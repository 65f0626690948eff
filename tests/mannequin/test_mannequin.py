"""The mannequin's skeleton and meshes, read from the file that ships; and that the generator still makes that file."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from PIL import Image

from ecs_anim.mannequin import PATH
from ecs_anim.mannequin.__main__ import generate
from tests.helpers import EXHAUSTIVE

LEVELS = (3520, 900, 250, 100)
COARSE = 3  # the level for figures of a few pixels: a head without a top, feet without soles
LIMBS = {
    "Shoulder": "Spine2", "Arm": "Shoulder", "ForeArm": "Arm", "Hand": "ForeArm",
    "UpLeg": "Hips", "Leg": "UpLeg", "Foot": "Leg", "ToeBase": "Foot",
}  # fmt: skip
SPINE = ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"]
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {pygltflib.UNSIGNED_BYTE: "<u1", pygltflib.UNSIGNED_SHORT: "<u2", pygltflib.FLOAT: "<f4"}


def _read(gltf: pygltflib.GLTF2, index: int) -> np.ndarray:
    accessor = gltf.accessors[index]
    offset = gltf.bufferViews[accessor.bufferView].byteOffset or 0
    width = WIDTHS[accessor.type]
    values = np.frombuffer(gltf.binary_blob(), TYPES[accessor.componentType], accessor.count * width, offset)
    return values.reshape(-1, width)


@pytest.fixture(scope="module")
def gltf() -> pygltflib.GLTF2:
    return pygltflib.GLTF2().load(str(PATH))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mannequin") / "made.glb"
    generate(path)
    return path


def _mesh(gltf: pygltflib.GLTF2, level: int) -> dict[str, np.ndarray]:
    primitive = gltf.meshes[level].primitives[0]
    names = ("POSITION", "NORMAL", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0")
    arrays = {name: _read(gltf, getattr(primitive.attributes, name)) for name in names}
    return arrays | {"triangles": _read(gltf, primitive.indices).reshape(-1, 3).astype(int)}


def _closed(mesh: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Positions and triangles with the texture's seams welded."""
    positions, flat = np.unique(mesh["POSITION"], axis=0, return_inverse=True)
    return positions.astype(float), flat.reshape(-1)[mesh["triangles"]]


def test_skeleton(gltf: pygltflib.GLTF2) -> None:
    joints = gltf.skins[0].joints
    names = [gltf.nodes[j].name for j in joints]
    parents = {gltf.nodes[c].name: gltf.nodes[j].name for j in joints for c in gltf.nodes[j].children}
    expected = dict(zip(SPINE[1:], SPINE, strict=False))
    for side in ("Left", "Right"):
        expected |= {side + n: p if p in SPINE else side + p for n, p in LIMBS.items()}
    assert parents == expected
    assert names[0] == "Hips"
    assert len(names) == len(set(names)) == 22
    assert all(gltf.nodes[j].rotation in (None, [0, 0, 0, 1]) for j in joints)


def test_rest_pose_is_the_bind_pose(gltf: pygltflib.GLTF2) -> None:
    matrices = _read(gltf, gltf.skins[0].inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
    place = {0: np.array(gltf.nodes[0].translation)}
    for j in gltf.skins[0].joints:
        for child in gltf.nodes[j].children:
            place[child] = place[j] + gltf.nodes[child].translation
    np.testing.assert_allclose([place[j] for j in gltf.skins[0].joints], -matrices[:, :3, 3], atol=1e-6)
    np.testing.assert_array_equal(matrices[:, :3, :3], np.tile(np.eye(3), (len(matrices), 1, 1)))


def test_levels_of_detail(gltf: pygltflib.GLTF2) -> None:
    meshes = [n for n in gltf.nodes if n.mesh is not None]
    shown = [gltf.nodes[n] for n in gltf.scenes[gltf.scene].nodes if gltf.nodes[n].mesh is not None]
    assert [n.mesh for n in shown] == [0]
    assert [gltf.nodes[i].mesh for i in shown[0].extensions["MSFT_lod"]["ids"]] == [1, 2, 3]
    assert gltf.extensionsUsed == ["MSFT_lod"]
    assert [n.skin for n in meshes] == [0, 0, 0, 0]


@pytest.mark.parametrize("level", range(4))
def test_each_level_is_a_closed_surface(gltf: pygltflib.GLTF2, level: int) -> None:
    positions, triangles = _closed(_mesh(gltf, level))
    assert len(triangles) == pytest.approx(LEVELS[level], rel=0.03)
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert {tuple(e) for e in edges.tolist()} == {(b, a) for a, b in edges.tolist()}
    assert len(positions) - len(edges) // 2 + len(triangles) == 2  # one piece without handles (Euler)
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    volume = np.sum(np.cross(a, b) * c) / 6
    assert (0.05 if level == COARSE else 0.055) < volume < 0.09  # [m^3]
    assert (np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-8).all()


@pytest.mark.parametrize("level", range(4))
def test_each_level_is_a_person(gltf: pygltflib.GLTF2, level: int) -> None:
    """Its size, its feet on the ground, its symmetry, and space between its legs and below its arms."""
    positions = _mesh(gltf, level)["POSITION"]
    assert positions[:, 1].max() == pytest.approx(1.75, abs=0.04 if level == COARSE else 0.02)
    assert positions[:, 1].min() == pytest.approx(0, abs=0.006 if level == COARSE else 0.003)
    sides = {tuple(p) for p in positions.tolist()}
    assert sides == {(-x, y, z) for x, y, z in sides}
    leg = positions[(positions[:, 1] < 0.8) & (positions[:, 0] > 0) & (positions[:, 0] < 0.3)]
    assert leg[:, 0].min() > 0.007
    assert positions[:, 0].max() > 0.65


@pytest.mark.parametrize("level", range(4))
def test_normals_point_outward(gltf: pygltflib.GLTF2, level: int) -> None:
    mesh = _mesh(gltf, level)
    np.testing.assert_allclose(np.linalg.norm(mesh["NORMAL"], axis=1), 1, atol=1e-5)
    a, b, c = np.moveaxis(mesh["POSITION"][mesh["triangles"]], 1, 0)
    face = np.cross(b - a, c - a)
    agree = np.sum(face * mesh["NORMAL"][mesh["triangles"]].mean(axis=1), axis=1) > 0
    assert agree.mean() > (0.95 if level == COARSE else 0.98)


@pytest.mark.parametrize("level", range(4))
def test_weights(gltf: pygltflib.GLTF2, level: int) -> None:
    mesh = _mesh(gltf, level)
    weights, joints = mesh["WEIGHTS_0"], mesh["JOINTS_0"]
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
    assert (weights >= 0).all()
    assert joints.max() < 22
    assert (joints[weights == 0] == 0).all()
    names = [gltf.nodes[j].name for j in gltf.skins[0].joints]
    used = {names[j] for j in np.unique(joints[weights > 0.3])}
    assert used >= {"Hips", "Spine", "Head", *(s + n for s in ("Left", "Right") for n in LIMBS)} - {
        "LeftHand", "RightHand", "LeftToeBase", "RightToeBase", "LeftShoulder", "RightShoulder"
    }  # fmt: skip
    own_side = mesh["POSITION"][:, 0] > 0.03
    right = [j for j, name in enumerate(names) if name.startswith("Right")]
    assert not (np.isin(joints[own_side], right) & (weights[own_side] > 0.01)).any()


def test_file_obeys_gltf(gltf: pygltflib.GLTF2) -> None:
    """Alignment, bounds, view targets and index types."""
    data = PATH.read_bytes()
    assert len(data) < 630_000
    assert int.from_bytes(data[8:12], "little") == len(data)
    assert len(gltf.binary_blob()) == gltf.buffers[0].byteLength
    for view in gltf.bufferViews:
        assert (view.byteOffset or 0) % 4 == 0
        assert (view.byteOffset or 0) + view.byteLength <= gltf.buffers[0].byteLength
    for mesh in gltf.meshes:
        (primitive,) = mesh.primitives
        position = gltf.accessors[primitive.attributes.POSITION]
        values = _read(gltf, primitive.attributes.POSITION)
        np.testing.assert_array_equal([position.min, position.max], [values.min(axis=0), values.max(axis=0)])
        assert gltf.bufferViews[position.bufferView].target == pygltflib.ARRAY_BUFFER
        indices = gltf.accessors[primitive.indices]
        assert gltf.bufferViews[indices.bufferView].target == pygltflib.ELEMENT_ARRAY_BUFFER
        assert indices.componentType == pygltflib.UNSIGNED_SHORT
    for animation in gltf.animations:
        for sampler in animation.samplers:
            times = gltf.accessors[sampler.input]
            assert times.min == [0]
            assert times.max == [_read(gltf, sampler.input).max()]
    assert len(gltf.materials) == 1


def _pixels(gltf: pygltflib.GLTF2) -> np.ndarray:
    view = gltf.bufferViews[gltf.images[0].bufferView]
    start = view.byteOffset or 0
    return np.asarray(Image.open(io.BytesIO(gltf.binary_blob()[start : start + view.byteLength])), int)


def test_texture(gltf: pygltflib.GLTF2) -> None:
    assert _pixels(gltf).shape == (512, 512, 4)
    tinted = _pixels(gltf)[..., 3]
    assert 0.1 < np.mean(tinted == 255) < 0.6, "the shirt"
    assert np.mean(tinted == 0) > 0.1, "the skin"
    uvs = _mesh(gltf, 0)["TEXCOORD_0"]
    assert uvs.min() >= 0
    assert uvs.max() <= 1


@EXHAUSTIVE
def test_generator_makes_the_file_that_ships(gltf: pygltflib.GLTF2, made: Path) -> None:
    """Else run `python -m ecs_anim.mannequin` and commit what it writes."""
    fresh = pygltflib.GLTF2().load(str(made))
    assert [a.count for a in fresh.accessors] == [a.count for a in gltf.accessors]
    for i in range(len(gltf.accessors)):
        np.testing.assert_allclose(_read(fresh, i).astype(float), _read(gltf, i), atol=2e-5)
    np.testing.assert_allclose(_pixels(fresh), _pixels(gltf), atol=2)
    assert [a.extras for a in fresh.animations] == [a.extras for a in gltf.animations]


@pytest.mark.exhaustive
def test_generator_is_deterministic(made: Path, tmp_path: Path) -> None:
    """Another process writes the same bytes."""
    again = tmp_path / "again.glb"
    subprocess.run([sys.executable, "-m", "ecs_anim.mannequin", "--out", str(again)], check=True)
    assert again.read_bytes() == made.read_bytes()


def test_thighs_hardly_move_the_hem_of_the_shirt(gltf: pygltflib.GLTF2) -> None:
    mesh = _mesh(gltf, 0)
    names = [gltf.nodes[j].name for j in gltf.skins[0].joints]
    thighs = [names.index(f"{side}UpLeg") for side in ("Left", "Right")]
    share = np.where(np.isin(mesh["JOINTS_0"], thighs), mesh["WEIGHTS_0"], 0).sum(axis=1)
    hem = (np.abs(mesh["POSITION"][:, 1] - 0.985) < 0.02) & (np.abs(mesh["POSITION"][:, 0]) < 0.2)
    assert hem.sum() > 20
    assert share[hem].mean() < 0.06
