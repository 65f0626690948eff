"""Local poses of actors, computed from skin palettes."""

import numpy as np

from ecs_anim.kernels import helper, kernel
from ecs_anim.kernels.rotations import from_axes
from ecs_anim.kernels.types import INTS, OUT_2D, OUT_REALS, REALS_2D, REALS_3D, void
from ecs_anim.kernels.vectors import quaternion_rotation

ROW = 10  # numbers of a joint: translation 3, quaternion x, y, z, w, scale 3


@helper
def _row_product(a, b):
    """Return a row of an affine matrix, multiplied by the affine matrix `b` [12]."""
    x, y = a[0] * b[0] + a[1] * b[4] + a[2] * b[8], a[0] * b[1] + a[1] * b[5] + a[2] * b[9]
    return x, y, a[0] * b[2] + a[1] * b[6] + a[2] * b[10], a[0] * b[3] + a[1] * b[7] + a[2] * b[11] + a[3]


@helper
def product(a, b):
    """Return the product of two affine matrices of twelve numbers, which applies `b` first."""
    return (*_row_product(a[0:4], b), *_row_product(a[4:8], b), *_row_product(a[8:12], b))


@helper
def _inverse(m):
    """Return the inverse of an affine matrix. If the matrix is singular, the numbers of the result are not finite."""
    a, b, c = m[5] * m[10] - m[6] * m[9], m[2] * m[9] - m[1] * m[10], m[1] * m[6] - m[2] * m[5]
    d, e, f = m[6] * m[8] - m[4] * m[10], m[0] * m[10] - m[2] * m[8], m[2] * m[4] - m[0] * m[6]
    g, h, i = m[4] * m[9] - m[5] * m[8], m[1] * m[8] - m[0] * m[9], m[0] * m[5] - m[1] * m[4]
    size = 1 / (m[0] * a + m[1] * d + m[2] * g)
    a, b, c, d, e, f, g, h, i = a * size, b * size, c * size, d * size, e * size, f * size, g * size, h * size, i * size
    x, y, z = m[3], m[7], m[11]
    return (
        a, b, c, -(a * x + b * y + c * z),
        d, e, f, -(d * x + e * y + f * z),
        g, h, i, -(g * x + h * y + i * z),
    )  # fmt: skip


@helper
def composed(rows, actor, at):
    """Return the affine matrix of a joint, computed from its translation, rotation and scale in `rows`."""
    row, k = rows[actor], at
    px, py, pz = np.float64(row[k]), np.float64(row[k + 1]), np.float64(row[k + 2])
    x, y, z, w = np.float64(row[k + 3]), np.float64(row[k + 4]), np.float64(row[k + 5]), np.float64(row[k + 6])
    u, v, s = np.float64(row[k + 7]), np.float64(row[k + 8]), np.float64(row[k + 9])
    m = quaternion_rotation(x, y, z, w)
    return m[0] * u, m[1] * v, m[2] * s, px, m[3] * u, m[4] * v, m[5] * s, py, m[6] * u, m[7] * v, m[8] * s, pz


@helper
def _quaternion(m, u, v, s):
    """Return the unit quaternion of a matrix with the column lengths u, v, s."""
    first, second = (m[0] / u, m[4] / u, m[8] / u), (m[1] / v, m[5] / v, m[9] / v)
    x, y, z, w = from_axes(first, second, (m[2] / s, m[6] / s, m[10] / s), 1.0)
    size = 1 / np.sqrt(x * x + y * y + z * z + w * w)
    return x * size, y * size, z * size, w * size


@helper
def _write(m, rows, actor, at):
    """Write the translation, the rotation and the scale of an affine matrix to `rows`."""
    u = np.sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8])
    v = np.sqrt(m[1] * m[1] + m[5] * m[5] + m[9] * m[9])
    s = np.sqrt(m[2] * m[2] + m[6] * m[6] + m[10] * m[10])
    x, y, z, w = _quaternion(m, u, v, s)
    numbers = m[3], m[7], m[11], x, y, z, w, u, v, s
    for k in range(ROW):
        rows[actor, at + k] = numbers[k]


@kernel(void(REALS_3D, INTS, REALS_2D, INTS, OUT_2D, OUT_REALS))
def local_rows(palettes, entries, binds, parents, rows, off):
    """Replace the local poses of clips, `rows` [n, joint x 10], by the local poses in skin palettes [n, entry, 12].
    `entries` [joint] is the palette entry of each joint; a joint with -1 keeps its pose of the clips. `binds` [joint,
    12] contains the bind matrices, and `parents` [joint] the parents. `off` [n] receives the largest difference between
    a local matrix and the matrix of its ten numbers: large or not finite with shear, a mirror or an axis of length 0.
    """
    count = parents.shape[0]
    models = np.empty((count, 12), np.float64)
    for actor in range(palettes.shape[0]):
        off[actor] = 0.0
        for joint in range(count):
            entry, parent, at = entries[joint], parents[joint], ROW * joint
            above = models[max(parent, 0)]
            if entry < 0:
                local = composed(rows, actor, at)
                model = local if parent < 0 else product(above, local)
            else:
                model = product(palettes[actor, entry], binds[joint])
                local = model if parent < 0 else product(_inverse(above), model)
                _write(local, rows, actor, at)
                written = composed(rows, actor, at)
                for k in range(12):
                    apart = abs(written[k] - local[k])
                    off[actor] = max(off[actor], apart if apart == apart else np.inf)
            for k in range(12):
                models[joint, k] = model[k]
