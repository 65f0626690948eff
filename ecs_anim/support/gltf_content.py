"""Builder for new glTF files. A builder collects the JSON document and the binary chunk of a file."""

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

COMPONENTS = {"f4": 5126, "u4": 5125, "u2": 5123, "u1": 5121}  # glTF component types by numpy's names
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}  # by the number of components in an element


class Content:
    """A new glTF document as plain Python data, with one buffer. `data` is the initial content of the buffer."""

    def __init__(self, raw: dict[str, Any], data: bytes = b"") -> None:
        self.raw = raw
        self._data = bytearray(data)

    @property
    def byte_count(self) -> int:
        """Return the current buffer size in bytes."""
        return len(self._data)

    def item(self, kind: str, content: dict[str, Any]) -> int:
        """Append `content` to the list `kind` of the document, for example "nodes".

        Return the index of the new item.
        """
        items = self.raw.setdefault(kind, [])
        items.append(content)
        return len(items) - 1

    def accessor(self, values: NDArray[Any], dtype: str = "f4", bounds: bool = False) -> int:
        """Add an accessor with the values [count, width]. Return the index of the new accessor. If `bounds` is true,
        the accessor states the least and the greatest values.
        """
        values = np.ascontiguousarray(values, f"<{dtype}")
        accessor: dict[str, Any] = {"bufferView": self.view(values.tobytes()), "componentType": COMPONENTS[dtype]}
        accessor |= {"count": len(values), "type": KINDS[values.shape[1]]}
        if bounds:
            accessor |= {"min": values.min(axis=0).tolist(), "max": values.max(axis=0).tolist()}
        return self.item("accessors", accessor)

    def skinned(self, vertices: tuple[NDArray[Any], ...], joint_type: str) -> dict[str, int]:
        """Add the attributes of a skinned mesh. Return their accessors by the names of glTF.

        `vertices` contains positions [n, 3], normals [n, 3], texture coordinates [n, 2], joints [n, 4] and weights
        [n, 4]. `joint_type` is the type of the joints: "u1" or "u2".
        """
        positions, normals, uvs, joints, weights = vertices
        return {
            "POSITION": self.accessor(positions, bounds=True),
            "NORMAL": self.accessor(normals),
            "TEXCOORD_0": self.accessor(uvs),
            "JOINTS_0": self.accessor(joints, joint_type),
            "WEIGHTS_0": self.accessor(weights),
        }

    def view(self, data: bytes) -> int:
        """Append `data` to the buffer, and add a buffer view for `data`. Return the index of the new buffer view."""
        return self.item("bufferViews", {"buffer": 0, "byteOffset": self.append(data), "byteLength": len(data)})

    def append(self, data: bytes) -> int:
        """Append `data` to the buffer at a multiple of four bytes. Return the offset of `data` in the buffer."""
        self._data += bytes(-len(self._data) % 4)
        start = len(self._data)
        self._data += data
        return start

    def glb(self) -> bytes:
        """Return the bytes of a .glb file with this document and its buffer (glTF 2.0, section 4.4)."""
        self.raw["buffers"] = [{"byteLength": len(self._data)}]
        text = json.dumps(self.raw, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
        text += b" " * (-len(text) % 4)
        self.append(b"")
        parts = struct.pack("<II", len(text), 0x4E4F534A) + text
        parts += struct.pack("<II", len(self._data), 0x004E4942) + bytes(self._data)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts
