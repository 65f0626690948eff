"""Noise for the materials of floors. The module computes a texture tile, whose bytes are equal on all machines."""

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import address
from ecs_anim.gl.device.texture import IMAGE_UNIT, TextureObject, smooth

SIZE = 256  # [texel], a power of two
PATCH_CELLS = (4, 8, 16, 32)  # number of cells per side of the tile, for each octave (layer of noise) of the patches
CONTRAST = 0.16  # standard deviation of the noise values, which have the mean 0.5

Reals = NDArray[np.float64]


class NoiseTexture(TextureObject):
    """The noise tile on the GPU, with mipmaps. Repeated tiles have no visible edges."""

    def __init__(self) -> None:
        super().__init__(gl.GL_TEXTURE_2D, smooth(gl.GL_LINEAR_MIPMAP_LINEAR, gl.GL_REPEAT))
        pixels = noise_tile()
        gl.glPixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
        rest = 0, gl.GL_RG, gl.GL_UNSIGNED_BYTE, address(pixels)
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RG8, SIZE, SIZE, *rest)
        gl.glGenerateMipmap(gl.GL_TEXTURE_2D)
        self.bind(IMAGE_UNIT)


def noise_tile() -> NDArray[np.uint8]:
    """Return the noise tile [SIZE, SIZE, 2] u8. The first channel is fine grain, and the second channel is patches.
    Both channels have the mean 127.5.
    """
    grain = 0.6 * _random(SIZE, 1) + 0.4 * _smoothed(SIZE // 4, 2)
    patches = sum((_smoothed(cells, 3 + cells) / (1 + octave) for octave, cells in enumerate(PATCH_CELLS)), 0.0)
    return np.stack([_bytes(grain), _bytes(np.asarray(patches))], axis=-1)


def _random(size: int, seed: int) -> Reals:
    """Return pseudo-random numbers [size, size] from 0 to 1. The numbers come from integer arithmetic."""
    bits = np.arange(size * size, dtype=np.uint64) + np.uint64(seed * 0x9E3779B9)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        bits = ((bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    return ((bits ^ (bits >> np.uint64(16))) / 2.0**32).reshape(size, size)


def _smoothed(cells: int, seed: int) -> Reals:
    """Return a smooth periodic interpolation [SIZE, SIZE] of random numbers at `cells` x `cells` nodes."""
    nodes = _random(cells, seed)
    at = np.arange(SIZE) * (cells / SIZE)
    low = at.astype(np.intp)
    part = at - low
    part = part * part * (3.0 - 2.0 * part)
    high = (low + 1) % cells
    rows = nodes[low] + (nodes[high] - nodes[low]) * part[:, None]
    mixed: Reals = rows[:, low] + (rows[:, high] - rows[:, low]) * part
    return mixed


def _bytes(values: Reals) -> NDArray[np.uint8]:
    """Return the values as bytes, scaled to the mean 0.5 and the standard deviation `CONTRAST`."""
    normal = 0.5 + CONTRAST * (values - values.mean()) / values.std()
    return np.rint(255 * np.clip(normal, 0.0, 1.0)).astype(np.uint8)
