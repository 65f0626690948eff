"""Silhouettes: what each actor covers of a picture when drawn alone; and the pages on which that is drawn.

A page has a tile for each actor, as large as what the actor may cover of the picture. Tiles are whole blocks of four by
four pixels, counted from the picture's lower left corner, so that the patterns of gl/shaders/fade.glsl fall as they do
there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.view.pinhole import PinholeCamera

BLOCK = 4  # [pixel], the side of a fading pattern
MARGIN = 2  # [pixel] round what an actor may cover: tiles have a border that stays empty


@dataclass(frozen=True, eq=False)
class Page:
    """Tiles of actors, none over another. Row 0 of a page is its lowest, as OpenGL counts."""

    size: tuple[int, int]  # [pixel], width and height
    ids: NDArray[np.int64]  # [n] i64, rising
    tiles: NDArray[np.int32]  # [n, 6] i32: left, top, width, height in the picture; left, lowest row on the page

    def only(self, which: NDArray[np.bool_]) -> "Page":
        """The page without its other actors."""
        return Page(self.size, self.ids[which], self.tiles[which])


@dataclass(frozen=True, eq=False)
class Silhouettes:
    """Masks of the actors that cover a pixel, by id. Each mask has its own frame."""

    size: tuple[int, int]  # [pixel] of the picture, width and height
    ids: NDArray[np.int64]  # [n] i64, rising
    areas: NDArray[np.int64]  # [n] i64, [pixel], 1 or more
    boxes: NDArray[np.int64]  # [n, 4] i64, [pixel]: left, top, width, height
    frames: NDArray[np.int32]  # [n, 4] i32, [pixel]: left, top, width, height of the masks
    starts: NDArray[np.int64]  # [n] i64, where in `covered` each mask begins
    covered: NDArray[np.bool_]  # [pixel of all masks], row by row

    def mask(self, actor_id: int) -> NDArray[np.bool_]:
        """Return the pixels [height, width] that an actor covers when drawn alone. An absent actor covers none."""
        width, height = self.size
        mask = np.zeros((height, width), np.bool_)
        for number in np.flatnonzero(self.ids == actor_id).tolist():
            left, top, across, down = self.frames[number].tolist()
            start = int(self.starts[number])
            own = self.covered[start : start + across * down]
            mask[top : top + down, left : left + across] = own.reshape(down, across)
        return mask


def joined(parts: Sequence[Silhouettes], size: tuple[int, int]) -> Silhouettes:
    """Join the silhouettes of a picture, of actors that cover at least one pixel."""
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


def reach_of(points: NDArray[np.float64], camera: PinholeCamera) -> NDArray[np.int32]:
    """Return bounds of the hulls of points [n, point, 3] [m] in a picture without distortion: tiles [n, 4] i32.

    They are left, top, width, height in pixels, whole blocks, a little past the picture's edges where these cut no
    block; 0 wide and high where a hull is beside the picture or behind the camera. A hull that is partly nearer
    than the near plane may cover the whole picture.
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
    """Tiles [n, 4] i32 that hold what is from low [n, 2] up to before high [n, 2] of a picture of this size."""
    left, right = low[:, 0] // BLOCK * BLOCK, -(-high[:, 0] // BLOCK) * BLOCK
    bottom, top = (size[1] - high[:, 1]) // BLOCK * BLOCK, -(-(size[1] - low[:, 1]) // BLOCK) * BLOCK
    empty = np.any(high <= low, axis=1)[:, None]
    return np.where(empty, 0, np.stack([left, size[1] - top, right - left, top - bottom], axis=1)).astype(np.int32)


def grown(tiles: NDArray[np.int32], size: tuple[int, int]) -> NDArray[np.int32]:
    """Tiles [n, 4] that go on for as much as these to each side, as far as the picture goes."""
    low = np.clip(tiles[:, :2] - tiles[:, 2:], 0, size).astype(np.int32)
    high = np.clip(tiles[:, :2] + 2 * tiles[:, 2:], 0, size).astype(np.int32)
    return whole_blocks(low, high, size)
