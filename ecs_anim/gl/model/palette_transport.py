"""Upload of palettes to the vertex shader, batch by batch. Each batch of actors overwrites one texture buffer."""

from collections.abc import Iterator
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import Buffer, StreamBuffer
from ecs_anim.gl.device.pass_timer import NO_MARKS, PassMarks
from ecs_anim.gl.device.program import PALETTES_BINDING
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import PALETTE_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.runtime.short_palette import Bits

UPLOAD = "upload"  # name of the pass that uploads palettes

# std140 layout of the block in shaders/palette.glsl, which maps texels to the numbers of palette entries.
FORMAT = np.dtype([("low", np.float32, (4, 4)), ("span", np.float32, (4, 4)), ("entry_count", np.int32, 4)])


class PaletteFormat(Resource):
    """Uniform block with the palette format for shaders/palette.glsl, for 32-bit palettes that the GPU computes."""

    def __init__(self, entry_count: int) -> None:
        self._buffer = self.keep(Buffer(gl.GL_UNIFORM_BUFFER, _plain_block(entry_count)))

    def bind(self) -> None:
        """Bind the uniform block. Shaders then read the palette texels without a conversion."""
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, PALETTES_BINDING, self._buffer.name)


class PaletteTransport(Resource):
    """Texture buffers with the last uploaded batch of palettes, for shaders that include palette.glsl.

    The shaders support two formats: 32-bit numbers, and the 16-bit fractions of `short_palette`. Each format has one
    buffer, which all crowds and passes use one after the other.
    """

    def __init__(self, max_texels: int, marks: PassMarks = NO_MARKS) -> None:
        self._max_texels = max_texels
        self._marks = marks
        self._texels: dict[Bits, TextureBuffer] = {}  # created at first use
        self._format = self.keep(StreamBuffer(gl.GL_UNIFORM_BUFFER))

    def upload(self, palettes: NDArray[np.float32], bits: Bits = 32, largest: int | None = None) -> Iterator[slice]:
        """Upload palettes [actor, entry, row, 4] batch by batch. Yield after each batch its range of actors to draw.

        `largest` is the largest batch that the caller supports. Raises ValueError if the palettes of one actor do not
        fit.
        """
        _, entry_count, row_count, _ = palettes.shape
        batch_size = min(actors_per_batch(entry_count, self._max_texels, row_count), largest or len(palettes) or 1)
        texels, block = encoded(palettes, bits)
        for batch in batches(len(palettes), batch_size):
            self.send(texels[batch])
            self._format.write(block)
            gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, PALETTES_BINDING, self._format.name)
            yield batch

    def send(self, texels: NDArray[np.float32] | NDArray[np.uint16]) -> None:
        """Upload the texels of one batch, and bind the texture buffer for the shaders."""
        bits: Bits = 32 if texels.dtype == np.float32 else 16
        if bits not in self._texels:
            self._texels[bits] = self.keep(TextureBuffer(gl.GL_RGBA32F if bits == 32 else gl.GL_RGBA16))
        with self._marks.inside(UPLOAD, texels.nbytes):
            self._texels[bits].write(texels)
        self._texels[bits].bind(PALETTE_UNIT)

    @property
    def capacity(self) -> int:
        """Return the size of the GPU memory for palette texels in bytes."""
        return sum(texels.buffer.capacity for texels in self._texels.values())


def encoded(palettes: NDArray[np.float32], bits: Bits) -> tuple[NDArray[np.float32] | NDArray[np.uint16], np.ndarray]:
    """Return texels with the shape of `palettes`, and the uniform block as an array [1] with dtype `FORMAT`."""
    block = _plain_block(palettes.shape[1])
    match bits:
        case 32:
            return palettes, block
        case 16:
            return _shortened(palettes, block)
        case _:
            assert_never(bits)


def _shortened(palettes: NDArray[np.float32], block: np.ndarray) -> tuple[NDArray[np.uint16], np.ndarray]:
    """Return texels with 16 bits per number, and the uniform block with the offsets and scales of the numbers."""
    from ecs_anim.kernels.short_palette import encode  # compiled only if a crowd needs this format

    row_count = palettes.shape[2]
    block["span"] = 0
    texels, block["low"][0, :row_count], block["span"][0, :row_count] = encode(palettes)
    return texels, block


def _plain_block(entry_count: int) -> np.ndarray:
    block = np.zeros(1, FORMAT)
    block["entry_count"], block["span"] = entry_count, 1
    return block


def actors_per_batch(entry_count: int, max_texels: int, row_count: int = 3) -> int:
    """Return the number of actors whose palettes fit into `max_texels` texels. Raise ValueError if no actor fits."""
    count = max_texels // (row_count * entry_count)
    if count < 1:
        raise ValueError(f"a palette must fit into a texture buffer of {max_texels} texels (got {entry_count} entries)")
    return count


def batches(actor_count: int, batch_size: int) -> Iterator[slice]:
    """Return slices that cover all actors, with at most `batch_size` actors each."""
    for start in range(0, actor_count, batch_size):
        yield slice(start, min(start + batch_size, actor_count))
