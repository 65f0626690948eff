"""Silhouettes of a world's actors: the pixels that each actor would cover if no other object was drawn.

A page is a large picture that consists of tiles. Each actor is drawn in its own tile, and all tiles of a page are drawn
together. The size of a tile is computed from boxes around the vertices that each joint moves. If an actor reaches the
border of its tile, the actor is drawn again in a larger tile.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.rig import Rig
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.ecs.world import World
from ecs_anim.maths import affine
from ecs_anim.rigs.bones import bone_meshes
from ecs_anim.runtime.entry_boxes import entry_boxes
from ecs_anim.support.owner_cache import cached_by_owner
from ecs_anim.systems.joints import joint_matrices
from ecs_anim.systems.near_view import near_view
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.resampling import SIDE, Resampling
from ecs_anim.view.silhouettes import BLOCK, Page, Silhouettes, grown, joined, reach_of, whole_blocks

Draw = Callable[[Page], NDArray[np.uint8]]
# sorted ids [n]; left, top, width and height of each tile in the picture [n, 4]
Tiles = tuple[NDArray[np.int64], NDArray[np.int32]]

MOST_AT_ONCE = 1024  # number of actors; the boxes of so many actors take a few megabytes
WIDTH, HEIGHT = 2048, 8192  # [pixel], maximum size of a page, unless a tile is larger


def silhouettes(
    world: World,
    camera: PinholeCamera,
    ids: NDArray[np.uint32],
    seen: NDArray[np.int64],
    bent: Resampling | None,
    draw: Draw,
) -> Silhouettes:
    """Return the silhouettes of the visible actors with the ids `seen` [n], and of the hidden actors in the picture.

    - `camera` is a camera without distortion.
    - `ids` is the id pass of the picture, [height, width].
    - `bent` is the mapping from the picture without distortion to the picture with distortion. If `bent` is None, there
      is no distortion.
    - `draw` is a function that draws a page.
    """
    size, flat_size = (ids.shape[1], ids.shape[0]), camera.lens.size
    found = joined(list(_drawn(_tiles(world, camera), flat_size, ids, bent, draw)), size)
    elsewhere = np.setdiff1d(seen, found.ids)  # a clip can move a body far away from the position of its actor
    if len(elsewhere):
        anywhere = np.tile(np.array([[0, 0], flat_size], np.int32), (len(elsewhere), 1, 1))
        tiles = elsewhere, whole_blocks(anywhere[:, 0], anywhere[:, 1], flat_size)
        found = joined([found, *_drawn(tiles, flat_size, ids, bent, draw)], size)
    return found


def _drawn(
    tiles: Tiles, size: tuple[int, int], ids: NDArray[np.uint32], bent: Resampling | None, draw: Draw
) -> Iterator[Silhouettes]:
    """Yield silhouettes page by page. An actor that reaches its tile's border is drawn again in a larger tile."""
    while len(tiles[0]):
        cut: list[Page] = []
        for page in _pages(tiles, size):
            drawn = draw(page)
            is_cut = _is_cut(drawn, page, size)
            yield _cut_out(drawn, page.only(~is_cut), ids, bent)
            cut.append(page.only(is_cut))
        larger = [grown(page.tiles[:, :4], size) for page in cut]
        tiles = _by_id(np.concatenate([page.ids for page in cut]), np.concatenate(larger))


def _tiles(world: World, camera: PinholeCamera) -> Tiles:
    """Return the tiles of all actors that can be in the picture."""
    ids, tiles = [np.zeros(0, np.int64)], [np.zeros((0, 4), np.int32)]
    for entity, (crowd, character, appearance) in world.query(Crowd, Character, Appearance):
        if appearance.shows_skin or appearance.shows_joints:
            for rows in _near(world, entity, camera):
                ids.append(crowd.ids[rows])
                points = _hulls(world, entity, rows, character.rig, shows_skin=appearance.shows_skin)
                tiles.append(reach_of(points, camera))
    return _by_id(np.concatenate(ids), np.concatenate(tiles))


def _near(world: World, entity: int, camera: PinholeCamera) -> Iterator[NDArray[np.int32]]:
    rows = near_view(world, entity, camera)
    return (rows[k : k + MOST_AT_ONCE] for k in range(0, len(rows), MOST_AT_ONCE))


def _hulls(world: World, entity: int, rows: NDArray[np.int32], rig: Rig, *, shows_skin: bool) -> NDArray[np.float64]:
    """Return points [n, point, 3] [m] around each body. For linear skinning, the hull contains the body."""
    entries, corners = _boxes(rig, shows_skin=shows_skin)
    joints = joint_matrices(world, entity, rows)[:, rig.skeleton.skin_joints[entries]]
    moved = affine.multiply(joints, rig.skeleton.inverse_bind[entries].astype(np.float64))
    return affine.transform_points(moved[:, :, None], corners).reshape(len(rows), -1, 3).astype(np.float64)


@cached_by_owner
def _boxes(rig: Rig, *, shows_skin: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the palette entries [n] that move vertices at any level of detail, and their box corners [n, 8, 3]."""
    return entry_boxes(rig.meshes if shows_skin else bone_meshes(rig.skeleton))


def _by_id(ids: NDArray[np.int64], tiles: NDArray[np.int32]) -> Tiles:
    """Return ids and tiles sorted by id, without empty tiles."""
    rows = np.flatnonzero(tiles[:, 2])
    rows = rows[np.argsort(ids[rows])]
    return ids[rows], tiles[rows]


def _pages(tiles: Tiles, size: tuple[int, int]) -> Iterator[Page]:
    """Distribute the tiles over few pages. Each page has the smallest height that has room for its tiles."""
    from ecs_anim.kernels.silhouettes import pack  # compiled at first use

    ids, boxes = tiles
    width, height = (max(most, -(-side // BLOCK) * BLOCK) for most, side in zip((WIDTH, HEIGHT), size, strict=True))
    order, packed = np.argsort(-boxes[:, 3], kind="stable"), np.empty((len(ids), 3), np.int32)
    pack(np.ascontiguousarray(boxes[order]), width, height, packed)
    lies = np.empty_like(packed)
    lies[order] = packed
    for number in range(int(lies[:, 0].max()) + 1):
        own = np.flatnonzero(lies[:, 0] == number)
        whole = np.concatenate([boxes[own], lies[own, 1:]], axis=1)
        yield Page((width, int((whole[:, 5] + whole[:, 3]).max())), ids[own], np.ascontiguousarray(whole))


def _is_cut(drawn: NDArray[np.uint8], page: Page, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which actors reach the border of their tile inside the picture, [n]."""
    from ecs_anim.kernels.silhouettes import find_cut

    cut = np.empty(len(page.ids), np.bool_)
    find_cut(drawn, page.tiles, *size, cut)
    return cut


def _cut_out(drawn: NDArray[np.uint8], page: Page, ids: NDArray[np.uint32], bent: Resampling | None) -> Silhouettes:
    """Return the silhouettes of the actors on a page."""
    from ecs_anim.kernels.silhouettes import cut_out

    looks = np.zeros((0, 0, 2), np.int32) if bent is None else bent.looked
    frames = _frames(page, bent, ids.shape)
    sizes = frames[:, 2].astype(np.int64) * frames[:, 3]
    starts = np.cumsum(sizes) - sizes
    covered, boxes = np.empty(int(sizes.sum()), np.bool_), np.empty((len(page.ids), 5), np.int64)
    cut_out(drawn, page.tiles, looks, ids, page.ids, frames, starts, covered, boxes)
    areas, low, high = boxes[:, 0], boxes[:, 1:3], boxes[:, 3:]
    size = ids.shape[1], ids.shape[0]
    return Silhouettes(size, page.ids, areas, np.concatenate([low, high - low + 1], axis=1), frames, starts, covered)


def _frames(page: Page, bent: Resampling | None, shape: tuple[int, ...]) -> NDArray[np.int32]:
    """Return the frame of each tile in the picture, [n, 4] [pixel]: left, top, width and height."""
    from ecs_anim.kernels.silhouettes import bend_frames

    if bent is not None:
        frames = np.empty((len(page.ids), 4), np.int32)
        bend_frames(bent.blocks, SIDE, page.tiles, frames)
        return frames
    size = np.array([shape[1], shape[0]], np.int32)
    low, high = np.clip(page.tiles[:, :2], 0, size), np.clip(page.tiles[:, :2] + page.tiles[:, 2:4], 0, size)
    return np.concatenate([low, high - low], axis=1)
