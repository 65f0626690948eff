"""Choices among lanes: comparisons give masks, which are joined by `&`, `|` and `~`; `chosen` takes from either side.

`least` and `most` are Python's `min` and `max`. All of these work on single floats too, so that a formula may be of
eight actors or of one. `gathered` reads a number of each of eight rows, wherever they are, and `scattered` writes it.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from ecs_anim.kernels.lanes import ASKED_FIRST, Lanes, as_lanes, data_of, lanes_among

EIGHT = Lanes(8)


class Mask(types.Type):
    """The type of `count` truths."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Mask({count})")


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, mask):
        super().__init__(manager, mask, ir.VectorType(ir.IntType(1), mask.count))


def _comparison(function, word):
    """Make a comparison work on lanes with lanes, and on lanes with a float32; false where one is no number."""

    @infer_global(function)
    class Typing(AbstractTemplate):
        metadata = ASKED_FIRST

        def generic(self, arguments, keywords):
            kind = lanes_among(arguments)
            return signature(Mask(kind.count), *arguments) if len(arguments) == 2 and kind else None

    @lower_builtin(function, Lanes, Lanes)
    @lower_builtin(function, Lanes, types.Float)
    @lower_builtin(function, types.Float, Lanes)
    def compare(context, builder, sig, arguments):
        return builder.fcmp_ordered(word, *as_lanes(builder, sig.args, arguments, sig.return_type))


def _logic(function, instruction, count):
    """Make an operator work on masks."""

    @infer_global(function)
    class Typing(AbstractTemplate):
        metadata = ASKED_FIRST

        def generic(self, arguments, keywords):
            fits = len(arguments) == count and all(isinstance(kind, Mask) for kind in arguments)
            return signature(arguments[0], *arguments) if fits else None

    @lower_builtin(function, *[Mask] * count)
    def of_masks(context, builder, sig, arguments):
        return getattr(builder, instruction)(*arguments)


_comparison(operator.lt, "<")
_comparison(operator.le, "<=")
_comparison(operator.gt, ">")
_comparison(operator.ge, ">=")
_comparison(operator.eq, "==")
_logic(operator.and_, "and_", 2)
_logic(operator.or_, "or_", 2)
_logic(operator.invert, "not_", 1)


@intrinsic
def chosen(typing, mask, a, b):
    """`a` where the mask is true, `b` elsewhere."""
    kind = lanes_among((a, b)) or (Lanes(mask.count) if isinstance(mask, Mask) else a)

    def generate(context, builder, sig, arguments):
        first, second = arguments[1:]
        if isinstance(kind, Lanes):
            first, second = as_lanes(builder, sig.args[1:], arguments[1:], kind)
        return builder.select(arguments[0], first, second)

    return signature(kind, mask, a, b), generate


@intrinsic
def as_many(typing, value, like):
    """One float32 in as many lanes as another value has; alone, where that is."""

    def generate(context, builder, sig, arguments):
        return as_lanes(builder, sig.args[:1], arguments[:1], like)[0] if isinstance(like, Lanes) else arguments[0]

    return signature(like, types.float32, like), generate


def _extreme(word):
    """The intrinsic that takes the second of two where it compares so to the first, as Python does."""

    @intrinsic
    def extreme(typing, a, b):
        kind = lanes_among((a, b)) or a

        def generate(context, builder, sig, arguments):
            first, second = arguments
            if isinstance(kind, Lanes):
                first, second = as_lanes(builder, sig.args, arguments, kind)
            return builder.select(builder.fcmp_ordered(word, second, first), second, first)

        return signature(kind, a, b), generate

    return extreme


least, most = _extreme("<"), _extreme(">")


@intrinsic
def is_number(typing, value):
    """Whether a value is no NaN."""
    kind = Mask(value.count) if isinstance(value, Lanes) else types.boolean

    def generate(context, builder, sig, arguments):
        return builder.fcmp_ordered("ord", arguments[0], arguments[0])

    return signature(kind, value), generate


@intrinsic
def any_of(typing, mask):
    """Whether a mask is true anywhere."""

    def generate(context, builder, sig, arguments):
        if not isinstance(mask, Mask):
            return arguments[0]
        bits = builder.bitcast(arguments[0], ir.IntType(mask.count))
        return builder.icmp_unsigned("!=", bits, bits.type(0))

    return signature(types.boolean, mask), generate


@intrinsic
def lane_of(typing, mask, number):
    """Whether a mask is true in a lane."""
    return types.boolean(mask, number), lambda context, builder, sig, arguments: builder.extract_element(*arguments)


# Of eight truths, as bits: the numbers of those that are true.
LISTS = np.array(
    [[n for n in range(8) if bits >> n & 1] + [0] * (8 - bits.bit_count()) for bits in range(256)], np.uint8
)


@intrinsic
def list_lanes(typing, array, at, base, mask):
    """Write `base` and more, the number of each true lane of eight, to an int32 array; returns how many are true.

    Behind them the array has memory for eight in all, of which what is left is undefined.
    """

    def generate(context, builder, sig, arguments):
        data = data_of(context, builder, sig.args[0], arguments[0])
        bytes_, numbers = ir.VectorType(ir.IntType(8), 8), ir.VectorType(ir.IntType(32), 8)
        table = ir.ArrayType(bytes_, 256)
        lists = cgutils.global_constant(
            builder, ".const.lists_of_lanes", table([bytes_(row.tolist()) for row in LISTS])
        )
        bits = builder.bitcast(arguments[3], ir.IntType(8))
        own = builder.load(builder.gep(lists, [_lane(0), builder.zext(bits, ir.IntType(32))], inbounds=True))
        first = builder.insert_element(numbers(ir.Undefined), builder.trunc(arguments[2], ir.IntType(32)), _lane(0))
        bases = builder.shuffle_vector(first, numbers(ir.Undefined), numbers(None))
        to = builder.bitcast(builder.gep(data, [arguments[1]], inbounds=True), numbers.as_pointer())
        builder.store(builder.add(builder.zext(own, numbers), bases), to, align=4)
        return builder.zext(builder.ctpop(bits), ir.IntType(64))

    return signature(types.int64, array, types.intp, types.intp, mask), generate


@intrinsic
def least_of(typing, lanes):
    """The least of all lanes."""

    def generate(context, builder, sig, arguments):
        value = arguments[0]
        for count in (4, 2, 1):
            halves = [
                builder.shuffle_vector(
                    value, value, ir.VectorType(ir.IntType(32), count)([*range(start, start + count)])
                )
                for start in (0, count)
            ]
            value = builder.select(builder.fcmp_ordered("<", halves[1], halves[0]), halves[1], halves[0])
        return builder.extract_element(value, _lane(0))

    return signature(types.float32, lanes), generate


def _lane(number):
    return ir.Constant(ir.IntType(32), number)


def _pointers(context, builder, sig, arguments):
    """To a number of each of eight rows."""
    array, starts, at = arguments[:3]
    data = data_of(context, builder, sig.args[0], array)
    for start in cgutils.unpack_tuple(builder, starts, 8) if isinstance(sig.args[1], types.BaseTuple) else [starts]:
        yield builder.gep(data, [builder.add(start, at)], inbounds=True)


@intrinsic
def gathered(typing, array, starts, at):
    """Eight numbers of a C-contiguous array, counted flat: `at` after each of eight starts, whole ones as floats.

    Of one start one float32.
    """
    is_one = isinstance(starts, types.Integer)

    def generate(context, builder, sig, arguments):
        if is_one:
            return builder.load(next(_pointers(context, builder, sig, arguments)))
        lanes = context.get_value_type(EIGHT)
        read = [builder.load(pointer) for pointer in _pointers(context, builder, sig, arguments)]
        values = ir.Constant(ir.VectorType(read[0].type, 8), ir.Undefined)
        for number, value in enumerate(read):
            values = builder.insert_element(values, value, _lane(number))
        return builder.sitofp(values, lanes) if isinstance(array.dtype, types.Integer) else values

    return signature(array.dtype if is_one else EIGHT, array, starts, types.intp), generate


@intrinsic
def scattered(typing, array, starts, at, values):
    """Write eight numbers to where `gathered` reads them."""

    def generate(context, builder, sig, arguments):
        (lanes,) = as_lanes(builder, sig.args[3:], arguments[3:], EIGHT)
        if isinstance(array.dtype, types.Integer):
            lanes = builder.fptosi(lanes, ir.VectorType(context.get_value_type(array.dtype), 8))
        for number, pointer in enumerate(_pointers(context, builder, sig, arguments)):
            builder.store(builder.extract_element(lanes, _lane(number)), pointer)
        return context.get_dummy_value()

    return signature(types.void, array, starts, types.intp, values), generate


def _plain_gathered(array, starts, at):
    return array.reshape(-1)[np.add(starts, at)].astype(np.float32)


def _plain_scattered(array, starts, at, values):
    array.reshape(-1)[np.add(starts, at)] = values


def _plain_list_lanes(array, at, base, mask):
    lanes = np.flatnonzero(mask)
    array[at : at + len(lanes)] = base + lanes
    return len(lanes)


if config.DISABLE_JIT:
    chosen = np.where
    as_many = lambda value, like: np.full_like(like, value)  # noqa: E731
    least = lambda a, b: np.where(b < a, b, a)  # noqa: E731
    most = lambda a, b: np.where(b > a, b, a)  # noqa: E731
    is_number = lambda value: value == value  # noqa: E731
    any_of = np.any
    lane_of = lambda mask, number: mask[number]  # noqa: E731
    gathered, scattered = _plain_gathered, _plain_scattered
    list_lanes, least_of = _plain_list_lanes, np.min
