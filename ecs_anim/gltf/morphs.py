"""Reading of morph targets and their default weights (glTF 2.0, section 3.7.2.2)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.morphs import MorphTargets
from ecs_anim.gltf.attributes import VertexAttributes
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.expressions import Expressions, Mixes
from ecs_anim.gltf.format import FormatError, check_finite, check_length
from ecs_anim.gltf.nodes import NodeGraph, level_chains
from ecs_anim.support.frozen import freeze


@dataclass(frozen=True)
class NodeMorphs:
    """The morph targets of a node's mesh. The tuple `names` contains the names of the morph targets.

    The tuple `names` begins with the names of the mesh's morph targets in the file. Then, the names of the expressions
    that move the mesh follow, because the loader converts each of these expressions to one morph target.
    """

    first: int  # first column in the rig's morph targets
    names: tuple[str, ...]
    own: int  # number of the mesh's morph targets in the file
    mixes: Mixes  # weights of the mesh's morph targets for each expression


class MorphReader:
    """Reader of morph targets. The reader numbers the morph targets of all nodes and reads the vertex offsets.

    All methods raise FormatError for invalid data.
    """

    def __init__(self, document: Document, graph: NodeGraph, expressions: Expressions) -> None:
        """Assign a column of the rig's morph weights to each morph target of each node that is drawn.

        The nodes of coarser levels of detail share the columns of the finest level.
        """
        self._document = document
        self._expressions = expressions
        self._meshes: dict[int, NodeMorphs | None] = {}
        self.nodes: dict[int, NodeMorphs] = {}
        names: list[str] = []
        joints: list[int] = []
        defaults: list[float] = []
        finest = {coarse: node for node, ids in level_chains(document.gltf.nodes).items() for coarse in ids}
        drawn = [node for node, joint in enumerate(graph.joint_of_node) if graph.levels[joint] is not None]
        for node in sorted(drawn, key=lambda node: node in finest):
            own = self._of_node(node)
            shared = self.nodes.get(finest.get(node, -1))
            if own is not None and shared is not None and shared.names == own.names:
                self.nodes[node] = replace(own, first=shared.first)
            elif own is not None:
                self.nodes[node] = replace(own, first=len(names))
                names += own.names
                joints += [int(graph.joint_of_node[node])] * len(own.names)
                defaults += self._defaults(node, own.own) + [0.0] * len(own.mixes)
        self.targets = MorphTargets(
            tuple(names), freeze(np.array(joints, np.int32)), freeze(np.array(defaults, np.float32))
        )

    def deltas(
        self, primitive: Any, where: str, count: int, morphs: NodeMorphs | None, *, normals: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the offsets of a primitive's morph targets: the position offsets and the normal offsets.

        Both arrays of offsets have the shape [vertex_count, target_count, 3]. The target axis begins with the morph
        targets of the primitive in the file. The morph targets of the expressions in `morphs` follow. The reader
        ignores the tangents of morph targets. For a mesh without normals, `normals` must be False, because the
        triangles define the normals.
        """
        targets = primitive.targets or []
        moved = np.zeros((count, len(targets), 3), np.float32)
        turned = np.zeros((count, len(targets), 3), np.float32)
        for k, target in enumerate(targets):
            attributes = VertexAttributes(self._document, vars(target), f"{where}.targets[{k}]", count)
            for name, deltas in (("POSITION", moved), ("NORMAL", turned))[: 2 if normals else 1]:
                values = attributes.floats(name, "VEC3")
                if values is not None:
                    deltas[:, k] = values
        if morphs is None or not morphs.mixes:
            return moved, turned
        return _with_mixes(moved, morphs.mixes, where), _with_mixes(turned, morphs.mixes, where)

    def _of_node(self, node: int) -> NodeMorphs | None:
        """Return the morph targets of a node's mesh. The returned morph targets have no columns in the rig yet.

        For a mesh without morph targets, return None.
        """
        index = self._document.gltf.nodes[node].mesh
        if index is None:
            return None
        if index not in self._meshes:
            mesh = self._document.item("meshes", index, f"nodes[{node}].mesh")
            own = self._names(mesh, _target_count(mesh, f"meshes[{index}]"))
            told = self._expressions.by_mesh.get(index, {})
            self._meshes[index] = NodeMorphs(0, (*own, *told), len(own), told) if own else None
        return self._meshes[index]

    def _names(self, mesh: Any, count: int) -> tuple[str, ...]:
        """Return the names of the `count` morph targets of a mesh.

        The names come from the `extras` of the mesh or, in VRM 0.x, from the `extras` of a primitive. If the file does
        not contain `count` names, the names are target_0, target_1 and so on. If a name equals the name of an
        expression, `_target` is appended.
        """
        extras = [mesh.extras, mesh.primitives[0].extras if len(mesh.primitives) else None]
        written = [own.get("targetNames") for own in extras if isinstance(own, dict)]
        fitting = next((own for own in written if isinstance(own, list) and len(own) == count), [None] * count)
        names = (
            name if isinstance(name, str) and name and name.isprintable() else f"target_{k}"
            for k, name in enumerate(fitting)
        )
        return tuple(f"{name}_target" if name in self._expressions.moving else name for name in names)

    def _defaults(self, node: int, count: int) -> list[float]:
        """Return the default morph weights of a node. If the node has no weights, return the weights of its mesh.

        If the mesh has no weights, return zeros.
        """
        source = self._document.gltf.nodes[node]
        mesh = self._document.gltf.meshes[source.mesh]
        for where, weights in ((f"nodes[{node}]", source.weights), (f"meshes[{source.mesh}]", mesh.weights)):
            if weights:
                return check_length(weights, count, f"{where}.weights")
        return [0.0] * count


def _with_mixes(deltas: NDArray[np.float32], mixes: Mixes, where: str) -> NDArray[np.float32]:
    """Return the offsets of the morph targets, followed by the offsets of the expressions.

    `deltas` [vertex_count, target_count, 3] contains the offsets of the morph targets. The result is an array
    [vertex_count, target_count + mix_count, 3].
    """
    shares = np.zeros((len(mixes), deltas.shape[1]), np.float32)
    for row, weights in enumerate(mixes.values()):
        shares[row, [*weights]] = [*weights.values()]
    with np.errstate(over="ignore", invalid="ignore"):
        mixed = np.einsum("vtc,mt->vmc", deltas, shares)
    check_finite(mixed, where, "after the expressions mix the targets, vertex")
    return np.concatenate([deltas, mixed], axis=1)


def _target_count(mesh: Any, where: str) -> int:
    counts = [len(primitive.targets or []) for primitive in mesh.primitives]
    for k, count in enumerate(counts):
        if count != counts[0]:
            rule = f"the primitive must have as many morph targets as the first primitive, {counts[0]} (got {count})"
            raise FormatError(f"{where}.primitives[{k}].targets", rule)
    return counts[0] if counts else 0
