"""Bakes on disk: bit for bit there and back, and anything else is refused in one line."""

import json
import os
import struct
import warnings
from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from ecs_anim.assets.clip import Clip
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.file import FORMAT_VERSION, from_bytes, load_bake, save_bake, sealed, to_bytes
from ecs_anim.bake.header import arrays_of, to_json
from ecs_anim.bake.options import FORMATS, SPACES, BakeOptions
from ecs_anim.maths.transform import Pose
from ecs_anim.scenes.rigs import load_model
from ecs_anim.support.errors import InputError
from ecs_anim.support.files import file_type
from tests.bake.test_bake import BAKES, EVERY, RIG, SKELETON, rig_of, turning_clip
from tests.helpers import EXHAUSTIVE, characters
from tests.hostile.bakes import edited, header_of

CHARACTERS = ["Woman.gltf", "Fox.glb", "cesium_man.gltf", "dq.gltf", "interpolation_test.gltf"]


def same_bake(a, b):
    """Every number and word of two bakes."""
    assert (a.name, a.options, a.clips, a.size, a.content) == (
        b.name,
        b.options,
        b.clips,
        b.size,
        b.content,
    )  # by value
    first, second = arrays_of(a), arrays_of(b)
    assert list(first) == list(second)
    for name, array in first.items():
        assert array.dtype == second[name].dtype
        np.testing.assert_array_equal(array.view(np.uint8), second[name].view(np.uint8))
    assert a.skeleton.joint_names == b.skeleton.joint_names


def there_and_back(bake, path):
    save_bake(bake, path)
    loaded = load_bake(path, bake.skeleton)
    same_bake(loaded, bake)
    assert to_bytes(loaded) == path.read_bytes()
    return loaded


@pytest.mark.parametrize(("space", "kind"), EVERY)
def test_save_and_load_bit_for_bit(space, kind, tmp_path):
    bake = BAKES[space, kind]
    loaded = there_and_back(bake, tmp_path / "x.bake")
    for clip in RIG.clips:
        times = np.linspace(-1, 2, 23)
        np.testing.assert_array_equal(loaded.palette(clip, times), bake.palette(clip, times))
    assert not loaded.rows.flags.writeable
    assert [path.name for path in tmp_path.iterdir()] == ["x.bake"], "nothing partial is left"


@EXHAUSTIVE
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("space", SPACES)
def test_the_mannequin_survives(space, kind, tmp_path):
    there_and_back(bake_rig(load_model("mannequin"), BakeOptions(space, kind, rate=30)), tmp_path / "x.bake")


@pytest.mark.parametrize("model", characters(*CHARACTERS))
@EXHAUSTIVE
def test_every_character_survives(model, tmp_path):
    rig = load_model(model)
    for space, kind in EVERY:
        there_and_back(bake_rig(rig, BakeOptions(space, kind, rate=15)), tmp_path / "x.bake")


def test_the_file_is_what_its_description_says():
    """Read with nothing but struct and json, as docs/reference/bake-format.md tells it."""
    bake = BAKES["local", "u8"]
    data = to_bytes(bake)
    magic, version, header_length, length = struct.unpack_from("<8sIIQ", data)
    assert (magic, version, length) == (b"\x89BAKE\r\n\x1a", 2, len(data))
    header = json.loads(data[64 : 64 + header_length])
    assert header["format"] == "u8"
    begin = -(-(64 + header_length) // 64) * 64
    found = {}
    for section in header["sections"]:
        assert (begin + section["offset"]) % 64 == 0
        count = int(np.prod(section["shape"]))
        array = np.frombuffer(data, section["dtype"], count, begin + section["offset"])
        found[section["name"]] = array.reshape(section["shape"])
    number = bake.index["a"]
    told = header["clips"][number]
    codes = found["rows"][told["first_row"] + 3].astype(np.float64) / 255
    expected = found["offset"][number] + found["scale"][number] * codes
    np.testing.assert_allclose(bake.decoded("a")[3], expected, atol=1e-5)
    assert told["error_position"] == bake.clips[number].error.position


def refused(data, *parts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as told:
            from_bytes(bytes(data), "some.bake")
    message = str(told.value)
    assert message.startswith("some.bake: ")
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_what_is_wrong_is_told():
    data = to_bytes(BAKES["local", "f16"])
    refused(b"", "is not a bake file")
    refused(b"glTF" + data, "is not a bake file")
    refused(data.replace(b"\r\n", b"\n", 1), "is not a bake file")
    refused(data[:40], "incomplete")
    refused(data[:-1], "incomplete")
    refused(data + b"\0", "damaged")
    refused(data[:8] + struct.pack("<I", FORMAT_VERSION + 1) + data[12:], "newer", "Update ecs-anim")
    refused(data[:8] + struct.pack("<I", 0) + data[12:], "damaged")
    refused(data[:-7] + bytes([data[-7] ^ 1]) + data[-6:], "checksum")
    refused(data[:60] + b"\1" + data[61:], "checksum")
    refused(sealed(b"[]", b""), "header: ", "object")
    refused(sealed(b"[" * 100_000, b""), "Invalid JSON")
    refused(sealed(to_json(header_of(data)) + b" ", b""), "without spaces, as ecs-anim writes it")
    refused(sealed(b'{"sections":[]}', b""), "header.name: Field required")


def test_a_foreign_bake_is_refused(tmp_path):
    save_bake(BAKES["local", "f32"], tmp_path / "x.bake")
    rest = SKELETON.rest_pose
    taller = replace(SKELETON, rest_pose=Pose(rest.translation * np.float32(1.01), rest.rotation, rest.scale))
    for other in (load_model("mannequin").skeleton, taller, replace(SKELETON, joint_names=tuple("abcdefghijk"))):
        with pytest.raises(InputError, match=r"x\.bake: the bake .* was made for a skeleton of"):
            load_bake(tmp_path / "x.bake", other)
    load_bake(tmp_path / "x.bake", SKELETON)


def test_headers_that_lie_are_refused():
    """Each with the right checksum."""
    data = to_bytes(BAKES["local", "u8"])

    def clip(**fields):
        return lambda header: header["clips"][1].update(fields)

    def section(number, **fields):
        return lambda header: header["sections"][number].update(fields)

    for change, part in (
        (lambda h: h.update(space="model"), "model space"),
        (lambda h: h.update(format="f16"), "rows"),
        (lambda h: h.update(format="u4"), "format"),
        (lambda h: h.update(size=0.0), "size"),
        (lambda h: h.update(error_mm=-1.0), "must be above 0"),
        (lambda h: h.update(rate_hz=0.0), "must be above 0"),
        (lambda h: h.update(more=1), "header.more: Extra"),
        (lambda h: h["joint_names"].reverse(), "signature"),
        (lambda h: h["joint_names"].pop(), "parents"),
        (lambda h: h["clips"].pop(), "rows"),
        (lambda h: h["clips"].reverse(), "begin"),
        (clip(name="a"), "clips"),
        (clip(intervals=2**30), "rate"),
        (clip(duration_s=0.0), "must be consistent"),
        (clip(duration_s=1e-320), "rate"),
        (clip(first_row=0), "begin"),
        (clip(loops=1), "loops"),
        (clip(error_angle=-1.0), "error_angle"),
        (clip(extras=[]), "extras"),
        (section(0, shape=[2**31 - 1] * 3), "offset"),
        (section(0, offset=64), "offset"),
        (section(-1, shape=[1, 1]), "the last array must end at the end of the file"),
        (section(-1, shape=[0, 2**31 - 1, 2**31 - 1]), "the last array must end at the end of the file"),
        (section(-1, dtype="<f8"), "dtype"),
        (section(-1, name="parents"), "same name"),
    ):
        refused(edited(data, change), part)


def test_numbers_that_lie_are_refused():
    bake = BAKES["local", "f32"]
    rows = bake.rows.copy()
    rows[3, 2] = np.nan
    refused(to_bytes(replace(bake, rows=rows)), "finite")
    negative = replace(BAKES["local", "u8"], scale=-BAKES["local", "u8"].scale)
    refused(to_bytes(negative), "scale")
    joints = bake.space.layout.rotation_joints
    for wrong, part in ((joints[::-1], "order"), (joints + 100, "indices of joints")):
        space = replace(bake.space, layout=replace(bake.space.layout, rotation_joints=np.ascontiguousarray(wrong)))
        refused(to_bytes(replace(bake, space=space)), part)
    backwards = copy(SKELETON)
    vars(backwards)["parents"] = np.arange(11, dtype=np.int32)  # nobody can make one
    space = replace(bake.space, layout=replace(bake.space.layout, skeleton=backwards))
    refused(to_bytes(replace(bake, space=space)), "parents")


def test_what_is_no_file_is_told(tmp_path):
    for path, why in ((tmp_path / "gone.bake", "there is no such file"), (tmp_path, "this is a folder, not a bake")):
        with pytest.raises(InputError, match=why):
            load_bake(path)
    (tmp_path / "short.bake").write_bytes(b"\x89BAK")
    assert file_type(tmp_path / "short.bake").family == "unknown"
    with pytest.raises(InputError, match="does not exist"):
        save_bake(BAKES["local", "f32"], tmp_path / "gone" / "x.bake")
    with pytest.raises(InputError, match="must name a regular file or a new file"):
        save_bake(BAKES["local", "f32"], tmp_path)
    clip = turning_clip()
    wrong = Clip("spin", SKELETON, clip.tracks, 0.0, 1.0, {"speed": float("nan")})
    with pytest.raises(InputError, match="extras"):
        save_bake(bake_rig(rig_of(wrong)), tmp_path / "x.bake")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["short.bake"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_neither_read_nor_replaced(tmp_path):
    pipe = tmp_path / "x.bake"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="it is a pipe"):
        file_type(pipe)
    with pytest.raises(InputError, match="it is a pipe"):
        load_bake(pipe)
    with pytest.raises(InputError, match="must name a regular file or a new file"):
        save_bake(BAKES["local", "f32"], pipe)
    assert pipe.is_fifo()
