"""A plain numpy z-buffer: what the middle of each pixel sees of some triangles."""

from dataclasses import dataclass

import numpy as np

from ecs_anim.view.style import View

EDGE = 0.03  # [pixel], nearer to an edge than that it is the rounding that decides
CLOSE = 1e-4  # share of the depth, by which two triangles are told apart


@dataclass
class Seen:
    """By pixel [height, width]."""

    triangle: np.ndarray  # its number, -1 = none
    depth: np.ndarray  # [m], inf = none
    weights: np.ndarray  # [..., 3], of the triangle's corners
    sure: np.ndarray  # whether rounding cannot change the answer
    slope: np.ndarray  # [m / pixel], of the depth
    weight_slope: np.ndarray  # [1 / pixel], bound of the sum of the weights' slopes


def rasterize(triangles: np.ndarray, view: View, size: tuple[int, int], both_sides: np.ndarray | bool = False) -> Seen:
    """Triangles [count, 3, 3] in the world, all before the eye; backs are seen where `both_sides`."""
    width, height = size
    points = np.concatenate([triangles, np.ones((*triangles.shape[:2], 1))], axis=-1).astype(np.float64)
    clip = points @ (view.projection.astype(np.float64) @ view.view.astype(np.float64)).T
    depth = clip[..., 3]
    assert depth.min() > 0.1
    places = (clip[..., :2] / depth[..., None] * [1, -1] + 1) / 2 * [width, height]
    seen = Seen(
        np.full((height, width), -1),
        np.full((height, width), np.inf),
        np.zeros((height, width, 3)),
        np.ones((height, width), bool),
        np.zeros((height, width)),
        np.zeros((height, width)),
    )
    low = np.maximum(np.floor(places.min(axis=1) - 1), 0).astype(int)
    high = np.minimum(np.ceil(places.max(axis=1) + 1), [width, height]).astype(int)
    edges = np.roll(places, -2, axis=1) - np.roll(places, -1, axis=1)  # opposite each corner
    areas = edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0]
    fronts = (areas < 0) | (both_sides & (areas > 0))  # rows go down: fronts turn the other way
    for index in np.flatnonzero((low < high).all(axis=1) & fronts):
        box = (slice(low[index, 1], high[index, 1]), slice(low[index, 0], high[index, 0]))
        _draw(seen, index, box, places[index], edges[index], areas[index], depth[index])
    return seen


def _draw(
    seen: Seen,
    index: int,
    box: tuple[slice, slice],
    corners: np.ndarray,
    edges: np.ndarray,
    area: float,
    depths: np.ndarray,
) -> None:
    rows, columns = box
    across = np.arange(columns.start, columns.stop)[:, None] + 0.5 - corners[[1, 2, 0], 0]
    down = np.arange(rows.start, rows.stop)[:, None, None] + 0.5 - corners[[1, 2, 0], 1]
    signed = (edges[:, 0] * down - edges[:, 1] * across) * np.sign(area)
    inside = signed / np.linalg.norm(edges, axis=1)  # [pixel], how far inside each edge
    weights = signed / abs(area) / depths
    depth = 1 / weights.sum(axis=-1)
    margin = inside.min(axis=-1)
    nearest = seen.depth[box]
    rival = (margin > -EDGE) & (depth < nearest * (1 + CLOSE))
    seen.sure[box] &= ~(rival & ((margin < EDGE) | (abs(depth - nearest) <= CLOSE * depth)))
    drawn = (margin >= 0) & (depth < nearest)
    seen.sure[box] |= drawn & (margin >= EDGE) & (depth < nearest * (1 - CLOSE))
    seen.triangle[box][drawn] = index
    seen.depth[box][drawn] = depth[drawn]
    # 1 / depth is linear on the screen, so the depth changes by depth^2 times its gradient
    gradient = np.hypot(*(edges / depths[:, None]).sum(axis=0)) / abs(area)
    seen.slope[box][drawn] = depth[drawn] ** 2 * gradient
    perspective = (depths.max() / depths.min()) ** 2
    seen.weight_slope[box][drawn] = np.linalg.norm(edges, axis=1).sum() / abs(area) * perspective
    seen.weights[box][drawn] = (weights * depth[..., None])[drawn]
