"""Numba types for lanes, masks and rows, and functions that emit their LLVM code. `builder` is the LLVM builder."""

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

INT32, INT64 = ir.IntType(32), ir.IntType(64)


class Lanes(types.Type):
    """The type of a register with `count` numbers: float32, or float64 after `widen`."""

    def __init__(self, count: int, dtype: types.Type = types.float32) -> None:
        self.count, self.dtype = count, dtype
        super().__init__(name=f"Lanes({count}, {dtype})")


class Mask(types.Type):
    """The type of a register with `count` booleans, one boolean for each lane."""

    def __init__(self, count: int) -> None:
        self.count = count
        super().__init__(name=f"Mask({count})")


class Rows(types.Type):
    """The type of eight int64: row numbers, or offsets into a flat array."""

    def __init__(self) -> None:
        super().__init__(name="Rows")


class Vectors(types.Type):
    """The type of memory that contains consecutive vectors of eight float32."""

    def __init__(self) -> None:
        super().__init__(name="Vectors")


EIGHT, ROWS, VECTORS = Lanes(8), Rows(), Vectors()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, ir.VectorType(manager.lookup(lanes.dtype).get_value_type(), lanes.count))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, mask):
        super().__init__(manager, mask, ir.VectorType(ir.IntType(1), mask.count))


@register_model(Rows)
class _RowsModel(models.PrimitiveModel):
    """The memory layout of rows: eight numbers and not a vector, because each number becomes an address."""

    def __init__(self, manager, rows):
        super().__init__(manager, rows, ir.ArrayType(INT64, 8))


@register_model(Vectors)
class _VectorsModel(models.PrimitiveModel):
    def __init__(self, manager, vectors):
        super().__init__(manager, vectors, ir.FloatType().as_pointer())


def define(function, typer, *kinds):
    """Declare an operator or a function for arguments of the types `kinds`. `typer` returns the type of the result."""
    type_callable(function)(lambda context: typer)
    return lower_builtin(function, *kinds)


def common_lanes(kinds):
    """Return the `Lanes` type in `kinds`, or None if another type is neither this type nor the type of its numbers."""
    lanes = next((kind for kind in kinds if isinstance(kind, Lanes)), None)
    return lanes if lanes and all(kind in (lanes, lanes.dtype) for kind in kinds) else None


def splat(builder, number, count):
    """Return a vector with `count` lanes that all contain `number`."""
    vector = ir.VectorType(number.type, count)
    first = builder.insert_element(vector(ir.Undefined), number, INT32(0))
    return builder.shuffle_vector(first, vector(ir.Undefined), ir.VectorType(INT32, count)(None))


def in_lanes(builder, kinds, values, lanes):
    """Copy each single number to all lanes of a vector of the type `lanes`. Return vectors unchanged."""
    pairs = zip(kinds, values, strict=True)
    return [value if isinstance(kind, Lanes) else splat(builder, value, lanes.count) for kind, value in pairs]


def shuffled(builder, first, second, lanes):
    """Return a vector of the lanes with the numbers `lanes`. The lanes of `second` follow the lanes of `first`."""
    return builder.shuffle_vector(first, second, ir.VectorType(INT32, len(lanes))([*lanes]))


def called(builder, name, *values):
    """Call LLVM's intrinsic `name` on vectors of the same type. Return the result."""
    kind = values[0].type
    own = f"llvm.{name}.v{kind.count}{kind.element.intrinsic_name}"
    function = builder.module.declare_intrinsic(own, (), ir.FunctionType(kind, [kind] * len(values)))
    return builder.call(function, values)


def joined(builder, numbers):
    """Combine eight int64 into rows."""
    rows = ir.ArrayType(INT64, 8)(ir.Undefined)
    for lane, number in enumerate(numbers):
        rows = builder.insert_value(rows, number, lane)
    return rows


def parted(builder, rows):
    """Split rows into eight int64."""
    return [builder.extract_value(rows, lane) for lane in range(8)]
