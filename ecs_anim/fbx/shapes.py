"""Conversion of FBX meshes, skins and blend shapes to glTF, in the child process."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.gltf_content import Content

MOST_INFLUENCES = 8  # largest number of joints that move a vertex
SET = 4  # influences in one glTF attribute

Array = NDArray[Any]


class Corners(NamedTuple):
    """The unique corners of a mesh: FBX stores positions, normals and texture coordinates in separate lists."""

    vertex: Array  # [corner], vertex of each unique corner
    normals: Array  # [corner, 3]
    uvs: Array | None  # [corner, 2]
    number: Array  # [index], unique corner of each corner of each face


def add_mesh(content: Content, number: int, node: Any, numbers: Mapping[int, int], materials: Sequence[int]) -> None:
    """Add the mesh of the node `number`. `numbers` contains the glTF node of each FBX node."""
    mesh = node.mesh
    corners = _corners(mesh)
    groups = _triangles(mesh)
    if not any(len(own) for own in groups.values()):
        return
    positions = _rows(mesh.vertex_position.values, 3)[corners.vertex]
    attributes = {"POSITION": content.accessor(positions, bounds=True), "NORMAL": content.accessor(corners.normals)}
    if corners.uvs is not None:
        attributes["TEXCOORD_0"] = content.accessor(corners.uvs * [1, -1] + [0, 1])
    attributes |= _skin(content, number, node, numbers, corners)
    targets, names, weights = _targets(content, mesh, corners)
    own = [materials[material.typed_id] for material in (node.materials or mesh.materials)]
    primitives = []
    for part, faces in groups.items():
        indices = corners.number[faces].reshape(-1, 1)
        primitive = {"attributes": attributes, "indices": content.accessor(indices, "u4")}
        primitive |= {"material": own[part]} if part < len(own) else {}
        primitives.append(primitive | ({"targets": targets} if targets else {}))
    found: dict[str, Any] = {"name": mesh.name or node.name, "primitives": primitives}
    if targets:
        found |= {"weights": weights, "extras": {"targetNames": names}}
    content.raw["nodes"][number]["mesh"] = content.item("meshes", found)


def _rows(values: Any, width: int) -> Array:
    return np.array(list(values), np.float64).reshape(-1, width)


def _corners(mesh: Any) -> Corners:
    """Return the unique combinations of a vertex, a normal and a texture coordinate."""
    normal, uv = mesh.vertex_normal, mesh.vertex_uv
    columns = [np.array(list(mesh.vertex_position.indices), np.int64)]
    columns += [np.array(list(own.indices), np.int64) for own in (normal, uv) if own.exists]
    unique, number = np.unique(np.stack(columns, axis=-1), axis=0, return_inverse=True)
    normals = _rows(normal.values, 3)[unique[:, 1]] if normal.exists else np.tile([0.0, 1.0, 0.0], (len(unique), 1))
    uvs = _rows(uv.values, 2)[unique[:, -1]] if uv.exists else None
    return Corners(unique[:, 0], _unit(normals), uvs, number.ravel())


def _unit(ways: Array) -> Array:
    size = np.linalg.norm(ways, axis=-1, keepdims=True)
    return np.where(size > 0, ways / np.where(size > 0, size, 1), [0.0, 1.0, 0.0])


def _triangles(mesh: Any) -> dict[int, Array]:
    """Return the triangles [triangle, 3] of each material, as indices of corners. Faces become fans of triangles."""
    faces = np.array([tuple(face) for face in mesh.faces], np.int64).reshape(-1, 2)
    part = np.array(list(mesh.face_material), np.int64) if len(mesh.face_material) == len(faces) else faces[:, 0] * 0
    found: dict[int, list[Array]] = {}
    for size in np.unique(faces[faces[:, 1] > 2, 1]).tolist():
        fan = np.stack([np.zeros(size - 2, int), np.arange(1, size - 1), np.arange(2, size)], axis=-1)
        for number in np.unique(part).tolist():
            own = faces[(faces[:, 1] == size) & (part == number), 0]
            found.setdefault(number, []).append((own[:, None, None] + fan).reshape(-1, 3))
    return {number: np.concatenate(own) for number, own in found.items() if sum(map(len, own))}


def _skin(content: Content, number: int, node: Any, numbers: Mapping[int, int], corners: Corners) -> dict[str, int]:
    """Add the skin of a mesh. Return its attributes. Vertices without weights follow the node of the mesh."""
    skins = list(node.mesh.skin_deformers)
    clusters = [own for own in skins[0].clusters if own.bone_node is not None] if skins else []
    clusters = [own for own in clusters if own.bone_node.typed_id in numbers]
    if not clusters:
        return {}
    joints = [*(numbers[own.bone_node.typed_id] for own in clusters), number]
    bind = np.zeros((len(joints), 4, 4))
    bind[:, :3, :3], bind[:, 3, 3] = np.eye(3), 1
    for at, own in enumerate(clusters):
        bind[at, :, :3] = np.array(own.geometry_to_bone)
    bind[-1, :3, :3], bind[-1, 3, :3] = np.array(node.geometry_to_node)[:3], np.array(node.geometry_to_node)[3]
    matrices = content.accessor(bind.reshape(-1, 16))
    content.raw["nodes"][number]["skin"] = content.item("skins", {"joints": joints, "inverseBindMatrices": matrices})
    joint, weight = _influences(clusters, int(node.mesh.num_vertices))
    found = {}
    for first in range(0, joint.shape[1], SET):
        found[f"JOINTS_{first // SET}"] = content.accessor(joint[corners.vertex, first : first + SET], "u2")
        found[f"WEIGHTS_{first // SET}"] = content.accessor(weight[corners.vertex, first : first + SET])
    return found


def _influences(clusters: Sequence[Any], count: int) -> tuple[Array, Array]:
    """Return the clusters and the weights [vertex, 4 or 8] with the largest weights of each vertex."""
    vertex = np.concatenate([np.array(list(own.vertices), np.int64) for own in clusters])
    weight = np.concatenate([np.array(list(own.weights), np.float64) for own in clusters])
    cluster = np.repeat(np.arange(len(clusters)), [len(own.vertices) for own in clusters])
    kept = (weight > 0) & (vertex < count)
    vertex, weight, cluster = vertex[kept], weight[kept], cluster[kept]
    order = np.lexsort((-weight, vertex))
    vertex, weight, cluster = vertex[order], weight[order], cluster[order]
    place = np.arange(len(vertex)) - np.searchsorted(vertex, vertex)
    width = SET if place.max(initial=0) < SET else MOST_INFLUENCES
    joints, weights = np.zeros((count, width), np.int64), np.zeros((count, width))
    near = place < width
    joints[vertex[near], place[near]], weights[vertex[near], place[near]] = cluster[near], weight[near]
    total = weights.sum(axis=1, keepdims=True)
    joints[total[:, 0] <= 0, 0], weights[total[:, 0] <= 0, 0] = len(clusters), 1
    return joints, weights / np.where(total > 0, total, 1)


def _targets(content: Content, mesh: Any, corners: Corners) -> tuple[list[dict[str, int]], list[str], list[float]]:
    """Return the morph targets, their names and their weights. The last shape of a blend channel is its target."""
    targets, names, weights = [], list[str](), list[float]()
    for channel in (own for deformer in mesh.blend_deformers for own in deformer.channels):
        shape = channel.target_shape
        if shape is None:
            continue
        at = np.array(list(shape.offset_vertices), np.int64)
        target = {"POSITION": content.accessor(_spread(at, shape.position_offsets, mesh, corners), bounds=True)}
        if len(shape.normal_offsets) == len(at):
            target["NORMAL"] = content.accessor(_spread(at, shape.normal_offsets, mesh, corners))
        targets.append(target)
        names.append(channel.name or shape.name)
        weights.append(float(channel.weight))
    return targets, names, weights


def _spread(at: Array, offsets: Any, mesh: Any, corners: Corners) -> Array:
    """Return the offsets [corner, 3] of all corners. `offsets` contains the offsets of the vertices `at`."""
    found = np.zeros((int(mesh.num_vertices), 3))
    found[at] = _rows(offsets, 3)
    return found[corners.vertex]
