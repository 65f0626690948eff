"""Arithmetic, comparisons and choices for lanes, masks and rows. Each operator has two declarations for numba:
`type_callable` declares the type of the result, and `lower_builtin` declares the code.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, type_callable

from ecs_anim.simd.registers import (
    INT32,
    INT64,
    ROWS,
    Lanes,
    Mask,
    Rows,
    called,
    common_lanes,
    define,
    in_lanes,
    joined,
    parted,
    shuffled,
    splat,
)


def _unary(function, kind, emit):
    """Declare a function with one argument of type `kind`."""

    def typer(value):
        return value if isinstance(value, kind) else None

    @define(function, typer, kind)
    def generate(context, builder, sig, arguments):
        return emit(builder, *arguments)


def _binary(function, emit, returned=lambda lanes: lanes):
    """Declare an operator for two vectors of lanes, and for a vector of lanes with a single number."""

    def typer(a, b):
        lanes = common_lanes((a, b))
        return returned(lanes)(a, b) if lanes else None

    def generate(context, builder, sig, arguments):
        return emit(builder, *in_lanes(builder, sig.args, arguments, common_lanes(sig.args)))

    type_callable(function)(lambda context: typer)
    for kinds in ((Lanes, Lanes), (Lanes, types.Float), (types.Float, Lanes)):
        lower_builtin(function, *kinds)(generate)


for own, name in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"), (operator.truediv, "fdiv")):
    _binary(own, lambda builder, a, b, name=name: getattr(builder, name)(a, b))

for own, word in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
):
    _binary(own, lambda builder, a, b, word=word: builder.fcmp_ordered(word, a, b), lambda lanes: Mask(lanes.count))

_unary(operator.neg, Lanes, lambda builder, value: builder.fneg(value))
_unary(abs, Lanes, lambda builder, value: called(builder, "fabs", value))
_unary(np.sqrt, Lanes, lambda builder, value: called(builder, "sqrt", value))
_unary(np.floor, Lanes, lambda builder, value: called(builder, "floor", value))
_unary(operator.invert, Mask, lambda builder, mask: builder.not_(mask))


def _of_masks(function, name):
    """Declare an operator that combines two masks."""

    def typer(a, b):
        return a if isinstance(a, Mask) and a == b else None

    @define(function, typer, Mask, Mask)
    def generate(context, builder, sig, arguments):
        return getattr(builder, name)(*arguments)


_of_masks(operator.and_, "and_")
_of_masks(operator.or_, "or_")
_of_masks(operator.xor, "xor")


def _of_rows(function, name):
    """Declare an operator for two values of the type rows, and for rows with one integer."""

    def typer(rows, other):
        return ROWS if rows == ROWS and isinstance(other, (Rows, types.Integer)) else None

    def generate(context, builder, sig, arguments):
        first, second = arguments
        if sig.args[1] == ROWS:
            others = parted(builder, second)
        else:
            others = [context.cast(builder, second, sig.args[1], types.int64)] * 8
        pairs = zip(parted(builder, first), others, strict=True)
        return joined(builder, [getattr(builder, name)(*pair) for pair in pairs])

    define(function, typer, Rows, types.Integer)(generate)
    lower_builtin(function, Rows, Rows)(generate)


_of_rows(operator.add, "add")
_of_rows(operator.mul, "mul")


def _lane_typer(values, lane):
    if isinstance(lane, types.Integer) and isinstance(values, (Rows, Mask)):
        return types.int64 if values == ROWS else types.boolean
    return None


@define(operator.getitem, _lane_typer, Rows, types.Integer)
def _row(context, builder, sig, arguments):
    memory = builder.alloca(arguments[0].type)
    builder.store(arguments[0], memory)
    number = context.cast(builder, arguments[1], sig.args[1], types.int64)
    return builder.load(builder.gep(memory, [INT64(0), number], inbounds=True))


@lower_builtin(operator.getitem, Mask, types.Integer)
def _truth(context, builder, sig, arguments):
    return builder.extract_element(*arguments)


@intrinsic
def fma(typing, a, b, c):
    """Return a b + c for lanes or for a single float32, rounded once if the CPU has FMA instructions, and otherwise
    twice. Only here, LLVM fuses multiplications and additions, because its own choice would depend on the CPU.
    """
    lanes = common_lanes((a, b, c))

    def generate(context, builder, sig, arguments):
        return called(builder, "fmuladd", *in_lanes(builder, sig.args, arguments, lanes))

    return lanes(a, b, c), generate


def _extreme(word):
    """Return the intrinsic of a minimum or a maximum: the result is b if `b word a` is true, and otherwise a."""

    @intrinsic
    def extreme(typing, a, b):
        lanes = common_lanes((a, b))

        def generate(context, builder, sig, arguments):
            first, second = in_lanes(builder, sig.args, arguments, lanes) if lanes else arguments
            return builder.select(builder.fcmp_ordered(word, second, first), second, first)

        return (lanes or a)(a, b), generate

    return extreme


minimum, maximum = _extreme("<"), _extreme(">")


@intrinsic
def clamp(typing, value, limit):
    """Return `value`, limited to the range from -limit to limit."""
    lanes = common_lanes((value, limit))

    def generate(context, builder, sig, arguments):
        own, high = in_lanes(builder, sig.args, arguments, lanes) if lanes else arguments
        low = builder.fneg(high)
        own = builder.select(builder.fcmp_ordered(">", low, own), low, own)
        return builder.select(builder.fcmp_ordered("<", high, own), high, own)

    return (lanes or value)(value, limit), generate


@intrinsic
def select(typing, mask, a, b):
    """Return `a` in lanes where the mask is true, and `b` in all other lanes."""
    lanes = common_lanes((a, b)) or (Lanes(mask.count) if isinstance(mask, Mask) else None)

    def generate(context, builder, sig, arguments):
        values = in_lanes(builder, sig.args[1:], arguments[1:], lanes) if lanes else arguments[1:]
        return builder.select(arguments[0], *values)

    return (lanes or a)(mask, a, b), generate


@intrinsic
def not_nan(typing, value):
    """Return a mask of the lanes that are not NaN. For a single number, return a boolean."""
    kind = Mask(value.count) if isinstance(value, Lanes) else types.boolean

    def generate(context, builder, sig, arguments):
        return builder.fcmp_ordered("ord", arguments[0], arguments[0])

    return kind(value), generate


@intrinsic
def any_true(typing, mask):
    """Return whether at least one lane of the mask is true."""

    def generate(context, builder, sig, arguments):
        if not isinstance(mask, Mask):
            return arguments[0]
        bits = builder.bitcast(arguments[0], ir.IntType(mask.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return types.boolean(mask), generate


@intrinsic
def reduce_minimum(typing, lanes):
    """Return the smallest of eight lanes."""

    def generate(context, builder, sig, arguments):
        value = arguments[0]
        for count in (4, 2, 1):
            low, high = (shuffled(builder, value, value, range(first, first + count)) for first in (0, count))
            value = builder.select(builder.fcmp_ordered("<", high, low), high, low)
        return builder.extract_element(value, INT32(0))

    return types.float32(lanes), generate


@intrinsic
def power_of_two(typing, exponent):
    """Return 2 to the power of integers from -126 to 127. The integers are stored as floats."""

    def generate(context, builder, sig, arguments):
        kind = arguments[0].type
        whole = ir.VectorType(INT32, kind.count) if isinstance(exponent, Lanes) else INT32
        number = (lambda value: whole([value] * kind.count)) if isinstance(exponent, Lanes) else whole
        biased = builder.add(builder.fptosi(arguments[0], whole), number(127))
        return builder.bitcast(builder.shl(biased, number(23)), kind)

    return exponent(exponent), generate


@intrinsic
def broadcast(typing, number):
    """Return eight lanes with the same float32."""
    return Lanes(8)(types.float32), lambda context, builder, sig, arguments: splat(builder, arguments[0], 8)


@intrinsic
def broadcast_like(typing, number, like):
    """Return a float32 in as many lanes as `like` has. If `like` is a single number, return the float32."""

    def generate(context, builder, sig, arguments):
        return splat(builder, arguments[0], like.count) if isinstance(like, Lanes) else arguments[0]

    return like(types.float32, like), generate


@intrinsic
def widen(typing, lanes):
    """Convert float32 lanes to float64 lanes, or a single float32 to float64."""
    wide = Lanes(lanes.count, types.float64) if isinstance(lanes, Lanes) else types.float64

    def generate(context, builder, sig, arguments):
        return builder.fpext(arguments[0], context.get_value_type(wide))

    return wide(lanes), generate


@intrinsic
def narrow(typing, lanes):
    """Round float64 lanes, or a single float64, to float32."""
    short = Lanes(lanes.count) if isinstance(lanes, Lanes) else types.float32

    def generate(context, builder, sig, arguments):
        return builder.fptrunc(arguments[0], context.get_value_type(short))

    return short(lanes), generate


@intrinsic
def to_integers(typing, values):
    """Truncate eight lanes in the range of int32 to rows, or a single float to an int64."""

    def generate(context, builder, sig, arguments):
        if not isinstance(values, Lanes):
            return builder.fptosi(arguments[0], INT64)
        numbers = builder.fptosi(arguments[0], ir.VectorType(INT32, 8))
        return joined(builder, [builder.sext(builder.extract_element(numbers, INT32(i)), INT64) for i in range(8)])

    return (ROWS if isinstance(values, Lanes) else types.int64)(values), generate
