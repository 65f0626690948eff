"""Vector operations of kernels: one operation computes eight numbers.

numba switches off LLVM's vectoriser for straight-line code. Therefore, kernels call vector operations explicitly. A
**lane** is one of the eight numbers in a register. A formula with lanes looks like the formula for one number.
Operators, `abs`, `np.sqrt` and `np.floor` work on lanes, and on lanes with a single float32. A **mask** and `select`
replace a branch.

| kind | operations |
| --- | --- |
| memory | `pointer`, `reinterpret`, `view_lanes`, `borrow`, `keep_alive` |
| consecutive numbers | `load`, `load4`, `load1`, `load_each`, `store`, `store_nontemporal`, `fence`, `prefetch` |
| row numbers | `rows_at`, `rows_from`, `pad_rows`; `+` and `*` with integers and with other row numbers |
| numbers of rows | `gather`, `gather_each`, `scatter` |
| arithmetic | `fma`, `minimum`, `maximum`, `clamp`, `power_of_two`, `reduce_minimum` |
| choices | `<` to `==`, `&`, `|`, `^`, `~`; `select`, `not_nan`, `any_true`, `compress_indices` |
| conversions | `broadcast`, `broadcast_like`, `widen`, `narrow`, `to_integers`, `combine`, `split` |

Arrays are C-contiguous float32 arrays of any shape. An index applies to the flat array. The operations do not test for
negative indices. Each operation rounds as IEEE 754 defines. Therefore, a kernel computes the same bits for eight actors
and for one actor, on every CPU. Only `fma` rounds once for two operations.

`select`, `minimum`, `maximum` and `clamp` also work on single numbers, so that one formula works for one actor and for
eight actors. Kernels that are not compiled call numpy functions with the same names (`plain`). `docs/concepts/simd.md`
explains this package with an example kernel.
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

__all__ = (
    "any_true",
    "borrow",
    "broadcast",
    "broadcast_like",
    "clamp",
    "combine",
    "compress_indices",
    "fence",
    "fma",
    "gather",
    "gather_each",
    "keep_alive",
    "load",
    "load1",
    "load4",
    "load_each",
    "maximum",
    "minimum",
    "narrow",
    "not_nan",
    "pad_rows",
    "pointer",
    "power_of_two",
    "prefetch",
    "reduce_minimum",
    "reinterpret",
    "rows_at",
    "rows_from",
    "scatter",
    "select",
    "split",
    "store",
    "store_nontemporal",
    "to_integers",
    "view_lanes",
    "widen",
)

if config.DISABLE_JIT:
    from ecs_anim.simd.plain import *  # noqa: F403
