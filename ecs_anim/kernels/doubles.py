"""Lanes that are of double precision for a while, and the whole numbers in them.

Places may be far from the world's origin, and phases go on for hours: differences are taken in double precision, and
rounded then.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from ecs_anim.kernels.lanes import Lanes, data_of
from ecs_anim.kernels.masks import Mask

EIGHT = Lanes(8)
DOUBLES, WHOLE = ir.VectorType(ir.DoubleType(), 8), ir.VectorType(ir.IntType(32), 8)
FIRSTS, SECONDS = range(0, 16, 2), range(1, 16, 2)  # of eight pairs


def splat(builder, value, kind):
    """One number in all of eight lanes."""
    first = builder.insert_element(kind(ir.Undefined), value, ir.IntType(32)(0))
    return builder.shuffle_vector(first, kind(ir.Undefined), WHOLE(None))


def _starts(builder, numbers):
    """Eight whole numbers as a tuple."""
    single = [builder.extract_element(numbers, ir.IntType(32)(lane)) for lane in range(8)]
    return cgutils.pack_array(builder, [builder.sext(number, ir.IntType(64)) for number in single])


def _reads_as(kind):
    """The intrinsic that takes memory of floats from an index on for numbers of another type."""

    @intrinsic
    def memory(typing, array, at):
        def generate(context, builder, sig, arguments):
            start = builder.gep(data_of(context, builder, sig.args[0], arguments[0]), [arguments[1]], inbounds=True)
            return builder.bitcast(start, context.get_value_type(sig.return_type))

        return signature(types.CPointer(kind), array, types.intp), generate

    return memory


doubles_at, wholes_at = _reads_as(types.float64), _reads_as(types.int32)


@intrinsic
def sum_with(typing, lanes, number):
    """Lanes and a number of double precision, added in that."""

    def generate(context, builder, sig, arguments):
        total = builder.fadd(builder.fpext(arguments[0], DOUBLES), splat(builder, arguments[1], DOUBLES))
        return builder.fptrunc(total, arguments[0].type)

    return signature(EIGHT, lanes, types.float64), generate


@intrinsic
def cycles_before(typing, phase, rate, seconds):
    """Phases less `rate` cycles a second for so many seconds: whole cycles, and what is left of another."""

    def generate(context, builder, sig, arguments):
        now, speed = (builder.fpext(value, DOUBLES) for value in arguments[:2])
        gone = builder.fmul(speed, splat(builder, arguments[2], DOUBLES))
        before = builder.fsub(now, gone)
        kind = ir.FunctionType(DOUBLES, [DOUBLES])
        floor = cgutils.get_or_insert_function(builder.module, kind, "llvm.floor.v8f64")
        whole = builder.call(floor, [before])
        parts = [builder.fptrunc(part, arguments[0].type) for part in (whole, builder.fsub(before, whole))]
        return context.make_tuple(builder, sig.return_type, parts)

    return signature(types.UniTuple(EIGHT, 2), phase, rate, types.float64), generate


@intrinsic
def quotient_with(typing, lanes, number):
    """Lanes by a number of double precision."""

    def generate(context, builder, sig, arguments):
        value = builder.fdiv(builder.fpext(arguments[0], DOUBLES), splat(builder, arguments[1], DOUBLES))
        return builder.fptrunc(value, arguments[0].type)

    return signature(EIGHT, lanes, types.float64), generate


@intrinsic
def wholes(typing, lanes):
    """The whole numbers in lanes, as eight starts; of a single float one start."""
    is_one = not isinstance(lanes, Lanes)

    def generate(context, builder, sig, arguments):
        if is_one:
            return builder.fptosi(arguments[0], ir.IntType(64))
        return _starts(builder, builder.fptosi(arguments[0], WHOLE))

    return signature(types.int64 if is_one else types.UniTuple(types.int64, 8), lanes), generate


@intrinsic
def cell_along(typing, lanes, origin, per_unit, count):
    """Which of `count` cells in a row eight places are in, how far into it, 0 to 1, and whether in one at all.

    Who is in none is said to be in the first one.
    """

    def generate(context, builder, sig, arguments):
        places, begin, share, cells = arguments
        least, most = DOUBLES(None), splat(builder, builder.sitofp(cells, ir.DoubleType()), DOUBLES)
        at = builder.fsub(builder.fpext(places, DOUBLES), splat(builder, begin, DOUBLES))
        at = builder.fmul(at, splat(builder, share, DOUBLES))
        inside = builder.and_(builder.fcmp_ordered(">=", at, least), builder.fcmp_ordered("<=", at, most))
        at = builder.select(inside, at, least)
        last = splat(builder, builder.trunc(builder.sub(cells, cells.type(1)), ir.IntType(32)), WHOLE)
        cell = builder.fptosi(at, WHOLE)
        cell = builder.select(builder.icmp_signed("<", cell, last), cell, last)
        rest = builder.fptrunc(builder.fsub(at, builder.sitofp(cell, DOUBLES)), places.type)
        return context.make_tuple(builder, sig.return_type, [_starts(builder, cell), rest, inside])

    kind = types.Tuple((types.UniTuple(types.int64, 8), EIGHT, Mask(8)))
    return signature(kind, lanes, types.float64, types.float64, types.int64), generate


@intrinsic
def gathered_pairs(typing, array, starts, at):
    """The numbers at `at` after each of eight starts in an array, counted flat, and those behind them."""

    def generate(context, builder, sig, arguments):
        array_, starts_, behind = arguments
        data, pair = data_of(context, builder, sig.args[0], array_), ir.VectorType(ir.FloatType(), 2)
        read = []
        for start in cgutils.unpack_tuple(builder, starts_, 8):
            own = builder.gep(data, [builder.add(start, behind)], inbounds=True)
            read.append(builder.load(builder.bitcast(own, pair.as_pointer()), align=4))
        while len(read) > 1:
            both = ir.VectorType(ir.IntType(32), 2 * read[0].type.count)
            mask = both([*range(both.count)])
            read = [builder.shuffle_vector(a, b, mask) for a, b in zip(read[::2], read[1::2], strict=True)]
        parts = [builder.shuffle_vector(read[0], read[0], WHOLE([*lanes])) for lanes in (FIRSTS, SECONDS)]
        return context.make_tuple(builder, sig.return_type, parts)

    return signature(types.UniTuple(EIGHT, 2), array, starts, types.intp), generate


@intrinsic
def scattered_pairs(typing, array, starts, at, first, second):
    """Write numbers to where `gathered_pairs` reads them."""

    def generate(context, builder, sig, arguments):
        data, pair = data_of(context, builder, sig.args[0], arguments[0]), ir.VectorType(ir.FloatType(), 2)
        mixed = ir.VectorType(ir.IntType(32), 16)([lane + 8 * half for lane in range(8) for half in range(2)])
        both = builder.shuffle_vector(*arguments[3:], mixed)
        for number, start in enumerate(cgutils.unpack_tuple(builder, arguments[1], 8)):
            own = builder.gep(data, [builder.add(start, arguments[2])], inbounds=True)
            lanes = ir.VectorType(ir.IntType(32), 2)([2 * number, 2 * number + 1])
            two = builder.shuffle_vector(both, both, lanes)
            builder.store(two, builder.bitcast(own, pair.as_pointer()), align=4)
        return context.get_dummy_value()

    return signature(types.void, array, starts, types.intp, first, second), generate


def _plain_cell_along(lanes, origin, per_unit, count):
    at = (lanes.astype(np.float64) - origin) * per_unit
    inside = (at >= 0) & (at <= count)
    at = np.where(inside, at, 0)
    cell = np.minimum(at.astype(np.int64), count - 1)
    return tuple(cell), (at - cell).astype(np.float32), inside


def _plain_cycles(phase, rate, seconds):
    before = phase.astype(np.float64) - rate.astype(np.float64) * seconds
    whole = np.floor(before)
    return whole.astype(np.float32), (before - whole).astype(np.float32)


def _plain_pairs(array, starts, at):
    every, first = array.reshape(-1), np.add(starts, at)
    return every[first], every[first + 1]


def _plain_put_pairs(array, starts, at, first, second):
    every, place = array.reshape(-1), np.add(starts, at)
    every[place], every[place + 1] = first, second


if config.DISABLE_JIT:
    doubles_at = lambda array, at: array[at : at + (len(array) - at) // 2 * 2].view(np.float64)  # noqa: E731
    wholes_at = lambda array, at: array[at:].view(np.int32)  # noqa: E731
    sum_with = lambda lanes, number: (lanes.astype(np.float64) + number).astype(np.float32)  # noqa: E731
    quotient_with = lambda lanes, number: (lanes.astype(np.float64) / number).astype(np.float32)  # noqa: E731
    wholes = lambda lanes: tuple(lanes.astype(np.int64)) if np.ndim(lanes) else np.int64(lanes)  # noqa: E731
    cycles_before = _plain_cycles
    cell_along, gathered_pairs, scattered_pairs = _plain_cell_along, _plain_pairs, _plain_put_pairs
