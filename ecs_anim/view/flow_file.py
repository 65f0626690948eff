"""Optical flow files in two formats that most tools for optical flow read: Middlebury's `.flo`, and KITTI's PNG.

A `.flo` file starts with the number 202021.25 as a 32-bit float. The width and the height of the picture follow as
32-bit integers. Then, the file has two 32-bit floats for each pixel: the movement to the right and the movement down.
The file stores the pixels row by row from the top. All numbers are little-endian. Numbers above 1e9 mean that the flow
is unknown. Source: Baker and others, "A Database and Evaluation Methodology for Optical Flow" (2011).

A PNG file of KITTI has three channels with 16 bits: 64 u + 32768, 64 v + 32768, and 1 for known flow. Source: Menze and
Geiger, "Object Scene Flow for Autonomous Vehicles" (2015), development kit.
"""

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

TAG = b"PIEH"  # 202021.25
UNKNOWN = np.float32(1e10)
PER_PIXEL, ZERO = 64, 1 << 15  # KITTI: steps per pixel, and the number of no motion
LEVEL = 3  # of zlib


def flo_bytes(flow: NDArray[np.float32]) -> bytes:
    """Return the bytes of a `.flo` file with the optical flow [height, width, 2] in pixels. NaN means unknown flow."""
    height, width = flow.shape[:2]
    known = np.isfinite(flow).all(axis=-1, keepdims=True)
    return TAG + struct.pack("<ii", width, height) + np.where(known, flow, UNKNOWN).astype("<f4").tobytes()


def kitti_bytes(flow: NDArray[np.float32]) -> bytes:
    """Return the bytes of a PNG file of KITTI with the optical flow [height, width, 2] in pixels.

    Flow of NaN, and flow outside of the range from -512 to 511.98 pixels, is unknown in the file.
    """
    steps = np.rint(flow.astype(np.float64) * PER_PIXEL) + ZERO
    known = np.all((steps >= 0) & (steps < 2 * ZERO), axis=-1, keepdims=True)
    return _png_of_16_bits(np.where(known, np.concatenate([steps, known], axis=-1), 0).astype(">u2"))


def _png_of_16_bits(colors: NDArray[np.uint16]) -> bytes:
    """Return a PNG file of colours [height, width, 3] with 16 bits, which Pillow cannot write."""
    height, width = colors.shape[:2]
    rows = np.zeros((height, 1 + 6 * width), np.uint8)  # each row begins with the number of its filter
    rows[:, 1:] = colors.view(np.uint8).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), LEVEL)), (b"IEND", b""))
    told = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(told)
