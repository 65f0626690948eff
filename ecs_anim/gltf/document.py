"""The class `Document`: the parsed JSON and the bytes of a glTF file during loading."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf import uri as gltf_uri
from ecs_anim.gltf.format import FormatError, check_index, invalid
from ecs_anim.gltf.meshopt_views import CompressedView, compressed_view
from ecs_anim.support.budgets import Spending
from ecs_anim.support.files import Kind, MissingFile
from ecs_anim.support.frozen import freeze
from ecs_anim.support.images import PICTURE

BUFFER = Kind("buffer", "model_bytes")


class Document:
    """A glTF document (`pygltflib.GLTF2`) with methods that read data by index or by URI.

    The document stores buffers, decompressed buffer views and decoded accessors for later calls.

    All methods raise FormatError for invalid data.
    """

    def __init__(self, path: Path, gltf: Any, blob: memoryview | None) -> None:
        self.path = path
        self.gltf = gltf
        self.arrays: dict[int, NDArray[Any]] = {}  # decoded accessors, filled by `gltf_accessors.read`
        self.filled: dict[int, int] = {}  # buffer view of each accessor that a compressed primitive filled
        self.zeros_left = 1 << 28  # number of bytes that further accessors without a buffer view can use
        self._buffer_bytes = Spending(BUFFER.budget, "share them")  # limit for the bytes of all buffers that were read
        self._told: dict[str, list[str]] = {}  # warnings, and their locations
        self._blob = blob
        self._buffers: dict[int, NDArray[np.uint8]] = {}
        self._decoded: dict[int, NDArray[np.uint8]] = {}  # compressed buffer views

    def warn(self, where: str, message: str) -> None:
        """Add a warning with the text `message`. Loading continues. Warnings with equal texts become one line."""
        self._told.setdefault(message, []).append(where)

    @property
    def warnings(self) -> list[str]:
        """Return all warnings that were added. Each warning is one line. `load_rig` issues the warnings."""
        more = {message: f" and {len(found) - 1} more" if found[1:] else "" for message, found in self._told.items()}
        return [f"{self.path}: {found[0]}{more[message]}: {message}" for message, found in self._told.items()]

    def item(self, kind: str, index: int | None, where: str) -> Any:
        """Return the item `index` of the list `kind`, for example of the list "accessors".

        `where` is the place in the file that refers to the item. Error messages name this place.
        """
        items = getattr(self.gltf, kind)
        return items[check_index(index, len(items), kind, where)]

    def view(self, index: int | None, where: str) -> NDArray[np.uint8]:
        """Return the decompressed bytes of the buffer view `index` (glTF 2.0, section 3.6.1.2), [byte_count] u8."""
        view = self.item("bufferViews", index, where)
        assert index is not None
        where = f"bufferViews[{index}]"
        compressed = compressed_view(view, where)
        if compressed is None:
            return self._part(view.buffer, view.byteOffset or 0, view.byteLength, where)
        if index not in self._decoded:
            self._decoded[index] = self._decompress(compressed, where)
        return self._decoded[index]

    def _decompress(self, compressed: CompressedView, where: str) -> NDArray[np.uint8]:
        data = self._part(compressed.buffer, compressed.offset, compressed.length, compressed.where)
        self._count_buffer(compressed.stride * compressed.count, where)
        return freeze(compressed.decoded(data))

    def _part(self, buffer: int, offset: int, length: int, where: str) -> NDArray[np.uint8]:
        data = self.buffer(buffer, f"{where}.buffer")
        if offset < 0 or length < 0 or offset + length > len(data):
            raise invalid(
                where,
                f"the buffer view needs the bytes {offset} to {offset + length} of buffers[{buffer}], but this buffer"
                f" has only {len(data)} bytes",
            )
        return data[offset : offset + length]

    def picture_bytes(self, uri: str, where: str) -> bytes:
        """Return the bytes of the image at `uri`. The URI can be a data URI.

        Raise MissingFile if the image file is missing.
        """
        if gltf_uri.is_data(uri):
            return gltf_uri.decode_data(uri, where)
        return gltf_uri.read_file(gltf_uri.locate(self.path.parent, uri, where), PICTURE, uri, where)

    def buffer(self, index: int, where: str) -> NDArray[np.uint8]:
        """Return the bytes of the buffer `index`, [byte_count] u8."""
        if index not in self._buffers:
            buffer = self.item("buffers", index, where)
            self._buffers[index] = self._read_buffer(index, buffer.uri, buffer.byteLength)
        return self._buffers[index]

    def _read_buffer(self, index: int, uri: str | None, length: int) -> NDArray[np.uint8]:
        where = f"buffers[{index}]"
        if length < 0:
            raise invalid(f"{where}.byteLength", f"the byte length of a buffer must be 0 or more (got {length})")
        self._count_buffer(length, where)
        if uri is None:
            if index != 0 or self._blob is None:
                raise invalid(where, "the buffer has no uri, but only the first buffer of a .glb file can lack a uri")
            data: bytes | memoryview = self._blob
        elif gltf_uri.is_data(uri):
            data = gltf_uri.decode_data(uri, f"{where}.uri")
        else:
            data = self._external(uri, f"{where}.uri", length)
        if len(data) < length:
            raise invalid(
                where, f"the data of the buffer must have {length} bytes, as byteLength states (got {len(data)} bytes)"
            )
        return np.frombuffer(data, np.uint8, length)

    def _count_buffer(self, length: int, where: str) -> None:
        """Add the `length` bytes of a buffer to the total of the document.

        Raise FormatError if the total is above the limit.
        """
        if limit_message := self._buffer_bytes.excess(length):
            raise FormatError(
                f"{where}.byteLength",
                f"all buffers together are too large (this buffer has {length:,} bytes): {limit_message}",
            )

    def _external(self, uri: str, where: str, length: int) -> bytes:
        try:
            return gltf_uri.read_file(gltf_uri.locate(self.path.parent, uri, where), BUFFER, uri, where, length)
        except MissingFile:
            raise FormatError(
                where, f"the file {uri!r} does not exist. Put this file into the folder of the model."
            ) from None
