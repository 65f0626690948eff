"""Matrices of a joint of eight actors, read from scattered rows of model space and written back: helpers.

A lane is an actor. `model` is a pointer to [actor, joint, 12]; `starts` are the rows' offsets in it.
"""

from numba import uint64

from ecs_anim.kernels import inlined
from ecs_anim.kernels.traversal import put_matrices
from ecs_anim.kernels.vectors import subtract, turned
from ecs_anim.simd import gather, gather4, gather8, scatter


@inlined
def read_matrix(model, starts, joint):
    """A joint's matrix: three rows of four numbers."""
    at = 12 * joint
    a, b, c, d, e, f, g, h = gather8(model, starts, at)
    return (a, b, c, d), (e, f, g, h), gather4(model, starts, at + 8)


@inlined
def read_origin(model, starts, joint):
    """Where a joint is."""
    at = 12 * joint
    return gather(model, starts, at + 3), gather(model, starts, at + 7), gather(model, starts, at + 11)


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
def move_joints(model, starts, joints, first, last, rotation, pivot, goal):
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
def raise_joints(model, starts, joints, count, by):
    """Move so many joints upwards."""
    for i in range(count):
        at = 12 * joints[uint64(i)] + 7
        scatter(model, starts, at, gather(model, starts, at) + by)
