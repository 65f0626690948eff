"""Reading of the vertex attributes of primitives and morph targets (glTF 2.0, section 3.7.2.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf.accessors import floats, unsigned
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, check_finite


@dataclass(frozen=True)
class VertexAttributes:
    """Reader of vertex attributes. A vertex attribute has one element for each vertex.

    All methods raise FormatError for invalid data.
    """

    document: Document
    accessors: Mapping[str, int | None]  # accessor index by attribute name
    where: str
    count: int  # number of vertices

    def __contains__(self, name: str) -> bool:
        return self.accessors.get(name) is not None

    def floats(self, name: str, kind: str, *, finite: bool = True) -> NDArray[np.float32] | None:
        """Return the attribute `name` as float32 [vertex_count, n]. If the attribute is absent, return None."""
        if name not in self:
            return None
        values = self._counted(name, floats(self.document, self.accessors[name], kind, self._place(name)))
        if finite:
            check_finite(values, self._place(name), "vertex")
        return values

    def colors(self, name: str) -> NDArray[np.float32] | None:
        """Return the colours in the attribute `name`, [vertex_count, 3 or 4].

        If the attribute is absent, return None.
        """
        if name not in self:
            return None
        kind = self.document.item("accessors", self.accessors[name], self._place(name)).type
        return self.floats(name, kind if kind == "VEC3" else "VEC4")

    def joints(self, name: str) -> NDArray[np.unsignedinteger]:
        """Return the joint numbers in the attribute `name`, [vertex_count, 4].

        A joint number is an index in the joint list of the skin.
        """
        return self._counted(name, unsigned(self.document, self.accessors[name], "VEC4", self._place(name)))

    def _place(self, name: str) -> str:
        return f"{self.where}.{name}"

    def _counted(self, name: str, values: NDArray[Any]) -> NDArray[Any]:
        if len(values) != self.count:
            rule = f"the attribute must have {self.count} elements, as many as POSITION (got {len(values)})"
            raise FormatError(self._place(name), rule)
        return values
