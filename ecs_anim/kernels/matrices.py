"""Joint matrices of eight or sixteen actors, as three rows of four vectors. Each lane belongs to one actor."""

from ecs_anim.kernels import inlined
from ecs_anim.kernels.vectors import dot
from ecs_anim.simd import gather_each


@inlined
def read_matrix(model, starts, joint):
    """Return a joint's matrices for eight actors at the offsets `starts` in `model` [actor, joint, 12]."""
    x0, x1, x2, x3, y0, y1, y2, y3, z0, z1, z2, z3 = gather_each(model, starts, 12 * joint, 12)
    return (x0, x1, x2, x3), (y0, y1, y2, y3), (z0, z1, z2, z3)


@inlined
def origin_in(matrix):
    """Return the position of the joint whose matrix is `matrix`."""
    x, y, z = matrix
    return x[3], y[3], z[3]


@inlined
def placed_in(matrix, point):
    """Transform a point [3] from a joint's coordinate frame to model space. `matrix` is the joint's matrix."""
    x, y, z = matrix
    return dot(x, point) + x[3], dot(y, point) + y[3], dot(z, point) + z[3]


@inlined
def turned_rows(a, b, c, x, y, z):
    """Multiply a row (a, b, c) of a rotation by a matrix with the rows x, y, z. Return a row of four vectors."""
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
        a * x[3] + b * y[3] + c * z[3],
    )
