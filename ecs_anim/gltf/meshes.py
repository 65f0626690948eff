"""Conversion of glTF primitives to meshes with palette indices (glTF 2.0, section 3.7.2)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets import mesh_build
from ecs_anim.assets.mesh import MOST_INFLUENCES, SET, Mesh
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.gltf.accessors import floats, unsigned
from ecs_anim.gltf.attributes import VertexAttributes
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.draco import decode_primitive
from ecs_anim.gltf.format import FormatError, check_finite, invalid
from ecs_anim.gltf.instancing import Copies
from ecs_anim.gltf.materials import Surface, Surfaces
from ecs_anim.gltf.morphs import MorphReader, NodeMorphs
from ecs_anim.gltf.nodes import NodeGraph
from ecs_anim.gltf.skins import Palette
from ecs_anim.support.budgets import Spending
from ecs_anim.support.frozen import freeze

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
MORPH_BYTES = 24  # bytes per vertex and target: offsets of position and normal


@dataclass(frozen=True)
class _Primitive:
    """A primitive of a glTF mesh, and the node that draws the primitive."""

    source: Any
    accessors: dict[str, int | None]  # accessor index of each attribute, by attribute name
    where: str
    name: str
    node: int
    skin: NDArray[np.uint16] | None  # palette entry of each skin joint
    morphs: NodeMorphs | None

    @property
    def is_skinned(self) -> bool:
        """Return whether the vertices of the primitive follow the joints of a skin."""
        return self.skin is not None and self.accessors.get("JOINTS_0") is not None


def read_meshes(document: Document, graph: NodeGraph, palette: Palette, morphs: MorphReader) -> tuple[Mesh, ...]:
    """Return all meshes that the nodes of the file draw. The meshes begin with the finest level.

    There is one mesh for each combination of a node, a primitive and a level of detail. Raises FormatError for invalid
    data.
    """
    surfaces, copies = Surfaces(document), Copies(document)
    prepared: dict[str, Mesh | None] = {}
    spent = _Spent()
    meshes = []
    for node_index, node in enumerate(document.gltf.nodes):
        levels = graph.levels[graph.joint_of_node[node_index]]
        if node.mesh is None or levels is None:
            continue
        places = copies.of(node_index)
        for primitive in _primitives(document, graph, palette, morphs, node_index):
            spent.spend(document, primitive, levels[1] + 1 - levels[0])
            mesh = _read_primitive(document, primitive, surfaces, palette, morphs, prepared)
            if mesh is not None and places is not None:
                mesh = copies.spread(mesh, places, f"nodes[{node_index}]")
            if mesh is not None:
                meshes += [replace(mesh, level=level) for level in range(levels[0], levels[1] + 1)]
    if not meshes and None in prepared.values():
        document.warn("meshes", "the area of each triangle is 0, so no mesh is drawn")
    finest = min((mesh.level for mesh in meshes), default=0)  # is above 0 if only nodes of coarser levels have meshes
    meshes = [replace(mesh, level=mesh.level - finest) for mesh in meshes] if finest else meshes
    return tuple(sorted(meshes, key=lambda mesh: mesh.level))


class _Spent:
    """Counters of the meshes, vertices and morph targets of a file. Each counter has a limit.

    The loader checks the limits before the creation of meshes.
    """

    def __init__(self) -> None:
        self._meshes = Spending("meshes", "join meshes with equal materials")
        self._vertices = Spending("vertices", "simplify the meshes, or draw fewer copies")
        self._morphs = Spending("morph_bytes", "remove morph targets, or draw fewer copies")

    def spend(self, document: Document, primitive: _Primitive, level_count: int) -> None:
        """Count the meshes, vertices and morph targets of a primitive that is drawn at `level_count` levels of detail.

        Raise FormatError if a counter is above its limit.
        """
        where, targets = primitive.where, () if primitive.morphs is None else primitive.morphs.names
        vertices = _accessor_length(document, primitive.accessors.get("POSITION"), f"{where}.attributes.POSITION")
        corners = _accessor_length(document, primitive.source.indices, f"{where}.indices")
        text = (
            self._meshes.excess(level_count)
            or self._vertices.excess(vertices + corners)
            or self._morphs.excess(MORPH_BYTES * vertices * len(targets))
        )
        if text:
            raise FormatError(
                where, f"the file is too large. The mesh of nodes[{primitive.node}] exceeds a limit: {text}"
            )


def _accessor_length(document: Document, index: int | None, where: str) -> int:
    """Return the number of elements of the accessor `index`. If `index` is None, return 0."""
    return 0 if index is None else max(document.item("accessors", index, where).count, 0)


def _primitives(
    document: Document, graph: NodeGraph, palette: Palette, morphs: MorphReader, node_index: int
) -> list[_Primitive]:
    node = document.gltf.nodes[node_index]
    mesh = document.item("meshes", node.mesh, f"nodes[{node_index}].mesh")
    skin = None if node.skin is None else palette.skin(node.skin)
    name = mesh.name or f"mesh_{node.mesh}"
    names = [name] if len(mesh.primitives) == 1 else [f"{name}_{k}" for k in range(len(mesh.primitives))]
    own = morphs.nodes.get(node_index)
    return [
        _Primitive(
            source, vars(source.attributes), f"meshes[{node.mesh}].primitives[{k}]", names[k], node_index, skin, own
        )
        for k, source in enumerate(mesh.primitives)
    ]


def _read_primitive(
    document: Document,
    primitive: _Primitive,
    surfaces: Surfaces,
    palette: Palette,
    morphs: MorphReader,
    prepared: dict[str, Mesh | None],
) -> Mesh | None:
    """Return the mesh of a primitive. If the primitive has no triangles with an area, return None.

    `prepared` is a dictionary that contains a mesh for each text from `_sameness`. Primitives with equal texts share
    one mesh.
    """
    mode = _TRIANGLES if primitive.source.mode is None else primitive.source.mode
    if not 0 <= mode <= _FAN:
        raise invalid(f"{primitive.where}.mode", f"the mode of a primitive must be 0 to 6 (got {mode})")
    if mode < _TRIANGLES or primitive.accessors.get("POSITION") is None:
        return None
    entry = None if primitive.is_skinned else palette.rigid(primitive.node)
    same = _sameness(primitive, mode)
    if same not in prepared:
        decode_primitive(document, primitive.source, primitive.where)
        surface = surfaces.surface(primitive.source.material, f"{primitive.where}.material")
        geometry = mesh_build.build(_raw_geometry(document, primitive, mode, surface, morphs))
        prepared[same] = _mesh(primitive, surface, geometry) if len(geometry.corners) else None
    mesh = prepared[same]
    return None if mesh is None else _placed(mesh, primitive, entry)


def _sameness(primitive: _Primitive, mode: int) -> str:
    """Return a text that identifies the mesh of a primitive, apart from the node that draws it.

    If two primitives have equal texts, their meshes differ only in the node.
    """
    source, skin = primitive.source, primitive.skin
    targets = [vars(target) for target in source.targets or ()]
    mixes = {} if primitive.morphs is None else primitive.morphs.mixes
    bound = None if skin is None else skin.tobytes()
    return repr((primitive.accessors, targets, source.indices, source.material, mode, bound, mixes))


def _mesh(primitive: _Primitive, surface: Surface, geometry: mesh_build.Geometry) -> Mesh:
    return Mesh(
        name=primitive.name,
        material=surface.material,
        positions=freeze(geometry.positions),
        normals=freeze(geometry.normals),
        uvs=freeze(geometry.uvs),
        palette_indices=freeze(geometry.palette_indices),
        weights=freeze(geometry.weights),
        indices=freeze(geometry.corners.reshape(-1)),
        colors=freeze(geometry.colors) if geometry.colors.shape[1] else None,
        flat=geometry.flat,
        morphs=_morphs(primitive, geometry),
    )


def _placed(mesh: Mesh, primitive: _Primitive, entry: int | None) -> Mesh:
    """Return a copy of `mesh` for the node of a primitive.

    If `entry` is not None, all vertices follow the palette entry `entry`.
    """
    entries, morphs = mesh.palette_indices, mesh.morphs
    if entry is not None:
        entries = _all_of(entry, mesh.vertex_count)
    if morphs is not None and primitive.morphs is not None:
        morphs = replace(morphs, names=primitive.morphs.names, first=primitive.morphs.first)
    return replace(mesh, name=primitive.name, palette_indices=entries, morphs=morphs)


def _all_of(entry: int, vertex_count: int) -> NDArray[np.uint16]:
    """Return an array [vertex_count, 4] in which all palette entries are `entry`."""
    entries = np.zeros((vertex_count, SET), np.uint16)
    entries[:, 0] = entry
    return freeze(entries)


def _morphs(primitive: _Primitive, geometry: mesh_build.Geometry) -> MeshMorphs | None:
    if primitive.morphs is None:
        return None
    return MeshMorphs(
        names=primitive.morphs.names,
        positions=freeze(geometry.position_deltas.swapaxes(0, 1)),
        normals=freeze(geometry.normal_deltas.swapaxes(0, 1)),
        first=primitive.morphs.first,
    )


def _raw_geometry(
    document: Document, primitive: _Primitive, mode: int, surface: Surface, morphs: MorphReader
) -> mesh_build.Geometry:
    where = f"{primitive.where}.attributes"
    positions = floats(document, primitive.accessors["POSITION"], "VEC3", f"{where}.POSITION")
    check_finite(positions, f"{where}.POSITION", "vertex")
    count = len(positions)
    attributes = VertexAttributes(document, primitive.accessors, where, count)
    normals = attributes.floats("NORMAL", "VEC3", finite=False)
    palette_indices, weights = _influences(primitive, attributes)
    moved, turned = morphs.deltas(
        primitive.source, primitive.where, count, primitive.morphs, normals=normals is not None
    )
    return mesh_build.Geometry(
        positions=positions,
        normals=positions if normals is None else normals,
        uvs=_uvs(attributes, surface),
        colors=_colors(attributes),
        palette_indices=palette_indices,
        weights=weights,
        corners=_corners(document, primitive, mode, count),
        flat=normals is None,  # glTF 2.0, section 3.7.2.1 requires flat normals for meshes without normals
        position_deltas=moved,
        normal_deltas=turned,
    )


def _uvs(attributes: VertexAttributes, surface: Surface) -> NDArray[np.float32]:
    """Return the texture coordinates for the texture of `surface`.

    If the file has no texture coordinates, return zeros.
    """
    name = f"TEXCOORD_{surface.texcoord}"
    where = f"{attributes.where}.{name}"
    uvs = attributes.floats(name, "VEC2")
    if uvs is None:
        if surface.material.has_pictures:
            attributes.document.warn(where, "the attribute is missing, so each texture shows only one texel")
        return np.zeros((attributes.count, 2), np.float32)
    if surface.uv_transform is None:
        return uvs
    with np.errstate(over="ignore"):
        moved = (uvs @ surface.uv_transform[:, :2].T + surface.uv_transform[:, 2]).astype(np.float32)
    check_finite(moved, where, "after the texture transform, vertex")
    return moved


def _colors(attributes: VertexAttributes) -> NDArray[np.float32]:
    """Return the attribute COLOR_0 as RGBA colours [vertex_count, 4] with values from 0 to 1.

    If COLOR_0 is absent, return an empty array [vertex_count, 0].
    """
    values = attributes.colors("COLOR_0")
    if values is None:
        return np.zeros((attributes.count, 0), np.float32)
    opaque = np.ones((attributes.count, 4 - values.shape[1]), np.float32)
    return np.concatenate([values.clip(0, 1), opaque], axis=1)


def _corners(document: Document, primitive: _Primitive, mode: int, vertex_count: int) -> NDArray[np.uint32]:
    """Return the vertex indices of the triangles, [triangle_count, 3].

    Triangle strips and triangle fans are split into triangles.
    """
    where = f"{primitive.where}.indices"
    if primitive.source.indices is None:
        indices = np.arange(vertex_count, dtype=np.uint32)
    else:
        stored = unsigned(document, primitive.source.indices, "SCALAR", where)
        _check_no_restart(stored, where)
        indices = stored.astype(np.uint32)
    if len(indices) and int(indices.max()) >= vertex_count:
        raise invalid(
            where, f"each vertex index must be below {vertex_count}, the number of vertices (got {indices.max()})"
        )
    if mode == _TRIANGLES:
        if len(indices) % 3:
            raise invalid(
                where, f"the number of indices of a triangle list must be a multiple of 3 (got {len(indices)})"
            )
        return indices.reshape(-1, 3)
    first = np.arange(max(len(indices) - 2, 0))
    if mode == _STRIP:
        odd = first % 2
        return indices[np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)]
    return indices[np.stack([first + 1, first + 2, np.zeros_like(first)], axis=1)]


def _check_no_restart(indices: NDArray[np.unsignedinteger], where: str) -> None:
    """Raise FormatError if `indices` contains the primitive restart value.

    The glTF standard does not allow the primitive restart value.
    """
    restart = np.iinfo(indices.dtype).max
    if len(indices) and int(indices.max()) == restart:
        raise FormatError(
            where,
            f"the vertex index {restart} is not allowed, because glTF reserves this index for primitive restart. Store"
            " the indices in a wider integer type.",
        )


def _influences(primitive: _Primitive, attributes: VertexAttributes) -> tuple[NDArray[np.uint16], NDArray[np.float32]]:
    """Return two arrays [vertex_count, 4, 8, 12 or 16]: the palette entries and the weights of each vertex.

    The influences of a vertex are sorted from the largest weight to the smallest weight. Unused palette entries and
    unused weights are 0. For a mesh without a skin, `_placed` later sets the palette entry.
    """
    if primitive.skin is None or not primitive.is_skinned:
        return _all_of(0, attributes.count), np.tile(np.array([1, 0, 0, 0], np.float32), (attributes.count, 1))
    joints, weights, lost = largest_influences(*_influence_sets(attributes))
    if lost.any():
        most = f"a vertex loses up to {lost.max():.3g} of its weight ({lost.mean():.3g} on average)"
        attributes.document.warn(
            attributes.where, f"the primitive has more than {MOST_INFLUENCES} influences per vertex; {most}"
        )
    used = weights > 0
    highest = int(joints.max(where=used, initial=0))
    if attributes.count and highest >= len(primitive.skin):
        rule = f"each joint number must be below the skin's joint count {len(primitive.skin)} (got {highest})"
        raise FormatError(f"{attributes.where}.JOINTS_0", rule)
    return np.where(used, primitive.skin[np.where(used, joints, 0)], 0).astype(np.uint16), weights


def _influence_sets(attributes: VertexAttributes) -> tuple[NDArray[np.unsignedinteger], NDArray[np.float32]]:
    """Return the joint numbers from all attributes JOINTS_n and the weights from all attributes WEIGHTS_n.

    Each result is an array [vertex_count, 4 x number of attributes].
    """
    joints: list[NDArray[Any]] = []
    weights: list[NDArray[Any]] = []
    while f"JOINTS_{len(joints)}" in attributes:
        number = len(joints)
        joints.append(attributes.joints(f"JOINTS_{number}"))
        weight = attributes.floats(f"WEIGHTS_{number}", "VEC4")
        if weight is None:
            raise invalid(
                f"{attributes.where}.WEIGHTS_{number}",
                f"the primitive has JOINTS_{number}, so it must also have WEIGHTS_{number}",
            )
        weights.append(weight)
    return np.concatenate(joints, axis=1), np.concatenate(weights, axis=1)


def largest_influences(
    joints: NDArray[np.unsignedinteger], weights: NDArray[np.float32]
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.float32], NDArray[np.float64]]:
    """Return the largest influences of each vertex, from the largest to the smallest. The returned weights sum to 1.

    `joints` [vertex_count, n] and `weights` [vertex_count, n] are the influences in the file. The function keeps 4, 8,
    12 or 16 influences of each vertex. It selects the smallest of these four numbers that includes all weights above 0.
    Negative weights become 0. A vertex whose weights are all 0 follows its first joint. The third returned array
    [vertex_count] contains the fraction of each vertex's total weight that is lost.
    """
    weights = np.maximum(weights.astype(np.float64), 0)
    used = int(np.count_nonzero(weights, axis=1).max(initial=1))
    order = np.argsort(-weights, axis=1, kind="stable")[:, : min(-(-used // SET) * SET, MOST_INFLUENCES)]
    whole = weights.sum(axis=1)
    joints, weights = np.take_along_axis(joints, order, axis=1), np.take_along_axis(weights, order, axis=1)
    total = weights.sum(axis=1, keepdims=True)
    some = total > 0
    lost = np.where(some[:, 0], 1 - total[:, 0] / np.where(some[:, 0], whole, 1), 0)
    weights = np.where(some, weights / np.where(some, total, 1), np.eye(1, weights.shape[1]))
    return joints, weights.astype(np.float32), lost if used > MOST_INFLUENCES else 0 * lost
