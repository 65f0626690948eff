"""Gather and scatter: numbers from eight rows of a flat array into lanes, and back. `rows` are the offsets of the rows,
and `at` is the index of a number in its row. A gather reads all its numbers before a scatter writes. If two lanes have
equal offsets, the scatter stores the value of the last of these lanes.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ecs_anim.simd.memory import address
from ecs_anim.simd.registers import EIGHT, INT32, INT64, ROWS, Lanes, Rows, in_lanes, joined, parted, shuffled, splat

FLOAT = ir.FloatType()


@intrinsic
def rows_at(typing, numbers, first):
    """Return eight consecutive integers of an array as rows, beginning at the flat index `first`."""

    def generate(context, builder, sig, arguments):
        read = []
        for lane in range(8):
            at = builder.add(arguments[1], INT64(lane))
            value = builder.load(address(context, builder, sig.args[0], arguments[0], at))
            read.append(context.cast(builder, value, numbers.dtype, types.int64))
        return joined(builder, read)

    return ROWS(numbers, types.intp), generate


@intrinsic
def rows_from(typing, first, count):
    """Return eight consecutive row numbers from `first` onwards. Past the last of `count` rows, repeat the last row."""

    def generate(context, builder, sig, arguments):
        last = builder.sub(arguments[1], INT64(1))
        numbers = [arguments[0], *(builder.add(arguments[0], INT64(lane)) for lane in range(1, 8))]
        beyond = [builder.icmp_signed(">", number, last) for number in numbers]
        limited = [builder.select(is_beyond, last, own) for is_beyond, own in zip(beyond, numbers, strict=True)]
        return joined(builder, [numbers[0], *limited[1:]])

    return ROWS(types.int64, types.int64), generate


@intrinsic
def pad_rows(typing, rows, count):
    """Fill the last group of eight row numbers: copy the last of the first `count` numbers in `rows` seven times.

    The array `rows` has at least `count` + 7 elements.
    """

    def generate(context, builder, sig, arguments):
        array, end = arguments
        with builder.if_then(builder.icmp_signed(">", end, INT64(0))):
            last = builder.load(address(context, builder, sig.args[0], array, builder.sub(end, INT64(1))))
            for number in range(7):
                builder.store(last, address(context, builder, sig.args[0], array, builder.add(end, INT64(number))))
        return context.get_dummy_value()

    return types.void(rows, types.intp), generate


def _addresses(context, builder, kind, array, starts, at):
    """Return the addresses of one number in each of eight rows."""
    return [address(context, builder, kind, array, builder.add(start, at)) for start in parted(builder, starts)]


@intrinsic
def gather(typing, array, rows, at):
    """Return one number of each of eight rows as lanes (integers as float32), or the number of a single row, not
    converted.
    """
    are_eight = isinstance(rows, Rows)

    def generate(context, builder, sig, arguments):
        if are_eight:
            return _gather_one(context, builder, sig, arguments)
        own, start, place = arguments
        return builder.load(address(context, builder, sig.args[0], own, builder.add(start, place)))

    return (EIGHT if are_eight else array.dtype)(array, rows, types.intp), generate


# Lane numbers of shuffles: each shuffle combines two vectors of eight lanes in one step of a transposition.
LOW, HIGH = (0, 8, 1, 9, 4, 12, 5, 13), (2, 10, 3, 11, 6, 14, 7, 15)
LOW_PAIRS, HIGH_PAIRS = (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)
FRONT, BACK = (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)


def _quads(builder, a, b, c, d):
    """Transpose four vectors of eight lanes: lanes i and i + 4 of all vectors become the two halves of vector i."""
    pairs = [(shuffled(builder, a, b, lanes), shuffled(builder, c, d, lanes)) for lanes in (LOW, HIGH)]
    return [shuffled(builder, *pair, lanes) for pair in pairs for lanes in (LOW_PAIRS, HIGH_PAIRS)]


def _transposed(builder, vectors):
    """Transpose eight vectors of eight lanes: lane i of all vectors becomes vector i."""
    fronts, backs = _quads(builder, *vectors[:4]), _quads(builder, *vectors[4:])
    return [
        shuffled(builder, front, back, lanes)
        for lanes in (FRONT, BACK)
        for front, back in zip(fronts, backs, strict=True)
    ]


def _halved(builder, vectors):
    """Transpose four vectors of eight lanes: lane i of all vectors becomes vector i, which has four lanes."""
    quads = _quads(builder, *vectors)
    return [shuffled(builder, quad, quad, half) for half in (range(4), range(4, 8)) for quad in quads]


def _gather_one(context, builder, sig, arguments):
    read = [builder.load(own) for own in _addresses(context, builder, sig.args[0], *arguments)]
    values = ir.VectorType(read[0].type, 8)(ir.Undefined)
    for lane, value in enumerate(read):
        values = builder.insert_element(values, value, INT32(lane))
    is_whole = isinstance(sig.args[0].dtype, types.Integer)
    return builder.sitofp(values, ir.VectorType(FLOAT, 8)) if is_whole else values


def _scatter_one(context, builder, sig, arguments, lanes):
    dtype = sig.args[0].dtype
    if isinstance(dtype, types.Integer):
        lanes = builder.fptosi(lanes, ir.VectorType(context.get_value_type(dtype), 8))
    for lane, own in enumerate(_addresses(context, builder, sig.args[0], *arguments)):
        builder.store(builder.extract_element(lanes, INT32(lane)), own)


def _paired(builder, vectors):
    """Transpose eight vectors of two lanes: lane i of all vectors becomes vector i."""
    while len(vectors) > 1:
        lanes = range(2 * vectors[0].type.count)
        vectors = [shuffled(builder, a, b, lanes) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
    return [shuffled(builder, vectors[0], vectors[0], range(first, 16, 2)) for first in (0, 1)]


def _unpaired(builder, first, second):
    """Transpose two vectors of eight lanes: lane i of both vectors becomes vector i, which has two lanes."""
    pairs = shuffled(builder, first, second, [lane + 8 * half for lane in range(8) for half in range(2)])
    return [shuffled(builder, pairs, pairs, (2 * lane, 2 * lane + 1)) for lane in range(8)]


def _quartered(builder, vectors):
    """Transpose eight vectors of four lanes: lane i of all vectors becomes vector i."""
    return _quads(builder, *(shuffled(builder, vectors[i], vectors[i + 4], range(8)) for i in range(4)))


def _pieces(count):
    """Yield the index and the size of each piece of a row that one instruction can read or write."""
    at = 0
    while at < count:
        size = next(size for size in (8, 4, 2, 1) if at + size <= count)
        yield at, size
        at += size


@intrinsic(prefer_literal=True)
def gather_each(typing, array, rows, at, count):
    """Return `count` vectors: `count` neighbouring numbers of each of eight rows, such as x, y and z of points."""
    if not isinstance(count, types.IntegerLiteral):
        return None
    turned = {8: _transposed, 4: _quartered, 2: _paired}

    def generate(context, builder, sig, arguments):
        found = []
        for begin, size in _pieces(count.literal_value):
            own = *arguments[:2], builder.add(arguments[2], INT64(begin))
            if size == 1:
                found.append(_gather_one(context, builder, sig, own))
                continue
            kind = ir.VectorType(FLOAT, size).as_pointer()
            addresses = _addresses(context, builder, sig.args[0], *own)
            read = [builder.load(builder.bitcast(each, kind), align=4) for each in addresses]
            found += turned[size](builder, read)
        return context.make_tuple(builder, sig.return_type, found)

    return types.UniTuple(EIGHT, count.literal_value)(array, rows, types.intp, count), generate


@intrinsic
def scatter(typing, array, rows, at, values):
    """Write a vector, a tuple of vectors, or a single float32 to the places that `gather` and `gather_each` read."""
    turned = {8: _transposed, 4: _halved, 2: lambda builder, vectors: _unpaired(builder, *vectors)}

    def generate(context, builder, sig, arguments):
        kinds, lanes = sig.args[3:], arguments[3:]
        if isinstance(values, types.BaseTuple):
            kinds, lanes = values, [builder.extract_value(lanes[0], number) for number in range(len(values))]
        lanes = in_lanes(builder, kinds, lanes, EIGHT)
        for begin, size in _pieces(len(lanes)):
            own = *arguments[:2], builder.add(arguments[2], INT64(begin))
            if size == 1:
                _scatter_one(context, builder, sig, own, lanes[begin])
                continue
            vectors = turned[size](builder, lanes[begin : begin + size])
            for each, vector in zip(_addresses(context, builder, sig.args[0], *own), vectors, strict=True):
                builder.store(vector, builder.bitcast(each, vector.type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, rows, types.intp, values), generate


# For each mask of eight lanes, as an integer of eight bits: the numbers of its true lanes.
LISTS = np.array(
    [[n for n in range(8) if bits >> n & 1] + [0] * (8 - bits.bit_count()) for bits in range(256)], np.uint8
)


def _table(builder):
    """Return the table `LISTS` as a constant of the LLVM module."""
    kind, name = ir.ArrayType(ir.VectorType(ir.IntType(8), 8), 256), ".const.lists_of_lanes"
    if name not in builder.module.globals:
        table = ir.GlobalVariable(builder.module, kind, name)
        table.initializer = kind([kind.element(row.tolist()) for row in LISTS])
        table.global_constant, table.linkage = True, "internal"
    return builder.module.globals[name]


@intrinsic
def compress_indices(typing, array, at, base, mask):
    """Write the integer `base` + lane to the int32 array `array` for each true lane of `mask`, one after the other from
    index `at` on. Return the number of true lanes. The function always stores eight integers: after those of the true
    lanes, undefined ones.
    """

    def generate(context, builder, sig, arguments):
        bits = builder.bitcast(arguments[3], ir.IntType(8))
        own = builder.gep(_table(builder), [INT32(0), builder.zext(bits, INT32)], inbounds=True)
        numbers = builder.zext(builder.load(own), ir.VectorType(INT32, 8))
        numbers = builder.add(numbers, splat(builder, builder.trunc(arguments[2], INT32), 8))
        to = address(context, builder, sig.args[0], *arguments[:2])
        builder.store(numbers, builder.bitcast(to, numbers.type.as_pointer()), align=4)
        return builder.zext(builder.ctpop(bits), INT64)

    return types.int64(array, types.intp, types.intp, mask), generate


def _mapped(kind, lanes):
    """Return the type `kind` with the type `lanes` in place of each lane type. Tuples can be nested."""
    if not isinstance(kind, types.BaseTuple):
        return lanes if isinstance(kind, Lanes) else kind
    return types.BaseTuple.from_types([_mapped(part, lanes) for part in kind], getattr(kind, "instance_class", tuple))


def _shuffled(context, builder, kind, first, second, lanes):
    """Shuffle the vectors of two values with equal types. If an element has no lanes, return the element of `first`."""
    if isinstance(kind, types.BaseTuple):
        numbers = range(len(kind))
        parts = [[builder.extract_value(value, number) for number in numbers] for value in (first, second)]
        own = [_shuffled(context, builder, part, a, b, lanes) for part, a, b in zip(kind, *parts, strict=True)]
        return context.make_tuple(builder, _mapped(kind, Lanes(len(lanes))), own)
    return shuffled(builder, first, second, lanes) if isinstance(kind, Lanes) else first


@intrinsic
def combine(typing, first, second):
    """Return sixteen lanes: eight lanes of `first`, then eight lanes of `second`, also in tuples. Elements without
    lanes come from `first`. In a chain of roots and quotients, sixteen lanes take hardly more time than eight.
    """

    def generate(context, builder, sig, arguments):
        one, other = arguments
        return _shuffled(context, builder, sig.args[0], one, other, range(16))

    return _mapped(first, Lanes(16))(first, second), generate


@intrinsic
def split(typing, value):
    """Return the two values of eight lanes that were combined with `combine`."""

    def generate(context, builder, sig, arguments):
        own = arguments[0]
        parts = [_shuffled(context, builder, sig.args[0], own, own, lanes) for lanes in (range(8), range(8, 16))]
        return context.make_tuple(builder, sig.return_type, parts)

    return types.UniTuple(_mapped(value, EIGHT), 2)(value), generate
