"""Conversion of glTF accessors to numpy arrays (glTF 2.0, section 3.6.2).

For speed, the code has no loops over accessor elements.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, invalid
from ecs_anim.support.frozen import freeze

DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SHAPES = {
    "SCALAR": (1, 1),
    "VEC2": (1, 2),
    "VEC3": (1, 3),
    "VEC4": (1, 4),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}


@dataclass(frozen=True)
class _Layout:
    """Memory layout of one accessor element. The columns of a matrix start at multiples of four bytes."""

    dtype: np.dtype
    columns: int
    rows: int

    @property
    def column_stride(self) -> int:
        size = self.rows * self.dtype.itemsize
        return size if self.columns == 1 else -(-size // 4) * 4

    @property
    def stride(self) -> int:
        return self.columns * self.column_stride

    @property
    def extent(self) -> int:
        """Return the size of an accessor element in bytes, without the padding after the last column."""
        return (self.columns - 1) * self.column_stride + self.rows * self.dtype.itemsize


def read(document: Document, index: int | None, where: str) -> NDArray[Any]:
    """Return the values of the accessor `index`: scalars [count], vectors [count, n] or matrices [count, column, row].

    The array is read-only and has the component type of the accessor. `where` is the place in the file that refers to
    the accessor. Error messages name this place. Raises FormatError for invalid data.
    """
    accessor = document.item("accessors", index, where)
    assert index is not None
    if index not in document.arrays:
        document.arrays[index] = freeze(_decode(document, accessor, f"accessors[{index}]"))
    return document.arrays[index]


def floats(document: Document, index: int | None, kind: str, where: str) -> NDArray[np.float32]:
    """Return the values of the accessor `index` as float32. The type of the accessor must be `kind`.

    Normalised integers are scaled to the range [0, 1] or [-1, 1] (glTF 2.0, section 3.6.2.2).
    """
    array = _of_kind(document, index, kind, where)
    if array.dtype == np.float32:
        return array
    values = array.astype(np.float32)
    if not document.item("accessors", index, where).normalized:
        return values
    if array.dtype == np.uint32:
        raise invalid(
            f"accessors[{index}].normalized", "`normalized` must be false for an accessor of 32-bit integers (got true)"
        )
    values /= np.float32(np.iinfo(array.dtype).max)
    return np.maximum(values, np.float32(-1))


def unsigned(document: Document, index: int | None, kind: str, where: str) -> NDArray[np.unsignedinteger]:
    """Return the values of an accessor with indices as u8, u16 or u32. The type of the accessor must be `kind`."""
    array = _of_kind(document, index, kind, where)
    if array.dtype.kind != "u":
        raise invalid(
            where, f"the accessor must contain unsigned integers (accessors[{index}] has the type {array.dtype.name})"
        )
    return array


def matrices(document: Document, index: int | None, where: str) -> NDArray[np.float32]:
    """Return the matrices of an accessor with type MAT4, [count, row, column] f32."""
    return floats(document, index, "MAT4", where).swapaxes(1, 2)


def _of_kind(document: Document, index: int | None, kind: str, where: str) -> NDArray[Any]:
    array = read(document, index, where)
    actual = document.item("accessors", index, where).type
    if actual != kind:
        raise invalid(where, f"the accessor must have the type {kind} (accessors[{index}] has the type {actual})")
    return array


def _decode(document: Document, accessor: Any, where: str) -> NDArray[Any]:
    layout = _layout(accessor.componentType, accessor.type, where)
    count = accessor.count
    if count < 0:
        raise invalid(f"{where}.count", f"the number of elements of an accessor must be 0 or more (got {count})")
    if accessor.bufferView is None:
        data = _zeros(document, layout, count, where)
    else:
        view = document.view(accessor.bufferView, f"{where}.bufferView")
        stride = document.gltf.bufferViews[accessor.bufferView].byteStride
        data = _elements(view, accessor.byteOffset or 0, stride, count, layout, where)
    if accessor.sparse is not None:
        data = _overlay(document, accessor.sparse, data, layout, f"{where}.sparse")
    if layout.columns > 1:
        return data
    return data[:, 0, 0] if layout.rows == 1 else data[:, 0, :]


def _layout(component: int, kind: str, where: str) -> _Layout:
    if component not in DTYPES:
        raise invalid(
            f"{where}.componentType",
            f"the component type of an accessor must be one of {sorted(DTYPES)} (got {component})",
        )
    if kind not in _SHAPES:
        raise invalid(
            f"{where}.type", f"the type of an accessor must be one of {', '.join(_SHAPES)} (got {brief(kind)})"
        )
    return _Layout(np.dtype(DTYPES[component]), *_SHAPES[kind])


def _zeros(document: Document, layout: _Layout, count: int, where: str) -> NDArray[Any]:
    """Return an array of zeros for an accessor without a buffer view (glTF defines its elements as zeros).

    Raise FormatError if the array is too large.
    """
    document.zeros_left -= count * layout.stride
    if document.zeros_left < 0:
        raise FormatError(
            f"{where}.count",
            f"the accessors without a buffer view take too much memory together (this accessor has {count}"
            " elements). Remove accessors without a buffer view.",
        )
    return np.zeros((count, layout.columns, layout.rows), layout.dtype)


def _elements(
    view: NDArray[np.uint8], offset: int, stride: int | None, count: int, layout: _Layout, where: str
) -> NDArray[Any]:
    """Return the accessor elements in a buffer view as an array [count, column, row].

    The array shares the memory of the view.
    """
    stride = layout.stride if stride is None else stride
    if stride < layout.extent:
        raise invalid(
            where,
            f"the byteStride of the buffer view must be at least {layout.extent} bytes, the size of one element (got"
            f" {stride})",
        )
    end = offset + stride * (count - 1) + layout.extent if count else offset
    if offset < 0 or end > len(view):
        raise invalid(
            where,
            f"the elements of the accessor need the bytes {offset} to {end} of the buffer view, but the buffer view"
            f" has only {len(view)} bytes",
        )
    return np.ndarray(
        (count, layout.columns, layout.rows),
        layout.dtype,
        buffer=view,
        offset=offset,
        strides=(stride, layout.column_stride, layout.dtype.itemsize),
    )


def _overlay(document: Document, sparse: Any, base: NDArray[Any], layout: _Layout, where: str) -> NDArray[Any]:
    """Return a copy of `base` in which a sparse accessor replaces some elements (glTF 2.0, section 3.6.2.3)."""
    if not 0 <= sparse.count <= len(base):
        raise invalid(
            f"{where}.count",
            f"the number of sparse elements must be 0 to {len(base)}, the number of elements of the accessor (got"
            f" {sparse.count})",
        )
    index_layout = _layout(sparse.indices.componentType, "SCALAR", f"{where}.indices")
    if index_layout.dtype.kind != "u":
        raise invalid(
            f"{where}.indices.componentType",
            "the component type of sparse indices must be unsigned: 5121, 5123 or 5125",
        )
    parts = []
    for name, part, part_layout in (("indices", sparse.indices, index_layout), ("values", sparse.values, layout)):
        own = f"{where}.{name}"
        view = document.view(part.bufferView, f"{own}.bufferView")
        parts.append(_elements(view, part.byteOffset or 0, None, sparse.count, part_layout, own))
    rows, values = parts[0][:, 0, 0], parts[1]
    if sparse.count and int(rows.max()) >= len(base):
        raise invalid(
            f"{where}.indices",
            f"each sparse index must be below {len(base)}, the number of elements of the accessor (got {rows.max()})",
        )
    result = base.copy()
    result[rows] = values
    return result
