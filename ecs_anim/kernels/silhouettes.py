"""Silhouettes of actors. A tile is a small picture of one actor. A page is a large picture with many tiles."""

import numpy as np

from ecs_anim.kernels import inlined, kernel
from ecs_anim.kernels import types as t

FARTHEST = np.iinfo(np.int32).max


@kernel(t.void(t.INTS_2D, t.COUNT, t.COUNT, t.OUT_INTS_2D))
def pack(tiles, width, height, out):
    """Place tiles [n, 4] in rows on pages of `width` x `height` pixels. Write page, first column and lowest row to out
    [n, 3]. The first tile must be the highest.
    """
    page, left, bottom, row = 0, 0, 0, 0
    for k in range(tiles.shape[0]):
        if left + tiles[k, 2] > width:
            left, bottom, row = 0, bottom + row, 0
        if bottom + tiles[k, 3] > height:
            page, left, bottom, row = page + 1, 0, 0, 0
        row = max(row, tiles[k, 3])
        out[k, 0], out[k, 1], out[k, 2] = page, left, bottom
        left += tiles[k, 2]


@inlined
def _covers_column(page, tiles, k, column):
    x = tiles[k, 4] + column
    return page[tiles[k, 5] : tiles[k, 5] + tiles[k, 3], x].any()


@inlined
def _covers_row(page, tiles, k, row):
    y = tiles[k, 5] + row
    return page[y, tiles[k, 4] : tiles[k, 4] + tiles[k, 2]].any()


@kernel(t.void(t.BYTES_2D, t.INTS_2D, t.COUNT, t.COUNT, t.OUT_BOOLS))
def find_cut(page, tiles, width, height, out):
    """Write to out [n] whether the silhouette touches the border of its tile [n, 6], except on the picture's border."""
    for k in range(tiles.shape[0]):
        left, top, across, down = tiles[k, 0], tiles[k, 1], tiles[k, 2], tiles[k, 3]
        out[k] = (
            (left > 0 and _covers_column(page, tiles, k, 0))
            or (left + across < width and _covers_column(page, tiles, k, across - 1))
            or (top > 0 and _covers_row(page, tiles, k, down - 1))
            or (top + down < height and _covers_row(page, tiles, k, 0))
        )


@kernel(t.void(t.INTS_3D, t.COUNT, t.INTS_2D, t.OUT_INTS_2D))
def bend_frames(blocks, side, tiles, out):
    """Write the frame of each tile [n, 6] of the flat picture in the bent picture of a lens to out [n, 4]: left, top,
    width, height of all pixels that show the tile. For each block of `side` x `side` pixels of the flat picture,
    `blocks` [down, across, 4] contains the first column and row, and the last column and row, of the pixels that show
    the block.
    """
    for k in range(tiles.shape[0]):
        left, top, right, bottom = FARTHEST, FARTHEST, -1, -1
        first, end = max(tiles[k, 0] // side, 0), min((tiles[k, 0] + tiles[k, 2] - 1) // side + 1, blocks.shape[1])
        for y in range(max(tiles[k, 1] // side, 0), min((tiles[k, 1] + tiles[k, 3] - 1) // side + 1, blocks.shape[0])):
            for x in range(first, end):
                left, top = min(left, blocks[y, x, 0]), min(top, blocks[y, x, 1])
                right, bottom = max(right, blocks[y, x, 2]), max(bottom, blocks[y, x, 3])
        if right < 0:  # no pixel shows the tile
            left, top = 0, 0
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = left, top, right + 1 - left, bottom + 1 - top


@inlined
def _is_covered(page, tiles, k, column, row):
    """Return whether the actor with the number `k` covers a pixel of the flat picture."""
    x, y = column - tiles[k, 0], row - tiles[k, 1]
    if x < 0 or y < 0 or x >= tiles[k, 2] or y >= tiles[k, 3]:
        return False
    return page[tiles[k, 5] + tiles[k, 3] - 1 - y, tiles[k, 4] + x] != 0


@kernel(t.void(t.BYTES_2D, t.INTS_2D, t.INTS_3D, t.WORDS_2D, t.LONGS, t.INTS_2D, t.LONGS, t.OUT_BOOLS, t.OUT_LONGS_2D))
def cut_out(page, tiles, looks, seen, ids, frames, starts, out_covered, out_boxes):
    """Write the masks of the actors `ids` [n], which `page` shows in the tiles [n, 6]. The lowest row of a page is row
    0. `looks` [height, width, 2] contains the column and row of the flat picture that each pixel shows, or is empty for
    a flat picture. An actor also covers the pixels with its id in `seen` [height, width]. Each mask has the size of its
    frame [n, 4], and begins at the index in starts [n] of `out_covered`. `out_boxes` [n, 5] receives the area, the
    first column and row, and the last column and row.
    """
    for k in range(tiles.shape[0]):
        at = starts[k]
        area, left, top, right, bottom = 0, FARTHEST, FARTHEST, -1, -1
        for row in range(frames[k, 1], frames[k, 1] + frames[k, 3]):
            for column in range(frames[k, 0], frames[k, 0] + frames[k, 2]):
                x, y = column, row
                if looks.shape[0] > 0:
                    x, y = looks[row, column, 0], looks[row, column, 1]
                covered = seen[row, column] == ids[k] or _is_covered(page, tiles, k, x, y)
                out_covered[at] = covered
                at += 1
                if covered:
                    area += 1
                    left, top, right, bottom = min(left, column), min(top, row), max(right, column), row
        out_boxes[k, 0] = area
        out_boxes[k, 1], out_boxes[k, 2], out_boxes[k, 3], out_boxes[k, 4] = left, top, right, bottom
