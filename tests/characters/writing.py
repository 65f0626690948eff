"""Shared by the characters' files: joints as nodes, meshes in floats, channels of clips."""

from typing import Any

import numpy as np

from tests.builders.gltf_builder import GltfBuilder
from tests.characters import doll


def add_joints(builder: GltfBuilder, rotations: dict[str, list[float]] | None = None) -> None:
    """The doll's joints, whose node numbers are theirs; `rotations` at rest by joint."""
    for name, parent, offset in zip(doll.NAMES, doll.PARENTS, doll.OFFSETS, strict=True):
        turn = {"rotation": rotations[name]} if rotations and name in rotations else {}
        node = builder.add("nodes", name=name, translation=offset.round(6).tolist(), **turn)
        if parent >= 0:
            builder.document["nodes"][parent].setdefault("children", []).append(node)


def set_scene(builder: GltfBuilder, *nodes: int) -> None:
    """One scene of these nodes."""
    builder.document["scene"] = builder.add("scenes", nodes=[*nodes])


def attributes(builder: GltfBuilder, shape: doll.Shape, *, skinned: bool = True) -> dict[str, int]:
    """A primitive's attributes in floats, joints and weights in 8 bits."""
    where = shape.positions
    found = {
        "POSITION": builder.accessor(
            where, kind="VEC3", min=where.min(axis=0).tolist(), max=where.max(axis=0).tolist()
        ),
        "NORMAL": builder.accessor(shape.normals, kind="VEC3"),
        "TEXCOORD_0": builder.accessor(shape.uvs, kind="VEC2"),
    }
    if skinned:
        found["JOINTS_0"] = builder.accessor(shape.joints, "u8", "VEC4")
        found["WEIGHTS_0"] = builder.accessor(shape.weights, "u8", "VEC4", normalized=True)
    return found


def named(builder: GltfBuilder, name: str, own: dict[str, int], indices: int, **properties: Any) -> int:
    """A mesh of one primitive, with a name."""
    mesh = builder.mesh(own, indices, **properties)
    builder.document["meshes"][mesh]["name"] = name
    return mesh


def sparse(builder: GltfBuilder, changed: dict[int, Any]) -> dict[str, Any]:
    """Return the sparse part of a float accessor: the elements that differ from its base."""
    indices = builder.view(np.array([*changed], "<u2").tobytes())
    values = builder.view(np.array([*changed.values()], "<f4").tobytes())
    return {
        "count": len(changed),
        "indices": {"bufferView": indices, "componentType": 5123},
        "values": {"bufferView": values},
    }


class Animation:
    """A clip under construction."""

    def __init__(self, builder: GltfBuilder, name: str, **properties: Any) -> None:
        self._builder = builder
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        builder.add("animations", name=name, channels=self._channels, samplers=self._samplers, **properties)

    def times(self, seconds: np.ndarray) -> int:
        """An accessor of key times."""
        return self._builder.accessor(seconds, min=[float(seconds[0])], max=[float(seconds[-1])])

    def channel(self, times: int, keys: int, node: int, path: str, interpolation: str = "LINEAR") -> None:
        """One node's channel, of two accessors."""
        self._channels.append({"sampler": len(self._samplers), "target": {"node": node, "path": path}})
        self._samplers.append({"input": times, "output": keys, "interpolation": interpolation})
