"""Memory access of kernels: addresses of arrays, loads and stores of lanes, and prefetches into CPU caches."""

import operator

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ecs_anim.simd.registers import EIGHT, INT32, VECTORS, Lanes, Vectors, define

BYTE = ir.IntType(8)
# Arguments of LLVM's prefetch: read access, highest locality, data cache.
TO_READ, KEPT, DATA = INT32(0), INT32(3), INT32(1)


def begin_of(context, builder, kind, array):
    """Return the address of an array's first number."""
    is_pointer = isinstance(kind, (types.CPointer, Vectors))
    return array if is_pointer else context.make_array(kind)(context, builder, array).data


def address(context, builder, kind, array, at):
    """Return the address of the number at index `at` of a flat array."""
    return builder.gep(begin_of(context, builder, kind, array), [at], inbounds=True)


def _address_of(context, builder, values, kind, array, at):
    """Return the address of index `at` of a flat array, as a pointer to values of type `values`."""
    own = address(context, builder, kind, array, at)
    return builder.bitcast(own, context.get_value_type(values).as_pointer())


def _pointed(kind):
    """Return the type `kind` with pointers in place of its arrays."""
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types([_pointed(part) for part in kind], getattr(kind, "instance_class", tuple))
    return types.CPointer(kind.dtype) if isinstance(kind, types.Array) else kind


def _pointers(context, builder, kind, value):
    """Replace the arrays in a value with pointers."""
    if isinstance(kind, types.BaseTuple):
        parts = [_pointers(context, builder, part, builder.extract_value(value, i)) for i, part in enumerate(kind)]
        return context.make_tuple(builder, _pointed(kind), parts)
    return begin_of(context, builder, kind, value) if isinstance(kind, types.Array) else value


@intrinsic
def pointer(typing, array):
    """Return a pointer to the first number of a C-contiguous array, or a record with pointers in place of its arrays.
    The caller must keep the arrays alive. Passing an array to a helper would change its reference count by calls,
    before which the CPU writes all registers to memory.
    """

    def generate(context, builder, sig, arguments):
        return _pointers(context, builder, sig.args[0], arguments[0])

    return _pointed(array)(array), generate


@intrinsic
def reinterpret(typing, array, at, dtype):
    """Return a pointer to numbers of the type `dtype`. The pointer begins at index `at` of the flat array."""
    kind = types.CPointer(dtype.dtype)

    def generate(context, builder, sig, arguments):
        own = address(context, builder, sig.args[0], *arguments[:2])
        return builder.bitcast(own, context.get_value_type(kind))

    return kind(array, types.intp, dtype), generate


@intrinsic
def view_lanes(typing, array):
    """Return a view of a float32 array as vectors of eight lanes. `view[at]` can be read and written."""

    def generate(context, builder, sig, arguments):
        return begin_of(context, builder, sig.args[0], arguments[0])

    return VECTORS(array), generate


def _vector(context, builder, vectors, at):
    """Return the address of the vector with the number `at`."""
    own = builder.gep(vectors, [builder.mul(at, at.type(8))], inbounds=True)
    return builder.bitcast(own, context.get_value_type(EIGHT).as_pointer())


def _read_type(vectors, at):
    return EIGHT(VECTORS, types.intp) if vectors == VECTORS and isinstance(at, types.Integer) else None


def _write_type(vectors, at, values):
    fits = vectors == VECTORS and isinstance(at, types.Integer) and values == EIGHT
    return types.void(VECTORS, types.intp, EIGHT) if fits else None


@define(operator.getitem, _read_type, Vectors, types.Integer)
def _read_vector(context, builder, sig, arguments):
    return builder.load(_vector(context, builder, *arguments), align=4)


@define(operator.setitem, _write_type, Vectors, types.Integer, Lanes)
def _write_vector(context, builder, sig, arguments):
    builder.store(arguments[2], _vector(context, builder, *arguments[:2]), align=4)
    return context.get_dummy_value()


def without_counts(context, builder, kind, value):
    """Return a value without the reference counts of its arrays. Arrays in tuples are included."""
    if isinstance(kind, types.BaseTuple):
        parts = [
            without_counts(context, builder, part, builder.extract_value(value, number))
            for number, part in enumerate(kind)
        ]
        return context.make_tuple(builder, kind, parts)
    if not isinstance(kind, types.Array):
        return value
    own = context.make_array(kind)(context, builder, value)
    own.meminfo = own.meminfo.type(None)
    return own._getvalue()


@intrinsic
def borrow(typing, array):
    """Return an array or a record without reference counts. The caller must keep the arrays alive."""

    def generate(context, builder, sig, arguments):
        return without_counts(context, builder, sig.args[0], arguments[0])

    return array(array), generate


@intrinsic
def keep_alive(typing, *arrays):
    """Keep arrays of the kernel alive until this call. Pointers and borrowed arrays do not keep memory alive."""
    signature = types.void(types.StarArgTuple.from_types(arrays))
    return signature, lambda context, builder, sig, arguments: context.get_dummy_value()


def _load(kind):
    """Return the intrinsic that reads a value of the type `kind` from an array."""

    @intrinsic
    def read(typing, array, at):
        def generate(context, builder, sig, arguments):
            return builder.load(_address_of(context, builder, kind, sig.args[0], *arguments), align=4)

        return kind(array, types.intp), generate

    return read


load, load4, load1 = _load(EIGHT), _load(Lanes(4)), _load(types.float32)


@intrinsic(prefer_literal=True)
def load_each(typing, array, at, count):
    """Return `count` consecutive vectors of eight lanes, read from index `at` of the flat array."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def generate(context, builder, sig, arguments):
        own = _address_of(context, builder, EIGHT, sig.args[0], *arguments[:2])
        places = [builder.gep(own, [INT32(number)], inbounds=True) for number in range(count.literal_value)]
        return context.make_tuple(builder, sig.return_type, [builder.load(place, align=4) for place in places])

    return types.UniTuple(EIGHT, count.literal_value)(array, types.intp, count), generate


@intrinsic
def store(typing, array, at, values):
    """Write a float32, a vector, or the vectors of a tuple, from index `at` of a flat array onwards."""
    is_tuple = isinstance(values, types.BaseTuple)

    def generate(context, builder, sig, arguments):
        own = _address_of(context, builder, values[0] if is_tuple else values, sig.args[0], *arguments[:2])
        for number in range(len(values) if is_tuple else 1):
            value = builder.extract_value(arguments[2], number) if is_tuple else arguments[2]
            builder.store(value, builder.gep(own, [INT32(number)], inbounds=True), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, values), generate


@intrinsic
def store_nontemporal(typing, array, at, values):
    """Write four lanes with a non-temporal store, which bypasses the CPU caches, to a multiple of 16 bytes. Call
    `fence` before another thread reads the numbers.
    """

    def generate(context, builder, sig, arguments):
        own = _address_of(context, builder, values, sig.args[0], *arguments[:2])
        builder.store(arguments[2], own, align=16).set_metadata("nontemporal", builder.module.add_metadata([INT32(1)]))
        return context.get_dummy_value()

    return types.void(array, types.intp, Lanes(4)), generate


@intrinsic
def fence(typing):
    """Complete all non-temporal stores, so that all threads can read the numbers."""

    def generate(context, builder, sig, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def prefetch(typing, array, at):
    """Load the memory at index `at` into the CPU caches, without waiting. The index can be outside of the array."""

    def generate(context, builder, sig, arguments):
        begin = begin_of(context, builder, sig.args[0], arguments[0])
        own = builder.bitcast(builder.gep(begin, [arguments[1]]), BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [own.type, INT32, INT32, INT32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [own.type], kind)
        builder.call(function, [own, TO_READ, KEPT, DATA])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
