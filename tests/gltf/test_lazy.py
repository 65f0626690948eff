"""Valid files that look odd: whole numbers with a point, and faults in what nothing uses."""

import json

import numpy as np
import pytest

from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder, glb
from tests.characters import OWN
from tests.hostile.gltf import made_up

ODD = [{}, {"bufferView": 99}, {"count": -1}, None, 7, "x"]
KINDS = ["accessors", "bufferViews", "buffers", "images", "textures", "samplers", "materials", "meshes", "skins"]


def numbers_of(rig):
    """Everything in a rig, as arrays."""
    skeleton = rig.skeleton
    parts = [skeleton.parents, skeleton.skin_joints, skeleton.inverse_bind, *vars(skeleton.rest_pose).values()]
    for mesh in rig.meshes:
        parts += [mesh.positions, mesh.normals, mesh.uvs, mesh.palette_indices, mesh.weights, mesh.indices]
    for clip in rig.clips.values():
        parts += [array for track in clip.tracks for array in (track.times, track.values)]
    return parts


def same(a, b):
    first, second = numbers_of(a), numbers_of(b)
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def with_points(value):
    """Every whole number written as 3.0."""
    if isinstance(value, dict):
        return {key: with_points(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_points(item) for item in value]
    return float(value) if type(value) is int else value


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_whole_numbers_may_have_a_point(tmp_path):
    """JSON has but one kind of number (glTF 2.0, section 2.7)."""
    builder = made_up()
    before = load_rig(builder.write(tmp_path / "a.glb"))
    builder.document = with_points(builder.document)
    same(load_rig(builder.write(tmp_path / "a.glb")), before)


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_whole_files_may_have_points_in_whole_numbers(tmp_path, path):
    data = path.read_bytes()
    length = int.from_bytes(data[12:16], "little")  # of the chunk of JSON
    document = with_points(json.loads(data[20 : 20 + length]))
    (tmp_path / path.name).write_bytes(glb(json.dumps(document).encode(), data[28 + length :]))
    same(load_rig(tmp_path / path.name), load_rig(path))


@pytest.mark.parametrize("number", [1.5, True, "1", 1e400])
def test_other_numbers_are_no_index(tmp_path, number):
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    builder.add("nodes", mesh=number)
    with pytest.raises(InputError, match=r"nodes\[1\].mesh: the value must be"):
        load_rig(builder.write(tmp_path / "a.glb"))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_what_nothing_uses_may_be_anything(tmp_path, kind):
    builder = made_up()
    before = load_rig(builder.write(tmp_path / "a.glb"))
    if kind == "buffers":
        builder.document["buffers"] = [{"byteLength": len(builder.data)}, {"byteLength": 12}]  # without a uri
    builder.document.setdefault(kind, []).extend(ODD)
    same(load_rig(builder.write(tmp_path / "a.glb")), before)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_named_but_not_looked_at_may_be_anything(tmp_path):
    """Other scenes, samplers without a channel, textures of bumps, cameras, attributes that nothing reads."""
    builder = made_up()
    before = load_rig(builder.write(tmp_path / "a.glb"))
    document = builder.document
    document["scenes"].extend(ODD)
    document["animations"][0]["samplers"].extend(ODD)
    document["materials"][0] |= {
        "normalTexture": 7,
        "occlusionTexture": [],
    }
    document["materials"][0]["pbrMetallicRoughness"] |= {"metallicFactor": "shiny", "metallicRoughnessTexture": {}}
    document["cameras"] = 7
    document["nodes"][0]["camera"] = "x"
    document["samplers"][0]["magFilter"] = {}
    odd = builder.accessor_on(99, 7, "f32", "VEC4")
    document["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = odd
    same(load_rig(builder.write(tmp_path / "a.glb")), before)


def test_faults_are_told_where_they_are_used(tmp_path):
    """By their place, however deep, though they are found late."""
    builder = made_up()
    builder.document["animations"][0]["samplers"][1]["input"] = "x"
    (tmp_path / "a.glb").write_bytes(glb(builder.json(), bytes(builder.data)))
    with pytest.raises(
        InputError, match=r"a.glb: animations\[0\].samplers\[1\].input: the value must be an integer \(got 'x'\)"
    ):
        load_rig(tmp_path / "a.glb")
