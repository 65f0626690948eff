"""Damaged models: made-up files with a bit of everything, and real characters, changed in their text or their bytes.

A case is a number, and draws all else from it: the file, the kind of change, and where.
"""

import base64
import copy
import json
import shutil
import struct
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import rest_bounds
from ecs_anim.gltf.load import load_rig
from ecs_anim.support.errors import InputError
from tests.builders.gltf_builder import GltfBuilder, glb
from tests.helpers import ASSETS
from tests.hostile.mutations import at, change, damaged, key_paths

DEEP = "@deep@"  # stands for a value of many brackets
LONG = 1_000  # entries that a list is made to have
REAL_SHARE = 0.15  # of cases: they take longer
SECONDS = 10.0  # of the processor that a case may take
WORDS = [0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00000001, 0xFFFFFFFF, 0x80000000, 0x3F800000, 0x7149F2CA, 0]


class Model(NamedTuple):
    """A file before it is changed."""

    name: str
    document: dict[str, Any]
    data: bytes  # of its first buffer


def made_up() -> GltfBuilder:
    """A small file with a bit of everything that characters have."""
    builder = GltfBuilder(nodes=[{"name": f"j{k}"} for k in range(8)])
    builder.add("skins", joints=[7, 6, 5, 4, 3, 2, 1, 0])
    attributes = {"POSITION": builder.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], kind="VEC3")}
    for number, weights in enumerate(([0.3, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1])):
        joints = [[4 * number + k for k in range(4)]] * 3
        attributes[f"JOINTS_{number}"] = builder.accessor(joints, "u8", "VEC4")
        attributes[f"WEIGHTS_{number}"] = builder.accessor([weights] * 3, kind="VEC4")
    builder.add("nodes", name="mesh", skin=0, mesh=builder.mesh(attributes))
    texture = {"index": 0, "extensions": {"KHR_texture_transform": {"offset": [0, 1], "rotation": 1}}}
    builder.document["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": texture}, "alphaMode": "MASK"}]
    builder.document["textures"] = [{"source": 0, "sampler": 0}]
    builder.document["samplers"] = [{"wrapS": 33071}]
    builder.document["images"] = [{"uri": "gone.png"}]
    sparse = {"count": 1, "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}}
    positions = builder.accessor_on(None, 4, "f32", "VEC3", sparse=sparse)
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    moved = [builder.accessor([[0, 0, 1]] * 4, kind="VEC3"), positions]
    targets = [{"POSITION": moved[0], "NORMAL": moved[0]}, {"POSITION": moved[1], "TANGENT": 0}]
    mesh = builder.mesh({"POSITION": positions}, mode=5, material=0, targets=targets)
    builder.document["meshes"][mesh] |= {"weights": [0, 1], "extras": {"targetNames": ["smile", "blink"]}}
    node = builder.add("nodes", mesh=mesh, weights=[0.5, 0], matrix=matrix, extensions={"MSFT_lod": {"ids": [0]}})
    animation: dict[str, Any] = {"name": "walk", "channels": [], "samplers": [], "extras": {"ground_speed": 1}}
    channels = [
        (0, "translation", "LINEAR", [[0, 0, 0], [1, 1, 1]], "VEC3"),
        (1, "rotation", "STEP", [[0, 0, 0, 1]] * 2, "VEC4"),
        (2, "scale", "CUBICSPLINE", [[0, 0, 1]] * 6, "VEC3"),
        (3, "scale", "LINEAR", [[1, 1, 1], [-1, 1, 1]], "VEC3"),
        (node, "weights", "LINEAR", [0.0, 1.0] * 2, "SCALAR"),
    ]
    for target, path, interpolation, values, kind in channels:
        sampler = {"input": builder.accessor([0, 1]), "output": builder.accessor(values, kind=kind)}
        animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": target, "path": path}})
        animation["samplers"].append({**sampler, "interpolation": interpolation})
    builder.document["animations"] = [animation]
    builder.document["scenes"] = [{"nodes": list(range(len(builder.document["nodes"])))}]
    return builder


def painted() -> GltfBuilder:
    """A small file of what stands about: colours, copies, glossy and unlit materials, strips and fans, levels."""
    used = ["KHR_materials_unlit", "EXT_mesh_gpu_instancing", "KHR_materials_pbrSpecularGlossiness", "ACME_glow"]
    builder = GltfBuilder(extensionsUsed=used, extensionsRequired=used[:2])
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 1]]
    attributes = {
        "POSITION": builder.accessor(points, kind="VEC3"),
        "NORMAL": builder.accessor([[0, 0, 127]] * 5, "i8", "VEC3", normalized=True),
        "COLOR_0": builder.accessor([[255, 0, 9]] * 5, "u8", "VEC3", normalized=True),
        "TEXCOORD_0": builder.accessor([[0, 65535]] * 5, "u16", "VEC2", normalized=True),
    }
    texture = {"index": 0.0, "texCoord": 0, "extensions": {"KHR_texture_transform": {"scale": [2, 2], "texCoord": 0}}}
    glossy = {"diffuseFactor": [1, 0.5, 0.5, 1], "diffuseTexture": texture}
    builder.document["materials"] = [
        {"name": "plain", "extensions": {"KHR_materials_unlit": {}}},
        {
            "extensions": {
                "KHR_materials_pbrSpecularGlossiness": glossy,
                "KHR_materials_emissive_strength": {"emissiveStrength": 3},
            },
            "alphaMode": "BLEND",
            "doubleSided": True,
            "emissiveFactor": [1, 0.5, 0],
            "emissiveTexture": texture,
        },
    ]
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    image = builder.view(base64.b64decode(pixel))
    builder.document["images"] = [{"bufferView": image, "mimeType": "image/png"}]
    builder.document["textures"] = [{"source": 0}]
    fan = {"attributes": attributes, "indices": builder.accessor([4, 0, 1, 3, 2], "u16"), "mode": 6, "material": 1}
    strip = {"attributes": attributes, "indices": builder.accessor([0, 1, 2, 3, 4], "u32"), "mode": 5, "material": 0}
    mesh = builder.add("meshes", name="both", primitives=[fan, strip])
    places = {
        "TRANSLATION": builder.accessor([[0, 0, 0], [3, 0, 0], [0, 0, 3]], kind="VEC3"),
        "ROTATION": builder.accessor([[0, 0, 0, 127], [0, 127, 0, 0], [90, 0, 0, 90]], "i8", "VEC4", normalized=True),
        "SCALE": builder.accessor([[1, 1, 1], [-1, 2, 1], [0.5, 0.5, 0.5]], kind="VEC3"),
    }
    builder.add("nodes", mesh=mesh, extensions={"EXT_mesh_gpu_instancing": {"attributes": places}})
    builder.add("nodes", children=[0, 2], rotation=[0, 0.6, 0, 0.8], scale=[1, -2, 1])
    builder.add("nodes", mesh=mesh, extensions={"MSFT_lod": {"ids": [3]}})
    builder.add("nodes", mesh=mesh)
    builder.document |= {"scene": 0, "scenes": [{"nodes": [1]}]}
    return builder


def real(path: Path) -> Model:
    """A file of ../shared/assets with its buffer taken out of it."""
    raw, blob = path.read_bytes(), b""
    if raw.startswith(b"glTF"):
        size = struct.unpack_from("<I", raw, 12)[0]
        document, blob = json.loads(raw[20 : 20 + size]), raw[28 + size :]
    else:
        document = json.loads(raw)
        uri = document["buffers"][0].pop("uri")
        beside = path.parent / uri if len(uri) < 100 else None
        blob = beside.read_bytes() if beside else base64.b64decode(uri.partition(",")[2])
    return Model(path.name, document, blob)


@cache
def folder() -> Path:
    """Where this process writes its cases, beside the pictures of the real characters."""
    made = Path(tempfile.mkdtemp(prefix="gltf"))
    for picture in ASSETS.glob("*.png"):
        shutil.copy(picture, made)
    return made


@cache
def models() -> tuple[tuple[Model, ...], tuple[Model, ...]]:
    """Made-up ones; real ones, as far as they are there."""
    builders = {"made up": made_up(), "painted": painted()}
    own = [Model(name, json.loads(each.json()), bytes(each.data)) for name, each in builders.items()]
    there = sorted([*ASSETS.glob("*.gltf"), *ASSETS.glob("*.glb")]) if ASSETS.is_dir() else []
    return tuple(own), tuple(real(path) for path in there)


# Ways to change a model, each with its text and its bytes


def changed(model: Model, chance: Random) -> bytes:
    """One value or a few replaced, deleted or doubled."""
    document = copy.deepcopy(model.document)
    every = [keys for keys in key_paths(document) if keys]
    for keys in chance.sample(every, min(len(every), chance.choice([1, 1, 1, 2, 5]))):
        change(document, keys, chance)
    return packed(document, model.data)


def nudged(model: Model, chance: Random) -> bytes:
    """Numbers that are a little, or very much, off."""
    document = copy.deepcopy(model.document)
    every = [keys for keys in key_paths(document) if type(at(document, keys)) in (int, float)]
    for keys in chance.sample(every, min(len(every), chance.choice([1, 1, 3]))):
        number = at(document, keys)
        off = [number + 1, number - 1, -number, 2 * number, 1000 * number, float(number), number + 0.5, 2**31 - 1]
        at(document, keys[:-1])[keys[-1]] = chance.choice([*off, 65536, 1e30, 1e-30, -1e300])
    return packed(document, model.data)


def grafted(model: Model, chance: Random) -> bytes:
    """One value put where another was."""
    document = copy.deepcopy(model.document)
    every = [keys for keys in key_paths(document) if keys]
    graft = copy.deepcopy(at(document, chance.choice(every)))
    keys = chance.choice(every)
    at(document, keys[:-1])[keys[-1]] = graft
    return packed(document, model.data)


def tangled(model: Model, chance: Random) -> bytes:
    """Nodes that are each other's children, or meshes, or levels."""
    document = copy.deepcopy(model.document)
    nodes = document["nodes"]
    for _ in range(chance.choice([1, 1, 2, 10])):
        node = chance.choice(nodes)
        other = chance.randrange(len(nodes))
        match chance.choice(["child", "child", "level", "mesh", "skin"]):
            case "child":
                node["children"] = [*node.get("children", []), other]
            case "level":
                node.setdefault("extensions", {})["MSFT_lod"] = {"ids": [other, other + 1]}
            case key:
                node[key] = chance.randrange(1 + len(document.get(f"{key}es" if key == "mesh" else "skins", [])))
    return packed(document, model.data)


def crowded(model: Model, chance: Random) -> bytes:
    """Lists that are very long, of what was in them."""
    document = copy.deepcopy(model.document)
    lists = [keys for keys in key_paths(document) if isinstance(at(document, keys), list) and at(document, keys)]
    keys = chance.choice(lists)
    long = at(document, keys)
    long.extend(copy.deepcopy(long[k % len(long)]) for k in range(LONG))
    return packed(document, model.data)


def nested(model: Model, chance: Random) -> bytes:
    """A value of brackets in brackets."""
    document = copy.deepcopy(model.document)
    keys = chance.choice([keys for keys in key_paths(document) if keys])
    at(document, keys[:-1])[keys[-1]] = DEEP
    depth = chance.choice([3, 200, 900, 5000, 200_000])
    opening, closing = chance.choice([("[", "]"), ('{"a":', "}")])
    deep = opening * depth + "1" + closing * depth
    return glb(json.dumps(document).replace(f'"{DEEP}"', deep).encode(), model.data)


def poisoned(model: Model, chance: Random) -> bytes:
    """Numbers in the buffer that are none, or no sound ones."""
    data = bytearray(model.data)
    for _ in range(chance.choice([1, 4, 40, 400])):
        struct.pack_into("<I", data, 4 * chance.randrange(len(data) // 4), chance.choice(WORDS))
    return packed(model.document, bytes(data))


def broken(model: Model, chance: Random) -> bytes:
    """Bytes of the file as it lies on the disk."""
    return damaged(packed(model.document, model.data), chance)


WAYS: list[Callable[[Model, Random], bytes]] = [
    changed, changed, changed, nudged, nudged, grafted, tangled, crowded, nested, poisoned, poisoned, broken,
]  # fmt: skip


def packed(document: dict[str, Any], data: bytes) -> bytes:
    """A .glb file."""
    return glb(json.dumps(document).encode(), data)


def forge(number: int) -> tuple[str, Model, bytes]:
    """How case `number` changes which model, and the file."""
    chance = Random(number)
    own, others = models()
    model = chance.choice(others if others and chance.random() < REAL_SHARE else own)
    way = WAYS[number % len(WAYS)]
    return way.__name__, model, way(model, chance)


def attempt(number: int) -> str:
    """How case `number` ends; raises what is neither a rig nor an InputError of one line."""
    way, _, data = forge(number)
    path = folder() / "model.glb"
    path.write_bytes(data)
    began = time.process_time()
    ended = "accepted" if loads(path) else "refused"
    spent = time.process_time() - began
    assert spent < SECONDS, f"{ended} after {spent:.1f} s"
    return f"{way} {ended}"


def loads(path: Path) -> bool:
    """Whether a file loads; a rig is measured, and posed by its clips. Raises AssertionError."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            rig = load_rig(path)
            warnings.simplefilter("ignore", RuntimeWarning)  # sizes near the end of all numbers may overflow later
            for clip in rig.clips.values():
                skin_palette(rig.skeleton, clip.sample((clip.start + clip.end) / 2, loop=False))
            if rig.meshes:
                rest_bounds(rig)
            lines = []
        except InputError as error:
            rig, lines = None, [str(error)]
    for line in [*lines, *(str(warning.message) for warning in told)]:
        assert line.isprintable(), f"not one line: {line!r}"
        assert len(line) < 2000, f"a long line: {line[:200]}..."
    return rig is not None


def prepare() -> None:
    """Prepare a worker once: trigger late imports and compilation."""
    for model in (*models()[0], *models()[1]):
        path = folder() / "model.glb"
        path.write_bytes(packed(model.document, model.data))
        assert loads(path), model.name
