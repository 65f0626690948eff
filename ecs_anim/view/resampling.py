"""Pictures with lens distortion. The renderer draws an undistorted picture, from which this module resamples the
distorted picture.

The colour pass and all label passes use one look-up table from distorted pixels to undistorted pixels. In a label pass,
a distorted pixel gets the value of the undistorted pixel at its centre. A colour is the mean of the four nearest
undistorted pixels in linear light. The undistorted picture has a resolution that is higher by the factor FINER. Because
of the higher resolution, the errors of labels and colours are small.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.color import linear_to_srgb, srgb_to_linear
from ecs_anim.view.lens import UNDISTORTED, Lens

FINER = 2.0  # undistorted pixels per distorted pixel along each side, at the finest part of the distorted picture
BORDER = 2  # [pixel], margin around the undistorted pixels that distorted pixels read
SIDE = 16  # [pixel], size of a block in `Resampling.blocks`


@dataclass(frozen=True)
class Resampling:
    """A look-up table for pictures with lens distortion, and the undistorted lens that covers the view of the
    distorting lens.

    The table contains a position in the undistorted picture for each distorted pixel.
    """

    flat: Lens
    at: NDArray[np.float32]  # [height, width, 2] f32, [pixel] in the undistorted picture

    def nearest(self, picture: NDArray[Any]) -> NDArray[Any]:
        """Return the distorted picture [height, width, ...] of an undistorted `picture` [flat height, flat width, ...].

        Each distorted pixel gets the value of the nearest undistorted pixel.
        """
        column, row = np.moveaxis(self.looked, -1, 0)
        return picture[row, column]

    @cached_property
    def looked(self) -> NDArray[np.int32]:
        """Return the column and the row of the undistorted pixel that each distorted pixel shows, [height, width, 2]
        i32.
        """
        return self.at.astype(np.int32)

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Return the range of distorted pixels that read each block of the undistorted picture.

        A block has `SIDE` x `SIDE` undistorted pixels. The result is an array [down, across, 4] i32. A range consists
        of its first column, first row, last column and last row. If no distorted pixel reads a block, its last column
        and last row are -1.
        """
        width, height = self.flat.size
        down, across = -(-height // SIDE), -(-width // SIDE)
        column, row = np.moveaxis(self.looked // SIDE, -1, 0)
        block = (row * across + column).reshape(-1)
        rows, columns = (axis.reshape(-1) for axis in np.indices(self.looked.shape[:2], np.int32))
        seen = np.empty((4, down * across), np.int32)
        seen[:2], seen[2:] = np.iinfo(np.int32).max, -1
        for own, axis in zip(seen[:2], (columns, rows), strict=True):
            np.minimum.at(own, block, axis)
        for own, axis in zip(seen[2:], (columns, rows), strict=True):
            np.maximum.at(own, block, axis)
        return np.ascontiguousarray(seen.T).reshape(down, across, 4)

    def sampled(self) -> NDArray[np.float64]:
        """Return the view directions [height, width, 2] that the method `nearest` samples.

        A sampled direction is the pair x / z, y / z of the ray through the centre of an undistorted pixel.
        """
        flat = self.flat
        return (np.floor(self.at.astype(np.float64)) + 0.5 - [flat.cx, flat.cy]) / [flat.fx, flat.fy]

    def mixed(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the distorted picture [height, width, 3] u8 of an undistorted `picture` [flat height, flat width, 3].

        Both pictures are sRGB. The colours are interpolated in linear light.
        """
        linear = _LINEAR[picture]
        corner = np.floor(self.at - 0.5)
        column, row = np.moveaxis(corner.astype(np.intp), -1, 0)
        right, down = np.moveaxis((self.at - 0.5 - corner)[..., None], -2, 0)
        upper = linear[row, column] * (1 - right) + linear[row, column + 1] * right
        lower = linear[row + 1, column] * (1 - right) + linear[row + 1, column + 1] * right
        return np.rint(255 * linear_to_srgb(upper * (1 - down) + lower * down)).astype(np.uint8)


@lru_cache(maxsize=4)
def resampling_of(lens: Lens) -> Resampling:
    """Return the undistorted lens and the look-up table for a distorting lens."""
    seen = lens.directions()
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    focal = FINER * np.array([lens.fx, lens.fy]) * _finest(seen, lens)
    center = BORDER - focal * low
    width, height = (math.ceil(side) + BORDER for side in focal * (high - low) + BORDER)
    (fx, fy), (cx, cy) = focal.tolist(), center.tolist()
    flat = replace(lens, size=(width, height), fx=fx, fy=fy, cx=cx, cy=cy, distortion=UNDISTORTED)
    return Resampling(flat, (seen * focal + center).astype(np.float32))


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
