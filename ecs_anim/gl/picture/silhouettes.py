"""Drawing of silhouettes. The image that contains the silhouettes is called a page.

Each actor is drawn alone in its own tile of the page. One draw call draws the silhouettes of many actors.
"""

import ctypes
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import TILES_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.gl.model.crowd import CrowdDraw, Drawable
from ecs_anim.gl.model.skinned import SkinnedPass
from ecs_anim.gl.model.stream import CrowdStream
from ecs_anim.view.silhouettes import Page

SIDES = 4  # number of sides of a tile; triangles are clipped at each side


class SilhouetteDrawing(Resource):
    """A drawing pass for silhouettes. In each tile, the pass marks the pixels that the actor of the tile covers.

    The pass has one sample per pixel and no depth test. Alpha masks make holes in the silhouettes.
    """

    def __init__(self, stream: CrowdStream) -> None:
        self._stream = stream
        self._tiles = self.keep(TextureBuffer(gl.GL_RGBA32I))
        self._skinned = self.keep(SkinnedPass("silhouette.frag", ("TILED",), is_shaded=False))
        self._framebuffer, self._image = self.generate("Framebuffers"), self.generate("Renderbuffers")
        self._size = (0, 0)

    def draw(self, crowds: Sequence[Drawable], page: Page, picture: tuple[int, int]) -> NDArray[np.uint8]:
        """Draw the silhouettes on `page`. Return the drawn page [height, width] u8. Row 0 is the lowest row.

        A pixel is 1 if the actor of its tile covers the pixel. The frame block must contain the camera of the picture.
        `picture` is the picture's width and height in pixels. The crowds must already be prepared for the picture. The
        method draws only actors that have a tile.
        """
        self._clear(page.size)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_CULL_FACE)
        for side in range(SIDES):
            gl.glEnable(gl.GL_CLIP_DISTANCE0 + side)
        for crowd in crowds:
            self._draw_crowd(crowd, page, picture)
        for side in range(SIDES):
            gl.glDisable(gl.GL_CLIP_DISTANCE0 + side)
        gl.glDisable(gl.GL_CULL_FACE)
        return self._read(page.size)

    def _draw_crowd(self, crowd: Drawable, page: Page, picture: tuple[int, int]) -> None:
        if crowd.ids is None or not len(page.ids):
            return
        found = np.searchsorted(page.ids, crowd.ids).clip(max=len(page.ids) - 1)
        tiles = np.where((page.ids[found] == crowd.ids)[:, None], page.tiles[found], 0)
        if isinstance(crowd, CrowdDraw):  # other crowds cannot omit single actors, and are drawn completely
            rows = np.flatnonzero(tiles[:, 2])
            crowd, tiles = crowd.only(rows), tiles[rows]
        self._tiles.write(_texels(tiles, picture[1]))
        self._tiles.bind(TILES_UNIT)
        for part in crowd.shown(self._stream):
            self._skinned.draw(part, tiles=TILES_UNIT, page_sizes=(*picture, *page.size))

    def _clear(self, size: tuple[int, int]) -> None:
        """Create an empty page with the size `size` [pixel], and select the page as the render target. The memory of
        the page never shrinks.
        """
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, self._framebuffer)
        if size[0] > self._size[0] or size[1] > self._size[1]:
            self._size = max(size[0], self._size[0]), max(size[1], self._size[1])
            gl.glBindRenderbuffer(gl.GL_RENDERBUFFER, self._image)
            gl.glRenderbufferStorage(gl.GL_RENDERBUFFER, gl.GL_R8UI, *self._size)
            gl.glFramebufferRenderbuffer(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, self._image)
        gl.glViewport(0, 0, *size)
        gl.glClearBufferuiv(gl.GL_COLOR, 0, (ctypes.c_uint * 4)())

    def _read(self, size: tuple[int, int]) -> NDArray[np.uint8]:
        page = np.empty((size[1], size[0]), np.uint8)
        gl.glReadBuffer(gl.GL_COLOR_ATTACHMENT0)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, *size, gl.GL_RED_INTEGER, gl.GL_UNSIGNED_BYTE, address(page))
        return page


def _texels(tiles: NDArray[np.int32], height: int) -> NDArray[np.int32]:
    """Convert tiles [n, 6] to the format of shaders/tile.glsl, [n, 2, 4] i32. `height` is the height of the picture."""
    left, top, across, down, at_left, at_bottom = tiles.T
    nothing = np.zeros_like(left)
    texels = np.stack([left, height - top - down, across, down, at_left, at_bottom, nothing, nothing], axis=1)
    return np.ascontiguousarray(texels, np.int32)
