"""A glTF file while it is being loaded: its parsed document, and its bytes, each decoded once."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim import gltf_uri
from ecs_anim.gltf_format import FormatError, check_index


class Document:
    """The parsed document (pygltflib.GLTF2) with access to what its indices mean. All methods raise FormatError."""

    def __init__(self, path: Path, gltf: Any, blob: bytes | None) -> None:
        self.path = path
        self.gltf = gltf
        self.arrays: dict[int, NDArray] = {}  # decoded accessors, filled by `gltf_accessors.read`
        self.zeros_left = 1 << 28  # bytes that accessors which no buffer backs may still claim
        self.warnings: list[str] = []  # one line each, for `load_rig` to issue
        self._blob = blob
        self._buffers: dict[int, NDArray[np.uint8]] = {}

    def warn(self, place: str, message: str) -> None:
        """Note something that the user should know and that does not stop the load."""
        self.warnings.append(f"{self.path}: {place}: {message}")

    def item(self, kind: str, index: int | None, place: str) -> Any:
        """The `index`-th of the document's `kind` (such as "accessors"); `place` is who asks."""
        items = getattr(self.gltf, kind)
        return items[check_index(index, len(items), kind, place)]

    def view(self, index: int | None, place: str) -> NDArray[np.uint8]:
        """The bytes of a buffer view (glTF 2.0, section 3.6.1.2), [byte_count] u8."""
        view = self.item("bufferViews", index, place)
        where = f"bufferViews[{index}]"
        data = self._buffer(view.buffer, f"{where}.buffer")
        offset, length = view.byteOffset or 0, view.byteLength
        if offset < 0 or length < 0 or offset + length > len(data):
            raise FormatError(
                where, f"bytes {offset} to {offset + length} must lie in buffers[{view.buffer}] of {len(data)} bytes"
            )
        return data[offset : offset + length]

    def uri_bytes(self, uri: str, place: str) -> bytes:
        """What a URI holds or points to. Raises FileNotFoundError for a file that is absent."""
        if gltf_uri.is_data(uri):
            return gltf_uri.decode_data(uri, place)
        return gltf_uri.read_file(gltf_uri.locate(self.path.parent, uri, place), uri, place)

    def _buffer(self, index: int, place: str) -> NDArray[np.uint8]:
        if index not in self._buffers:
            buffer = self.item("buffers", index, place)
            self._buffers[index] = self._read_buffer(index, buffer.uri, buffer.byteLength)
        return self._buffers[index]

    def _read_buffer(self, index: int, uri: str | None, length: int) -> NDArray[np.uint8]:
        place = f"buffers[{index}]"
        if length < 0:
            raise FormatError(f"{place}.byteLength", f"must not be negative (got {length})")
        if uri is None:
            if index != 0 or self._blob is None:
                raise FormatError(place, "has no uri, which only the first buffer of a .glb may leave out")
            data = self._blob
        elif gltf_uri.is_data(uri):
            data = gltf_uri.decode_data(uri, f"{place}.uri")
        else:
            data = self._external(uri, f"{place}.uri", length)
        if len(data) < length:
            raise FormatError(place, f"needs {length} bytes (got {len(data)})")
        return np.frombuffer(data, np.uint8, length)

    def _external(self, uri: str, place: str, length: int) -> bytes:
        try:
            return gltf_uri.read_file(gltf_uri.locate(self.path.parent, uri, place), uri, place, length)
        except FileNotFoundError:
            raise FormatError(place, f"{uri!r} does not exist beside the model") from None
