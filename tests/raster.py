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
    )
    for index, doubled in enumerate(np.broadcast_to(both_sides, len(triangles))):
        _draw(seen, index, places[index], depth[index], doubled)
    return seen


def _draw(seen: Seen, index: int, corners: np.ndarray, depths: np.ndarray, doubled: bool) -> None:
    height, width = seen.triangle.shape
    low = np.maximum(np.floor(corners.min(axis=0) - 1), 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0) + 1), [width, height]).astype(int)
    edges = np.roll(corners, -2, axis=0) - np.roll(corners, -1, axis=0)  # opposite each corner
    area = edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0]
    if (low >= high).any() or area == 0 or (area > 0 and not doubled):  # rows go down: fronts turn the other way
        return
    x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
    away = np.stack([x, y], axis=-1)[:, :, None] - np.roll(corners, -1, axis=0)
    signed = (edges[:, 0] * away[..., 1] - edges[:, 1] * away[..., 0]) * np.sign(area)
    inside = signed / np.linalg.norm(edges, axis=1)  # [pixel], how far inside each edge
    weights = signed / abs(area) / depths
    depth = 1 / weights.sum(axis=-1)
    box = (slice(low[1], high[1]), slice(low[0], high[0]))
    margin = inside.min(axis=-1)
    nearest = seen.depth[box]
    rival = (margin > -EDGE) & (depth < nearest * (1 + CLOSE))
    seen.sure[box] &= ~(rival & ((margin < EDGE) | (abs(depth - nearest) <= CLOSE * depth)))
    drawn = (margin >= 0) & (depth < nearest)
    seen.sure[box] |= drawn & (margin >= EDGE) & (depth < nearest * (1 - CLOSE))
    seen.triangle[box][drawn] = index
    seen.depth[box][drawn] = depth[drawn]
    seen.weights[box][drawn] = (weights * depth[..., None])[drawn]
