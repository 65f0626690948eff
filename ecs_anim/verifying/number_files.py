"""Readers of OpenEXR files with one channel, and of KITTI's PNG files with flow."""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

ROWS = 16  # of a block in an OpenEXR file with ZIP compression


def read_exr(data: bytes) -> NDArray[np.float32]:
    """Return the numbers [height, width] of an OpenEXR file: one channel of floats with ZIP compression.

    Raises ValueError for other files.
    """
    at, facts = 8, dict[str, bytes]()
    while data[at]:
        name, kind, _ = data[at:].split(b"\0", 2)
        at += len(name) + len(kind) + 2
        (size,) = struct.unpack_from("<i", data, at)
        facts[name.decode()], at = data[at + 4 : at + 4 + size], at + 4 + size
    if facts["compression"] != b"\3" or len(facts["channels"]) > 20:
        raise ValueError("the OpenEXR file must have one channel and ZIP compression")
    right, bottom = struct.unpack("<8x2i", facts["dataWindow"])
    image = np.zeros((bottom + 1, right + 1), np.float32)
    for offset in np.frombuffer(data, "<u8", -(-len(image) // ROWS), at + 1).tolist():
        row, size = struct.unpack_from("<ii", data, offset)
        part = image[row : row + ROWS]
        part[:] = _unpacked(data[offset + 8 : offset + 8 + size], part.nbytes).view("<f4").reshape(part.shape)
    return image


def _unpacked(packed: bytes, size: int) -> NDArray[np.uint8]:
    """Return the bytes of a block: inflated, summed, and joined from two halves."""
    if len(packed) == size:
        return np.frombuffer(packed, np.uint8)
    changes = np.frombuffer(zlib.decompress(packed), np.uint8).astype(np.int64)
    changes[1:] -= 128
    halves, joined = np.cumsum(changes).astype(np.uint8), np.empty(size, np.uint8)
    joined[::2], joined[1::2] = halves[: (size + 1) // 2], halves[(size + 1) // 2 :]
    return joined


def read_kitti_flow(data: bytes) -> NDArray[np.uint16]:
    """Return the numbers [height, width, 3] of an unfiltered PNG file with three channels of 16 bits.

    Raises ValueError for other files.
    """
    width, height, bits, color = struct.unpack_from(">IIBB", data, 16)
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, -1)
    if (bits, color) != (16, 2) or rows[:, 0].any():
        raise ValueError("the PNG file of flow must have 16 bits, three channels and no filter")
    return np.ascontiguousarray(rows[:, 1:]).view(">u2").reshape(height, width, 3).astype(np.uint16)
