"""Writes hand-made glTF files for tests, by struct and json alone: it shares no code with the loader."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers import ASSETS, GOLDEN

FORMATS = {
    "i8": (5120, "b"),
    "u8": (5121, "B"),
    "i16": (5122, "h"),
    "u16": (5123, "H"),
    "u32": (5125, "I"),
    "f32": (5126, "f"),
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def asset(name: str) -> Path:
    """A file of ../shared/assets; the test skips where it is absent."""
    path = ASSETS / name
    if not path.exists():
        pytest.skip(f"{path} is absent")
    return path


def golden(name: str) -> Any:
    """Arrays of ../shared/golden; the test skips where they are absent."""
    path = GOLDEN / name
    if not path.exists():
        pytest.skip(f"{path} is absent")
    return np.load(path)


def skip_without_golden_numbers() -> None:
    """For a module that is all about them: it skips as a whole where they, or their characters, are absent."""
    if not (ASSETS.is_dir() and GOLDEN.is_dir()):
        pytest.skip(f"{GOLDEN}, the reference numbers, is not here", allow_module_level=True)


class GltfBuilder:
    """A glTF document under construction. `add` appends to any top-level list and returns the index."""

    def __init__(self, **document: Any) -> None:
        self.document: dict[str, Any] = {"asset": {"version": "2.0"}, **document}
        self.data = bytearray()

    def add(self, kind: str, **properties: Any) -> int:
        items = self.document.setdefault(kind, [])
        items.append(properties)
        return len(items) - 1

    def view(self, data: bytes, *, stride: int | None = None) -> int:
        """Append bytes to the buffer, aligned to four, as a new buffer view."""
        self.data += b"\0" * (-len(self.data) % 4)
        properties: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data)}
        if stride is not None:
            properties["byteStride"] = stride
        self.data += data
        return self.add("bufferViews", **properties)

    def accessor(self, values: Any, component: str = "f32", kind: str = "SCALAR", **properties: Any) -> int:
        """An accessor over a new, tightly packed buffer view. Values: [count, width], matrices column by column."""
        rows = np.asarray(values).reshape(-1, WIDTHS[kind]).tolist()
        data = b"".join(pack(row, component, kind) for row in rows)
        return self.accessor_on(self.view(data), len(rows), component, kind, **properties)

    def accessor_on(self, view: int | None, count: int, component: str, kind: str, **properties: Any) -> int:
        if view is not None:
            properties["bufferView"] = view
        return self.add("accessors", componentType=FORMATS[component][0], type=kind, count=count, **properties)

    def mesh(self, attributes: dict[str, int], indices: int | None = None, **properties: Any) -> int:
        """A mesh of one primitive."""
        primitive = {"attributes": attributes, **properties}
        if indices is not None:
            primitive["indices"] = indices
        return self.add("meshes", primitives=[primitive])

    def triangle(self, **properties: Any) -> int:
        """A mesh of one triangle in the x-y plane, without normals and indices."""
        positions = self.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], kind="VEC3")
        return self.mesh({"POSITION": positions}, **properties)

    def json(self, uri: str | None = None) -> bytes:
        """The document's text, its buffer at `uri`."""
        document = dict(self.document)
        if self.data and "buffers" not in document:
            document["buffers"] = [{"byteLength": len(self.data)} | ({} if uri is None else {"uri": uri})]
        return json.dumps(document).encode()

    def embedded(self) -> bytes:
        """The text of a .gltf file that holds its buffer."""
        return self.json("data:application/octet-stream;base64," + base64.b64encode(self.data).decode())

    def binary(self) -> bytes:
        """The bytes of a .glb file."""
        return glb(self.json(), bytes(self.data))

    def write(self, path: Path) -> Path:
        """Write .glb, or .gltf with an embedded buffer, by the path's suffix."""
        path.write_bytes(self.binary() if path.suffix == ".glb" else self.embedded())
        return path

    def write_external(self, path: Path, buffer: str) -> Path:
        """Write a .gltf file and its buffer as a file of its own."""
        (path.parent / buffer).parent.mkdir(parents=True, exist_ok=True)
        (path.parent / buffer).write_bytes(self.data)
        path.write_bytes(self.json(buffer.replace(" ", "%20")))
        return path


def pack(row: list, component: str, kind: str) -> bytes:
    """One element; columns of a matrix start at multiples of four bytes (glTF 2.0, section 3.6.2.4)."""
    letter = FORMATS[component][1]
    if not kind.startswith("MAT"):
        return struct.pack(f"<{len(row)}{letter}", *row)
    size = int(kind[3])
    columns = [struct.pack(f"<{size}{letter}", *row[i : i + size]) for i in range(0, len(row), size)]
    return b"".join(column + b"\xee" * (-len(column) % 4) for column in columns)


def glb(text: bytes, blob: bytes | None, version: int = 2) -> bytes:
    """A binary glTF container."""
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if blob:
        blob += b"\0" * (-len(blob) % 4)
        chunks += struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", version, 12 + len(chunks)) + chunks
