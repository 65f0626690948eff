"""Our own small characters: the files are their code's, and the loader reads what the code meant."""

import json

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from ecs_anim.assets.hierarchy import model_matrices
from ecs_anim.assets.skinning import skin_linear
from ecs_anim.gltf.load import load_rig
from tests.characters import COMPACT, OWN, PATCHWORK, SHAPES, compact, doll, patchwork, shapes
from tests.characters.__main__ import WRITERS

HALF = 0.5000001
BIT_16, BIT_8 = HALF / 32767, HALF / 127  # what rounding to so many bits may lose


@pytest.fixture(scope="module")
def rigs():
    return {path: load_rig(path) for path in OWN}


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_the_committed_file_is_what_the_code_writes(path, tmp_path):
    made = WRITERS[path.name]().write(tmp_path / path.name)
    assert made.read_bytes() == path.read_bytes(), "run python -m tests.characters"
    assert path.stat().st_size < 100_000


@pytest.mark.parametrize(
    ("path", "has"),
    [
        (COMPACT, ["KHR_mesh_quantization", '"sparse"', '"normalized": true', '"STEP"', '"componentType": 5120']),
        (SHAPES, ['"targets"', '"sparse"', '"CUBICSPLINE"', '"targetNames"']),
        (PATCHWORK, ['"matrix"', '"componentType": 5125', '"componentType": 5121']),
    ],
)
def test_they_have_what_they_are_for(path, has):
    text = json.dumps(WRITERS[path.name]().document)
    assert [word for word in has if word not in text] == []


def positions_at(rig, mesh, pose):
    """Where a clip's pose puts a mesh's vertices [vertex, 3], [m]."""
    model = model_matrices(rig.skeleton, pose).astype(np.float64)
    inverse = np.zeros((rig.skeleton.palette_count, 4, 4))
    inverse[:, :3], inverse[:, 3, 3] = rig.skeleton.inverse_bind, 1
    return skin_linear(mesh, model[rig.skeleton.skin_joints] @ inverse)[0]


def skinned(shape, turns, at=None):
    """Skin with scipy's rotations: each joint turned by `turns`, each vertex by its weights."""
    rotations, places = [], []
    for joint, parent in enumerate(doll.PARENTS):
        above, where = (Rotation.identity(), np.zeros(3)) if parent < 0 else (rotations[parent], places[parent])
        rotations.append(above * turns.get(doll.NAMES[joint], Rotation.identity()))
        places.append(where + above.apply(doll.OFFSETS[joint] if joint or at is None else at))
    moved = [
        turn.apply(shape.positions - bound) + place
        for turn, place, bound in zip(rotations, places, doll.PLACES, strict=True)
    ]
    total = np.zeros_like(shape.positions)
    for column in range(4):
        chosen = np.array(moved)[shape.joints[:, column], np.arange(len(total))]
        total += shape.weights[:, column, None] / 255 * chosen
    return total


def nearest(found, wanted):
    """How far each found point is from the nearest wanted one, and each wanted one from the nearest found."""
    apart = np.linalg.norm(found[:, None] - wanted[None], axis=-1)
    return max(apart.min(axis=0).max(), apart.min(axis=1).max())


@pytest.mark.parametrize("key", [0, 6, 12, 17])
def test_the_compact_dolls_walk_is_the_one_that_was_meant(rigs, key):
    rig = rigs[COMPACT]
    (mesh,) = rig.meshes
    pose = rig.clips["walk"].sample(compact.TIMES[key], loop=False)
    turns = {name: Rotation.from_quat(rotation[key]) for name, rotation in compact.WALK.items()}
    wanted = skinned(compact.BODY, turns, doll.OFFSETS[0] + (0, compact.HOP.get(key, 0.0), 0))
    # A joint's quaternion is off by a unit in the last of 16 bits, which turns what is a metre away by twice that.
    assert nearest(positions_at(rig, mesh, pose), wanted) < compact.STEP + 8 * BIT_16


def test_the_compact_dolls_looks_are_those_that_were_meant(rigs):
    (mesh,) = rigs[COMPACT].meshes
    order = [np.argmin(np.linalg.norm(mesh.positions - p, axis=1)) for p in compact.BODY.positions / compact.STEP]
    assert np.abs(mesh.positions[order] * compact.STEP - compact.BODY.positions).max() < HALF * compact.STEP
    turned = np.sum(mesh.normals[order] * compact.BODY.normals, axis=1)
    assert turned.min() > np.cos(3 * BIT_8)
    assert np.abs(mesh.uvs[order] - compact.BODY.uvs).max() < HALF / 65535
    nod = rigs[COMPACT].clips["nod"].sample(np.array([0.1, 0.3, 0.99]), loop=False).rotation[:, doll.INDEX["Head"]]
    assert np.abs(nod - compact.NOD[[0, 1, 2]]).max() < 2 * BIT_8


def test_the_shapes_are_those_that_were_meant(rigs):
    head, body = rigs[SHAPES].meshes
    assert rigs[SHAPES].morph_targets.names == ("long", "bump", "fat")
    assert rigs[SHAPES].morph_targets.defaults.tolist() == pytest.approx([0.1, 0.0, 0.0])
    bump = np.zeros_like(shapes.LONG)
    bump[list(shapes.BUMP)] = list(shapes.BUMP.values())
    for mesh, shape, targets in ((head, shapes.HEAD, (shapes.LONG, bump)), (body, shapes.BODY, (shapes.FAT,))):
        for target, change in enumerate(targets):
            found = np.concatenate([mesh.positions, mesh.morphs.positions[target]], axis=1)
            assert nearest(found, np.concatenate([shape.positions, change], axis=1)) < 1e-6
    found = np.concatenate([head.positions, head.morphs.normals[0]], axis=1)
    assert nearest(found, np.concatenate([shapes.HEAD.positions, shapes.TURNED], axis=1)) < 1e-6


def test_weights_are_those_that_were_meant(rigs):
    at = np.linspace(0, 1, 23)
    talk, sigh = rigs[SHAPES].clips["talk"], rigs[SHAPES].clips["sigh"]
    wanted = np.stack([np.interp(at, shapes.TIMES, column) for column in (*shapes.TALK.T, *shapes.BREATHE.T)], axis=1)
    assert np.abs(talk.sample_weights(at, loop=False) - wanted).max() < HALF / 255
    found = sigh.sample_weights(at, loop=False)
    for target in (0, 1):
        value, into, out = (shapes.SIGH[:, part, target] for part in (1, 0, 2))
        for k in (0, 1):
            span = (at >= shapes.TIMES[k]) & (at <= shapes.TIMES[k + 1])
            spline = CubicHermiteSpline(shapes.TIMES[k : k + 2], value[k : k + 2], [out[k], into[k + 1]])
            np.testing.assert_allclose(found[span, target], spline(at[span]), atol=1e-6)
    np.testing.assert_array_equal(found[:, 2], np.where((at >= 0.5) & (at < 1), 1, 0))


def test_the_patchworks_pieces_are_where_they_were_meant(rigs):
    rig = rigs[PATCHWORK]
    meshes = {mesh.name: mesh for mesh in rig.meshes}
    assert sorted(meshes) == ["body_0", "body_1", "feet", "head", "nose", "plate"]
    rest = {name: positions_at(rig, mesh, rig.skeleton.rest_pose) for name, mesh in meshes.items()}
    assert nearest(np.concatenate([rest["body_0"], rest["body_1"]]), patchwork.BODY.positions) < 1e-6
    assert nearest(rest["feet"], patchwork.FEET.positions) < 1e-6
    assert nearest(rest["head"], patchwork.HEAD.positions) < 1e-6, "bound farther up, by the second skin"
    assert nearest(rest["nose"], np.array(patchwork.NOSE) + doll.PLACES[doll.INDEX["Nose"]]) < 1e-6
    assert nearest(rest["plate"], np.array(patchwork.PLATE)) < 1e-6
    names = [rig.skeleton.joint_names[joint] for joint in rig.skeleton.skin_joints]
    assert len(names) == len(doll.NAMES) + len(patchwork.UPPER) + 2, "skins share joints, not entries"
    assert {name: meshes[name].material.name for name in meshes} == {
        "body_0": "coat", "body_1": "trousers", "feet": "wood", "head": "coat", "nose": "coat", "plate": "wood"
    }  # fmt: skip
    assert {name for name, mesh in meshes.items() if mesh.flat} == {"nose", "plate"}


@pytest.mark.parametrize("key", [0, 3, 4, 9])
def test_the_patchwork_waves(rigs, key):
    rig = rigs[PATCHWORK]
    meshes = {mesh.name: mesh for mesh in rig.meshes}
    pose = rig.clips["greet"].sample(patchwork.TIMES[key], loop=False)
    found = np.concatenate([positions_at(rig, meshes[name], pose) for name in ("body_0", "body_1")])
    turns = {"LeftArm": Rotation.from_quat(patchwork.WAVE[key])}
    assert nearest(found, skinned(patchwork.BODY, turns)) < 1e-6
    head = doll.PLACES[doll.INDEX["Head"]]
    twitched = Rotation.from_quat(patchwork.TWITCH[key]).apply(patchwork.NOSE)
    squashed = head + (doll.PLACES[doll.INDEX["Nose"]] - head + twitched) * patchwork.SQUASH[key]
    assert nearest(positions_at(rig, meshes["nose"], pose), squashed) < 1e-6
