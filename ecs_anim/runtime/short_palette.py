"""Palettes in 16 bits a number: half the memory, with a bound on what that costs.

A palette's numbers are kept as shares of the way from the least to the greatest that the crowd has at the same index of
an entry: t in 0 .. 65535 stands for low + t / 65535 * span. The steps are even, so the error of each number is at most
`span / 131070`; halves of floats (five bits of exponent, eleven of the number) would be sixteen times as far off for
rotations and translations near 1, and OpenGL reads both formats from texture buffers. A number that all entries
share is exact.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Bits = Literal[32, 16]  # of a palette's number on its way to the GPU
STEPS = 65535  # between low and low + span

Shares = NDArray[np.uint16]
Lanes = NDArray[np.float32]  # [row_count, 4], of an entry
