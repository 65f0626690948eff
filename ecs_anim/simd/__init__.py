"""Eight numbers at once: the vector operations that kernels are written in.

numba switches LLVM's vectoriser of straight-line code off, so kernels state what one instruction does to eight actors.
A **lane** is one of the eight numbers in a register. Formulas look as they do for one number: operators, `abs`,
`np.sqrt` and `np.floor` work on lanes, and on lanes with a single float32. A branch becomes a **mask** and a `select`.

| kind | operations |
| --- | --- |
| memory | `pointer`, `reinterpret`, `view_lanes`, `borrow`, `keep_alive` |
| consecutive numbers | `load`, `load4`, `load1`, `load_each`, `store`, `store_nontemporal`, `fence`, `prefetch` |
| rows | `rows_at`, `rows_from`, `pad_rows`; `+` and `*` with whole numbers and with rows |
| of rows | `gather`, `gather_each`, `scatter` |
| arithmetic | `fma`, `minimum`, `maximum`, `clamp`, `power_of_two`, `reduce_minimum` |
| choices | `<` to `==`, `&`, `|`, `^`, `~`; `select`, `not_nan`, `any_true`, `compress_indices` |
| from one kind to another | `broadcast`, `broadcast_like`, `widen`, `narrow`, `to_integers`, `combine`, `split` |

Arrays are C-contiguous float32 of any shape, counted flat, without a test for negative indices. Each operation rounds
as IEEE 754 says, so a kernel gives the same bits for eight actors as for one, on every CPU; `fma` alone rounds once.
Choices work on single numbers too, so one formula serves both. Uncompiled kernels run the same names in numpy
(`plain`). `docs/concepts/simd.md` teaches the room with one kernel.
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
