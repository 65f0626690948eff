"""Optical flow in files: Middlebury's `.flo`, which most tools of the field read.

A tag that is 202021.25 as a float, width and height as 32-bit whole numbers, then for each pixel, row by row from the
top, how far to the right and how far down, as 32-bit floats; all little-endian. Unknown values are larger than 1e9.
S. Baker and others, "A Database and Evaluation Methodology for Optical Flow" (2011).
"""

import struct

import numpy as np
from numpy.typing import NDArray

TAG = b"PIEH"  # 202021.25
UNKNOWN = np.float32(1e10)


def flo_bytes(flow: NDArray[np.float32]) -> bytes:
    """A file of flow [height, width, 2] in pixels; NaN is unknown."""
    height, width = flow.shape[:2]
    known = np.isfinite(flow).all(axis=-1, keepdims=True)
    return TAG + struct.pack("<ii", width, height) + np.where(known, flow, UNKNOWN).astype("<f4").tobytes()
