"""Palettes for dual quaternion skinning, for a chunk: `ecs_anim.assets.dual_palette` says what an entry holds.

The polar decomposition is one step of Newton and Schulz where scale is uniform, as it is nearly always; else a
one-sided Jacobi (Hestenes 1958): the axes of a matrix are turned until they are at right angles. The first is done for
sixteen entries at once, one plane for each number and at a fixed distance from the next, which LLVM vectorises.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types, uint64

from ecs_anim.assets.dual_palette import FLAT as FLAT_SHARE
from ecs_anim.kernels import helper, inlined, kernel
from ecs_anim.kernels.blocks import lanes_of, put_model
from ecs_anim.kernels.stages import BLOCKS, stage
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, INTS, OUT, OUT_2D, OUT_3D, void
from ecs_anim.kernels.vectors import multiply_affine, quaternion_rotation, turned
from ecs_anim.simd import pointer, rows_from

ZERO, THIRD, HALF = np.float32(0), np.float32(1 / 3), np.float32(0.5)
ONE, THREE_HALVES, TWO = np.float32(1), np.float32(1.5), np.float32(2)
NEARLY = np.float32(1e-3)  # share of the mean squared length by which axes may differ; its square is rounding
SMALLEST, LARGEST = np.float32(1e-12), np.float32(1e12)  # squared length of an axis
SQUARE = np.float32(1e-12)  # squared cosine of axes that count as at right angles
FLAT = np.float32(FLAT_SHARE)
NOTHING = np.float32(1e-30)  # what counts as scaled to nothing
STEEP = np.float32(1e9)  # cotangent of a turn that is none
WIDTH = 16  # entries at once
SWEEPS = 12  # three or four are enough


@helper
def _along(axes, p, q):
    """Inner product of two rows."""
    return axes[p, 0] * axes[q, 0] + axes[p, 1] * axes[q, 1] + axes[p, 2] * axes[q, 2]


@helper
def _set_across(axes, j):
    """Make one row of three the cross product of the next two."""
    p, q = (j + 1) % 3, (j + 2) % 3
    for i in range(3):
        k, m = (i + 1) % 3, (i + 2) % 3
        axes[j, i] = axes[p, k] * axes[q, m] - axes[p, m] * axes[q, k]


@helper
def _turn(axes, p, q):
    """Bring two axes to right angles by a turn among themselves, and turn rows 3 + p and 3 + q alike."""
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
    """Turn rows 0 to 2 among themselves until they are at right angles; rows 3 to 5 become the turn."""
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
    """Rows 0 to 2, the longest first; their lengths go to row 6."""
    for j in range(3):
        axes[6, j] = np.sqrt(_along(axes, j, j))
    x, y, z = axes[6, 0], axes[6, 1], axes[6, 2]
    longest = 0 if x >= max(y, z) else (1 if y >= z else 2)
    p, q = (longest + 1) % 3, (longest + 2) % 3
    return (longest, p, q) if axes[6, p] >= axes[6, q] else (longest, q, p)


@helper
def _make_unit(axes):
    """Give rows 0 to 2 length 1, and their lengths to row 6. Returns how many have a direction.

    A short one lies askew by the rounding of those that it was turned with, which are taken out of it (Gram, Schmidt).
    """
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
    """Make rows 0 to 2 a right-handed frame. Axes without a direction get one; where none has, no rotation is left."""
    if found == 3:
        mirror = axes[0, 0] * (axes[1, 1] * axes[2, 2] - axes[1, 2] * axes[2, 1])
        mirror += axes[0, 1] * (axes[1, 2] * axes[2, 0] - axes[1, 0] * axes[2, 2])
        mirror += axes[0, 2] * (axes[1, 0] * axes[2, 1] - axes[1, 1] * axes[2, 0])
        if mirror < ZERO:
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


@helper
def _quaternion(x, y, z):
    """The quaternion that takes the coordinate axes to these, by the largest divisor (Shepperd 1978)."""
    trace = x[0] + y[1] + z[2]
    if trace >= x[0] and trace >= y[1] and trace >= z[2]:
        q = (y[2] - z[1], z[0] - x[2], x[1] - y[0], ONE + trace)
    elif x[0] >= y[1] and x[0] >= z[2]:
        q = (ONE + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2], y[2] - z[1])
    elif y[1] >= z[2]:
        q = (x[1] + y[0], ONE - x[0] + y[1] - z[2], y[2] + z[1], z[0] - x[2])
    else:
        q = (z[0] + x[2], y[2] + z[1], ONE - x[0] - y[1] + z[2], x[1] - y[0])
    factor = ONE / np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * factor, q[1] * factor, q[2] * factor, q[3] * factor


@helper
def _fill_lanes(source, skin_joints, inverse_bind, first, count, matrix, lanes):
    """Skin matrices of `count` entries from the first, a plane of `lanes` for each of their twelve numbers."""
    for lane in range(count):
        e = uint64(first + lane)
        multiply_affine(source, uint64(skin_joints[e]), inverse_bind, e, matrix, 0)
        for i in range(12):
            lanes[i * WIDTH + lane] = matrix[0, i]


@helper
def _nearly_uniform(lanes, out):
    """Rotation and stretch of the matrices whose scale is uniform but for what files round.

    One step of Newton and Schulz is enough for these. Planes of `out`: quaternion x, y, z, w; stretch xx, yy, zz, yz,
    zx, xy; 1 where this holds. The quaternion goes by the largest divisor (Shepperd 1978).
    """
    for i in range(WIDTH):
        x0, y0, z0 = lanes[i], lanes[WIDTH + i], lanes[2 * WIDTH + i]
        x1, y1, z1 = lanes[4 * WIDTH + i], lanes[5 * WIDTH + i], lanes[6 * WIDTH + i]
        x2, y2, z2 = lanes[8 * WIDTH + i], lanes[9 * WIDTH + i], lanes[10 * WIDTH + i]
        xx, yy, zz = x0 * x0 + x1 * x1 + x2 * x2, y0 * y0 + y1 * y1 + y2 * y2, z0 * z0 + z1 * z1 + z2 * z2
        yz, zx, xy = y0 * z0 + y1 * z1 + y2 * z2, z0 * x0 + z1 * x1 + z2 * x2, x0 * y0 + x1 * y1 + x2 * y2
        mean = (xx + yy + zz) * THIRD
        side = x0 * (y1 * z2 - y2 * z1) + x1 * (y2 * z0 - y0 * z2) + x2 * (y0 * z1 - y1 * z0)
        off = max(max(abs(xx - mean), abs(yy - mean)), max(max(abs(yz), abs(zx)), abs(xy)))
        holds = (off <= NEARLY * mean) & (mean > SMALLEST) & (mean < LARGEST) & (side > ZERO)
        one = ONE / np.sqrt(min(max(mean, SMALLEST), LARGEST))
        half, size, k = HALF * one * one, HALF * mean * one, HALF * one
        a, b, c = one * (THREE_HALVES - half * xx), one * (THREE_HALVES - half * yy), one * (THREE_HALVES - half * zz)
        d, e, f = -one * half * yz, -one * half * zx, -one * half * xy
        r00, r01, r02 = a * x0 + f * y0 + e * z0, f * x0 + b * y0 + d * z0, e * x0 + d * y0 + c * z0
        r10, r11, r12 = a * x1 + f * y1 + e * z1, f * x1 + b * y1 + d * z1, e * x1 + d * y1 + c * z1
        r20, r21, r22 = a * x2 + f * y2 + e * z2, f * x2 + b * y2 + d * z2, e * x2 + d * y2 + c * z2
        w, x, y, z = ONE + r00 + r11 + r22, ONE + r00 - r11 - r22, ONE - r00 + r11 - r22, ONE - r00 - r11 + r22
        by_w, by_x, by_y = w >= max(x, max(y, z)), x >= max(y, z), y >= z
        qx = r21 - r12 if by_w else (x if by_x else (r10 + r01 if by_y else r02 + r20))
        qy = r02 - r20 if by_w else (r10 + r01 if by_x else (y if by_y else r21 + r12))
        qz = r10 - r01 if by_w else (r02 + r20 if by_x else (r21 + r12 if by_y else z))
        qw = w if by_w else (r21 - r12 if by_x else (r02 - r20 if by_y else r10 - r01))
        unit = ONE / np.sqrt(qx * qx + qy * qy + qz * qz + qw * qw)
        out[i], out[WIDTH + i], out[2 * WIDTH + i], out[3 * WIDTH + i] = qx * unit, qy * unit, qz * unit, qw * unit
        out[4 * WIDTH + i], out[5 * WIDTH + i], out[6 * WIDTH + i] = size + k * xx, size + k * yy, size + k * zz
        out[7 * WIDTH + i], out[8 * WIDTH + i], out[9 * WIDTH + i] = k * yz, k * zx, k * xy
        out[10 * WIDTH + i] = ONE if holds else ZERO


@helper
def _summed(axes, row, column):
    """An entry of the matrix that is the sum of outer products of rows 0 to 2 with rows 3 to 5."""
    total = axes[0, row] * axes[3, column] + axes[1, row] * axes[4, column]
    return total + axes[2, row] * axes[5, column]


@njit(inline="always")
def _row(axes, j):
    return axes[j, 0], axes[j, 1], axes[j, 2]


@helper
def _any_scale(lanes, lane, axes, out):
    """The same of one matrix, whatever its scale; axes [10, 3] is scratch."""
    most = ZERO
    for row in range(3):
        for column in range(3):
            most = max(most, abs(lanes[(4 * row + column) * WIDTH + lane]))
    share = ONE / most if most > NOTHING else ZERO
    for row in range(3):
        for column in range(3):
            axes[column, row] = lanes[(4 * row + column) * WIDTH + lane] * share
    _square_up(axes)
    _make_proper(axes, _make_unit(axes))
    # The stretch's own axes are rows 3 to 5, which the rotation takes to rows 0 to 2.
    for row in range(3):
        for column in range(3):
            axes[7 + column, row] = _summed(axes, row, column)
    x, y, z = _row(axes, 7), _row(axes, 8), _row(axes, 9)
    quaternion = _quaternion(x, y, z)
    for part in range(4):
        out[part * WIDTH + lane] = quaternion[part]
    for j in range(3):
        for i in range(3):
            axes[j, i] = axes[3 + j, i] * axes[6, j] * most
    for part in range(3):
        out[(4 + part) * WIDTH + lane] = _summed(axes, part, part)
        out[(7 + part) * WIDTH + lane] = _summed(axes, (part + 1) % 3, (part + 2) % 3)


@helper
def _place(parts, lanes, i, out, k):
    """Rotation, translation and stretch into out[k], the stretch about the origin."""
    for row in range(3):
        out[k, row] = parts[row * WIDTH + i]
        out[k, 4 + row] = lanes[(4 * row + 3) * WIDTH + i]
        out[k, 8 + row] = ZERO
    out[k, 3], out[k, 7], out[k, 11] = parts[3 * WIDTH + i], parts[4 * WIDTH + i], parts[5 * WIDTH + i]
    for part in range(4):
        out[k, 12 + part] = parts[(6 + part) * WIDTH + i]


@helper
def _center_stretch(out, k, center, whole):
    """Make the stretch of out[k], as far as it is not the whole's, one about the point center[k]."""
    x, y, z = center[k, 0], center[k, 1], center[k, 2]
    zz, yz, zx, xy = out[k, 12], out[k, 13], out[k, 14], out[k, 15]
    offset = (
        (whole - out[k, 7]) * x - xy * y - zx * z,
        (whole - out[k, 11]) * y - xy * x - yz * z,
        (whole - zz) * z - zx * x - yz * y,
    )
    turned_offset = turned(quaternion_rotation(out[k, 0], out[k, 1], out[k, 2], out[k, 3]), offset)
    for i in range(3):
        out[k, 4 + i] -= turned_offset[i]
        out[k, 8 + i] = offset[i]


@inlined
def _write_actor(skin, model, rooms, out):
    """Write the palette of an actor: skin matrices, taken apart."""
    (joints, inverse_bind, center, base), (matrix, lanes, parts, axes) = skin, rooms
    entry_count = joints.shape[0]
    for first in range(0, entry_count, WIDTH):
        count = min(WIDTH, entry_count - first)
        _fill_lanes(model, joints, inverse_bind, first, count, matrix, lanes)
        _nearly_uniform(lanes, parts)
        for lane in range(count):
            if parts[10 * WIDTH + lane] == ZERO:
                _any_scale(lanes, lane, axes, parts)
            _place(parts, lanes, lane, out, uint64(first + lane))
    for entry in range(entry_count):
        e, b = uint64(entry), uint64(base[entry])
        _center_stretch(out, e, center, THIRD * (out[b, 7] + out[b, 11] + out[b, 12]))


class DualRoom(NamedTuple):
    """Room for `_write_actor`, and for the matrices of eight actors."""

    matrix: OUT_2D  # [1, 12]
    lanes: OUT  # [12 x WIDTH], which begins as ones
    parts: OUT  # [11 x WIDTH]
    axes: OUT_2D  # [10, 3]
    model: OUT_3D  # [8, joint, 12]


DUAL_ROOM: Any = types.BaseTuple.from_types(list(DualRoom.__annotations__.values()), DualRoom)


class DualPalettes(NamedTuple):
    """Arguments of the stage `write_entries`."""

    blocks: BLOCKS
    joints: INTS  # [entry], the joint of each palette entry
    inverse_bind: FLOATS_2D  # [entry, 12]
    center: FLOATS_2D  # [entry, 3], the joints in bind space
    base: INTS  # [entry], the entry whose scale is the whole's
    palette_rows: INTS  # [chunk], the rows of palettes that are written
    palettes: OUT_3D  # [actor, entry, 16]
    room: DUAL_ROOM


def new_room(joint_count: int) -> DualRoom:
    """Return room for the stage."""
    model = np.empty((8, joint_count, 12), np.float32)
    lanes, parts = np.ones(12 * WIDTH, np.float32), np.empty(11 * WIDTH, np.float32)
    return DualRoom(np.empty((1, 12), np.float32), lanes, parts, np.empty((10, 3), np.float32), model)


@stage(DualPalettes)
def write_entries(own, first, end, frame):
    """Write what the stage `write_palettes` writes, taken apart for dual quaternion skinning."""
    room, joint_count = own.room, own.room.model.shape[1]
    starts = rows_from(0, 8) * (12 * joint_count)
    for begin in range(first, end, 8):
        put_model(lanes_of(own.blocks.frames, frame + (begin - first) // 8), joint_count, pointer(room.model), starts)
        for lane in range(min(8, end - begin)):
            row = own.palette_rows[own.blocks.rows[begin + lane]]
            skin = own.joints, own.inverse_bind, own.center, own.base
            _write_actor(skin, room.model[lane], (room.matrix, room.lanes, room.parts, room.axes), own.palettes[row])


def make_entries(joints, inverse_bind, center, base, model, out_palette):
    """Write dual quaternion palettes of model matrices [>= chunk, joint, 12]; see `DualPalettes`."""
    _make_entries(joints, inverse_bind, center, base, model, new_room(0), out_palette)


@kernel(void(INTS, FLOATS_2D, FLOATS_2D, INTS, FLOATS_3D, DUAL_ROOM, OUT_3D))
def _make_entries(joints, inverse_bind, center, base, model, room, out_palette):
    for actor in range(out_palette.shape[0]):
        skin = joints, inverse_bind, center, base
        _write_actor(skin, model[actor], (room.matrix, room.lanes, room.parts, room.axes), out_palette[actor])
