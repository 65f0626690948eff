"""Decoding of compressed buffer views (extensions EXT_meshopt_compression and KHR_meshopt_compression)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gltf.format import FormatError, brief, invalid, whole
from ecs_anim.meshopt.attributes import decode_attributes
from ecs_anim.meshopt.filters import STRIDES, unfiltered
from ecs_anim.meshopt.indices import decode_sequence, decode_triangles
from ecs_anim.meshopt.stream import StreamError

NAMES = ("KHR_meshopt_compression", "EXT_meshopt_compression")
_ATTRIBUTES, _TRIANGLES, _INDICES = _MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
_WIDEST = 256  # bytes of the largest element
_NUMBERS = {
    "buffer": "buffer",
    "offset": "byteOffset",
    "length": "byteLength",
    "stride": "byteStride",
    "count": "count",
}


@dataclass(frozen=True)
class CompressedView:
    """Position and format of the compressed stream of a buffer view."""

    where: str
    buffer: int
    offset: int
    length: int  # [byte], size of the stream
    stride: int  # [byte], size of an element
    count: int
    mode: str
    filter: str

    def decoded(self, data: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Decompress the stream `data`. Return the bytes [stride x count] u8. Raise FormatError for invalid data."""
        try:
            return self._elements(data.tobytes()).reshape(-1)
        except StreamError as error:
            raise FormatError(self.where, str(error)) from None

    def _elements(self, data: bytes) -> NDArray[np.uint8]:
        if self.mode == _ATTRIBUTES:
            return unfiltered(self.filter, decode_attributes(data, self.count, self.stride))
        indices = (decode_triangles if self.mode == _TRIANGLES else decode_sequence)(data, self.count)
        return indices.astype(f"<u{self.stride}").view(np.uint8)


def compressed_view(view: Any, where: str) -> CompressedView | None:
    """Return the position and the format of the compressed stream of a buffer view.

    For an uncompressed buffer view, return None.
    """
    name = next((name for name in NAMES if name in (view.extensions or {})), None)
    if name is None:
        return None
    raw, where = view.extensions[name], f"{where}.extensions.{name}"
    if not isinstance(raw, dict):
        raise invalid(where, f"the meshopt extension must be a JSON object (got {brief(raw)})")
    numbers = {field: _natural(raw, key, where) for field, key in _NUMBERS.items()}
    mode, filtered = raw.get("mode"), raw.get("filter", "NONE")
    if mode not in _MODES:
        raise invalid(
            f"{where}.mode", f"the mode of a meshopt stream must be one of {', '.join(_MODES)} (got {brief(mode)})"
        )
    if not isinstance(filtered, str) or filtered not in STRIDES:
        raise invalid(
            f"{where}.filter",
            f"the filter of a meshopt stream must be one of {', '.join(STRIDES)} (got {brief(filtered)})",
        )
    found = CompressedView(where, mode=mode, filter=filtered, **numbers)
    _require_layout(found, view)
    return found


def _natural(raw: dict[str, Any], key: str, where: str) -> int:
    value = whole(raw.get(key, 0 if key == "byteOffset" else None))
    if value is None or value < 0:
        raise invalid(
            f"{where}.{key}",
            f"the value of the key `{key}` must be an integer of 0 or more (got {brief(raw.get(key))})",
        )
    return value


def _require_layout(found: CompressedView, view: Any) -> None:
    """Raise FormatError if the compression mode or the filter of the stream does not allow the element size."""
    where, stride = found.where, found.stride
    if found.mode == _ATTRIBUTES:
        if stride % 4 or not 4 <= stride <= _WIDEST:
            raise invalid(
                f"{where}.byteStride",
                f"the stride of vertex attributes must be a multiple of 4 and at most {_WIDEST} bytes (got {stride})",
            )
        if not STRIDES[found.filter](stride):
            raise invalid(
                f"{where}.byteStride", f"the filter {found.filter} does not support a stride of {stride} bytes"
            )
    elif stride not in (2, 4):
        raise invalid(f"{where}.byteStride", f"the stride of indices must be 2 or 4 bytes (got {stride})")
    elif found.filter != "NONE":
        raise invalid(f"{where}.filter", f"the filter of indices must be NONE (got {found.filter})")
    if found.mode == _TRIANGLES and found.count % 3:
        raise invalid(f"{where}.count", f"the number of triangle indices must be a multiple of 3 (got {found.count})")
    if view.byteLength != stride * found.count:
        place, length = where.partition(".")[0], stride * found.count
        raise invalid(f"{place}.byteLength", f"the length must be byteStride x count, {length} (got {view.byteLength})")
