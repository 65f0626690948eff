"""Search for the pose of an impostor sheet that is nearest to an actor's pose, by distances of points of the body."""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, LONGS, OUT, OUT_2D, OUT_INTS, void
from ecs_anim.simd import borrow, broadcast, keep_alive, load, pointer, store

ZERO = np.float32(0)


@inlined
def _placed(palettes, row, entry, axis, places, point):
    """Return the coordinate `axis` of a point after the transformation by a palette entry."""
    found, at = ZERO, 4 * axis
    for column in range(4):
        found += palettes[row, entry, at + column] * places[point, column]
    return found


@kernel(void(FLOATS_3D, LONGS, LONGS, FLOATS_2D, FLOATS_2D, OUT_INTS, OUT, OUT_2D))
def nearest_poses(palettes, rows, entries, places, sheet, out_poses, out_apart, out_middles):
    """Find the pose of an impostor sheet that is nearest to the pose of each actor, by the root mean square distance of
    their points, both with their centre at 0. Of equally near poses, the first counts. `rows` [n] are the rows of the
    actors in `palettes` [actor, entry, 12]. `places` [point, 4] contains points in the bind pose as x, y, z, 1, and
    `entries` [point] the palette entries that move them. `sheet` [3 point, pose] contains the points of each pose,
    padded with copies of the last pose to a multiple of eight. Outputs: `out_poses` [n], the distances `out_apart` [n],
    and the centres `out_middles` [n, 3].
    """
    count, poses, numbers = entries.shape[0], sheet.shape[1], pointer(sheet)
    points, squares = np.empty((count, 3), np.float32), np.empty(poses, np.float32)
    own, apart, share = borrow(points), pointer(squares), np.float32(1 / count)
    for number in range(rows.shape[0]):
        for axis in range(3):
            middle = ZERO
            for point in range(count):
                own[point, axis] = _placed(palettes, rows[number], entries[point], axis, places, point)
                middle += own[point, axis] * share
            out_middles[number, axis] = middle
            for point in range(count):
                own[point, axis] -= middle
        for first in range(0, poses, 8):
            square = broadcast(ZERO)
            for point in range(count):
                for axis in range(3):
                    off = load(numbers, (3 * point + axis) * poses + first) - own[point, axis]
                    square = square + off * off
            store(apart, first, square)
        best = np.argmin(squares)
        out_poses[number], out_apart[number] = best, np.sqrt(squares[best] * share)
    keep_alive(points, squares)
