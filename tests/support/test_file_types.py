"""Types of files: detected by their first bytes, and reported by every command and every key of a scene."""

import io
import json
import re
import struct
import tarfile
import zipfile
from pathlib import Path
from random import Random

import h5py
import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.commands.outcome import exit_code
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.support.file_types import type_of_bytes
from ecs_anim.support.files import WrongType, file_type
from tests.builders.gltf_builder import GltfBuilder
from tests.characters import COMPACT
from tests.helpers import EXHAUSTIVE
from tests.hostile.mutations import damaged


def picture(kind: str) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (4, 4)).save(data, kind)
    return data.getvalue()


def archive(*names: str, **arrays: np.ndarray) -> bytes:
    data = io.BytesIO()
    if arrays:
        np.savez(data, **arrays)
    else:
        with zipfile.ZipFile(data, "w") as own:
            for name in names:
                own.writestr(name, "x")
    return data.getvalue()


def npy(array: np.ndarray) -> bytes:
    data = io.BytesIO()
    np.save(data, array)
    return data.getvalue()


def hdf5() -> bytes:
    data = io.BytesIO()
    with h5py.File(data, "w") as own:
        own["x"] = [1]
    return data.getvalue()


def packed(mode: str) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=f"w:{mode}") as own:
        own.addfile(tarfile.TarInfo("x"))
    return data.getvalue()


def gltf(binary: bool = False, **changes: object) -> bytes:
    builder = GltfBuilder()
    builder.add("nodes", mesh=builder.triangle())
    builder.document |= changes
    return builder.binary() if binary else builder.embedded()


def last(data: bytes, key: str) -> bytes:
    """A JSON object with one of its keys behind the others."""
    document = json.loads(data)
    return json.dumps(document | {key: document.pop(key)}).encode()


SCENE = b'# a comment\ntitle = "x"\n[rigs.a]\nmodel = "mannequin"\n[[crowds]]\nrig = "a"\n'
POLYGON = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 0]]]}
BVH = b"HIERARCHY\nROOT hips\n{\n"
STL = bytes(80) + struct.pack("<I", 2) + bytes(100)
SQLITE = b"SQLite format 3\0" + bytes(52)
XML = b'<?xml version="1.0"?>\n<!-- made -->\n'

# The content of a file by the name of its type.
FILES: dict[str, list[bytes]] = {
    "gltf": [gltf(), last(gltf(), "asset"), b"\xef\xbb\xbf" + gltf(), b'{"asset": {"extras": 1, "version": "2.0"}}'],
    "glb": [gltf(binary=True)],
    "vrm": [gltf(binary=True, extensionsUsed=["VRMC_vrm"]), gltf(binary=True, extensions={"VRM": {}})],
    "bvh": [BVH, b"# by hand\n\n" + BVH.lower(), BVH.decode().encode("utf-16"), BVH.decode().encode("utf-16-le")],
    "fbx": [b"Kaydara FBX Binary  \0\x1a\0" + bytes(20)],
    "fbx text": [b"; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n}\n", b"FBXHeaderExtension:  {\n}\n"],
    "dae": [XML + b'<COLLADA version="1.4.1"></COLLADA>'],
    "usda": [b"#usda 1.0\ndef Xform {}\n"],
    "usdc": [b"PXR-USDC" + bytes(80)],
    "usdz": [archive("model.usdc"), archive("model.usda")],
    "blend": [b"BLENDER-v300abcd"],
    "obj": [b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", b"# Blender\nmtllib a.mtl\no Cube\nv 1.0 -1.0 0\n"],
    "stl": [STL],
    "stl text": [b"solid a\n  facet normal 0 0 1\n"],
    "ply": [b"ply\nformat ascii 1.0\n", b"ply\r\nformat binary_little_endian 1.0\r\n\0\1"],
    "iqm": [b"INTERQUAKEMODEL\0" + bytes(20)],
    "smpl": [
        archive(gender=np.array("x"), poses=np.zeros((2, 156))),
        archive(trans=np.zeros((2, 3))),
        archive(smpl_loss=np.zeros(1), smpl_poses=np.zeros((2, 72))),
    ],
    "motion-x": [npy(np.zeros((2, 322))), npy(np.zeros((2, 322), np.float32, "F"))],
    "npz": [archive(depth=np.zeros(2))],
    "snapshot": [archive(header=np.zeros(3, np.uint8), columns=np.zeros(2))],
    "npy": [b"\x93NUMPY\1\0"],
    "zip": [archive("a.txt"), archive("map.geojson")],
    "imdf": [archive("manifest.json", "address.geojson"), archive("mall/unit.geojson")],
    "office": [archive("[Content_Types].xml", "xl/workbook.xml")],
    "gzip": [packed("gz")],
    "bzip2": [packed("bz2")],
    "xz": [packed("xz")],
    "png": [picture("PNG")],
    "jpeg": [picture("JPEG")],
    "webp": [picture("WEBP")],
    "gif": [picture("GIF")],
    "tiff": [picture("TIFF")],
    "bmp": [picture("BMP")],
    "ktx2": [b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(60)],
    "exr": [b"\x76\x2f\x31\x01" + bytes(20)],
    "hdr": [b"#?RADIANCE\n"],
    "pdf": [b"%PDF-1.7\n"],
    "html": [b"<!DOCTYPE html>\n<html><body>\nimport x\n</body></html>"],
    "svg": [XML + b'<svg xmlns="http://www.w3.org/2000/svg"/>'],
    "sqlite": [SQLITE + bytes(32)],
    "gpkg": [SQLITE + b"GPKG" + bytes(28)],
    "hdf5": [hdf5()],
    "parquet": [b"PAR1" + bytes(20)],
    "ndjson": [b'{"track": {"f": 1, "p": 2, "x": 0, "y": 1}}\n', b'{"scene": {"id": 0, "p": 1}}\n'],
    "fcd": [XML + b'<fcd-export><timestep time="0"/></fcd-export>', '<fcd-export a="x"/>'.encode("utf-16")],
    "table": [
        b"id,frame,x,y\n1,0,0.5,0.5\n",
        b"id;frame;x_m;y_m\n0;0;0,5;0,25\n",
        b"# PeTrack project: a.pet\n# id frame x/cm y/cm z/cm\n1 0 10 20 170\n",
        b"# framerate: 25\n# id frame x/m y/m\n",
        b"1 0 10.5 20.5\n1 1 11 21\n",
        b"id,time,x_m,y_m\na3f0-77,2024-05-01T12:00:00.000Z,0.0,0.0\n",
        b'"t","id","name","x","y"\n"s","","","m","m"\n0.0,0,"00000",1,2\n',
        b"1,1,100.0,200.0,30,80,1,-1,-1,-1\n",
    ],
    "viswalk": [b"$VISION\n* File: x\n$PEDESTRIAN:SIMSEC;NO;COORDCENTX\n0.1;1;2\n"],
    "wkt": [b"POLYGON ((0 0, 1 0, 1 1, 0 0))", b"\xef\xbb\xbfSRID=25832;multipolygon(((0 0)))\r\n", b"POINT EMPTY"],
    "geojson": [json.dumps(POLYGON).encode(), b'{"features": [], "type":"FeatureCollection"}'],
    "geometry": [XML + b'<geometry version="0.8" unit="m"/>'],
    "dxf": [b"AutoCAD Binary DXF\r\n\x1a\0"],
    "dxf text": [b"  0\nSECTION\n  2\nHEADER\n", b"999\nmade by hand\n  0\r\nSECTION\r\n"],
    "dwg": [b"AC1032\0\0"],
    "ifc": [b"ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC4'));\n"],
    "shp": [b"\0\0\x27\x0a" + bytes(96)],
    "scene": [SCENE, b"\xef\xbb\xbf" + SCENE.replace(b"\n", b"\r\n")],
    "job": [b'scene = "plaza"\nmake.measures = ["density"]\n', b'[make]\nmeasures = ["density"]\n'],
    "toml": [b'[project]\nname = "x"\n'],
    "bake": [b"\x89BAKE\r\n\x1a" + bytes(60)],
    "notebook": [b'{"cells": [{"cell_type": "code"}], "nbformat": 4}'],
    "json": [b'{"a": 1}', b"[1, 2]"],
    "python": [b'import ecs_anim as ea\nSCENE = """\n[rigs.a]\n"""\n', b"#!/usr/bin/env python\n\ndef f(x):\n"],
    "pickle": [b"\x80\x04\x95\0"],
    "markdown": [b"# Title\n\n```toml\n[rigs.a]\n```\n"],
    "video": [b"\0\0\0\x18ftypmp42", b"\x1aE\xdf\xa3"],
    "empty": [b"", b" \n\t\n"],
    "text": [b"Dear reader,\n\nthis is a letter of 12 May 2024, no more.\n", b"Point taken.\n"],
    "binary": [bytes(range(256)), bytes(84)],
}  # fmt: skip
CASES = [pytest.param(name, data, id=f"{name}-{k}") for name, all_of in FILES.items() for k, data in enumerate(all_of)]


@pytest.mark.parametrize(("name", "data"), CASES)
def test_the_first_bytes_tell_the_type(tmp_path, name, data):
    assert type_of_bytes(data).name == name
    (tmp_path / "x.csv").write_bytes(data)
    assert file_type(tmp_path / "x.csv").name == name


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_has_a_type_of_which_one_line_can_be_made(name):
    chance = Random(len(name))
    for data in filter(None, FILES[name] * 5):
        line = str(WrongType(Path("x"), type_of_bytes(damaged(data, chance)), "note"))
        assert line.isprintable()
        assert line.startswith("x: t")
        assert line.endswith(".")


@EXHAUSTIVE
def test_real_writers_agree_with_the_table(tmp_path):
    with ea.load_scene("single") as world:
        world.save(tmp_path / "world.npz")
    assert file_type(tmp_path / "world.npz").name == "snapshot"
    assert exit_code(["bake", "mannequin", "--clip", "idle", "--out", str(tmp_path / "x")]) == 0
    assert file_type(tmp_path / "x").name == "bake"
    assert file_type(COMPACT).family == "model"


def test_folders(tmp_path):
    assert file_type(tmp_path).name == "folder"
    (tmp_path / "labels.jsonl").touch()
    assert file_type(tmp_path).name == "data set"
    (tmp_path / "manifest.json").touch()
    (tmp_path / "tasks").mkdir()
    assert file_type(tmp_path).name == "farm"


def test_names_with_spaces_are_quoted_for_the_shell():
    found = type_of_bytes(SCENE)
    assert found.next_step("a b.toml") == "Use `ecs-anim check 'a b.toml'` or `ecs-anim run 'a b.toml'`"


COMMANDS: dict[str, tuple[str, set[str]]] = {  # a command with FILE, and families that its reader takes
    "run": ("run FILE --no-draw --frames 1", {"scene", "toml", "unknown"}),
    "profile": ("profile FILE --no-draw --frames 1", {"scene", "toml", "unknown"}),
    "check": ("check FILE", {"scene", "toml", "unknown"}),
    "dataset": ("dataset FILE --out OUT", {"scene", "toml", "unknown"}),
    "export": ("export FILE --out OUT.glb", {"scene", "toml", "unknown"}),
    "share": ("share FILE --seconds 0.1 --out OUT.html", {"scene", "toml", "unknown", "snapshot", "trajectories"}),
    "feet": ("feet FILE", {"scene", "toml", "unknown"}),
    "warmup": ("warmup FILE", {"scene", "toml", "unknown"}),
    "farm": ("farm FILE --out OUT", {"job", "toml", "unknown"}),
    "inspect": ("inspect FILE", {"model", "json", "motion", "bake", "trajectories", "plan", "drawing"}),
    "bake": ("bake FILE --out OUT", {"model", "json", "motion"}),
    "retarget motion": ("retarget FILE mannequin --out OUT.glb", {"model", "json", "motion"}),
    "retarget model": ("retarget mannequin FILE --out OUT.glb", {"model", "json", "motion"}),
    "walk": ("walk FILE --out OUT.png", {"trajectories"}),
    "walk walls": ("walk people.csv --walls FILE --out OUT.png", {"plan"}),
    "walk rig": ("walk people.csv --rig FILE --out OUT.png", {"model", "json", "motion"}),
    "validate": ("validate corridor --plot OUT --recorded FILE", set()),
    "snapshot": ("run single --from-snapshot FILE --no-draw --frames 1", {"snapshot"}),
    "against": ("profile single --no-draw --frames 1 --against FILE", {"json", "unknown", "scene", "toml", "snapshot"}),
}
DAILY = ("gltf", "dae", "table", "geojson", "scene", "png", "npz", "empty")  # types


def some_types(name: str) -> list[object]:
    """The types that a command reports; most of them run with `--exhaustive` only."""
    taken = COMMANDS[name][1]
    types = [own for own in FILES if type_of_bytes(FILES[own][0]).family not in taken]
    return [pytest.param(name, own, marks=() if own in DAILY else EXHAUSTIVE) for own in types]


@pytest.mark.parametrize(("command", "name"), [case for name in COMMANDS for case in some_types(name)])
def test_each_command_reports_the_type_and_the_next_step(tmp_path, capsys, monkeypatch, command, name):
    monkeypatch.chdir(tmp_path)
    Path("it").write_bytes(FILES[name][0])
    people = [f"{p},{k / 10},{k / 10},{p}\n" for p in (1, 2) for k in range(20)]
    Path("people.csv").write_text("id,time_s,x_m,y_m\n" + "".join(people))
    words = COMMANDS[command][0].replace("FILE", "it").replace("OUT", "out").split()
    assert exit_code(words) == 2
    lines = capsys.readouterr().err.replace(f"{tmp_path}/", "").splitlines(keepends=True)
    told = "".join(line for line in lines if "`ecs-anim warmup`" not in line)  # the first run compiles kernels
    found = type_of_bytes(FILES[name][0])
    problem = "the file is empty" if name == "empty" else f"this is {found.description}, "
    assert re.match(f"ecs-anim: (people.csv: .*)?it: {re.escape(problem)}", told), told
    assert told.endswith(f". {found.next_step('it')}.\n"), told
    assert told.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it", "people.csv"]  # no command leaves a file


KEYS = {  # a scene with a file, the key as its message names it, and families that its reader takes
    "model": ('[rigs.a]\nmodel = "it"\n', "rigs.a.model", {"model", "json", "motion"}),
    "clips_from": ('[rigs.a]\nmodel = "mannequin"\nclips_from = ["it"]\n', "rigs.a.clips_from[0]",
        {"model", "json", "motion"}),
    "texture": ('[rigs.a]\nmodel = "mannequin"\ntexture = "it"\n', "rigs.a.texture", {"picture"}),
    "walls": ('[rigs.a]\nmodel = "mannequin"\n[walls]\nfile = "it"\n', "walls.file",
        {"plan"}),
    "walls.picture": ('[rigs.a]\nmodel = "mannequin"\n[walls]\npicture = { file = "it", metres_per_pixel = 1.0 }\n',
        "walls.picture", {"picture"}),
    "ground.picture": ('[rigs.a]\nmodel = "mannequin"\n[ground]\npicture = { file = "it", metres_per_pixel = 1.0 }\n',
        "ground.picture", {"picture"}),
    "trajectories": ('[rigs.a]\nmodel = "mannequin"\n', "crowds[0].trajectories", {"trajectories"}),
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(own, marks=() if own in DAILY else EXHAUSTIVE) for own in FILES])
@pytest.mark.parametrize("key", KEYS)
def test_each_key_of_a_scene_reports_the_type(tmp_path, key, name):
    text, place, taken = KEYS[key]
    found = type_of_bytes(FILES[name][0])
    if found.family in taken:
        return
    (tmp_path / "it").write_bytes(FILES[name][0])
    crowd = '[[crowds]]\nrig = "a"\nbody = {}\n' + ('trajectories = { file = "it" }\n' if key == "trajectories" else "")
    problem = "the file is empty" if name == "empty" else f"this is {found.description}, "
    with pytest.raises(InputError) as caught, ea.load_scene(parse_scene(text + crowd, "s.toml", tmp_path)):
        pass
    line = str(caught.value)
    assert line.startswith(f"s.toml: {place}: {tmp_path / 'it'}: {problem}")
    assert line.endswith(f". {found.next_step(str(tmp_path / 'it'))}.")


def test_python_calls_report_the_type(tmp_path):
    for name, content in (("x.blend", FILES["blend"][0]), ("x.gltf", gltf()), ("x.csv", FILES["table"][0])):
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="this is a Blender file, which ecs-anim does not read. Convert it to glTF"):
        ea.load_rig(tmp_path / "x.blend")
    with pytest.raises(InputError, match="this is a glTF model, not a scene file. Use `ecs-anim inspect"):
        ea.load_scene(tmp_path / "x.gltf")
    with pytest.raises(InputError, match="this is a table of trajectories as text, not a model. Use `ecs-anim inspect"):
        ea.load_rig(tmp_path / "x.csv")
