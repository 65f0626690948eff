"""Eight actors at a time, wherever their rows are: helpers, inlined into the kernels that use them.

Matrices of a joint are turned round in registers, so that a lane is an actor, and turned back. `rows` are eight rows,
of which the last may stand there more than once: all is read before it is written. `starts`: where rows begin. Arrays
are `flat`.
"""

from numba import config, types, uint64
from numba.core.typing.templates import signature
from numba.extending import intrinsic

from ecs_anim.kernels import inlined
from ecs_anim.kernels.lanes import Lanes, data_of, four, put, transposed, transposed_four, transposed_fours
from ecs_anim.kernels.masks import gathered, least, most, scattered
from ecs_anim.kernels.traversal import put_matrices, read_eight
from ecs_anim.kernels.vectors import subtract, turned


@inlined
def limited(value, limit):
    """A value within -limit and limit."""
    return least(most(value, -limit), limit)


@inlined
def pad_rows(rows, count):
    """Repeat the last of `count` rows [>= count + 7], so that they are a multiple of eight."""
    if count > 0:
        for number in range(count, count + 7):
            rows[number] = rows[count - 1]


@inlined
def eight_of(rows, first):
    """Eight of a list of rows."""
    at = uint64(first)
    return (
        rows[at],
        rows[at + uint64(1)],
        rows[at + uint64(2)],
        rows[at + uint64(3)],
        rows[at + uint64(4)],
        rows[at + uint64(5)],
        rows[at + uint64(6)],
        rows[at + uint64(7)],
    )


@inlined
def eight_from(first, count):
    """Eight rows from one on; behind the last one it is taken again."""
    last = count - 1
    return (
        first,
        min(first + 1, last),
        min(first + 2, last),
        min(first + 3, last),
        min(first + 4, last),
        min(first + 5, last),
        min(first + 6, last),
        min(first + 7, last),
    )


@inlined
def starts_of(rows, width):
    """Where rows of this width begin."""
    return (
        rows[0] * width,
        rows[1] * width,
        rows[2] * width,
        rows[3] * width,
        rows[4] * width,
        rows[5] * width,
        rows[6] * width,
        rows[7] * width,
    )


@inlined
def shifted(starts, by):
    """The same, further on."""
    return (
        starts[0] + by,
        starts[1] + by,
        starts[2] + by,
        starts[3] + by,
        starts[4] + by,
        starts[5] + by,
        starts[6] + by,
        starts[7] + by,
    )


@inlined
def added(starts, others):
    """Sums of eight starts and eight others."""
    return (
        starts[0] + others[0],
        starts[1] + others[1],
        starts[2] + others[2],
        starts[3] + others[3],
        starts[4] + others[4],
        starts[5] + others[5],
        starts[6] + others[6],
        starts[7] + others[7],
    )


@inlined
def read_four(array, starts, at):
    """Four numbers of eight rows, turned round."""
    return transposed_fours(
        four(array, starts[0] + at),
        four(array, starts[1] + at),
        four(array, starts[2] + at),
        four(array, starts[3] + at),
        four(array, starts[4] + at),
        four(array, starts[5] + at),
        four(array, starts[6] + at),
        four(array, starts[7] + at),
    )


@inlined
def put_four(array, starts, at, x, y, z, w):
    """Write four numbers to eight rows."""
    a, b, c, d, e, f, g, h = transposed_four(x, y, z, w)
    put(array, starts[0] + at, a)
    put(array, starts[1] + at, b)
    put(array, starts[2] + at, c)
    put(array, starts[3] + at, d)
    put(array, starts[4] + at, e)
    put(array, starts[5] + at, f)
    put(array, starts[6] + at, g)
    put(array, starts[7] + at, h)


@inlined
def put_eight(array, starts, at, values):
    """Write eight numbers to eight rows."""
    a, b, c, d, e, f, g, h = transposed(*values)
    put(array, starts[0] + at, a)
    put(array, starts[1] + at, b)
    put(array, starts[2] + at, c)
    put(array, starts[3] + at, d)
    put(array, starts[4] + at, e)
    put(array, starts[5] + at, f)
    put(array, starts[6] + at, g)
    put(array, starts[7] + at, h)


@inlined
def read_three(array, starts, at):
    """Three numbers of eight rows, as a vector."""
    return gathered(array, starts, at), gathered(array, starts, at + 1), gathered(array, starts, at + 2)


@inlined
def read_matrix(model, starts, joint):
    """A joint's matrix: three rows of four numbers."""
    at = 12 * joint
    a, b, c, d, e, f, g, h = read_eight(model, starts, at)
    return (a, b, c, d), (e, f, g, h), read_four(model, starts, at + 8)


@inlined
def read_origin(model, starts, joint):
    """Where a joint is."""
    at = 12 * joint
    return gathered(model, starts, at + 3), gathered(model, starts, at + 7), gathered(model, starts, at + 11)


@inlined
def origin_in(matrix):
    """Where a joint of this matrix is."""
    x, y, z = matrix
    return x[3], y[3], z[3]


@inlined
def placed_in(matrix, point):
    """A point [3] of a joint's own frame, in model space."""
    x, y, z = matrix
    return (
        x[0] * point[0] + x[1] * point[1] + x[2] * point[2] + x[3],
        y[0] * point[0] + y[1] * point[1] + y[2] * point[2] + y[3],
        z[0] * point[0] + z[1] * point[1] + z[2] * point[2] + z[3],
    )


@inlined
def turned_rows(a, b, c, x, y, z):
    """A row of a rotation times a matrix."""
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
        a * x[3] + b * y[3] + c * z[3],
    )


@inlined
def move_eights(model, starts, joints, first, last, rotation, pivot, goal):
    """Turn joints about a point, and carry that point to `goal`: model = motion x model."""
    at = subtract(goal, turned(rotation, pivot))
    for i in range(first, last):
        joint = joints[uint64(i)]
        x, y, z = read_matrix(model, starts, joint)
        u = turned_rows(rotation[0], rotation[1], rotation[2], x, y, z)
        v = turned_rows(rotation[3], rotation[4], rotation[5], x, y, z)
        w = turned_rows(rotation[6], rotation[7], rotation[8], x, y, z)
        u, v, w = (u[0], u[1], u[2], u[3] + at[0]), (v[0], v[1], v[2], v[3] + at[1]), (w[0], w[1], w[2], w[3] + at[2])
        put_matrices(model, starts, 12 * joint, u, v, w)


@inlined
def raise_eights(model, starts, joints, count, by):
    """Move so many joints upwards."""
    for i in range(count):
        at = 12 * joints[uint64(i)] + 7
        scattered(model, starts, at, gathered(model, starts, at) + by)


@intrinsic
def eights(typing, array):
    """Memory that a kernel has made, counted in eights: `[at]` reads eight lanes, and writes them."""
    kind = types.CPointer(Lanes(8))

    def generate(context, builder, sig, arguments):
        data = data_of(context, builder, sig.args[0], arguments[0])
        return builder.bitcast(data, context.get_value_type(kind))

    return signature(kind, array), generate


class _PlainEights:
    """What was read stays as it is, whatever is written later."""

    def __init__(self, array):
        self._rows = array.reshape(-1, 8)

    def __getitem__(self, at):
        return self._rows[at].copy()

    def __setitem__(self, at, values):
        self._rows[at] = values


if config.DISABLE_JIT:
    eights = _PlainEights
