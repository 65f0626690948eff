"""Palettes with 16 bits per number: they need half the memory and have a bounded error.

For each position in a palette entry, `low` is the smallest number in the crowd's palettes, and `span` is the largest
number minus `low`. A number t in 0 .. 65535 represents low + t / 65535 * span. The steps are even, so the error of each
number is at most `span / 131070`. A number that is equal in all entries is exact.

Half floats (five bits of exponent, eleven bits of significand) were rejected, because their errors are sixteen times as
large for rotations and translations near 1. OpenGL reads both formats from texture buffers.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Bits = Literal[32, 16]  # bits of a palette's number in the upload to the GPU
STEPS = 65535  # number of steps from low to low + span

Shares = NDArray[np.uint16]
Lanes = NDArray[np.float32]  # [row_count, 4], numbers of an entry
