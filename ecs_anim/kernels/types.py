"""Array types of the kernels' explicit signatures: C-contiguous; inputs may be read-only arrays.

An array of another dtype or with strides is an error, not a silent recompilation.
"""

from numba import types

BOOLS = types.Array(types.boolean, 1, "C", readonly=True)
INTS = types.Array(types.int32, 1, "C", readonly=True)
FLOATS = types.Array(types.float32, 1, "C", readonly=True)
FLOATS_2D = types.Array(types.float32, 2, "C", readonly=True)
FLOATS_3D = types.Array(types.float32, 3, "C", readonly=True)
OUT = types.Array(types.float32, 1, "C")
OUT_2D = types.Array(types.float32, 2, "C")
OUT_3D = types.Array(types.float32, 3, "C")
COUNT = types.int64
REAL = types.float64
void = types.void
