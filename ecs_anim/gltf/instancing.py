"""Reading of mesh copies (extension EXT_mesh_gpu_instancing). All copies of a mesh become one larger mesh."""

from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.mesh import Mesh
from ecs_anim.assets.morphs import MeshMorphs
from ecs_anim.gltf.accessors import floats
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, check_finite, invalid
from ecs_anim.maths import affine, quaternion
from ecs_anim.maths.small_matrices import applied, determinant
from ecs_anim.support.budgets import excess
from ecs_anim.support.frozen import freeze

_NAME = "EXT_mesh_gpu_instancing"
_KINDS = {"TRANSLATION": "VEC3", "ROTATION": "VEC4", "SCALE": "VEC3"}
_AT_REST = {"TRANSLATION": (0.0, 0.0, 0.0), "ROTATION": (0.0, 0.0, 0.0, 1.0), "SCALE": (1.0, 1.0, 1.0)}


class Places(NamedTuple):
    """The transforms of all copies of a mesh in the space of the node."""

    matrices: NDArray[np.floating]  # [copy_count, 3, 4] f64
    turning: NDArray[np.floating]  # [copy_count, 3, 3] f64, matrices for normals: the inverse transposes up to a factor
    mirrored: NDArray[np.bool_]  # [copy_count]

    @classmethod
    def of(cls, matrices: NDArray[np.floating]) -> Self:
        x, y, z = np.moveaxis(matrices[..., :3], 1, 0)
        cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=1)
        mirrored = determinant(matrices[..., :3]) < 0
        return cls(matrices, np.where(mirrored[:, None, None], -cofactors, cofactors), mirrored)


class Copies:
    """Reader of the mesh copies that nodes define. The reader also creates the larger meshes.

    Raises FormatError for invalid data.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        # number of vertices of all copies, counted once and once more for each morph target, plus the number of copy
        # transforms
        self._made = 0
        # The transforms of the previous node, and a text that identifies their attributes. The reader reuses the
        # transforms, because consecutive nodes often share attributes.
        self._last: tuple[str, Places] | None = None

    def of(self, node: int) -> Places | None:
        """Return the transforms of all mesh copies of a node. If the node has no copies, return None.

        If the mesh of the node is skinned, add a warning and return None.
        """
        source, where = self._document.gltf.nodes[node], f"nodes[{node}].extensions.{_NAME}"
        extension = (source.extensions or {}).get(_NAME)
        if extension is None:
            return None
        if source.skin is not None:
            self._document.warn(where, "the copies are ignored, because a skinned mesh is drawn only once")
            return None
        return self._places(extension, where)

    def spread(self, mesh: Mesh, places: Places, where: str) -> Mesh | None:
        """Return one mesh that contains all copies of `mesh`. If the number of copies is 0, return None.

        The method reverses the triangles of mirrored copies, so that their front sides still face outwards.
        """
        count, targets = len(places.matrices), 0 if mesh.morphs is None else len(mesh.morphs.names)
        if not count:
            return None
        self._check_budget(count, mesh.vertex_count * (1 + targets), where)
        self._made += count * mesh.vertex_count * (1 + targets)
        normals = _spread(places.turning, mesh.normals)
        length = np.linalg.norm(normals, axis=-1, keepdims=True)
        length[length == 0] = 1
        return replace(
            mesh,
            positions=_joined(_spread(places.matrices, mesh.positions) + places.matrices[:, None, :, 3], where),
            normals=_joined(normals / length, where),
            indices=_triangles(mesh, places.mirrored),
            morphs=_morphs(mesh.morphs, places, length, where),
            uvs=_repeated(mesh.uvs, count),
            palette_indices=_repeated(mesh.palette_indices, count),
            weights=_repeated(mesh.weights, count),
            colors=None if mesh.colors is None else _repeated(mesh.colors, count),
        )

    def _places(self, extension: Any, where: str) -> Places:
        where = f"{where}.attributes"
        attributes = extension.get("attributes") if isinstance(extension, dict) else None
        if not isinstance(attributes, dict):
            raise invalid(where, f"the value of the key `attributes` must be a JSON object (got {brief(attributes)})")
        key = repr([attributes.get(name) for name in _KINDS])
        if self._last is None or self._last[0] != key:
            self._last = key, Places.of(self._matrices(attributes, where))
        return self._last[1]

    def _matrices(self, attributes: dict[str, Any], where: str) -> NDArray[np.floating]:
        given = {name: self._attribute(attributes.get(name), name, where) for name in _KINDS}
        counts = {name: len(values) for name, values in given.items() if values is not None}
        if len(set(counts.values())) > 1:
            raise invalid(
                where, f"all attributes of the mesh copies must have the same number of elements (got {counts})"
            )
        count = next(iter(counts.values()), 1)
        self._check_budget(count, 3, where)
        self._made += count
        move, turn, scale = (np.tile(_AT_REST[k], (count, 1)) if v is None else v for k, v in given.items())
        return affine.compose(move, quaternion.normalize(turn), scale)

    def _check_budget(self, count: int, vertices: int, where: str) -> None:
        if limit_message := excess("copies", self._made + count * vertices, "draw fewer copies"):
            raise FormatError(
                where, f"{count} copies of a mesh with at least {vertices} vertices are too many: {limit_message}"
            )

    def _attribute(self, accessor: Any, name: str, where: str) -> NDArray[np.float64] | None:
        if accessor is None:
            return None
        where = f"{where}.{name}"
        values = floats(self._document, accessor, _KINDS[name], where)
        check_finite(values, where, "copy")
        return values.astype(np.float64)


def _spread(matrices: NDArray[np.floating], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Multiply all vectors [n, 3] by the linear part of each matrix. The result is an array [copy_count, n, 3]."""
    return applied(matrices[:, None, :, :3], vectors.astype(np.float64))


def _triangles(mesh: Mesh, mirrored: NDArray[np.bool_]) -> NDArray[np.uint32]:
    firsts = mesh.vertex_count * np.arange(len(mirrored))
    corners = mesh.indices.reshape(-1, 3) + firsts[:, None, None]
    corners[mirrored] = corners[mirrored][..., [1, 0, 2]]  # does not change the provoking vertex
    return freeze(corners.reshape(-1).astype(np.uint32))


def _morphs(morphs: MeshMorphs | None, places: Places, length: NDArray[np.float64], where: str) -> MeshMorphs | None:
    if morphs is None:
        return None
    positions = [_joined(_spread(places.matrices, delta), where) for delta in morphs.positions]
    normals = [_joined(_spread(places.turning, delta) / length, where) for delta in morphs.normals]
    return replace(morphs, positions=freeze(np.stack(positions)), normals=freeze(np.stack(normals)))


def _joined(vectors: NDArray[np.float64], where: str) -> NDArray[np.float32]:
    """Return the vectors of all copies, one copy after the other, [copy_count * n, 3]."""
    with np.errstate(over="ignore"):
        joined = vectors.reshape(-1, 3).astype(np.float32)
    check_finite(joined, where, "after the transform of the copies, vertex")
    return freeze(joined)


def _repeated(column: NDArray[Any], count: int) -> NDArray[Any]:
    return freeze(np.tile(column, (count, 1)))
