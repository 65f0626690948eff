"""Matrices of a joint of eight actors, read from scattered rows of model space and written back: helpers.

A lane is an actor. `model` is a pointer to [actor, joint, 12]; `starts` are the rows' offsets in it.
"""

from ecs_anim.kernels import inlined
from ecs_anim.simd import gather4, gather8


@inlined
def read_matrix(model, starts, joint):
    """A joint's matrix: three rows of four numbers."""
    at = 12 * joint
    a, b, c, d, e, f, g, h = gather8(model, starts, at)
    return (a, b, c, d), (e, f, g, h), gather4(model, starts, at + 8)


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
