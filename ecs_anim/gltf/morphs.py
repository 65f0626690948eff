"""Morph targets of primitives and the weights of nodes (glTF 2.0, section 3.7.2.2)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.morphs import MorphTargets
from ecs_anim.gltf.accessors import floats
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, check_finite, check_length
from ecs_anim.gltf.nodes import NodeGraph, level_chains
from ecs_anim.support.frozen import freeze


@dataclass(frozen=True)
class NodeMorphs:
    """The morph targets of a node's mesh."""

    first: int  # column of the rig's targets
    names: tuple[str, ...]


class MorphReader:
    """Which columns each node's targets have, and what they add to its vertices. Raises FormatError."""

    def __init__(self, document: Document, graph: NodeGraph) -> None:
        """Number the targets of all nodes that are drawn; a coarser level of detail shares those of the finest."""
        self._document = document
        self.nodes: dict[int, NodeMorphs] = {}
        names: list[str] = []
        joints: list[int] = []
        defaults: list[float] = []
        finest = {coarse: node for node, ids in level_chains(document.gltf.nodes).items() for coarse in ids}
        drawn = [node for node, joint in enumerate(graph.joint_of_node) if graph.levels[joint] is not None]
        for node in sorted(drawn, key=lambda node: node in finest):
            own = self._names(node)
            shared = self.nodes.get(finest.get(node, -1))
            if own and shared is not None and shared.names == own:
                self.nodes[node] = shared
            elif own:
                self.nodes[node] = NodeMorphs(len(names), own)
                names += own
                joints += [int(graph.joint_of_node[node])] * len(own)
                defaults += self._defaults(node, len(own))
        self.targets = MorphTargets(
            tuple(names), freeze(np.array(joints, np.int32)), freeze(np.array(defaults, np.float32))
        )

    def deltas(
        self, primitive: Any, where: str, positions: NDArray[np.float32], *, normals: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the targets of a primitive add to its positions and normals, both [vertex_count, target_count, 3] f32.

        Tangents are not read, and normals only where asked for: a mesh without normals gets them from its faces.
        """
        targets, count = primitive.targets or [], len(positions)
        moved = np.zeros((count, len(targets), 3), np.float32)
        turned = np.zeros((count, len(targets), 3), np.float32)
        for k, target in enumerate(targets):
            own = f"{where}.targets[{k}]"
            moved[:, k] = self._attribute(target, "POSITION", count, own)
            if normals:
                turned[:, k] = self._attribute(target, "NORMAL", count, own)
        return moved, turned

    def _attribute(self, target: Any, name: str, count: int, where: str) -> NDArray[np.float32] | float:
        accessor = vars(target).get(name)
        if accessor is None:
            return 0.0
        where = f"{where}.{name}"
        values = floats(self._document, accessor, "VEC3", where)
        if len(values) != count:
            raise FormatError(where, f"must have as many elements as POSITION, {count} (got {len(values)})")
        check_finite(values, where, "vertex")
        return values

    def _names(self, node: int) -> tuple[str, ...]:
        """Names of the targets of a node's mesh, from the mesh's extras where they fit."""
        index = self._document.gltf.nodes[node].mesh
        if index is None:
            return ()
        mesh = self._document.item("meshes", index, f"nodes[{node}].mesh")
        count = _target_count(mesh, f"meshes[{index}]")
        written = mesh.extras.get("targetNames") if isinstance(mesh.extras, dict) else None
        written = written if isinstance(written, list) and len(written) == count else [None] * count
        return tuple(
            name if isinstance(name, str) and name and name.isprintable() else f"target_{k}"
            for k, name in enumerate(written)
        )

    def _defaults(self, node: int, count: int) -> list[float]:
        """The node's own weights, else its mesh's, else zeros."""
        source = self._document.gltf.nodes[node]
        mesh = self._document.gltf.meshes[source.mesh]
        for where, weights in ((f"nodes[{node}]", source.weights), (f"meshes[{source.mesh}]", mesh.weights)):
            if weights:
                return check_length(weights, count, f"{where}.weights")
        return [0.0] * count


def _target_count(mesh: Any, where: str) -> int:
    counts = [len(primitive.targets or []) for primitive in mesh.primitives]
    for k, count in enumerate(counts):
        if count != counts[0]:
            rule = f"must have as many morph targets as the mesh's first primitive, {counts[0]} (got {count})"
            raise FormatError(f"{where}.primitives[{k}].targets", rule)
    return counts[0] if counts else 0
