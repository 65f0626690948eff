"""Palettes for dual quaternion skinning, eight actors at a time. `ecs_anim.assets.dual_palette` documents the entries.
A skin matrix is split into a rotation and a stretch (polar decomposition). For nearly all matrices, one Newton-Schulz
step is enough. For others, a one-sided Jacobi method (Hestenes 1958) makes the axes orthogonal.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import uint64

from ecs_anim import simd
from ecs_anim.assets.dual_palette import FLAT as FLAT_SHARE
from ecs_anim.kernels import helper, inlined
from ecs_anim.kernels.columns import declared
from ecs_anim.kernels.frames import lanes_of
from ecs_anim.kernels.palettes import skin_matrices
from ecs_anim.kernels.rotations import from_axes
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLOATS_2D, INTS, OUT_2D, OUT_3D, OUT_4D
from ecs_anim.kernels.vectors import cross, dot, quaternion_rotation, turned

ZERO, THIRD, HALF = np.float32(0), np.float32(1 / 3), np.float32(0.5)
ONE, THREE_HALVES, TWO = np.float32(1), np.float32(1.5), np.float32(2)
# largest difference of a squared axis length from the mean, as a share of the mean; its square is a rounding error
NEARLY = np.float32(1e-3)
SMALLEST, LARGEST = np.float32(1e-12), np.float32(1e12)  # range of squared axis lengths for the Newton-Schulz step
SQUARE = np.float32(1e-12)  # squared cosine below which two axes count as orthogonal
FLAT = np.float32(FLAT_SHARE)
NOTHING = np.float32(1e-30)  # largest entry of a matrix that counts as zero
STEEP = np.float32(1e9)  # largest cotangent; the rotation is then negligible
SWEEPS = 12  # largest number of sweeps; usually three or four are enough
ENTRY = 16  # numbers of a palette entry
# Offsets in a palette entry: the translation, and the diagonal of the stretch. The quaternion has offset 0.
TRANSLATION, STRETCH_XX, STRETCH_YY, STRETCH_ZZ = 4, 7, 11, 12


@inlined
def _row(axes, j):
    return axes[j, 0], axes[j, 1], axes[j, 2]


@helper
def _along(axes, p, q):
    """Return the inner product of the rows p and q of `axes`."""
    return dot(_row(axes, p), _row(axes, q))


@helper
def _set_across(axes, j):
    """Set row j of three rows to the cross product of the two following rows. The row after row 2 is row 0."""
    axes[j, 0], axes[j, 1], axes[j, 2] = cross(_row(axes, (j + 1) % 3), _row(axes, (j + 2) % 3))


@helper
def _turn(axes, p, q):
    """Rotate rows p and q, and 3 + p and 3 + q, until p and q are orthogonal. Return false if they were already."""
    skew = _along(axes, p, q)
    if skew * skew <= SQUARE * _along(axes, p, p) * _along(axes, q, q):
        return False
    half = min(max((_along(axes, q, q) - _along(axes, p, p)) / (TWO * skew), -STEEP), STEEP)
    tangent = ONE / (abs(half) + np.sqrt(ONE + half * half))
    cosine = ONE / np.sqrt(ONE + tangent * tangent)
    sine = cosine * (tangent if half >= ZERO else -tangent)
    for first, second in ((p, q), (3 + p, 3 + q)):
        for i in range(3):
            a, b = axes[first, i], axes[second, i]
            axes[first, i] = cosine * a - sine * b
            axes[second, i] = sine * a + cosine * b
    return True


@helper
def _square_up(axes):
    """Rotate pairs of rows 0 to 2 until all three rows are orthogonal. Write the total rotation to rows 3 to 5."""
    for row in range(3):
        for column in range(3):
            axes[3 + row, column] = ONE if row == column else ZERO
    for _ in range(SWEEPS):
        turned_any = False
        for p in range(3):
            turned_any |= _turn(axes, p, (p + 1) % 3)
        if not turned_any:
            break


@helper
def _by_length(axes):
    """Return the indices of rows 0 to 2, the longest row first. Write the lengths to row 6."""
    for j in range(3):
        axes[6, j] = np.sqrt(_along(axes, j, j))
    x, y, z = axes[6, 0], axes[6, 1], axes[6, 2]
    longest = 0 if x >= max(y, z) else (1 if y >= z else 2)
    p, q = (longest + 1) % 3, (longest + 2) % 3
    return (longest, p, q) if axes[6, p] >= axes[6, q] else (longest, q, p)


@helper
def _make_unit(axes):
    """Make rows 0 to 2 unit vectors (Gram-Schmidt, longest first), with lengths in row 6. Return how many are not 0."""
    found, order = 0, _by_length(axes)
    for j in order:
        for p in order:
            if p == j:
                break
            skew = _along(axes, j, p)
            for i in range(3):
                axes[j, i] -= skew * axes[p, i]
        axes[6, j] = np.sqrt(_along(axes, j, j))
        found += axes[6, j] > FLAT
        for i in range(3):
            axes[j, i] /= max(axes[6, j], FLAT)
    return found


@helper
def _make_proper(axes, found):
    """Make rows 0 to 2 a right-handed frame. Replace rows of zeros. If all three rows are zero, use the identity."""
    if found == 3:
        if dot(_row(axes, 0), cross(_row(axes, 1), _row(axes, 2))) < ZERO:
            for j in (0, 1, 2, 6):
                for i in range(3):
                    axes[j, i] = -axes[j, i]
        return
    for j in range(3):
        if found == 0:
            for i in range(3):
                axes[j, i] = axes[3 + j, i]
        elif found == 1 and axes[6, j] > FLAT:
            p, q = (j + 1) % 3, (j + 2) % 3
            least = 0 if abs(axes[j, 0]) <= abs(axes[j, 1]) else 1
            least = 2 if abs(axes[j, 2]) < abs(axes[j, least]) else least
            k, m = (least + 1) % 3, (least + 2) % 3
            size = np.sqrt(axes[j, k] * axes[j, k] + axes[j, m] * axes[j, m])
            axes[p, least], axes[p, k], axes[p, m] = ZERO, axes[j, m] / size, -axes[j, k] / size
            _set_across(axes, q)
        elif found == 2 and axes[6, j] <= FLAT:
            _set_across(axes, j)


@inlined
def _nearly_uniform(rows):
    """Return the rotations and the stretches of eight matrices, and a mask of the lanes with uniform scale. A rotation
    is a quaternion, computed with the largest divisor (Shepperd 1978). A stretch has the components xx, yy, zz, yz, zx,
    xy. `rows` contains three rows of each matrix.
    """
    (x0, y0, z0, _), (x1, y1, z1, _), (x2, y2, z2, _) = rows
    xx, yy, zz = x0 * x0 + x1 * x1 + x2 * x2, y0 * y0 + y1 * y1 + y2 * y2, z0 * z0 + z1 * z1 + z2 * z2
    yz, zx, xy = y0 * z0 + y1 * z1 + y2 * z2, z0 * x0 + z1 * x1 + z2 * x2, x0 * y0 + x1 * y1 + x2 * y2
    mean = (xx + yy + zz) * THIRD
    side = x0 * (y1 * z2 - y2 * z1) + x1 * (y2 * z0 - y0 * z2) + x2 * (y0 * z1 - y1 * z0)
    skew = simd.maximum(simd.maximum(abs(yz), abs(zx)), abs(xy))
    off = simd.maximum(simd.maximum(abs(xx - mean), abs(yy - mean)), skew)
    holds = (off <= NEARLY * mean) & (mean > SMALLEST) & (mean < LARGEST) & (side > ZERO)
    one = ONE / np.sqrt(simd.minimum(simd.maximum(mean, SMALLEST), LARGEST))
    half, size, k = HALF * one * one, HALF * mean * one, HALF * one
    a, b, c = one * (THREE_HALVES - half * xx), one * (THREE_HALVES - half * yy), one * (THREE_HALVES - half * zz)
    d, e, f = -one * half * yz, -one * half * zx, -one * half * xy
    r00, r01, r02 = a * x0 + f * y0 + e * z0, f * x0 + b * y0 + d * z0, e * x0 + d * y0 + c * z0
    r10, r11, r12 = a * x1 + f * y1 + e * z1, f * x1 + b * y1 + d * z1, e * x1 + d * y1 + c * z1
    r20, r21, r22 = a * x2 + f * y2 + e * z2, f * x2 + b * y2 + d * z2, e * x2 + d * y2 + c * z2
    w, x, y, z = ONE + r00 + r11 + r22, ONE + r00 - r11 - r22, ONE - r00 + r11 - r22, ONE - r00 - r11 + r22
    by_w, by_x, by_y = w >= simd.maximum(x, simd.maximum(y, z)), x >= simd.maximum(y, z), y >= z
    qx = simd.select(by_w, r21 - r12, simd.select(by_x, x, simd.select(by_y, r10 + r01, r02 + r20)))
    qy = simd.select(by_w, r02 - r20, simd.select(by_x, r10 + r01, simd.select(by_y, y, r21 + r12)))
    qz = simd.select(by_w, r10 - r01, simd.select(by_x, r02 + r20, simd.select(by_y, r21 + r12, z)))
    qw = simd.select(by_w, w, simd.select(by_x, r21 - r12, simd.select(by_y, r02 - r20, r10 - r01)))
    unit = ONE / np.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
    stretch = size + k * xx, size + k * yy, size + k * zz, k * yz, k * zx, k * xy
    return (qx * unit, qy * unit, qz * unit, qw * unit), stretch, holds


@helper
def _summed(axes, row, column):
    """Return one element of the sum of three outer products: of rows 0 and 3, of rows 1 and 4, and of rows 2 and 5."""
    total = axes[0, row] * axes[3, column] + axes[1, row] * axes[4, column]
    return total + axes[2, row] * axes[5, column]


@helper
def _decompose(lanes, lane, axes, out):
    """Write the quaternion and the stretch of a matrix with any scale to the lane `lane` of out [10, 8]. `lanes` [3, 4,
    8] contains eight matrices, and `axes` [10, 3] is memory.
    """
    most = ZERO
    for row in range(3):
        for column in range(3):
            most = max(most, abs(lanes[row, column, lane]))
    share = ONE / most if most > NOTHING else ZERO
    for row in range(3):
        for column in range(3):
            axes[column, row] = lanes[row, column, lane] * share
    _square_up(axes)
    _make_proper(axes, _make_unit(axes))
    # Rows 3 to 5 are the principal axes of the stretch. The rotation maps these axes to rows 0 to 2.
    for row in range(3):
        for column in range(3):
            axes[7 + column, row] = _summed(axes, row, column)
    q = from_axes(_row(axes, 7), _row(axes, 8), _row(axes, 9), ONE)
    unit = ONE / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for part in range(4):
        out[part, lane] = q[part] * unit
    for j in range(3):
        for i in range(3):
            axes[j, i] = axes[3 + j, i] * axes[6, j] * most
    for part in range(3):
        out[4 + part, lane] = _summed(axes, part, part)
        out[7 + part, lane] = _summed(axes, (part + 1) % 3, (part + 2) % 3)


@inlined
def _parts_of(rows, room):
    """Return the rotations and the stretches of eight matrices as ten vectors. The matrices can have any scale."""
    (x, y, z), (quaternion, stretch, holds) = rows, _nearly_uniform(rows)
    simd.store(room.parts, 0, (*quaternion, *stretch))
    if simd.any_true(~holds):
        simd.store(room.lanes, 0, (*x, *y, *z))
        for lane in range(8):
            if not holds[lane]:
                _decompose(room.lanes, lane, room.axes, room.parts)
    return simd.load_each(room.parts, 0, 10)


@inlined
def _entry_of(rows, room):
    """Return the palette entries of eight skin matrices as sixteen vectors. The centre of the stretch is the origin."""
    x, y, z = rows
    qx, qy, qz, qw, xx, yy, zz, yz, zx, xy = _parts_of(rows, room)
    none = simd.broadcast(ZERO)
    return qx, qy, qz, qw, x[3], y[3], z[3], xx, none, none, none, yy, zz, yz, zx, xy


@inlined
def _centered(entry, x, y, z, whole):
    """Return the numbers 4 to 11 of a palette entry after the centre of its stretch moves to the point x, y, z. The
    scale of the whole body, `whole`, keeps its centre at the origin.
    """
    qx, qy, qz, qw, to_x, to_y, to_z, xx, _, _, _, yy, zz, yz, zx, xy = entry
    offset = (
        (whole - xx) * x - xy * y - zx * z,
        (whole - yy) * y - xy * x - yz * z,
        (whole - zz) * z - zx * x - yz * y,
    )
    moved = turned(quaternion_rotation(qx, qy, qz, qw), offset)
    return to_x - moved[0], to_y - moved[1], to_z - moved[2], xx, offset[0], offset[1], offset[2], yy


class DualRoom(NamedTuple):
    """Memory for the decomposition of matrices without uniform scale."""

    lanes: OUT_3D  # [3, 4, 8]
    parts: OUT_2D  # [10, 8], quaternion and stretch
    axes: OUT_2D  # [10, 3]


DUAL_ROOM: Any = declared(DualRoom)


class DualPalettes(NamedTuple):
    """Arguments of the stage `write_entries`."""

    blocks: BLOCKS
    joints: INTS  # [entry], the joint of each palette entry
    inverse_bind: FLOATS_2D  # [entry, 12]
    center: FLOATS_2D  # [entry, 3], the joints in bind space
    base: INTS  # [entry], the palette entry that has the scale of the whole body
    palette_rows: INTS  # [chunk], the palette row of each actor
    palettes: OUT_4D  # [actor, entry, 4, 4]
    room: DUAL_ROOM


def new_room() -> DualRoom:
    """Return memory for the stage `write_entries`."""
    return DualRoom(*(np.empty(shape, np.float32) for shape in ((3, 4, 8), (10, 8), (10, 3))))


@stage(DualPalettes)
def write_entries(own, first, end, frame):
    """Write palettes for dual quaternions: each skin matrix is split into rotation and stretch."""
    palettes, inverse_bind, entry_count = simd.pointer(own.palettes), simd.pointer(own.inverse_bind), len(own.joints)
    for begin in range(first, end, 8):
        lanes = lanes_of(own.blocks.frames, frame + (begin - first) // 8)
        rows = simd.to_integers(simd.gather(own.palette_rows, simd.rows_at(own.blocks.rows, begin), 0))
        out = rows * (ENTRY * entry_count)
        for entry in range(entry_count):
            matrices = skin_matrices(lanes, own.joints[uint64(entry)], inverse_bind, entry)
            simd.scatter(palettes, out, ENTRY * entry, _entry_of(matrices, own.room))
        for entry in range(entry_count):
            e, base = uint64(entry), ENTRY * own.base[uint64(entry)]
            xx, yy = simd.gather(palettes, out, base + STRETCH_XX), simd.gather(palettes, out, base + STRETCH_YY)
            whole = THIRD * (xx + yy + simd.gather(palettes, out, base + STRETCH_ZZ))
            x, y, z = own.center[e, 0], own.center[e, 1], own.center[e, 2]
            numbers = simd.gather_each(palettes, out, ENTRY * entry, ENTRY)
            simd.scatter(palettes, out, ENTRY * entry + TRANSLATION, _centered(numbers, x, y, z, whole))
