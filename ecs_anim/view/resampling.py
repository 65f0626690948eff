"""Pictures of lenses that bend lines: drawn flat, and looked up where each pixel sees.

All passes are looked up alike: numbers are those of the flat pixel in which the middle of a bent one falls, colours are
mixed of the four around it, in linear light. The flat picture is FINER, so that neither is far off.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.color import linear_to_srgb, srgb_to_linear
from ecs_anim.view.lens import UNDISTORTED, Lens

FINER = 2.0  # flat pixels in a bent one, along each side, where the bent picture is finest
BORDER = 2  # [pixel] round what is looked up
SIDE = 16  # [pixel] of blocks by which pixels are found that look at a part of the flat picture


@dataclass(frozen=True)
class Resampling:
    """A lens without distortion whose picture has all that another's has, and where to look each of its pixels up."""

    flat: Lens
    at: NDArray[np.float32]  # [height, width, 2] f32, [pixel] of the flat picture

    def nearest(self, picture: NDArray[Any]) -> NDArray[Any]:
        """Numbers [height, width, ...] of a flat picture [flat height, flat width, ...], none of them a mixture."""
        column, row = np.moveaxis(self.looked, -1, 0)
        return picture[row, column]

    @cached_property
    def looked(self) -> NDArray[np.int32]:
        """The column and row of the flat picture that each pixel takes numbers from, [height, width, 2] i32."""
        return self.at.astype(np.int32)

    @cached_property
    def blocks(self) -> NDArray[np.int32]:
        """Return the range of pixels that read each block of `SIDE` flat pixels, [down, across, 4] i32.

        The four numbers are first column, first row, last column, last row. The last ones are -1 for unread blocks.
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
        """The directions [height, width, 2] that `nearest` takes, x / z and y / z: those of whole flat pixels."""
        flat = self.flat
        return (np.floor(self.at.astype(np.float64)) + 0.5 - [flat.cx, flat.cy]) / [flat.fx, flat.fy]

    def mixed(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Colours [height, width, 3] u8 of a flat picture [flat height, flat width, 3], sRGB, mixed in linear light."""
        linear = _LINEAR[picture]
        corner = np.floor(self.at - 0.5)
        column, row = np.moveaxis(corner.astype(np.intp), -1, 0)
        right, down = np.moveaxis((self.at - 0.5 - corner)[..., None], -2, 0)
        upper = linear[row, column] * (1 - right) + linear[row, column + 1] * right
        lower = linear[row + 1, column] * (1 - right) + linear[row + 1, column + 1] * right
        return np.rint(255 * linear_to_srgb(upper * (1 - down) + lower * down)).astype(np.uint8)


@lru_cache(maxsize=4)
def resampling_of(lens: Lens) -> Resampling:
    """How pictures of a lens that bends lines come of flat ones."""
    seen = lens.directions()
    low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
    focal = FINER * np.array([lens.fx, lens.fy]) * _finest(seen, lens)
    center = BORDER - focal * low
    width, height = (math.ceil(side) + BORDER for side in focal * (high - low) + BORDER)
    (fx, fy), (cx, cy) = focal.tolist(), center.tolist()
    flat = replace(lens, size=(width, height), fx=fx, fy=fy, cx=cx, cy=cy, distortion=UNDISTORTED)
    return Resampling(flat, (seen * focal + center).astype(np.float32))


def _finest(seen: NDArray[np.float64], lens: Lens) -> NDArray[np.float64]:
    """How much larger than without its distortion a lens shows what it shows largest, across and down [2]; 1 at least.

    `seen` [height, width, 2] is what its pixels see.
    """
    largest = np.ones(2)
    for axis, focal in enumerate((lens.fx, lens.fy)):
        steps = np.abs(np.diff(seen[..., axis], axis=1 - axis))
        if steps.size:
            largest[axis] = max(1.0, 1 / (focal * float(steps.min())))
    return largest


_LINEAR = srgb_to_linear(np.arange(256) / 255).astype(np.float32)
