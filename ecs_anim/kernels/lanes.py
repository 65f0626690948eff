"""Four or eight floats at once, said where LLVM would not find it: numba leaves LLVM's vectoriser of straight-line code
off, and a loop of four turns is unrolled before loops are vectorised.

`one(array, at)`, `four(array, at)` and `eight(array, at)` read from a C-contiguous float32 array of any shape, counted
flat, or from what `flat` makes of it, without a test for negative indices; `put(array, at, values)` writes, and so does
`stream`, past the caches. Between them lanes are added, subtracted, multiplied and divided, also by single floats;
`fma` does two of these at once. `-`, `abs`, `np.floor` and `np.sqrt` work too; choices are made by `masks`. Where
kernels run uncompiled the same names work on numpy arrays.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

FLOAT = ir.FloatType()
# A typing's `metadata`: numba's own are asked later, and need long to say that they do not fit.
ASKED_FIRST = {"target": "cpu"}


class Lanes(types.Type):
    """The type of `count` float32 in one register."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Lanes({count})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, ir.VectorType(FLOAT, lanes.count))


def _splat(builder, value, count):
    """One float in all lanes."""
    vector = ir.VectorType(FLOAT, count)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), None)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)


def lanes_among(kinds):
    """The type of lanes among types of arguments that are lanes of one kind and single float32; None for others."""
    kind = next((kind for kind in kinds if isinstance(kind, Lanes)), None)
    return kind if kind and all(other in (kind, types.float32) for other in kinds) else None


def as_lanes(builder, kinds, values, lanes):
    """Values of these types, each in as many lanes."""
    return [
        value if isinstance(kind, Lanes) else _splat(builder, value, lanes.count)
        for kind, value in zip(kinds, values, strict=True)
    ]


def _operator(function, instruction):
    """Make a Python operator work on lanes with lanes, and on lanes with a float32."""

    @infer_global(function)
    class Typing(AbstractTemplate):
        metadata = ASKED_FIRST

        def generic(self, arguments, keywords):
            kind = lanes_among(arguments)
            return signature(kind, *arguments) if len(arguments) == 2 and kind else None

    @lower_builtin(function, Lanes, Lanes)
    @lower_builtin(function, Lanes, types.Float)
    @lower_builtin(function, types.Float, Lanes)
    def of_lanes(context, builder, sig, arguments):
        both = as_lanes(builder, sig.args, arguments, sig.return_type)
        return getattr(builder, instruction)(*both)


_operator(operator.add, "fadd")
_operator(operator.sub, "fsub")
_operator(operator.mul, "fmul")
_operator(operator.truediv, "fdiv")


def _by_lanes(function, generate):
    """Make a function of one number work on lanes."""

    @infer_global(function)
    class Typing(AbstractTemplate):
        metadata = ASKED_FIRST

        def generic(self, arguments, keywords):
            is_lanes = len(arguments) == 1 and isinstance(arguments[0], Lanes)
            return signature(arguments[0], *arguments) if is_lanes else None

    @lower_builtin(function, Lanes)
    def of_lanes(context, builder, sig, arguments):
        return generate(builder, arguments[0])


def _intrinsic(name):
    """What LLVM has for whole vectors."""

    def generate(builder, value):
        kind = ir.FunctionType(value.type, [value.type])
        own = cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{value.type.count}f32")
        return builder.call(own, [value])

    return generate


_by_lanes(operator.neg, lambda builder, value: builder.fneg(value))
_by_lanes(abs, _intrinsic("fabs"))
_by_lanes(np.sqrt, _intrinsic("sqrt"))
_by_lanes(np.floor, _intrinsic("floor"))


@intrinsic
def power_of_two(typing, exponent):
    """2 to whole exponents of -126 to 127, given as floats."""

    def generate(context, builder, sig, arguments):
        kind = arguments[0].type
        whole = ir.VectorType(ir.IntType(32), kind.count) if isinstance(kind, ir.VectorType) else ir.IntType(32)
        splat = (lambda number: whole([number] * kind.count)) if isinstance(kind, ir.VectorType) else whole
        biased = builder.add(builder.fptosi(arguments[0], whole), splat(127))
        return builder.bitcast(builder.shl(biased, splat(23)), kind)

    return signature(exponent, exponent), generate


def data_of(context, builder, kind, array):
    """Where the numbers of an array begin."""
    return array if isinstance(kind, types.CPointer) else context.make_array(kind)(context, builder, array).data


@intrinsic
def flat(typing, array):
    """All numbers of an array that somebody keeps, such as an argument, in a row.

    Handing arrays to helpers counts references, and calls spill all lanes that are in registers. This counts nothing.
    """

    def generate(context, builder, sig, arguments):
        return data_of(context, builder, sig.args[0], arguments[0])

    return signature(types.CPointer(array.dtype), array), generate


def _uncounted(context, builder, kind, value):
    """An array without what counts its references, also as a part of a record; other values as they are."""
    if isinstance(kind, types.BaseTuple):
        parts = zip(kind.types, cgutils.unpack_tuple(builder, value, len(kind)), strict=True)
        return context.make_tuple(builder, kind, [_uncounted(context, builder, *part) for part in parts])
    if not isinstance(kind, types.Array):
        return value
    own = context.make_array(kind)(context, builder, value)
    own.meminfo = cgutils.get_null_value(own.meminfo.type)
    return own._getvalue()


@intrinsic
def borrowed(typing, array):
    """The same array, or record of arrays, whose references are not counted; somebody else keeps it, as with `flat`."""

    def generate(context, builder, sig, arguments):
        return _uncounted(context, builder, sig.args[0], arguments[0])

    return signature(array, array), generate


@intrinsic
def keep(typing, array):
    """Until here an array is there that was made in a kernel, and is used as `borrowed`."""
    return signature(types.void, array), lambda context, builder, sig, arguments: context.get_dummy_value()


def _pointer(context, builder, array, arguments, kind):
    """To the float or the lanes that begin at a flat index of an array of this type."""
    data = data_of(context, builder, array, arguments[0])
    start = builder.gep(data, [arguments[1]], inbounds=True)
    return builder.bitcast(start, context.get_value_type(kind).as_pointer())


def _reader(kind):
    """The intrinsic that reads a float or lanes."""

    @intrinsic
    def read(typing, array, at):
        def generate(context, builder, sig, arguments):
            return builder.load(_pointer(context, builder, sig.args[0], arguments, kind), align=4)

        return signature(kind, array, types.intp), generate

    return read


one, four, eight = _reader(types.float32), _reader(Lanes(4)), _reader(Lanes(8))


@intrinsic
def read_like(typing, like, array, at):
    """As many lanes as another value has."""

    def generate(context, builder, sig, arguments):
        return builder.load(_pointer(context, builder, sig.args[1], arguments[1:], like), align=4)

    return signature(like, like, array, types.intp), generate


@intrinsic
def put(typing, array, at, values):
    """Write a float32 or lanes to an array from a flat index on."""

    def generate(context, builder, sig, arguments):
        builder.store(arguments[2], _pointer(context, builder, sig.args[0], arguments, values), align=4)
        return context.get_dummy_value()

    return signature(types.void, array, types.intp, values), generate


@intrinsic
def stream(typing, array, at, values):
    """Write four lanes past the caches, which then keep what is needed; to a multiple of 16 bytes, see `fence`."""

    def generate(context, builder, sig, arguments):
        store = builder.store(arguments[2], _pointer(context, builder, sig.args[0], arguments, values), align=16)
        store.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)]))
        return context.get_dummy_value()

    return signature(types.void, array, types.intp, Lanes(4)), generate


@intrinsic
def fence(typing):
    """What was streamed is there for all threads."""

    def generate(context, builder, sig, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return signature(types.void), generate


def _fused(negated):
    """The intrinsic that multiplies and adds with one rounding."""

    @intrinsic
    def fused(typing, a, b, c):
        lanes = next(kind for kind in (c, a, b) if isinstance(kind, Lanes))

        def generate(context, builder, sig, arguments):
            vector = context.get_value_type(lanes)
            first, second, third = as_lanes(builder, sig.args, arguments, lanes)
            name = f"llvm.fmuladd.v{lanes.count}f32"
            both = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * 3), name)
            return builder.call(both, [builder.fneg(first) if negated else first, second, third])

        return signature(lanes, a, b, c), generate

    return fused


# a b + c and c - a b, of lanes and single floats: rounded once where the CPU has such instructions, else twice. LLVM
# fuses what it is told to here and nothing else, since what it would choose by itself hangs on the CPU.
fma, fnma = _fused(negated=False), _fused(negated=True)


@intrinsic
def turned_over(typing, values, by):
    """Values, negated where `by` is less than 0."""

    def generate(context, builder, sig, arguments):
        zero = ir.Constant(arguments[1].type, None)
        return builder.select(
            builder.fcmp_ordered("<", arguments[1], zero), builder.fsub(zero, arguments[0]), arguments[0]
        )

    return signature(values, values, by), generate


@intrinsic
def reciprocal_root(typing, values):
    """1 / sqrt."""

    def generate(context, builder, sig, arguments):
        root = _intrinsic("sqrt")(builder, arguments[0])
        return builder.fdiv(_splat(builder, ir.Constant(FLOAT, 1.0), root.type.count), root)

    return signature(values, values), generate


@intrinsic
def splat_eight(typing, value):
    """One float32, eight times."""

    def generate(context, builder, sig, arguments):
        return _splat(builder, arguments[0], 8)

    return signature(Lanes(8), types.float32), generate


LOW, HIGH = (0, 8, 1, 9, 4, 12, 5, 13), (2, 10, 3, 11, 6, 14, 7, 15)  # of pairs of lanes, in each half
LOW_PAIRS, HIGH_PAIRS = (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15)
FRONT, BACK = (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15)


def _shuffle(builder, a, b, mask):
    indices = ir.Constant(ir.VectorType(ir.IntType(32), len(mask)), [ir.Constant(ir.IntType(32), i) for i in mask])
    return builder.shuffle_vector(a, b, indices)


def _quads(builder, a, b, c, d):
    """Lanes i and i + 4 of four vectors, as the halves of vector i of four."""
    pairs = [(_shuffle(builder, a, b, mask), _shuffle(builder, c, d, mask)) for mask in (LOW, HIGH)]
    return [_shuffle(builder, *pair, mask) for pair in pairs for mask in (LOW_PAIRS, HIGH_PAIRS)]


@intrinsic
def transposed(typing, a, b, c, d, e, f, g, h):
    """Eight by eight numbers: lane i of all becomes vector i."""

    def generate(context, builder, sig, arguments):
        fronts, backs = _quads(builder, *arguments[:4]), _quads(builder, *arguments[4:])
        rows = [
            _shuffle(builder, front, back, mask)
            for mask in (FRONT, BACK)
            for front, back in zip(fronts, backs, strict=True)
        ]
        return context.make_tuple(builder, sig.return_type, rows)

    return signature(types.UniTuple(a, 8), a, b, c, d, e, f, g, h), generate


@intrinsic
def transposed_four(typing, a, b, c, d):
    """Four by eight numbers: lane i of all becomes vector i of four."""

    def generate(context, builder, sig, arguments):
        quads = _quads(builder, *arguments)
        rows = [_shuffle(builder, quad, quad, half) for half in (range(4), range(4, 8)) for quad in quads]
        return context.make_tuple(builder, sig.return_type, rows)

    return signature(types.UniTuple(Lanes(4), 8), a, b, c, d), generate


@intrinsic
def transposed_fours(typing, a, b, c, d, e, f, g, h):
    """Eight by four numbers: lane i of all becomes vector i of eight."""

    def generate(context, builder, sig, arguments):
        pairs = [_shuffle(builder, arguments[i], arguments[i + 4], range(8)) for i in range(4)]
        return context.make_tuple(builder, sig.return_type, _quads(builder, *pairs))

    return signature(types.UniTuple(Lanes(8), 4), a, b, c, d, e, f, g, h), generate


def _plain_flat(array: np.ndarray) -> np.ndarray:
    """A view of all numbers; arrays are C-contiguous, so that it never is a copy."""
    return array.reshape(-1)


def _plain_reader(count):
    return lambda array, at: flat(array)[at : at + count].copy() if count > 1 else flat(array)[at]


def _plain_put(array, at, values):
    flat(array)[at : at + np.size(values)] = values


if config.DISABLE_JIT:
    flat, borrowed, keep = _plain_flat, lambda array: array, lambda array: None
    one, four, eight = _plain_reader(1), _plain_reader(4), _plain_reader(8)
    put = stream = _plain_put
    fma = lambda a, b, c: a * b + c  # noqa: E731
    fnma = lambda a, b, c: c - a * b  # noqa: E731
    fence = lambda: None  # noqa: E731
    turned_over = lambda values, by: np.where(by < 0, -values, values)  # noqa: E731
    power_of_two = lambda exponent: np.ldexp(np.float32(1), np.int32(exponent))  # noqa: E731
    reciprocal_root = lambda values: np.float32(1) / np.sqrt(values)  # noqa: E731
    splat_eight = lambda value: np.full(8, value, np.float32)  # noqa: E731
    read_like = lambda like, array, at: flat(array)[at : at + len(like)].copy()  # noqa: E731
    transposed = lambda *rows: tuple(np.stack(rows, axis=1))  # noqa: E731
    transposed_four = transposed_fours = transposed
