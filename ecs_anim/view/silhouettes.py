"""Silhouettes of actors. A silhouette is a mask of the pixels that an actor covers in a picture without other objects.

The renderer draws silhouettes into images that are called pages. A page has one rectangular tile for each actor. The
tile has one pixel for each pixel that the actor can cover in the picture. Tiles consist of blocks of four by four
pixels. The first block of the picture is at the lower left corner of the picture. The fade patterns of
gl/shaders/fade.glsl are therefore equal on a tile and in the picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.pinhole import PinholeCamera

BLOCK = 4  # [pixel], side of a fading pattern
MARGIN = 2  # [pixel] around the area that an actor can cover, so that tiles have an empty border


@dataclass(frozen=True, eq=False)
class Page:
    """The tiles of several actors on one page. Tiles do not overlap.

    Row 0 of a page is the lowest row, as in OpenGL.
    """

    size: tuple[int, int]  # [pixel], width and height
    ids: NDArray[np.int64]  # [n] i64, ascending
    # [n, 6] i32: left, top, width, height in the picture; left column and lowest row on the page.
    tiles: NDArray[np.int32]

    def only(self, which: NDArray[np.bool_]) -> "Page":
        """Return a copy of the page with only the actors in the mask `which`."""
        return Page(self.size, self.ids[which], self.tiles[which])


@dataclass(frozen=True, eq=False)
class Silhouettes:
    """The masks of all actors that cover at least one pixel, sorted by actor id.

    Each mask is a rectangular area of the picture.
    """

    size: tuple[int, int]  # [pixel], width and height of the picture
    ids: NDArray[np.int64]  # [n] i64, ascending
    areas: NDArray[np.int64]  # [n] i64, [pixel], 1 or more
    boxes: NDArray[np.int64]  # [n, 4] i64, [pixel]: left, top, width, height
    frames: NDArray[np.int32]  # [n, 4] i32, [pixel]: left, top, width, height of the masks
    starts: NDArray[np.int64]  # [n] i64, index of the first pixel of each mask in `covered`
    covered: NDArray[np.bool_]  # [pixels of all masks], row by row

    def mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Return the silhouette of an actor as a mask [height, width] bool. The mask of an unknown actor is empty."""
        width, height = self.size
        mask = np.zeros((height, width), np.bool_)
        for number in np.flatnonzero(self.ids == actor_id).tolist():
            left, top, across, down = self.frames[number].tolist()
            start = int(self.starts[number])
            own = self.covered[start : start + across * down]
            mask[top : top + down, left : left + across] = own.reshape(down, across)
        return mask


def joined(parts: Sequence[Silhouettes], size: tuple[int, int]) -> Silhouettes:
    """Join several `Silhouettes` of one picture. An actor must not be in two items of `parts`.

    Each actor must cover at least one pixel.
    """
    first = np.cumsum([0, *(len(part.covered) for part in parts)])
    columns: dict[str, NDArray[Any]] = {
        "ids": np.concatenate([np.zeros(0, np.int64), *(part.ids for part in parts)]),
        "areas": np.concatenate([np.zeros(0, np.int64), *(part.areas for part in parts)]),
        "boxes": np.concatenate([np.zeros((0, 4), np.int64), *(part.boxes for part in parts)]),
        "frames": np.concatenate([np.zeros((0, 4), np.int32), *(part.frames for part in parts)]),
        "starts": np.concatenate(
            [np.zeros(0, np.int64), *(k + part.starts for k, part in zip(first, parts, strict=False))]
        ),
    }
    rows = np.flatnonzero(columns["areas"])
    rows = rows[np.argsort(columns["ids"][rows])]
    covered = np.concatenate([np.zeros(0, np.bool_), *(part.covered for part in parts)])
    return Silhouettes(size, covered=covered, **{name: column[rows] for name, column in columns.items()})


def merged(parts: Sequence[tuple[tuple[int, int], Silhouettes]], size: tuple[int, int]) -> Silhouettes:
    """Merge the silhouettes of several windows of one picture. An actor can be in several windows.

    Each item of `parts` contains the left column and the top row of a window, and the silhouettes in this window.
    """
    moved = [replace(own, boxes=_moved(own.boxes, at), frames=_moved(own.frames, at)) for at, own in parts]
    ids, counts = np.unique(np.concatenate([own.ids for own in moved]), return_counts=True)
    shared = ids[counts > 1]
    single = [replace(own, areas=np.where(np.isin(own.ids, shared), 0, own.areas)) for own in moved]
    return joined([*single, *(_union(moved, actor, size) for actor in shared.tolist())], size)


def _moved(boxes: NDArray[Any], at: tuple[int, int]) -> NDArray[Any]:
    return boxes + np.array([*at, 0, 0], boxes.dtype)


def _union(parts: Sequence[Silhouettes], actor_id: int, size: tuple[int, int]) -> Silhouettes:
    """Return the silhouette of an actor that is in several windows. `parts` have positions in the whole picture."""
    mask = np.logical_or.reduce([replace(own, size=size).mask(actor_id) for own in parts])
    rows, columns = (np.flatnonzero(mask.any(axis=axis)) for axis in (1, 0))
    box = np.array([[columns[0], rows[0], np.ptp(columns) + 1, np.ptp(rows) + 1]])
    covered = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].ravel()
    ids, areas = np.array([actor_id]), np.array([mask.sum()])
    return Silhouettes(size, ids, areas, box, box.astype(np.int32), np.zeros(1, np.int64), covered)


def reach_of(points: NDArray[np.float64], camera: PinholeCamera) -> NDArray[np.int32]:
    """Return the tiles [n, 4] i32 of n actors in an undistorted picture.

    `points` [n, point, 3] [m] are the points of the actors. The tile of an actor contains the convex hull of its
    points. The four numbers of a tile are left, top, width and height in pixels. Tiles consist of whole blocks, so a
    tile can extend past the picture's edges. If the hull of an actor is outside the picture or behind the camera, the
    width and the height of the tile are 0. If the hull crosses the near plane, the tile can cover the whole picture.
    """
    pixels, depths = camera.project(points)
    far_enough = depths > camera.lens.near
    low = np.min(pixels, axis=1, initial=np.inf, where=far_enough[..., None])
    high = np.max(pixels, axis=1, initial=-np.inf, where=far_enough[..., None])
    near = far_enough.any(axis=1) & ~far_enough.all(axis=1)
    low[near], high[near] = -np.inf, np.inf
    size = np.array(camera.lens.size)
    seen = np.all((low - MARGIN < size) & (high + MARGIN > 0), axis=1)
    low, high = (np.where(seen[:, None], np.clip(edge, 0, size), 0) for edge in (low - MARGIN, high + MARGIN))
    return whole_blocks(np.floor(low).astype(np.int32), np.ceil(high).astype(np.int32), camera.lens.size)


def whole_blocks(low: NDArray[np.int32], high: NDArray[np.int32], size: tuple[int, int]) -> NDArray[np.int32]:
    """Return rectangles [n, 4] i32, enlarged to whole blocks of a picture with the size `size`.

    Before the enlargement, a rectangle contains the pixels from `low` [n, 2] to `high` [n, 2], without the column and
    the row of `high`.
    """
    left, right = low[:, 0] // BLOCK * BLOCK, -(-high[:, 0] // BLOCK) * BLOCK
    bottom, top = (size[1] - high[:, 1]) // BLOCK * BLOCK, -(-(size[1] - low[:, 1]) // BLOCK) * BLOCK
    empty = np.any(high <= low, axis=1)[:, None]
    return np.where(empty, 0, np.stack([left, size[1] - top, right - left, top - bottom], axis=1)).astype(np.int32)


def grown(tiles: NDArray[np.int32], size: tuple[int, int]) -> NDArray[np.int32]:
    """Return enlarged `tiles` [n, 4], clipped to a picture with the size `size`.

    Each tile grows by its width to the left and to the right, and by its height to the top and to the bottom.
    """
    low = np.clip(tiles[:, :2] - tiles[:, 2:], 0, size).astype(np.int32)
    high = np.clip(tiles[:, :2] + 2 * tiles[:, 2:], 0, size).astype(np.int32)
    return whole_blocks(low, high, size)
