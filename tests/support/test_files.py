"""Files named by users: anything but a regular file of a sensible size is refused at once, in one line."""

import os
import socket
import subprocess
import sys
import tracemalloc

import pytest

from ecs_anim.bake.file import load_bake
from ecs_anim.ecs.snapshot_file import open_snapshot
from ecs_anim.gltf.load import load_rig
from ecs_anim.profiling.against import read_baseline
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene, read_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import Kind, MissingFile, opened, read_bytes, read_text
from ecs_anim.support.terminal import printable
from tests.builders.gltf_builder import GltfBuilder

NOTE = Kind("note", "baseline_bytes")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"

needs_devices = pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no such devices")
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@pytest.fixture(autouse=True)
def small_notes(monkeypatch):
    """A note has a thousand bytes at most."""
    monkeypatch.setenv("ECS_ANIM_LIMIT_BASELINE_BYTES", "1000")


def refusal(path, kind=NOTE):
    """Return the one-line error of a file."""
    with pytest.raises(InputError) as refused:
        read_bytes(path, kind)
    line = str(refused.value)
    assert line.startswith(f"{printable(str(path))}: cannot read the {kind.name}: ")
    assert "\n" not in line
    return line


@pytest.mark.parametrize("data", [b"", b"1", bytes(range(250)) * 4, POINTER[:-100], b" " + POINTER])
def test_a_regular_file_is_read_to_the_byte(tmp_path, data):
    path = tmp_path / "note"
    path.write_bytes(data)
    assert read_bytes(path, NOTE) == data
    with opened(path, NOTE) as file:
        assert (file.size, file.stream.tell()) == (len(data), 0)
        assert (file.first(4), file.first(4), file.whole()) == (data[:4], data[:4], data)


def test_a_link_is_followed(tmp_path):
    (tmp_path / "note").write_bytes(b"here")
    (tmp_path / "link").symlink_to("note")
    assert read_bytes(tmp_path / "link", NOTE) == b"here"


def test_text_has_no_byte_order_mark_and_is_utf_8(tmp_path):
    path = tmp_path / "note"
    path.write_text("höher", "utf-8-sig")
    assert read_text(path, NOTE) == "höher"
    path.write_bytes(b"hi\xff")
    with pytest.raises(InputError, match=r"note: the note must be UTF-8 text \(byte 2 is not UTF-8\)"):
        read_text(path, NOTE)


def test_what_is_not_there_is_an_error_of_its_own(tmp_path):
    (tmp_path / "note").write_bytes(b"")
    (tmp_path / "link").symlink_to("gone")
    for path in (tmp_path / "gone", tmp_path / "link", tmp_path / "note" / "x"):
        assert refusal(path).endswith("there is no such file")
        with pytest.raises(MissingFile):
            read_bytes(path, NOTE)


def test_names_that_no_file_can_have(tmp_path):
    for name in ("a\0b", "\ud800"):
        assert refusal(tmp_path / name).endswith("the name has characters that no file name can have")
    assert "too long" in refusal(tmp_path / ("a" * 300))
    (tmp_path / "loop").symlink_to("loop")
    assert "symbolic links" in refusal(tmp_path / "loop")


def test_a_folder_is_told(tmp_path):
    with pytest.raises(InputError, match="this is a folder, not a note. Name a file in it."):
        read_bytes(tmp_path, NOTE)


@needs_pipes
def test_nobody_waits_for_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "it is a pipe" in refusal(tmp_path / "pipe")


@needs_pipes
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    path, look = tmp_path / "note", os.stat
    path.write_bytes(b"here")

    def look_and_replace(*arguments, **options):
        status = look(*arguments, **options)
        if arguments[0] is path:
            path.unlink()
            os.mkfifo(path)
        return status

    monkeypatch.setattr(os, "stat", look_and_replace)
    assert "it is a pipe" in refusal(path)


@needs_devices
def test_devices_are_not_read():
    for name in ("/dev/zero", "/dev/null", "/dev/full"):
        assert "it is a device" in refusal(name)


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no such sockets")
def test_a_socket_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path has at most a hundred characters
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("note")
        assert "it is a socket" in refusal("note")


@needs_devices
def test_standard_input_is_a_file_or_refused(tmp_path):
    code = (
        "from pathlib import Path\n"
        "from ecs_anim.support.files import Kind, read_bytes\n"
        "print(read_bytes(Path('/dev/stdin'), Kind('note', 'module_bytes')))"
    )
    told = subprocess.run([sys.executable, "-c", code], input=b"here", capture_output=True, timeout=60, check=False)
    assert b"/dev/stdin: cannot read the note: the path must be a regular file, but it is a pipe" in told.stderr
    (tmp_path / "note").write_bytes(b"here")
    with (tmp_path / "note").open("rb") as file:
        assert subprocess.check_output([sys.executable, "-c", code], stdin=file, timeout=60) == b"b'here'\n"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has other users")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "note"
    path.write_bytes(b"here")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:  # to whom nothing is forbidden
        os.seteuid(65534)
    try:
        assert refusal(path).endswith("Permission denied")
    finally:
        os.seteuid(user)


def test_a_file_larger_than_its_kind_takes_no_memory(tmp_path, monkeypatch):
    path = tmp_path / "note"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    tracemalloc.start()
    line = refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1e6
    assert "the file has 1,099,511,627,776 bytes of baseline, but the limit is 1,000" in line
    assert line.endswith("Name a smaller file, or raise ECS_ANIM_LIMIT_BASELINE_BYTES")
    path.write_bytes(bytes(1001))
    assert "1,001 bytes" in refusal(path)
    monkeypatch.setenv("ECS_ANIM_LIMIT_BASELINE_BYTES", "1001")
    assert read_bytes(path, NOTE) == bytes(1001)


def test_what_git_lfs_leaves_in_the_place_of_a_file_is_told(tmp_path):
    (tmp_path / "note").write_bytes(POINTER)
    assert refusal(tmp_path / "note").endswith("Fetch the content of the file: git lfs pull")


@pytest.mark.parametrize("size", [3, 5, 0])
def test_a_file_that_changes_while_it_is_read_is_told(tmp_path, size):
    path = tmp_path / "note"
    path.write_bytes(b"here")

    def change_and_read():
        with opened(path, NOTE) as file:
            os.truncate(path, size)
            file.whole()

    with pytest.raises(InputError, match="note: cannot read the note: another program changed the file"):
        change_and_read()


def test_what_memory_cannot_hold_is_told(tmp_path):
    (tmp_path / "note").write_bytes(b"")

    def fill_memory():
        with opened(tmp_path / "note", NOTE):
            bytearray(1 << 62)

    with pytest.raises(InputError, match="the file needs more memory than is free"):
        fill_memory()


def test_errors_of_the_reader_are_its_own(tmp_path):
    (tmp_path / "note").write_bytes(b"")

    def fail():
        with opened(tmp_path / "note", NOTE):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail()


HEAD = """
[[crowds]]
rig = "it"
count = 1
layout = { kind = "grid" }
clips = [{ name = "CLIP" }]
"""
SCENES = {
    "model": '[rigs.it]\nmodel = "FILE"' + HEAD,
    "texture": '[rigs.it]\nmodel = "ball"\ntexture = "FILE"' + HEAD,
    "clips_from": '[rigs.it]\nmodel = "ball"\nclips_from = ["FILE"]' + HEAD,
    "variants": '[rigs.it]\nmodel = "flag"' + HEAD + 'variants = ["FILE"]',
    "ground.image": '[rigs.it]\nmodel = "ball"' + HEAD + '[ground]\nkind = "heights"\nsize = [4, 4]\nimage = "FILE"',
    "ground.model": '[rigs.it]\nmodel = "ball"' + HEAD + '[ground]\nkind = "mesh"\nmodel = "FILE"',
    "ground.picture": '[rigs.it]\nmodel = "ball"'
    + HEAD
    + '[ground]\npicture = { file = "FILE", metres_per_pixel = 1 }',
    "walls.file": '[rigs.it]\nmodel = "ball"' + HEAD + '[walls]\nfile = "FILE"',
    "walls.picture": '[rigs.it]\nmodel = "ball"' + HEAD + '[walls]\npicture = { file = "FILE", metres_per_pixel = 1 }',
    "systems": '[rigs.it]\nmodel = "ball"' + HEAD + '[[systems]]\nmodule = "FILE"\nsystem = "X"\nbefore = "locomotion"',
}


@pytest.mark.parametrize("key", SCENES)
def test_what_a_scene_names_goes_through_the_gate(tmp_path, key):
    """Only the gate knows pointers of Git LFS."""
    (tmp_path / "it.py").write_bytes(POINTER)
    text = SCENES[key].replace("FILE", "it.py").replace("CLIP", "wave" if key == "variants" else "rest")
    with pytest.raises(
        InputError, match=f"^x.toml: .*{key}.*it.py: cannot read the [a-z]+: this file is only a Git LFS pointer"
    ):
        load_scene(parse_scene(text, "x.toml", tmp_path), threads=1, allow_code=True)


@pytest.mark.parametrize(
    "read",
    [
        read_scene,
        load_rig,
        load_bake,
        lambda path: open_snapshot(path).__enter__(),
        lambda path: read_baseline(path, "throng", [10], None),
    ],
)
def test_what_a_caller_names_goes_through_the_gate(tmp_path, read):
    (tmp_path / "it").write_bytes(POINTER)
    with pytest.raises(InputError, match=f"^{tmp_path}/it: cannot read .*: this file is only a Git LFS pointer"):
        read(tmp_path / "it")


@pytest.mark.parametrize("part", ["buffers", "images"])
def test_what_a_model_names_goes_through_the_gate(tmp_path, part):
    (tmp_path / "it").write_bytes(POINTER)
    builder = GltfBuilder()
    if part == "images":
        builder.add("images", uri="it")
        builder.add("textures", source=0)
        builder.add("materials", pbrMetallicRoughness={"baseColorTexture": {"index": 0}})
    else:
        builder.document["buffers"] = [{"byteLength": 60, "uri": "it"}]
    builder.add("nodes", mesh=builder.triangle(**({"material": 0} if part == "images" else {})))
    model = builder.write(tmp_path / "x.gltf")
    with pytest.raises(
        InputError, match=rf"x.gltf: {part}\[0\].uri: .*it: cannot read the [a-z]+: this file is only a Git LFS pointer"
    ):
        load_rig(model)


def test_buffers_of_a_model_have_a_limit_together(tmp_path, monkeypatch):
    """One large file may be many buffers."""
    with (tmp_path / "it").open("wb") as file:
        file.truncate(1 << 29)
    builder = GltfBuilder()
    builder.data = bytearray()
    for number in range(3):
        builder.add("buffers", byteLength=600, uri="it")
        builder.add("bufferViews", buffer=number, byteLength=36)
        builder.add("accessors", bufferView=number, componentType=5126, count=3, type="VEC3")
        builder.add("nodes", mesh=builder.mesh({"POSITION": number}))
    model = builder.write(tmp_path / "x.gltf")
    load_rig(model)
    monkeypatch.setenv("ECS_ANIM_LIMIT_MODEL_BYTES", str(1 << 29))
    load_rig(model)
    monkeypatch.setenv("ECS_ANIM_LIMIT_MODEL_BYTES", "1799")
    with pytest.raises(InputError, match=r"x.gltf: buffers\[0\].uri: .* the file has 536,870,912 bytes"):
        load_rig(model)
    os.truncate(tmp_path / "it", 600)
    with pytest.raises(
        InputError,
        match=r"buffers\[2\].byteLength: all buffers together are too large .*600 bytes.: 1,800 bytes of model",
    ):
        load_rig(model)


def test_the_text_of_a_model_has_a_limit(tmp_path, monkeypatch):
    """Parsed JSON takes many times the memory of its text."""
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    models = [builder.write(tmp_path / name) for name in ("x.glb", "x.gltf")]
    monkeypatch.setenv("ECS_ANIM_LIMIT_JSON_BYTES", "100")
    for model in models:
        with pytest.raises(InputError, match=r"bytes of JSON, but the limit is 100. Put the buffers into a .glb"):
            load_rig(model)
