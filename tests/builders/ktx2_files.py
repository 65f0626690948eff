"""KTX2 files for tests: two that Basis Universal's encoder wrote, and a writer of pictures of one colour a block."""

import base64
import struct

import numpy as np

IDENTIFIER = b"\xabKTX 20\xbb\r\n\x1a\n"
UASTC, ETC1S = 166, 163

y, x = np.mgrid[:16, :16]
PICTURE = np.stack([x * 16, y * 16, (x // 4 + y // 4) % 2 * 200, 255 - x * 8], axis=-1).astype(np.uint8)
# What Basis Universal's encoder 2.10 made of the picture: UASTC in Zstandard, and ETC1S, each at its best quality.
ENCODED_UASTC = base64.b64decode(
    "q0tUWCAyMLsNChoKAAAAAAEAAAAQAAAAEAAAAAAAAAAAAAAAAQAAAAEAAAACAAAAaAAAACwAAACUAAAAJAAAAAAAAAAAAAAAAAAAAAAAAAC4"
    "AAAAAAAAAKMAAAAAAAAAAAEAAAAAAAAsAAAAAAAAAAIAKACmAQIAAwMAABAAAAAAAAAAAAB/AwAAAAAAAAAA/////x8AAABLVFh3cml0ZXIA"
    "QmFzaXMgVW5pdmVyc2FsIDIuMTAAACi1L/1gAADNBAB0BzCRCECCgQHEEDJUdpi63P4YkShKoYPd1REo2Egg/YIB5BIwkShK5YDd9RNqgqHf"
    "xRAIIKGjA9QRGNhoSv2i3+USIJEIIOWgA/QTSEKC/QLEEGhMof/e1RHZiCL9/gLkEuX83hjl3CjnACjZaEr95txAkggg5eQAESCw4xYDxRRT"
    "KLBqHsQgyxiGE7OYcvLJZin7eD5N1sY="
)
ENCODED_ETC1S = base64.b64decode(
    "q0tUWCAyMLsNChoKAAAAAAEAAAAQAAAAEAAAAAAAAAAAAAAAAQAAAAEAAAABAAAAaAAAADwAAACkAAAAJAAAAMgAAAAAAAAAzQAAAAAAAACV"
    "AQAAAAAAABQAAAAAAAAAAAAAAAAAAAA8AAAAAAAAAAIAOACjAQIAAwMAAAgIAAAAAAAAAAA/AAAAAAAAAAAA/////0AAPw8AAAAAAAAAAP//"
    "//8fAAAAS1RYd3JpdGVyAEJhc2lzIFVuaXZlcnNhbCAyLjEwAAAUAAkASQAAACUAAAA3AAAAAAAAAAAAAAAAAAAADAAAAAwAAAAIAAAAH0DU"
    "AAAAAGEQTU5gRRAgCsAAAIAg7CYe3ezYAUQQEAAAGAJarZw3IABMAAAAAAAAIHi3ZMRC4hGTESNwkockygkqCv+vrW3aAlxbW1sDqlT/B6hU"
    "/weq1P8HoFL9B6BK9QeASvU3MDAwuLi4uAAAwVwAAAAAABBG2Z0/xSKACQEAAAAAEEgPuABxBAUAEAaC+IAhpNBOPEEWEgBMAAAAAAAAIIAA"
    "6gZSPYebFEaTvssZvzGsACVCAgE="
)


def container(width, height, level, *, vulkan=0, model=UASTC, scheme=0, unpacked=None, depth=0, faces=1, levels=1):
    """A KTX2 file of one level (KTX 2.0, section 3)."""
    descriptor = struct.pack("<IIHHBBBB4B8B", 44, 0, 2, 40, model, 1, 2, 0, *(3, 3, 0, 0), *(16, *[0] * 7))
    descriptor += struct.pack("<HBB4xII", 0, 127, 3, 0, 2**32 - 1)  # one sample, RGBA
    start = 80 + 24
    head = struct.pack("<9I", vulkan, 1, width, height, depth, 0, faces, levels, scheme)
    head += struct.pack("<4I2Q", start, len(descriptor), 0, 0, 0, 0)
    unpacked = len(level) if unpacked is None else unpacked
    head += struct.pack("<3Q", start + len(descriptor), len(level), unpacked)
    return IDENTIFIER + head + descriptor + level


def solid_blocks(colors):
    """UASTC blocks of one colour each (mode 8): 10111, then 8 bits a channel; `colors` are [rows, columns, 4] u8."""
    values = colors.reshape(-1, 4).astype(object) @ [1 << 5, 1 << 13, 1 << 21, 1 << 29] + 0b10111
    return b"".join(int(value).to_bytes(16, "little") for value in values)


def zstandard(data):
    """A Zstandard frame of one block that is not compressed (RFC 8878, section 3.1.1)."""
    return struct.pack("<IBI", 0xFD2FB528, 0b1010_0000, len(data)) + (len(data) << 3 | 1).to_bytes(3, "little") + data


def uastc(colors, *, packed=False):
    """A KTX2 file of a picture whose blocks of 4 x 4 pixels have one colour each."""
    level = solid_blocks(colors)
    height, width = 4 * colors.shape[0], 4 * colors.shape[1]
    stored = zstandard(level) if packed else level
    return container(width, height, stored, scheme=2 if packed else 0, unpacked=len(level))
