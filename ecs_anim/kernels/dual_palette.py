"""Palettes for dual quaternion skinning, for a chunk of actors: `ecs_anim.dual_palette` says what an entry holds.

The polar decomposition is one step of Newton and Schulz where scale is uniform, as it is nearly always; else a
one-sided Jacobi (Hestenes 1958): the axes of a matrix are turned until they are at right angles. The first is done for
sixteen entries at once, one plane for each number and at a fixed distance from the next, which LLVM vectorises.
"""

import numpy as np
from numba import njit, uint64

from ecs_anim.dual_palette import FLAT as FLAT_SHARE
from ecs_anim.kernels.palette import FASTMATH, multiply_affine
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, INTS, OUT_3D, void
from ecs_anim.kernels.vectors import along, cross, dot, quaternion_rotation, scaled, turned

helper = njit(
    no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy"
)  # called by kernels alone, so cheaper to compile
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


@njit(inline="always")
def _askew(p, q):
    """Whether two axes are not at right angles."""
    cosine = dot(p, q)
    return cosine * cosine > SQUARE * dot(p, p) * dot(q, q)


@helper
def _turn(p, q):
    """Cosine and sine of the turn that brings two axes to right angles."""
    skew = dot(p, q)
    if skew == ZERO:
        return ONE, ZERO
    half = min(max((dot(q, q) - dot(p, p)) / (TWO * skew), -STEEP), STEEP)
    tangent = ONE / (abs(half) + np.sqrt(ONE + half * half))
    cosine = ONE / np.sqrt(ONE + tangent * tangent)
    return cosine, cosine * (tangent if half >= ZERO else -tangent)


@njit(inline="always")
def _both_turned(p, q, cosine, sine):
    a, b = scaled(p, cosine), scaled(q, cosine)
    return along(a, q, -sine), along(b, p, sine)


@helper
def _squared_up(x, y, z):
    """The axes turned among themselves until they are at right angles, and the turn's three columns."""
    u, v, w = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)
    for _ in range(SWEEPS):
        if not (_askew(x, y) or _askew(y, z) or _askew(z, x)):
            break
        c, s = _turn(x, y)
        x, y = _both_turned(x, y, c, s)
        u, v = _both_turned(u, v, c, s)
        c, s = _turn(y, z)
        y, z = _both_turned(y, z, c, s)
        v, w = _both_turned(v, w, c, s)
        c, s = _turn(z, x)
        z, x = _both_turned(z, x, c, s)
        w, u = _both_turned(w, u, c, s)
    return x, y, z, u, v, w


@helper
def _any_across(v):
    """Some unit vector at right angles to a unit vector."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    if x <= y and x <= z:
        side = (ZERO, v[2], -v[1])
    elif y <= z:
        side = (-v[2], ZERO, v[0])
    else:
        side = (v[1], -v[0], ZERO)
    return scaled(side, ONE / np.sqrt(dot(side, side)))


@helper
def _completed(x, y, z, a, b, c, u, v, w):
    """Unit axes where those of lengths a, b, c have no direction; where none has, no rotation is left."""
    if a > FLAT and b > FLAT:
        return x, y, cross(x, y)
    if b > FLAT and c > FLAT:
        return cross(y, z), y, z
    if c > FLAT and a > FLAT:
        return x, cross(z, x), z
    if a > FLAT:
        y = _any_across(x)
        return x, y, cross(x, y)
    if b > FLAT:
        z = _any_across(y)
        return cross(y, z), y, z
    if c > FLAT:
        x = _any_across(z)
        return x, cross(z, x), z
    return u, v, w


@njit(inline="always")
def _unit(axis, length):
    return scaled(axis, ONE / max(length, FLAT))


@njit(inline="always")
def _mixed(x, y, z, a, b, c):
    """a x + b y + c z."""
    return (
        a * x[0] + b * y[0] + c * z[0],
        a * x[1] + b * y[1] + c * z[1],
        a * x[2] + b * y[2] + c * z[2],
    )


@njit(inline="always")
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
def _general(x, y, z):
    """Rotation and stretch of any three axes, whatever their lengths and angles."""
    most = ZERO
    for axis in (x, y, z):
        most = max(most, max(abs(axis[0]), max(abs(axis[1]), abs(axis[2]))))
    share = ONE / most if most > NOTHING else ZERO
    x, y, z, u, v, w = _squared_up(scaled(x, share), scaled(y, share), scaled(z, share))
    a, b, c = np.sqrt(dot(x, x)), np.sqrt(dot(y, y)), np.sqrt(dot(z, z))
    x, y, z = _unit(x, a), _unit(y, b), _unit(z, c)
    if min(a, min(b, c)) <= FLAT:
        x, y, z = _completed(x, y, z, a, b, c, u, v, w)
    elif dot(x, cross(y, z)) < ZERO:
        x, y, z = scaled(x, -ONE), scaled(y, -ONE), scaled(z, -ONE)
        a, b, c = -a, -b, -c
    a, b, c = a * most, b * most, c * most  # the stretch along u, v, w, which the rotation takes to x, y, z
    stretch = (
        a * u[0] * u[0] + b * v[0] * v[0] + c * w[0] * w[0],
        a * u[1] * u[1] + b * v[1] * v[1] + c * w[1] * w[1],
        a * u[2] * u[2] + b * v[2] * v[2] + c * w[2] * w[2],
        a * u[1] * u[2] + b * v[1] * v[2] + c * w[1] * w[2],
        a * u[2] * u[0] + b * v[2] * v[0] + c * w[2] * w[0],
        a * u[0] * u[1] + b * v[0] * v[1] + c * w[0] * w[1],
    )
    rotation = (
        _mixed(x, y, z, u[0], v[0], w[0]),
        _mixed(x, y, z, u[1], v[1], w[1]),
        _mixed(x, y, z, u[2], v[2], w[2]),
    )
    return rotation, stretch


@njit(inline="always")
def _fill_lanes(source, skin_joints, inverse_bind, first, count, matrix, lanes):
    """Skin matrices of `count` entries from the first, a plane of `lanes` for each of their twelve numbers."""
    for lane in range(count):
        e = uint64(first + lane)
        multiply_affine(source, uint64(skin_joints[e]), inverse_bind, e, matrix, 0)
        for i in range(12):
            lanes[i * WIDTH + lane] = matrix[0, i]


@njit(inline="always")
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


@njit(inline="always")
def _any_scale(lanes, i, out):
    """The same of one matrix, whatever its scale."""
    rotation, stretch = _general(
        (lanes[i], lanes[4 * WIDTH + i], lanes[8 * WIDTH + i]),
        (lanes[WIDTH + i], lanes[5 * WIDTH + i], lanes[9 * WIDTH + i]),
        (lanes[2 * WIDTH + i], lanes[6 * WIDTH + i], lanes[10 * WIDTH + i]),
    )
    quaternion = _quaternion(rotation[0], rotation[1], rotation[2])
    for part in range(4):
        out[part * WIDTH + i] = quaternion[part]
    for part in range(6):
        out[(4 + part) * WIDTH + i] = stretch[part]


@njit(inline="always")
def _place(parts, lanes, i, out, k):
    """Rotation, translation and stretch into out[k], the stretch about the origin."""
    for row in range(3):
        out[k, row] = parts[row * WIDTH + i]
        out[k, 4 + row] = lanes[(4 * row + 3) * WIDTH + i]
        out[k, 8 + row] = ZERO
    out[k, 3], out[k, 7], out[k, 11] = parts[3 * WIDTH + i], parts[4 * WIDTH + i], parts[5 * WIDTH + i]
    for part in range(4):
        out[k, 12 + part] = parts[(6 + part) * WIDTH + i]


@njit(inline="always")
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


@njit(
    void(INTS, FLOATS_2D, FLOATS_2D, INTS, FLOATS_3D, OUT_3D),
    cache=True,
    nogil=True,
    fastmath=FASTMATH,
    error_model="numpy",
)
def dual_palettes(skin_joints, inverse_bind, center, base, model, out_palette):
    """Dual quaternion palettes of a chunk: what `skin_palettes` makes, taken apart.

    skin_joints [palette_count]; inverse_bind [palette_count, 12]; center [palette_count, 3] the joints in bind space;
    base [palette_count] the entry whose scale is the whole's; model [>= chunk, joint_count, 12]; out_palette [chunk,
    palette_count, 16] f32.
    """
    matrix, lanes, parts = (
        np.empty((1, 12), np.float32),
        np.ones(12 * WIDTH, np.float32),
        np.empty(11 * WIDTH, np.float32),
    )
    entry_count = skin_joints.shape[0]
    for actor in range(out_palette.shape[0]):
        source, out = model[actor], out_palette[actor]
        for first in range(0, entry_count, WIDTH):
            count = min(WIDTH, entry_count - first)
            _fill_lanes(source, skin_joints, inverse_bind, first, count, matrix, lanes)
            _nearly_uniform(lanes, parts)
            for lane in range(count):
                if parts[10 * WIDTH + lane] == ZERO:
                    _any_scale(lanes, lane, parts)
                _place(parts, lanes, lane, out, uint64(first + lane))
        for entry in range(entry_count):
            e, b = uint64(entry), uint64(base[entry])
            _center_stretch(out, e, center, THIRD * (out[b, 7] + out[b, 11] + out[b, 12]))
