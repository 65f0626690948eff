"""Wall queries in plain numpy, without a grid. The module is a readable reference for `ecs_anim.kernels.walls`."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import small_matrices
from ecs_anim.walls.arrays import WallArrays

Reals = NDArray[np.float64]


def nearest_walls(walls: WallArrays, points: Reals) -> tuple[Reals, NDArray[np.int64]]:
    """Return the nearest wall of each point: its x, y and distance [n, 3] [m], and the index of its segment [n]."""
    start, end = walls.segments.astype(np.float64).transpose(1, 0, 2)
    along = end - start
    share = small_matrices.inner(points[:, None] - start, along) / small_matrices.inner(along, along)
    nearest = start + np.clip(share, 0, 1)[..., None] * along
    distance = small_matrices.length(points[:, None] - nearest)
    segment = distance.argmin(axis=1)
    row = np.arange(len(points))
    return np.concatenate([nearest[row, segment], distance[row, segment, None]], axis=-1), segment


def may_be_at(walls: WallArrays, points: Reals) -> NDArray[np.bool_]:
    """Return whether points [n, 2] [m] are walkable.

    If an odd number of segments is to the left of a point, the segments enclose this point.
    """
    (ax, ay), (bx, by) = walls.segments.astype(np.float64).transpose(1, 2, 0)
    x, y = points[:, :1], points[:, 1:]
    crossed = (ay <= y) != (by <= y)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = ax + (y - ay) / (by - ay) * (bx - ax) < x
    inside: NDArray[np.bool_] = np.sum(crossed & left, axis=1) % 2 == 1
    return inside ^ walls.is_open


def is_clear(walls: WallArrays, start: Reals, end: Reals) -> NDArray[np.bool_]:
    """Return whether no wall crosses the straight lines from `start` [n, 2] to `end` [n, 2] [m].

    All points must be finite.
    """
    a, b = walls.segments.astype(np.float64).transpose(1, 0, 2)
    p, q = start[:, None], end[:, None]
    with np.errstate(invalid="ignore"):
        apart = (_side(p, q, a) >= 0) != (_side(p, q, b) >= 0)
        between = (_side(a, b, p) >= 0) != (_side(a, b, q) >= 0)
    is_somewhere = np.isfinite(start) & np.isfinite(end)
    clear: NDArray[np.bool_] = np.all(is_somewhere, axis=1) & ~np.any(apart & between, axis=1)
    return clear


def _side(a: Reals, b: Reals, p: Reals) -> Reals:
    """Return a positive number if p is to the left of the line from a to b."""
    along, across = b - a, p - a
    side: Reals = along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0]
    return side
