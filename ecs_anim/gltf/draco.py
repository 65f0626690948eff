"""Decoding of Draco-compressed primitives (extension KHR_draco_mesh_compression).

The decoding needs the optional library DracoPy.
"""

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf.accessors import DTYPES
from ecs_anim.gltf.document import Document
from ecs_anim.gltf.format import FormatError, brief, invalid, whole
from ecs_anim.meshopt.stream import StreamError, varint
from ecs_anim.support.frozen import freeze

NAME = "KHR_draco_mesh_compression"
MISSING = (
    "the Draco mesh needs DracoPy. Install DracoPy with pip install 'ecs-anim[draco]', or convert the model with"
    " `gltf-transform copy IN OUT`."
)
_MAGIC, _HEADER = b"DRACO", 11  # first bytes of a stream; header size in bytes
_MESH, _SEQUENTIAL, _EDGEBREAKER = 1, 0, 1  # codes of geometry and connectivity types
_METADATA = 0x8000  # flag of a header that has other data before the counts
_FLOATS = (9, 10)  # Draco's codes of floating-point types
_TRIANGLES = 4


def decode_primitive(document: Document, primitive: Any, where: str) -> None:
    """Decode a compressed primitive, and set the arrays of its accessors. For an uncompressed primitive, do nothing.

    Without DracoPy, the function does nothing, so the loader reads the uncompressed copy of the primitive in the file.
    Raises FormatError if DracoPy is not installed and the document requires the Draco extension.
    """
    extension = (primitive.extensions or {}).get(NAME)
    if extension is None:
        return
    where = f"{where}.extensions.{NAME}"
    if not isinstance(extension, dict) or not isinstance(extension.get("attributes"), dict):
        raise invalid(where, "the Draco extension must be a JSON object with the key `attributes`")
    draco = _library()
    if draco is None and NAME in document.gltf.extensionsRequired:
        raise FormatError(where, MISSING)
    if draco is None:
        return
    if primitive.indices is None or (primitive.mode or _TRIANGLES) != _TRIANGLES:
        raise invalid(where, "the Draco extension supports only primitives with triangles and indices")
    data = document.view(extension.get("bufferView"), f"{where}.bufferView").tobytes()
    corners = document.item("accessors", primitive.indices, f"{where}.indices").count
    _require_announced(data, corners, where)
    mesh = _decoded(draco, data, where)
    own = vars(primitive.attributes)
    for name, number in extension["attributes"].items():
        if own.get(name) is None:
            raise invalid(
                f"{where}.attributes",
                f"the Draco stream has the attribute {brief(name)}, but the primitive lacks this attribute",
            )
        values = _attribute(mesh, number, f"{where}.attributes.{name}")
        _fill(document, own[name], values, extension["bufferView"], f"{where}.attributes.{name}")
    faces = np.asarray(mesh.faces).reshape(-1)
    _fill(document, primitive.indices, faces, extension["bufferView"], f"{where}.indices")


def _library() -> ModuleType | None:
    try:
        import DracoPy
    except ImportError:
        return None
    return DracoPy


def _require_announced(data: bytes, corners: int, where: str) -> None:
    """Raise FormatError if a Draco stream is not a mesh, or if the number of corners in its header is not `corners`.

    The loader runs this check before the stream is decoded.
    """
    if len(data) < _HEADER or data[:5] != _MAGIC or data[7] != _MESH:
        raise invalid(where, "the Draco stream must contain a mesh")
    if int.from_bytes(data[9:11], "little") & _METADATA or data[8] not in (_SEQUENTIAL, _EDGEBREAKER):
        return
    try:
        first, position = varint(data, _HEADER + data[8], len(data))
        faces = first if data[8] == _SEQUENTIAL else varint(data, position, len(data))[0]
    except StreamError as error:
        raise FormatError(where, f"the Draco stream {error}") from None
    if 3 * faces != corners:
        raise invalid(
            f"{where}.indices",
            f"the accessor of the vertex indices must have {3 * faces} elements, the number of indices in the Draco"
            f" stream (got {corners} elements)",
        )


def _decoded(draco: ModuleType, data: bytes, where: str) -> Any:
    try:
        mesh = draco.decode(data)
    except MemoryError:
        raise
    except Exception as error:  # damaged streams raise several exception types
        raise invalid(where, f"the Draco stream is damaged ({type(error).__name__})") from None
    if not hasattr(mesh, "faces"):
        raise invalid(where, "the Draco stream must contain triangles (got only points)")
    return mesh


def _attribute(mesh: Any, number: Any, where: str) -> NDArray[Any]:
    """Return the values [vertex_count, width] of the Draco attribute with the unique id `number`."""
    for attribute in mesh.attributes:
        if whole(number) == attribute["unique_id"]:
            values = np.asarray(attribute["data"])
            # DracoPy returns integers as floats for positions and normals.
            return values if attribute["data_type"] in _FLOATS else np.rint(np.nan_to_num(values)).astype(np.int64)
    raise invalid(where, f"the Draco stream has no attribute with the id {brief(number)}")


def _fill(document: Document, index: int, values: NDArray[Any], view: int, where: str) -> None:
    """Set the array of the accessor `index` to `values`.

    The function converts the values to the component type of the accessor.
    """
    accessor = document.item("accessors", index, where)
    if document.filled.setdefault(index, view) != view or accessor.sparse is not None:
        raise invalid(where, f"accessors[{index}] must not have data from outside of this Draco stream")
    if len(values) != accessor.count:
        raise invalid(
            where,
            f"the accessor must have {len(values)} elements, the number of values in the Draco stream (got"
            f" {accessor.count})",
        )
    dtype = np.dtype(DTYPES.get(accessor.componentType, "<f4"))
    with np.errstate(invalid="ignore", over="ignore"):
        stored = values.astype(dtype)
    if (dtype.kind == "f") != (values.dtype.kind == "f") or (dtype.kind != "f" and (stored != values).any()):
        raise invalid(
            where,
            f"the accessor must have the number type {values.dtype.name} of the Draco stream (accessors[{index}] has"
            f" {dtype})",
        )
    document.arrays[index] = freeze(stored)
