"""OpenEXR files with one channel of 32-bit floats, for depths.

A file consists of a header, a table with the offset of each block, and blocks of sixteen rows. Blocks are compressed as
ZIP: the bytes are separated into two halves, replaced by their differences, and deflated. Source: "OpenEXR File
Layout", https://openexr.com/en/latest/OpenEXRFileLayout.html.
"""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

ROWS = 16  # in a block
ZIP, FLOAT, LEVEL = 3, 2, 4  # number of the compression, number of the pixel type, and level of zlib
MAGIC = struct.pack("<ii", 20000630, 2)


def exr_bytes(image: NDArray[np.float32], channel: str = "Z") -> bytes:
    """Return the bytes of an OpenEXR file with the numbers [height, width] f32 as one channel."""
    blocks = [_block(image, row) for row in range(0, len(image), ROWS)]
    header = _header(image.shape, channel)
    begin = len(header) + 8 * len(blocks)
    offsets = begin + np.cumsum([0, *map(len, blocks)])[:-1]
    return header + offsets.astype("<u8").tobytes() + b"".join(blocks)


def _header(shape: tuple[int, ...], channel: str) -> bytes:
    height, width = shape
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes = (
        ("channels", "chlist", channel.encode() + b"\0" + struct.pack("<iiii", FLOAT, 0, 1, 1) + b"\0"),
        ("compression", "compression", bytes([ZIP])),
        ("dataWindow", "box2i", window),
        ("displayWindow", "box2i", window),
        ("lineOrder", "lineOrder", b"\0"),
        ("pixelAspectRatio", "float", struct.pack("<f", 1)),
        ("screenWindowCenter", "v2f", struct.pack("<ff", 0, 0)),
        ("screenWindowWidth", "float", struct.pack("<f", 1)),
    )
    told = (f"{name}\0{kind}\0".encode() + struct.pack("<i", len(value)) + value for name, kind, value in attributes)
    return MAGIC + b"".join(told) + b"\0"


def _block(image: NDArray[np.float32], row: int) -> bytes:
    """Return the block that begins with a row."""
    plain = np.frombuffer(image[row : row + ROWS].astype("<f4").tobytes(), np.uint8)
    apart = np.concatenate([plain[::2], plain[1::2]])
    changes = np.diff(apart, prepend=apart[:1]) + np.uint8(128)
    changes[0] = apart[0]
    packed = zlib.compress(changes.tobytes(), LEVEL)
    data = packed if len(packed) < len(plain) else plain.tobytes()
    return struct.pack("<ii", row, len(data)) + data
