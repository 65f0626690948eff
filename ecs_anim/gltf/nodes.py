"""Conversion of the node graph of a glTF file to joints with names, a rest pose and levels of detail."""

import heapq
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, check_index, check_length, invalid
from ecs_anim.maths import quaternion
from ecs_anim.maths.transform import Pose, Transform
from ecs_anim.support.budgets import excess
from ecs_anim.support.frozen import freeze
from ecs_anim.support.names import unique_names

LevelRange = tuple[int, int]  # first level and last level of detail at which a node is drawn


@dataclass(frozen=True)
class NodeGraph:
    """The joints of a file. Each node of the file becomes a joint.

    `joint_of_node` contains the joint of each node, in the order of the file. All arrays except `joint_of_node` are in
    joint order.
    """

    joint_of_node: NDArray[np.int32]  # [node_count] i32
    joint_names: tuple[str, ...]
    parents: NDArray[np.int32]  # [joint_count] i32, parents[j] < j, -1 = root
    rest_pose: Pose  # [joint_count]
    levels: tuple[LevelRange | None, ...]  # [joint_count], None = not drawn


def read_nodes(document: Document) -> NodeGraph:
    """Convert the nodes of the document to joints (glTF 2.0, section 3.5).

    Parent joints come before child joints. The next joint is always the node with the lowest index whose parent node is
    already a joint. If the file lists each parent node before its child nodes, the joint order is the order of the
    nodes in the file. Raises FormatError for a cycle in the node graph and for a node with two parents.
    """
    nodes = document.gltf.nodes
    if limit_message := excess("joints", len(nodes), "export fewer nodes"):
        raise FormatError("nodes", limit_message)
    parent_nodes = _parents(nodes)
    chains = level_chains(nodes)
    _adopt(chains, parent_nodes)
    order = _parents_first(parent_nodes)
    joint_of_node = np.empty(len(nodes), np.int32)
    joint_of_node[order] = np.arange(len(nodes), dtype=np.int32)
    parents = np.array([-1 if parent_nodes[n] < 0 else joint_of_node[parent_nodes[n]] for n in order], np.int32)
    names = unique_names((node.name for node in nodes), "node")
    levels = _levels(order, parent_nodes, _scene_roots(document), chains)
    return NodeGraph(
        joint_of_node=joint_of_node,
        joint_names=tuple(names[node] for node in order),
        parents=freeze(parents),
        rest_pose=_rest_pose(document, order),
        levels=tuple(levels[node] for node in order),
    )


def _parents(nodes: list[Any]) -> list[int]:
    """Return the parent node of each node. The parent of a root node is -1."""
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for where, child in enumerate(node.children or ()):
            check_index(child, len(nodes), "nodes", f"nodes[{index}].children[{where}]")
            if parents[child] >= 0:
                raise invalid(
                    f"nodes[{child}]",
                    f"the node must have at most one parent (it is a child of nodes[{parents[child]}] and of"
                    f" nodes[{index}])",
                )
            parents[child] = index
    return parents


def _parents_first(parents: list[int]) -> list[int]:
    """Return the nodes in joint order: parents before children.

    If several orders are possible, a node with a lower index is placed earlier in the result.
    """
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    ready = [node for node, parent in enumerate(parents) if parent < 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            heapq.heappush(ready, child)
    if len(order) < len(parents):
        stuck = min(set(range(len(parents))) - set(order))
        raise invalid(f"nodes[{stuck}]", "the parents of this node form a cycle, but nodes must form trees")
    return order


def level_chains(nodes: list[Any]) -> dict[int, list[int]]:
    """Return a dictionary that contains the coarser nodes of each node (extension MSFT_lod).

    The coarser nodes of a node are the nodes for the levels 1, 2 and so on.
    """
    chains = {}
    for index, node in enumerate(nodes):
        extension = (node.extensions or {}).get("MSFT_lod")
        if extension is None:
            continue
        where = f"nodes[{index}].extensions.MSFT_lod"
        ids = extension.get("ids") if isinstance(extension, dict) else None
        if not isinstance(ids, list):
            raise invalid(
                f"{where}.ids", f"the value of the key `ids` must be a list of node numbers (got {brief(ids)})"
            )
        if ids:
            chains[index] = [
                check_index(node_index, len(nodes), "nodes", f"{where}.ids[{level}]")
                for level, node_index in enumerate(ids)
            ]
    return chains


def _adopt(chains: dict[int, list[int]], parents: list[int]) -> None:
    """Change `parents` in place. If the node of a coarser level has no parent, it gets the parent of the node of the
    finest level.
    """
    for finest, ids in chains.items():
        for node in ids:
            if parents[node] < 0 and node != finest:
                parents[node] = parents[finest]


def _scene_roots(document: Document) -> list[int] | None:
    """Return the root nodes of the glTF scene that is drawn.

    If the file has no scenes, all nodes are drawn, and the result is None.
    """
    gltf = document.gltf
    if not gltf.scenes:
        return None
    index = 0 if gltf.scene is None else gltf.scene
    scene = document.item("scenes", index, "scene")
    return [
        check_index(node, len(gltf.nodes), "nodes", f"scenes[{index}].nodes[{where}]")
        for where, node in enumerate(scene.nodes or ())
    ]


def _levels(
    order: list[int], parents: list[int], roots: list[int] | None, chains: dict[int, list[int]]
) -> list[LevelRange | None]:
    """Return the levels of detail at which each node is drawn.

    A node without coarser nodes is drawn at all levels. The coarsest node of a chain is also drawn at all further
    levels of the file.
    """
    last = max((len(ids) for ids in chains.values()), default=0)
    own = dict.fromkeys(order if roots is None else roots, (0, last))
    drawn = _inherit(order, parents, own)
    for finest, ids in chains.items():
        if drawn[finest] is None:
            continue
        own[finest] = (0, 0)
        for level, node in enumerate(ids, start=1):
            own[node] = (level, level if level < len(ids) else last)
    return _inherit(order, parents, own)


def _inherit(order: list[int], parents: list[int], own: dict[int, LevelRange]) -> list[LevelRange | None]:
    levels: list[LevelRange | None] = [None] * len(order)
    for node in order:
        inherited = levels[parents[node]] if parents[node] >= 0 else None
        levels[node] = own.get(node, inherited)
    return levels


def _rest_pose(document: Document, order: list[int]) -> Pose:
    """Return the rest pose: the local transforms of all nodes, in joint order."""
    pose = Pose.identity(len(order), dtype=np.float64)
    nodes = document.gltf.nodes
    for joint, index in enumerate(order):
        given, where = nodes[index], f"nodes[{index}]"
        if given.matrix is not None:
            given = _decompose(document, check_length(given.matrix, 16, f"{where}.matrix"), f"{where}.matrix")
        for name, length in (("translation", 3), ("rotation", 4), ("scale", 3)):
            value = getattr(given, name)
            if value is not None:
                getattr(pose, name)[joint] = check_length(value, length, f"{where}.{name}")
    rotation = quaternion.normalize(pose.rotation)
    return Pose(*(freeze(part.astype(np.float32)) for part in (pose.translation, rotation, pose.scale)))


def _decompose(document: Document, columns: list[float], where: str) -> Transform:
    """Decompose the column-major matrix of a node into translation, rotation and scale.

    Shear is removed with a warning.
    """
    matrix = np.array(columns).reshape(4, 4).T
    if np.abs(matrix).max() > 1e30:
        raise FormatError(where, "all numbers in the matrix of a node must be at most 1e30. Scale the model down.")
    local = Transform.from_matrix(matrix)
    error = np.abs(local.to_matrix() - matrix[:3]).max()
    if error > 1e-3 * max(np.abs(matrix[:3, :3]).max(), 1e-30):
        share = error / np.abs(matrix[:3, :3]).max()
        text = f"the matrix has shear ({share:.0%} of its scale), which joints do not support; the shear is ignored"
        document.warn(where, f"{text}. Apply the node's transform before the export.")
    return local
