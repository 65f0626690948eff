"""One block of bytes that contains many arrays. With a separate section for each array, the container would
be larger.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 4  # [byte], because in browsers a typed array must begin at a multiple of the size of its numbers
# name of each numpy type in the page
KINDS = {"f4": "f32", "i4": "i32", "u4": "u32", "i2": "i16", "u2": "u16", "u1": "u8"}


class Pool:
    """Collector of arrays and files. Equal arrays share their bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._end = 0
        self._known: dict[bytes, int] = {}

    def array(self, values: NDArray[Any]) -> dict[str, Any]:
        """Add an array. Return the description that the page needs: the number type, the first byte, and the count of
        numbers.
        """
        values = np.ascontiguousarray(values)
        return {"kind": KINDS[values.dtype.str[1:]], "at": self._add(values.tobytes()), "count": values.size}

    def quantised(self, values: NDArray[np.floating]) -> dict[str, Any]:
        """Add an array of real numbers as 16-bit integers. The error is at most 1/65534 of the largest number."""
        unit = float(np.abs(values).max(initial=0)) / 32767 or 1.0
        return self.array(np.rint(values / unit).astype(np.int16)) | {"unit": unit}

    def file(self, data: bytes) -> dict[str, Any]:
        """Add the bytes of a file. Return the description of the bytes."""
        return {"kind": "u8", "at": self._add(data), "count": len(data)}

    def section(self) -> NDArray[np.uint8]:
        """Return all bytes of the pool."""
        return np.frombuffer(b"".join(self._parts), np.uint8)

    def _add(self, data: bytes) -> int:
        if data not in self._known:
            self._known[data] = self._end
            padded = data + bytes(-len(data) % ALIGNMENT)
            self._parts.append(padded)
            self._end += len(padded)
        return self._known[data]
