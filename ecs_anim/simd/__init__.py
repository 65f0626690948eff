"""Vector operations of kernels: one operation computes eight numbers, a vector of **lanes**. A formula with lanes looks
like the formula for one number. Operators, `abs`, `np.sqrt` and `np.floor` work on lanes, and on lanes with a single
float32. A **mask** and `select` replace a branch. `docs/concepts/simd.md` explains all operations with an example
kernel. Kernels that are not compiled call numpy functions with the same names (`plain`).
"""

from numba import config

from ecs_anim.simd.arithmetic import (
    any_true,
    broadcast,
    broadcast_like,
    clamp,
    fma,
    maximum,
    minimum,
    narrow,
    not_nan,
    power_of_two,
    reduce_minimum,
    select,
    to_integers,
    widen,
)
from ecs_anim.simd.memory import (
    borrow,
    fence,
    keep_alive,
    load,
    load1,
    load4,
    load_each,
    pointer,
    prefetch,
    reinterpret,
    store,
    store_nontemporal,
    view_lanes,
)
from ecs_anim.simd.rows import (
    combine,
    compress_indices,
    gather,
    gather_each,
    pad_rows,
    rows_at,
    rows_from,
    scatter,
    split,
)

if config.DISABLE_JIT:
    from ecs_anim.simd.plain import *  # noqa: F403
