"""Sixteen actors at a time: two eights side by side, where chains of roots and quotients would have a CPU wait.

Formulas are those of eight actors, and give the same bits: lanes are twice as many, and each root serves all of them.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from ecs_anim.kernels import inlined
from ecs_anim.kernels.eights import turned_rows
from ecs_anim.kernels.frames import frame_origin, read_frame
from ecs_anim.kernels.lanes import Lanes, eight, put
from ecs_anim.kernels.traversal import FRAME
from ecs_anim.kernels.vectors import subtract, turned

EIGHT, SIXTEEN = Lanes(8), Lanes(16)


def _half(numbers):
    """A mask of LLVM's shuffles."""
    return ir.VectorType(ir.IntType(32), len(numbers))([*numbers])


def _mapped(kind, of_lanes):
    """A type whose lanes are others: of lanes, of tuples of them, of tuples of these."""
    if not isinstance(kind, types.BaseTuple):
        return of_lanes if isinstance(kind, Lanes) else kind
    return types.BaseTuple.from_types(
        [_mapped(part, of_lanes) for part in kind], getattr(kind, "instance_class", tuple)
    )


def _joined(context, builder, kind, first, second):
    if isinstance(kind, types.BaseTuple):
        pairs = zip(kind, *(cgutils.unpack_tuple(builder, value, len(kind)) for value in (first, second)), strict=True)
        return context.make_tuple(
            builder, _mapped(kind, SIXTEEN), [_joined(context, builder, *parts) for parts in pairs]
        )
    return builder.shuffle_vector(first, second, _half(range(16))) if isinstance(kind, Lanes) else first


def _parted(context, builder, kind, value, numbers):
    if isinstance(kind, types.BaseTuple):
        pairs = zip(kind, cgutils.unpack_tuple(builder, value, len(kind)), strict=True)
        parts = [_parted(context, builder, *pair, numbers) for pair in pairs]
        return context.make_tuple(builder, _mapped(kind, EIGHT), parts)
    return builder.shuffle_vector(value, value, _half(numbers)) if isinstance(kind, Lanes) else value


@intrinsic
def both(typing, first, second):
    """Lanes of eight actors and those of eight others, also in tuples; what is no lanes is as the first one has it."""

    def generate(context, builder, sig, arguments):
        return _joined(context, builder, sig.args[0], *arguments)

    return signature_of(first, second, SIXTEEN), generate


@intrinsic
def halves(typing, value):
    """What `both` made one, apart again."""

    def generate(context, builder, sig, arguments):
        kind, (own,) = sig.args[0], arguments
        parts = [_parted(context, builder, kind, own, numbers) for numbers in (range(8), range(8, 16))]
        return context.make_tuple(builder, sig.return_type, parts)

    return types.UniTuple(_mapped(value, EIGHT), 2)(value), generate


def signature_of(first, second, of_lanes):
    return _mapped(first, of_lanes)(first, second)


@inlined
def read_frames(pair, joint):
    """A joint's matrix, as `read_frame` has it, of two eights of frames."""
    return both(read_frame(pair[0], joint), read_frame(pair[1], joint))


@inlined
def origin_in_frames(pair, starts, joint):
    """Where a joint is."""
    return both(frame_origin(pair[0], starts, joint), frame_origin(pair[1], starts, joint))


@inlined
def matrix_in_frames(pair, starts, joint):
    return read_frames(pair, joint)


@inlined
def _put_rows(pair, at, row, further):
    u, v, w, p = halves(row[0]), halves(row[1]), halves(row[2]), halves(row[3] + further)
    for number in range(2):
        put(pair[number], at, u[number])
        put(pair[number], at + 8, v[number])
        put(pair[number], at + 16, w[number])
        put(pair[number], at + 24, p[number])


@inlined
def move_both(pair, starts, joints, first, last, rotation, pivot, goal):
    """Turn joints about a point, and carry that point to `goal`."""
    further = subtract(goal, turned(rotation, pivot))
    for i in range(first, last):
        joint = joints[np.uint64(i)]
        at, (x, y, z) = FRAME * joint, read_frames(pair, joint)
        _put_rows(pair, at, turned_rows(rotation[0], rotation[1], rotation[2], x, y, z), further[0])
        _put_rows(pair, at + 32, turned_rows(rotation[3], rotation[4], rotation[5], x, y, z), further[1])
        _put_rows(pair, at + 64, turned_rows(rotation[6], rotation[7], rotation[8], x, y, z), further[2])


@inlined
def raise_both(pair, starts, joints, count, by):
    """Move so many joints upwards."""
    first, second = halves(by)
    for i in range(count):
        at = FRAME * joints[np.uint64(i)] + 56
        ups = eight(pair[0], at) + first, eight(pair[1], at) + second
        put(pair[0], at, ups[0])
        put(pair[1], at, ups[1])


def _plain_both(first, second):
    if not isinstance(first, tuple):
        return np.concatenate([first, second]) if isinstance(first, np.ndarray) else first
    parts = [_plain_both(*parts) for parts in zip(first, second, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)


def _plain_half(value, lanes):
    if not isinstance(value, tuple):
        return value[lanes] if isinstance(value, np.ndarray) else value
    parts = [_plain_half(part, lanes) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


if config.DISABLE_JIT:
    both = _plain_both
    halves = lambda value: (_plain_half(value, slice(0, 8)), _plain_half(value, slice(8, 16)))  # noqa: E731
