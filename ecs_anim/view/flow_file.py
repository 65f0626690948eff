"""Optical flow files in Middlebury's `.flo` format. Most tools for optical flow read the `.flo` format.

A file starts with the number 202021.25 as a 32-bit float. The width and the height of the picture follow as 32-bit
integers. Then, the file has two 32-bit floats for each pixel: the movement to the right and the movement down. The file
stores the pixels row by row from the top. All numbers are little-endian. Numbers above 1e9 mean that the flow is
unknown. Source: Baker and others, "A Database and Evaluation Methodology for Optical Flow" (2011).
"""

import struct

import numpy as np
from numpy.typing import NDArray

TAG = b"PIEH"  # 202021.25
UNKNOWN = np.float32(1e10)


def flo_bytes(flow: NDArray[np.float32]) -> bytes:
    """Return the bytes of a `.flo` file with the optical flow [height, width, 2] in pixels. NaN means unknown flow."""
    height, width = flow.shape[:2]
    known = np.isfinite(flow).all(axis=-1, keepdims=True)
    return TAG + struct.pack("<ii", width, height) + np.where(known, flow, UNKNOWN).astype("<f4").tobytes()
