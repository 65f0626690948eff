"""Palettes with 16 bits per number.

Short palettes need half of the memory of float32 palettes, and their error is bounded.

Each of the twelve numbers of a palette entry has two constants for the whole crowd, `low` and `span`. `low` is the
smallest value of this number in all palettes of the crowd. `span` is the largest value minus `low`. An integer t from 0
to 65535 represents the number low + t / 65535 * span. The represented numbers are evenly spaced. Therefore, the error
of each number is at most `span / 131070`. A number that is equal in all palettes has no error.

Half floats have five bits of exponent and eleven bits of significand. The module does not use half floats, because
their errors are sixteen times as large for rotations and translations near 1. OpenGL can read both formats from texture
buffers.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Bits = Literal[32, 16]  # bits of a palette's number on the GPU
STEPS = 65535  # number of intervals between low and low + span

Shares = NDArray[np.uint16]
Lanes = NDArray[np.float32]  # [row_count, 4], numbers of a palette entry
