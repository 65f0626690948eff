"""Pictures of lenses that bend lines. The renderer draws undistorted pictures, from which this module resamples the
picture of the lens.

A lens with Brown-Conrady distortion needs one undistorted picture. A wide lens needs up to six: the faces of a cube
around the camera. Each undistorted picture contains only what the lens sees of its face.

The colour pass and all label passes use one look-up table from distorted pixels to undistorted pixels. In a label pass,
a distorted pixel gets the value of the undistorted pixel at its centre. A colour is the mean of the four nearest
undistorted pixels in linear light. The undistorted picture has a resolution that is higher by the factor FINER. Because
of the higher resolution, the errors of labels and colours are small.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths import affine
from ecs_anim.maths.color import linear_to_srgb, srgb_to_linear
from ecs_anim.maths.small_matrices import applied, product
from ecs_anim.view.lens import Lens
from ecs_anim.view.lens_model import LensModel
from ecs_anim.view.passes import Passes
from ecs_anim.view.pinhole import PinholeCamera
from ecs_anim.view.wide_lenses import WideLens

Reals = NDArray[np.float64]

FINER = 2.0  # undistorted pixels per distorted pixel along each side, at the finest part of the distorted picture
BORDER = 2  # [pixel], margin around the undistorted pixels that distorted pixels read
NOWHERE = -(1 << 20)  # column and row outside of all pictures
SIDE = 16  # [pixel], size of a block in `Resampling.blocks`


@dataclass(frozen=True)
class Resampling:
    """A look-up table for pictures of a lens that bends lines, and the undistorted lens of the picture to look up.

    The table contains a position in the undistorted picture for each pixel of the lens in a window of its picture. The
    undistorted picture can show another direction than the lens: `turn` maps its camera space to the camera space of
    the lens.
    """

    flat: Lens
    # [height, width, 2] f32, [pixel] in the undistorted picture; NaN = the undistorted picture does not show this pixel
    at: NDArray[np.float32]
    turn: NDArray[np.float64] | None = None  # [3, 3]; None = the direction of the lens
    corner: tuple[int, int] = (0, 0)  # [pixel], left and top of the window

    def camera(self, camera: PinholeCamera) -> PinholeCamera:
        """Return the camera that draws the undistorted picture for `camera`."""
        if self.turn is None:
            return replace(camera, lens=self.flat)
        pose = affine.join(product(camera.pose[:, :3], self.turn), camera.pose[:, 3]).astype(np.float64)
        return replace(camera, lens=self.flat, pose=pose, is_face=True)

    def paste(self, part: NDArray[Any], picture: NDArray[Any]) -> None:
        """Write the pixels `part` of the window into the whole picture of the lens."""
        self.window(picture)[self.shown] = part[self.shown]

    def window(self, picture: NDArray[Any]) -> NDArray[Any]:
        """Return the window of a picture of the lens."""
        (left, top), (height, width) = self.corner, self.shown.shape
        return picture[top : top + height, left : left + width]

    @cached_property
    def shown(self) -> NDArray[np.bool_]:
        """Return which pixels of the window the undistorted picture shows, [height, width]."""
        return np.isfinite(self.at[..., 0])

    def nearest(self, picture: NDArray[Any]) -> NDArray[Any]:
        """Return the window [height, width, ...] of an undistorted `picture` [flat height, flat width, ...].

        Each pixel gets the value of the nearest undistorted pixel. Pixels outside of the undistorted picture are 0.
        """
        column, row = np.moveaxis(np.maximum(self.looked, 0), -1, 0)
        found = picture[row, column]
        return found if self.shown.all() else np.where(_beside(self.shown, found), found, found.dtype.type(0))

    @cached_property
    def looked(self) -> NDArray[np.int32]:
        """Return the column and the row of the undistorted pixel that each pixel of the window shows, [height, width,
        2] i32. Pixels outside of the undistorted picture are `NOWHERE`.
        """
        return np.where(self.shown[..., None], np.nan_to_num(self.at), NOWHERE).astype(np.int32)

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Return the range of distorted pixels that read each block of the undistorted picture.

        A block has `SIDE` x `SIDE` undistorted pixels. The result is an array [down, across, 4] i32. A range consists
        of its first column, first row, last column and last row. If no distorted pixel reads a block, its last column
        and last row are -1.
        """
        width, height = self.flat.size
        down, across = -(-height // SIDE), -(-width // SIDE)
        column, row = np.moveaxis(self.looked[self.shown] // SIDE, -1, 0)
        block = row * across + column
        rows, columns = (axis.astype(np.int32) for axis in np.nonzero(self.shown))
        seen = np.empty((4, down * across), np.int32)
        seen[:2], seen[2:] = np.iinfo(np.int32).max, -1
        for own, axis in zip(seen[:2], (columns, rows), strict=True):
            np.minimum.at(own, block, axis)
        for own, axis in zip(seen[2:], (columns, rows), strict=True):
            np.maximum.at(own, block, axis)
        return np.ascontiguousarray(seen.T).reshape(down, across, 4)

    def sampled(self) -> NDArray[np.float64]:
        """Return points [height, width, 3] in the camera space of the lens on the rays that the method `nearest`
        samples.

        The rays go through the centres of undistorted pixels. The depth of the points in the undistorted picture is 1.
        """
        ahead = self.flat.unproject(np.floor(self.at.astype(np.float64)) + 0.5, 1.0)
        return ahead if self.turn is None else np.asarray(applied(self.turn, ahead), np.float64)

    def mixed(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the window [height, width, 3] u8 of an undistorted `picture` [flat height, flat width, 3].

        Both pictures are sRGB. The colours are interpolated in linear light. Pixels outside of the undistorted picture
        have no defined colour.
        """
        linear = _LINEAR[picture]
        at = np.where(self.shown[..., None], self.at, np.float32(1)) - np.float32(0.5)
        corner = np.floor(at)
        column, row = np.moveaxis(corner.astype(np.intp), -1, 0)
        right, down = np.moveaxis((at - corner)[..., None], -2, 0)
        upper = linear[row, column] * (1 - right) + linear[row, column + 1] * right
        lower = linear[row + 1, column] * (1 - right) + linear[row + 1, column + 1] * right
        return np.rint(255 * linear_to_srgb(upper * (1 - down) + lower * down)).astype(np.uint8)


@lru_cache(maxsize=4)
def resampling_of(lens: Lens) -> Resampling:
    """Return the undistorted lens and the look-up table for a distorting lens."""
    seen = lens.directions()
    focal = FINER * np.array([lens.fx, lens.fy]) * _finest(seen, lens)
    return Resampling(*_covering(seen, focal, lens))


@lru_cache(maxsize=4)
def faces_of(lens: LensModel) -> tuple[Resampling, ...]:
    """Return the look-up tables of all undistorted pictures that a lens with bent lines needs."""
    if isinstance(lens, Lens):
        return (resampling_of(lens),)
    assert isinstance(lens, WideLens)
    rays = lens.rays(lens.pixel_centers())
    axis = np.argmax(np.abs(np.nan_to_num(rays)), axis=-1)
    ahead = np.take_along_axis(rays, axis[..., None], axis=-1)[..., 0]
    faces = (_face(lens, rays, (axis == k) & (sign * ahead > 0), k, sign) for k in (2, 0, 1) for sign in (-1, 1))
    return tuple(face for face in faces if face is not None)


def joined_passes(parts: Iterable[tuple[Resampling, Passes]], size: tuple[int, int]) -> Passes:
    """Return the passes of a whole picture with the size `size` from the passes of its windows."""
    whole: dict[str, NDArray[Any]] = {}
    for face, passes in parts:
        images = passes.images if passes.past is None else {**passes.images, "past": passes.past}
        for name, image in images.items():
            shape = (size[1], size[0], *image.shape[2:])
            face.paste(image, whole.setdefault(name, np.zeros(shape, image.dtype)))
    past = whole.pop("past", None)
    return Passes(whole, past)


def _face(lens: WideLens, rays: Reals, shown: NDArray[np.bool_], axis: int, sign: int) -> Resampling | None:
    """Return the look-up table of a face of the cube, or None if the lens does not see the face.

    The face lies in the direction `sign` of a coordinate axis. `shown` [height, width] are its pixels.
    """
    if not shown.any():
        return None
    turn = _turn(axis, sign)
    rows, columns = (np.flatnonzero(shown.any(axis=other)) for other in (1, 0))
    window = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    x, y, z = np.moveaxis(applied(turn.T, np.where(shown[..., None], rays, np.nan)[window]), -1, 0)
    flat, at = _covering(np.stack([x / -z, y / z], axis=-1), np.full(2, FINER * lens.density), lens)
    return Resampling(flat, at, turn, (int(columns[0]), int(rows[0])))


def _turn(axis: int, sign: int) -> Reals:
    """Return the rotation [3, 3] from the camera space of a face to the camera space of the lens."""
    back = -sign * np.eye(3)[axis]
    up = np.eye(3)[1] if axis != 1 else sign * np.eye(3)[2]
    return np.stack([np.cross(up, back), up, back], axis=-1)


def _covering(seen: Reals, focal: Reals, lens: LensModel) -> tuple[Lens, NDArray[np.float32]]:
    """Return the undistorted lens with the focal lengths `focal` [2] [pixel] that covers the directions `seen`.

    Also return the position [height, width, 2] f32 of each direction in the picture of this lens.
    """
    low, high = np.nanmin(seen, axis=(0, 1)), np.nanmax(seen, axis=(0, 1))
    center = BORDER - focal * low
    width, height = (math.ceil(side) + BORDER for side in focal * (high - low) + BORDER)
    flat = Lens((width, height), *focal.tolist(), *center.tolist(), near=lens.near, far=lens.far)
    return flat, (seen * focal + center).astype(np.float32)


def _beside(mask: NDArray[np.bool_], picture: NDArray[Any]) -> NDArray[np.bool_]:
    return mask.reshape(*mask.shape, *(1,) * (picture.ndim - 2))


def _finest(seen: NDArray[np.float64], lens: Lens) -> NDArray[np.float64]:
    """Return the largest horizontal and the largest vertical magnification [2] that the distortion of a lens causes.

    Each magnification is at least 1. `seen` [height, width, 2] are the view directions through the pixels of `lens`.
    """
    largest = np.ones(2)
    for axis, focal in enumerate((lens.fx, lens.fy)):
        steps = np.abs(np.diff(seen[..., axis], axis=1 - axis))
        if steps.size:
            largest[axis] = max(1.0, 1 / (focal * float(steps.min())))
    return largest


_LINEAR = srgb_to_linear(np.arange(256) / 255).astype(np.float32)
