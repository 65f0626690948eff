"""Search for the pose of an impostor sheet that is nearest to an actor's pose.

The distance of two poses is the distance of points on the body.
"""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels.types import FLOATS_2D, FLOATS_3D, LONGS, OUT, OUT_2D, OUT_INTS, void
from ecs_anim.simd import borrow, broadcast, keep_alive, load, pointer, store

ZERO = np.float32(0)


@inlined
def _placed(palettes, row, entry, axis, places, point):
    """Return one coordinate of a point after the transformation by a palette entry."""
    found, at = ZERO, 4 * axis
    for column in range(4):
        found += palettes[row, entry, at + column] * places[point, column]
    return found


@kernel(void(FLOATS_3D, LONGS, LONGS, FLOATS_2D, FLOATS_2D, OUT_INTS, OUT, OUT_2D))
def nearest_poses(palettes, rows, entries, places, sheet, out_poses, out_apart, out_middles):
    """Write the nearest pose of the impostor sheet for each row of palettes. If two poses are equally near, write the
    first.

    - `rows` [n] contains the rows of `palettes` [actor, entry, 12] to process.
    - `entries` [point] contains the palette entry that moves each point. `places` [point, 4] contains the points.
    - `sheet` [3 point, pose] contains the points of each pose, relative to their centre. The last pose of the sheet is
      repeated, so that the number of poses is a multiple of eight.
    - Writes the nearest poses to out_poses [n]. Writes the root mean square distances between the points to out_apart
      [n]. Writes the centre of each actor's points to out_middles [n, 3].
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
