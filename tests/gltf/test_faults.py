"""Malformed files, each with its message; no file outside the model's folder is read; lies take no memory."""

import json
import os
import struct
import tracemalloc

import pytest

from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder, glb


def document(**changes):
    return json.dumps({"asset": {"version": "2.0"}} | changes).encode()


def triangle(**changes):
    """A triangle that a node draws, with a change."""
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    return json.dumps(json.loads(builder.embedded()) | changes).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"the file is empty"),
        (b"{", r"line 1, column 2: the text must be JSON"),
        (b'{\n "asset": [}', r"line 2, column 12: the text must be JSON"),
        (b"[1]", r"must contain a JSON object"),
        (b"\x89PNG", r"this is a PNG picture, not a model"),
        (b"[" * 100_000, r"is nested too deeply"),
        (b'{"scene": ' + b"9" * 5000 + b"}", r"must be JSON"),
        (b"{}", r"asset: is missing"),
        (document(asset=None), r"asset: is missing"),
        (document(asset={}), r"asset.version: is missing"),
        (document(asset={"version": 2.0}), r"asset.version: the value must be a string \(got 2.0\)"),
        (document(asset={"version": "1.0"}), r"asset.version: the glTF version of the file must be 2.0 \(got '1.0'\)"),
        (document(asset={"version": "3.0"}), r"asset.version: the glTF version of the file must be 2.0"),
        (
            document(asset={"version": "2.0", "minVersion": "2.1"}),
            r"asset.minVersion: the glTF version of the file must be 2.0",
        ),
        (document(nodes={}), r"nodes: the value must be a list \(got a dict\)"),
        (document(nodes=[3]), r"nodes\[0\]: the value must be a JSON object \(got 3\)"),
        (document(nodes=[None]), r"nodes\[0\]: the value must be a JSON object"),
        (document(nodes=[{"name": "\ud800"}]), r"nodes\[0\].name: the string must be valid Unicode"),
        (
            document(nodes=[{"translation": [1, 2, float("nan")]}]),
            r"translation\[2\]: the value must be a finite number",
        ),
        (document(nodes=[{"translation": [1, 2, 10**400]}]), r"translation\[2\]: the value must be a finite number"),
        (triangle(accessors=[{}]), r"accessors\[0\].componentType: is missing"),
        (triangle(accessors=[None]), r"accessors\[0\]: the value must be a JSON object \(got a NoneType\)"),
        (triangle(meshes=[{}]), r"meshes\[0\].primitives: is missing"),
        (triangle(meshes=[{"primitives": [{}]}]), r"meshes\[0\].primitives\[0\].attributes: is missing"),
        (triangle(buffers=[{}]), r"buffers\[0\].byteLength: is missing"),
        (document(nodes=[{"children": [0.5]}]), r"nodes\[0\].children\[0\]: the value must be an integer \(got 0.5\)"),
        (document(nodes=[{"skin": 0}], skins=[{}]), r"skins\[0\].joints: is missing"),
        (
            document(extensionsRequired=["ACME_texture_glow", "KHR_mesh_quantization", "EXT_other"]),
            r"extensionsRequired: ecs-anim does not support ACME_texture_glow, EXT_other",
        ),
        (glb(document(), b"1234")[:11], r"header: the header of a .glb file has 12 bytes"),
        (glb(document(), b"1234")[:-3], r"header: the file must have \d+ bytes"),
        (glb(document(), b"1234", version=1), r"header: the version of binary glTF must be 2"),
        (
            struct.pack("<4sII", b"glTF", 2, 12),
            r"chunk at byte 12: the first chunk of a .glb file must be the JSON chunk",
        ),
        (struct.pack("<4sIII4s", b"glTF", 2, 20, 9, b"JSON"), r"chunk at byte 12: a chunk of the file needs 9 bytes"),
        (
            struct.pack("<4sIII4s", b"glTF", 2, 20, 0, b"BIN\0"),
            r"chunk at byte 12: the first chunk of a .glb file must be the JSON chunk",
        ),
        (struct.pack("<4sIII4s", b"glTF", 2, 20, 0, b"JSON"), r"must be JSON"),
    ],
)
def test_malformed(tmp_path, data, message):
    path = tmp_path / "model.gltf"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        load_rig(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_bad_magic(tmp_path):
    path = tmp_path / "model.glb"
    path.write_bytes(b"glTX" + bytes(20))
    with pytest.raises(InputError, match="this is a binary file of an unknown type, not a model"):
        load_rig(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.glb", "no such file"),
        ("", "this is a folder, not a model"),
        ("a" * 300, "cannot read the model: File name too long"),
        ("a/\0", "the name has characters that no file name can have"),
    ],
)
def test_paths_that_are_not_files(tmp_path, name, message):
    with pytest.raises(InputError, match=message):
        load_rig(f"{tmp_path}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.glb")
    with pytest.raises(InputError, match="the path must be a regular file, but it is a pipe"):
        load_rig(tmp_path / "pipe.glb")


def test_errors_in_parts_that_are_not_used_do_no_harm(tmp_path):
    path = tmp_path / "model.gltf"
    accessor = {"componentType": 5126, "type": "SCALAR", "count": 1, "min": ["?"], "max": 7}
    path.write_bytes(document(cameras=7, accessors=[accessor], extras=[1], nodes=[{"extras": "x", "unknown": {}}]))
    assert load_rig(path).skeleton.joint_names == ("node_0",)


# Files beside the model


@pytest.fixture
def model(tmp_path):
    """Writes tmp_path/home/model.gltf with its buffer at a given URI; tmp_path/secret.bin lies outside."""
    home = tmp_path / "home"
    home.mkdir()
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    (tmp_path / "secret.bin").write_bytes(builder.data)
    (home / "data.bin").write_bytes(builder.data)

    def write(uri):
        (home / "model.gltf").write_bytes(builder.json(uri))
        return home / "model.gltf"

    return write


def test_a_file_beside_the_model_is_read(model):
    for uri in ("data.bin", "./data.bin", "%64ata.bin"):
        assert len(load_rig(model(uri)).meshes) == 1


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "..%2fsecret.bin",
        "..\\secret.bin",
        "sub/../../secret.bin",
        "{outside}/secret.bin",
        "file://{outside}/secret.bin",
        "C:/secret.bin",
        "%43:/secret.bin",
        "//host/secret.bin",
        "http://localhost/secret.bin",
        "",
        "a\0b",
        "%00",
    ],
)
def test_nothing_outside_the_folder_is_read(model, tmp_path, uri):
    problem = (
        "the path of a file must not contain `..`" if ".." in uri else "the URI must be a relative path to a file in"
    )
    with pytest.raises(InputError, match=rf"buffers\[0\].uri: {problem}"):
        load_rig(model(uri.format(outside=tmp_path)))


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_links_do_not_lead_outside(model, tmp_path, kind):
    path = model("link" if kind == "file" else "link/secret.bin")
    (path.parent / "link").symlink_to(tmp_path / "secret.bin" if kind == "file" else tmp_path)
    with pytest.raises(InputError, match="a link to a place outside of the model"):
        load_rig(path)


def test_links_inside_the_folder_are_followed(model):
    path = model("link")
    (path.parent / "link").symlink_to(path.parent / "data.bin")
    assert len(load_rig(path).meshes) == 1


def test_loops_of_links(model):
    path = model("link")
    (path.parent / "link").symlink_to(path.parent / "link")
    with pytest.raises(InputError):
        load_rig(path)


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("gone.bin", r"buffers\[0\].uri: the file 'gone.bin' does not exist"),
        (".", r"buffers\[0\].uri: .*this is a folder, not a buffer"),
        ("data.bin/x", r"buffers\[0\].uri: .* does not exist|cannot be read"),
        ("a" * 300, r"buffers\[0\].uri"),
        ("data:application/octet-stream;base64", r"buffers\[0\].uri: the data URI must have a comma"),
        ("data:;base64,A", r"buffers\[0\].uri: the data of the data URI must be base64"),
        (
            "data:;base64,AAAA",
            r"buffers\[0\]: the data of the buffer must have 36 bytes, as byteLength states \(got 3 bytes\)",
        ),
        ("data:;base64,\u00e9", r"buffers\[0\].uri: the data of the data URI must be base64"),
    ],
)
def test_bad_buffers(model, uri, message):
    with pytest.raises(InputError, match=message):
        load_rig(model(uri))


def test_a_buffer_file_that_is_too_short(model):
    path = model("data.bin")
    (path.parent / "data.bin").write_bytes(b"123")
    with pytest.raises(
        InputError, match=r"buffers\[0\].uri: the buffer needs 36 bytes, but the file 'data.bin' has only 3"
    ):
        load_rig(path)


def test_only_the_first_buffer_of_a_glb_may_lack_a_uri(model):
    with pytest.raises(InputError, match=r"buffers\[0\]: the buffer has no uri"):
        load_rig(model(None))


# Lies about sizes


@pytest.mark.parametrize("change", ["accessor", "zeros", "many zeros", "buffer", "view", "sparse"])
def test_a_lie_about_a_size_does_not_take_memory(tmp_path, change):
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    (accessor,), (view,) = builder.document["accessors"], builder.document["bufferViews"]
    builder.document["buffers"] = [{"byteLength": len(builder.data), "uri": "data.bin"}]
    (tmp_path / "data.bin").write_bytes(builder.data)
    part = {"bufferView": 0, "componentType": 5125}
    huge = 1 << 40
    if change == "accessor":
        accessor["count"] = huge
    elif change == "zeros":
        del accessor["bufferView"]
        accessor["count"] = huge
    elif change == "many zeros":
        del accessor["bufferView"]
        accessor["count"] = 1 << 28
    elif change == "buffer":
        builder.document["buffers"][0]["byteLength"] = huge
    elif change == "view":
        view["byteLength"] = huge
    else:
        accessor["sparse"] = {"count": huge, "indices": part, "values": part}
    (tmp_path / "model.gltf").write_bytes(builder.json())
    tracemalloc.start()
    with pytest.raises(InputError):
        load_rig(tmp_path / "model.gltf")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6
