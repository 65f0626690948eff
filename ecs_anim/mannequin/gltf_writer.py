"""The writer of the mannequin's binary glTF 2.0 file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ecs_anim.mannequin import proportions as P
from ecs_anim.mannequin.arrays import Array
from ecs_anim.mannequin.motion import Motion
from ecs_anim.support.gltf_content import Content

# glTF's constants for the filters and the edges of textures
LINEAR, LINEAR_MIPMAP_LINEAR, CLAMP_TO_EDGE = 9729, 9987, 33071
# glTF's constants for the content of buffer views
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


@dataclass(frozen=True)
class Level:
    """One level of detail of the mannequin's mesh. The first axis of all arrays except `triangles` is the vertex."""

    positions: Array  # [n, 3], [m], bind pose
    normals: Array  # [n, 3], unit
    uvs: Array  # [n, 2]
    joints: Array  # [n, 4]
    weights: Array  # [n, 4], sum 1
    triangles: Array  # [m, 3]


def write(path: Path, levels: list[Level], motions: Mapping[str, Motion], png: bytes) -> None:
    """Write the character to the file `path`, with its levels of detail, its clips and its texture.

    The first element of `levels` is the finest level of detail. The texture `png` is the content of a PNG file.
    """
    content = Content({"asset": {"version": "2.0", "generator": "ecs_anim.mannequin"}, "scene": 0})
    _add_nodes(content, len(levels))
    _add_skin(content)
    _add_material(content, png)
    for number, level in enumerate(levels):
        _add_mesh(content, f"mannequin_{number}", level)
    for name, motion in motions.items():
        _add_animation(content, name, motion)
    path.write_bytes(content.glb())


def _add_nodes(content: Content, level_count: int) -> None:
    """Add the joints to the file as nodes, and then add one node for each level of detail.

    The node list of the file begins with the joints, so the node index of a joint equals its joint index. The extension
    MSFT_lod connects the coarser levels of detail to the finest level.
    """
    for j, name in enumerate(P.JOINTS):
        children = [c for c, parent in enumerate(P.PARENTS) if parent == j]
        offset = [float(np.float32(x)) for x in P.OFFSETS[j]]
        content.item("nodes", {"name": name, "translation": offset} | ({"children": children} if children else {}))
    first = len(P.JOINTS)
    for number in range(level_count):
        content.item("nodes", {"name": f"mannequin_{number}", "mesh": number, "skin": 0})
    content.raw["nodes"][first]["extensions"] = {"MSFT_lod": {"ids": list(range(first + 1, first + level_count))}}
    content.raw["extensionsUsed"] = ["MSFT_lod"]
    content.item("scenes", {"name": "mannequin", "nodes": [0, first]})


def _add_skin(content: Content) -> None:
    matrices = np.tile(np.eye(4), (len(P.JOINTS), 1, 1))
    matrices[:, :3, 3] = -P.POSITIONS
    columns = content.accessor(matrices.transpose(0, 2, 1).reshape(-1, 16))
    joints = list(range(len(P.JOINTS)))
    content.item("skins", {"name": "mannequin", "inverseBindMatrices": columns, "skeleton": 0, "joints": joints})


def _add_material(content: Content, png: bytes) -> None:
    content.item("images", {"name": "mannequin", "bufferView": content.view(png), "mimeType": "image/png"})
    edges = {"wrapS": CLAMP_TO_EDGE, "wrapT": CLAMP_TO_EDGE}
    content.item("samplers", {"magFilter": LINEAR, "minFilter": LINEAR_MIPMAP_LINEAR, **edges})
    content.item("textures", {"source": 0, "sampler": 0})
    surface = {"baseColorTexture": {"index": 0}, "metallicFactor": 0.0, "roughnessFactor": 0.85}
    content.item("materials", {"name": "mannequin", "pbrMetallicRoughness": surface})


def _add_mesh(content: Content, name: str, level: Level) -> None:
    vertices = (level.positions, level.normals, level.uvs, level.joints, level.weights)
    attributes = content.skinned(vertices, "u1")
    indices = content.accessor(level.triangles.reshape(-1, 1), "u2")
    for accessor, target in [*((a, ARRAY_BUFFER) for a in attributes.values()), (indices, ELEMENT_ARRAY_BUFFER)]:
        content.raw["bufferViews"][content.raw["accessors"][accessor]["bufferView"]]["target"] = target
    primitive = {"attributes": attributes, "indices": indices, "material": 0}
    content.item("meshes", {"name": name, "primitives": [primitive]})


def _add_animation(content: Content, name: str, motion: Motion) -> None:
    inputs: dict[bytes, int] = {}
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    for channel in motion.channels():
        times = np.asarray(channel.times, "<f4")
        if times.tobytes() not in inputs:
            inputs[times.tobytes()] = content.accessor(times[:, None], bounds=True)
        target = {"node": channel.joint, "path": channel.path}
        channels.append({"sampler": len(samplers), "target": target})
        output = content.accessor(channel.values)
        samplers.append({"input": inputs[times.tobytes()], "output": output, "interpolation": "LINEAR"})
    content.item("animations", {"name": name, "channels": channels, "samplers": samplers, "extras": motion.extras})
