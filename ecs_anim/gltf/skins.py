"""Conversion of all skins of a glTF file to one palette (glTF 2.0, section 3.7.3)."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf.accessors import matrices
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, check_finite, check_index, invalid
from ecs_anim.gltf.nodes import NodeGraph
from ecs_anim.maths import affine
from ecs_anim.support.frozen import freeze

_LARGEST_PALETTE = 1 << 16  # vertices store palette indices as u16
_LAST_ROW = 1e-3  # rounding tolerance for the last row of a matrix


class Palette:
    """Builder of the palette. A palette entry is a pair of a joint and an inverse bind matrix.

    Equal pairs of a joint and a matrix become one palette entry. The palette begins with the joints of the first skin,
    in the order of the skin.
    """

    def __init__(self, document: Document, graph: NodeGraph) -> None:
        """Add all skins of the document to the palette. Errors in a skin that no node uses have no effect.

        Raises FormatError for invalid data.
        """
        self._entries: dict[tuple[int, bytes], int] = {}
        self._graph = graph
        self._skins: dict[int, NDArray[np.uint16]] = {}
        named = {
            check_index(node.skin, len(document.gltf.skins), "skins", f"nodes[{index}].skin")
            for index, node in enumerate(document.gltf.nodes)
            if node.skin is not None
        }
        for index in range(len(document.gltf.skins)):
            try:
                self._skins[index] = self._add_skin(document, index)
            except FormatError:
                if index in named:
                    raise

    def skin(self, index: int) -> NDArray[np.uint16]:
        """Return the palette entries [joint_count] u16 of the joints of the skin `index`.

        At least one node must use the skin.
        """
        return self._skins[index]

    def rigid(self, node: int) -> int:
        """Return the palette entry for a mesh without a skin. The mesh follows the node `node`."""
        return self._add(int(self._graph.joint_of_node[node]), affine.IDENTITY)

    def skin_joints(self) -> NDArray[np.int32]:
        """Return the joint of each palette entry, [palette_count] i32."""
        return freeze(np.array([joint for joint, _ in self._entries], np.int32))

    def inverse_bind(self) -> NDArray[np.float32]:
        """Return the inverse bind matrix of each palette entry, [palette_count, 3, 4] f32."""
        joined = b"".join(matrix for _, matrix in self._entries)
        return freeze(np.frombuffer(joined, np.float32).reshape(-1, 3, 4))

    def _add(self, joint: int, inverse_bind: NDArray[np.float32]) -> int:
        entry = self._entries.setdefault((joint, inverse_bind.tobytes()), len(self._entries))
        if entry >= _LARGEST_PALETTE:
            raise FormatError(
                "skins",
                f"the skins have more than {_LARGEST_PALETTE} different pairs of a joint and an inverse bind"
                " matrix. Split the model into several files.",
            )
        return entry

    def _add_skin(self, document: Document, index: int) -> NDArray[np.uint16]:
        skin, where = document.gltf.skins[index], f"skins[{index}]"
        node_count = len(document.gltf.nodes)
        nodes = [
            check_index(node, node_count, "nodes", f"{where}.joints[{position}]")
            for position, node in enumerate(skin.joints)
        ]
        if len(set(nodes)) < len(nodes):
            document.warn(
                f"{where}.joints",
                "the list contains a node twice. Each of the two entries keeps its own inverse bind matrix",
            )
        inverse_bind = _inverse_bind(document, skin.inverseBindMatrices, len(nodes), where)
        joints = self._graph.joint_of_node
        return np.array([self._add(int(joints[n]), m) for n, m in zip(nodes, inverse_bind, strict=True)], np.uint16)


def _inverse_bind(document: Document, accessor: int | None, count: int, where: str) -> NDArray[np.float32]:
    """Return the first `count` inverse bind matrices of an accessor, [count, 3, 4] f32, without a change.

    If `accessor` is None, return identity matrices.
    """
    if accessor is None:
        return np.broadcast_to(affine.IDENTITY, (count, 3, 4))
    where = f"{where}.inverseBindMatrices"
    array = matrices(document, accessor, where)
    if len(array) < count:
        raise invalid(
            where,
            f"the accessor must have one matrix for each of the {count} joints of the skin (got {len(array)} matrices)",
        )
    used = array[:count]
    check_finite(used, where, "matrix")
    _check_affine(used, where)
    return used[:, :3]


def _check_affine(matrices: NDArray[np.float32], where: str) -> None:
    """Raise FormatError for a wrong matrix in `matrices` [count, 4, 4].

    A matrix is wrong if its scale is 0 or if its numbers are stored in the wrong order.
    """
    folds = ~matrices[:, :3, :3].any(axis=(1, 2))
    if folds.any():
        raise FormatError(where, f"inverse bind matrix {int(np.argmax(folds))} scales by zero. Export the skin again.")
    ends = np.abs(matrices[:, 3] - (0, 0, 0, 1)).max(axis=1) > _LAST_ROW
    if ends.any():
        first = int(np.argmax(ends))
        row = [round(float(value), 4) for value in matrices[first, 3]]
        rule = f"the last row must be 0, 0, 0, 1 (matrix {first} has {row}). Store matrices column by column."
        raise FormatError(where, rule)
