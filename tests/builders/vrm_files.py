"""VRM files of both versions for tests: the mannequin under names that say nothing, with a face that moves."""

import copy
import json
from pathlib import Path

import numpy as np

from ecs_anim.scenes.rigs import MANNEQUIN
from tests.builders.gltf_builder import GltfBuilder, glb
from tests.gltf.test_lent_clips import parts
from tests.roles.test_roles import BODY

# VRM's bones by the mannequin's joints.
TRUNK = {"Hips": "hips", "Spine": "spine", "Spine1": "chest", "Spine2": "upperChest", "Neck": "neck", "Head": "head"}
SIDED = {
    "Shoulder": "Shoulder",
    "Arm": "UpperArm",
    "ForeArm": "LowerArm",
    "Hand": "Hand",
    "UpLeg": "UpperLeg",
    "Leg": "LowerLeg",
    "Foot": "Foot",
    "ToeBase": "Toes",
}
BONES = TRUNK | {f"{s}{joint}": f"{s.lower()}{bone}" for s in ("Left", "Right") for joint, bone in SIDED.items()}
SINGLE = {"hips": "hips", "head": "head"} | {
    f"{side}_{role}": f"{side}{bone}"
    for side in ("left", "right")
    for role, bone in zip(
        ("shoulder", "upper_arm", "lower_arm", "hand", "thigh", "shank", "foot", "toes"), SIDED.values(), strict=True
    )
}
NAMES = ("VRM", "VRMC_vrm")  # of the extension, by version
MIXES = {"smile": {0: 1.0, 1: 0.5}, "blink": {1: 0.25}}  # weights of the two targets by expression


class Avatar:
    """A VRM file before it is written: its document, its first buffer, and its own extension."""

    def __init__(self, version: int, source: Path = MANNEQUIN) -> None:
        """The mannequin without clips; version 0 is turned to look along -Z, as VRM 0.x has it."""
        raw, blob = parts(source.read_bytes())
        self.raw, self.data, self.version = copy.deepcopy(raw), bytearray(blob), version
        self.raw.pop("animations", None)
        self.bones = {BONES[node["name"]]: k for k, node in enumerate(raw["nodes"]) if node.get("name") in BONES}
        for number, node in enumerate(self.raw["nodes"]):
            node["name"] = f"n{number}"
        self._add_targets()
        if version == 0:
            self._turn()
        self.name = NAMES[version]
        self.vrm = self._old() if version == 0 else self._new()
        self.raw.setdefault("extensionsUsed", []).append(self.name)
        self.raw["extensions"] = {self.name: self.vrm}

    def array(self, index: int) -> np.ndarray:
        """The values of an accessor of floats, to be read and written."""
        accessor = self.raw["accessors"][index]
        view = self.raw["bufferViews"][accessor["bufferView"]]
        width = {"VEC3": 3, "MAT4": 16}[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        shape = accessor["count"], width
        return np.frombuffer(self.data, np.float32, accessor["count"] * width, start).reshape(shape)

    def _add_targets(self) -> None:
        """Two shapes of the head: one that grows, one that sinks."""
        for mesh in self.raw["meshes"]:
            for primitive in mesh["primitives"]:
                positions = self.array(primitive["attributes"]["POSITION"]).copy()
                is_head = (positions[:, 1] > 1.55)[:, None]
                moves = (np.where(is_head, (positions - [0, 1.65, 0]) * 0.4, 0), np.where(is_head, [0, -0.1, 0.02], 0))
                primitive["targets"] = [{"POSITION": self._vectors(own)} for own in moves]
                primitive["extras"] = {"targetNames": ["wide", "blink"]}

    def _vectors(self, values: np.ndarray) -> int:
        data = values.astype("<f4").tobytes()
        self.data += bytes(-len(self.data) % 4)
        self.raw["bufferViews"].append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)})
        self.data += data
        view = len(self.raw["bufferViews"]) - 1
        self.raw["accessors"].append({"bufferView": view, "componentType": 5126, "count": len(values), "type": "VEC3"})
        return len(self.raw["accessors"]) - 1

    def _turn(self) -> None:
        """Half a turn about Y of all that lies in space; joints keep no turn of their own, as VRM 0.x wants it."""
        for node in self.raw["nodes"]:
            assert "rotation" not in node
            if "translation" in node:
                x, y, z = node["translation"]
                node["translation"] = [-x, y, -z]
        indices = set()
        for mesh in self.raw["meshes"]:
            for primitive in mesh["primitives"]:
                vectors = [primitive["attributes"], *primitive["targets"]]
                indices |= {own[name] for own in vectors for name in ("POSITION", "NORMAL") if name in own}
        for index in indices:
            self.array(index)[:, [0, 2]] *= -1
        for skin in self.raw["skins"]:
            self.array(skin["inverseBindMatrices"])[:, [12, 14]] *= -1

    def _old(self) -> dict:
        binds = {
            name: [{"mesh": k, "index": i, "weight": 100 * w} for k in range(len(self.raw["meshes"]))
                   for i, w in mix.items()]
            for name, mix in MIXES.items()
        }  # fmt: skip
        groups = [
            {"name": "Smile", "presetName": "smile", "binds": binds["smile"]},
            {"name": "blink", "presetName": "unknown", "binds": binds["blink"]},
            {"name": "Neutral", "presetName": "neutral", "binds": []},
        ]
        return {
            "exporterVersion": "a test",
            "specVersion": "0.0",
            "meta": {"title": "Nobody", "version": "3", "author": "a test", "texture": 0},
            "humanoid": {"humanBones": [{"bone": bone, "node": node} for bone, node in self.bones.items()]},
            "blendShapeMaster": {"blendShapeGroups": groups},
            "materialProperties": [{"name": "any", "shader": "VRM_USE_GLTFSHADER"}],
        }

    def _new(self) -> dict:
        nodes = [k for k, node in enumerate(self.raw["nodes"]) if "mesh" in node]
        expressions = {
            name: {"morphTargetBinds": [{"node": n, "index": i, "weight": w} for n in nodes for i, w in mix.items()]}
            for name, mix in MIXES.items()
        }
        return {
            "specVersion": "1.0",
            "meta": {"name": "Nobody", "version": "3", "authors": ["a test"], "licenseUrl": "none"},
            "humanoid": {"humanBones": {bone: {"node": node} for bone, node in self.bones.items()}},
            "expressions": {
                "preset": {"blink": expressions["blink"], "neutral": {}},
                "custom": {"smile": expressions["smile"]},
            },
        }

    def write(self, path: Path) -> Path:
        self.raw["buffers"] = [{"byteLength": len(self.data)}]
        path.write_bytes(glb(json.dumps(self.raw).encode(), bytes(self.data)))
        return path


def small(version):
    """A VRM file of bare joints and a square with one target."""
    builder = GltfBuilder(extensionsUsed=[NAMES[version]])
    numbers = {}
    for name, (parent, place) in BODY.items():
        numbers[name] = builder.add("nodes", name=name, translation=list(place))
        if parent:
            builder.document["nodes"][numbers[parent]].setdefault("children", []).append(numbers[name])
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    target = {"POSITION": builder.accessor(np.ones((3, 3)), kind="VEC3")}
    mesh = builder.mesh({"POSITION": builder.accessor(corners, kind="VEC3")}, targets=[target])
    face = builder.add("nodes", name="face", mesh=mesh)
    bones = {SINGLE.get(name, name): number for name, number in numbers.items()}
    if version == 0:
        group = {"name": "joy", "presetName": "joy", "binds": [{"mesh": mesh, "index": 0, "weight": 100}]}
        vrm = {
            "meta": {"title": "Nobody"},
            "humanoid": {"humanBones": [{"bone": bone, "node": node} for bone, node in bones.items()]},
            "blendShapeMaster": {"blendShapeGroups": [group]},
        }
    else:
        bind = {"node": face, "index": 0, "weight": 1}
        vrm = {
            "meta": {"name": "Nobody"},
            "humanoid": {"humanBones": {bone: {"node": node} for bone, node in bones.items()}},
            "expressions": {"preset": {"happy": {"morphTargetBinds": [bind]}}},
        }
    builder.document["extensions"] = {NAMES[version]: vrm}
    return builder
