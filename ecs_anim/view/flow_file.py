"""Optical flow files in Middlebury's `.flo` format, which most tools of the field read.

A file starts with the tag 202021.25 as a float, then width and height as 32-bit integers. Then each pixel has two
32-bit floats: right and down. Pixels follow row by row from the top. All numbers are little-endian. Unknown values are
larger than 1e9.
S. Baker and others, "A Database and Evaluation Methodology for Optical Flow" (2011).
"""

import struct

import numpy as np
from numpy.typing import NDArray

TAG = b"PIEH"  # 202021.25
UNKNOWN = np.float32(1e10)


def flo_bytes(flow: NDArray[np.float32]) -> bytes:
    """Return the bytes of a `.flo` file for optical flow [height, width, 2] in pixels. NaN = unknown flow."""
    height, width = flow.shape[:2]
    known = np.isfinite(flow).all(axis=-1, keepdims=True)
    return TAG + struct.pack("<ii", width, height) + np.where(known, flow, UNKNOWN).astype("<f4").tobytes()
