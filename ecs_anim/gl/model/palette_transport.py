"""Palettes on their way to the vertex shader: a texture buffer, filled anew for each batch of actors that fits it."""

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

UPLOAD = "upload"  # the pass that palettes are sent in

# Layout std140 of the block in shaders/palette.glsl: how texels stand for an entry's numbers.
FORMAT = np.dtype([("low", np.float32, (4, 4)), ("span", np.float32, (4, 4)), ("entry_count", np.int32, 4)])


class PaletteFormat(Resource):
    """The block in shaders/palette.glsl for palettes of 32-bit numbers that the GPU makes."""

    def __init__(self, entry_count: int) -> None:
        self._buffer = self.keep(Buffer(gl.GL_UNIFORM_BUFFER, _plain_block(entry_count)))

    def bind(self) -> None:
        """Let shaders take the texels as they are."""
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, PALETTES_BINDING, self._buffer.name)


class PaletteTransport(Resource):
    """Shaders that include palette.glsl read the batch that was uploaded last.

    The shaders are the same for both formats: numbers of 32 bits as they are, or `short_palette`'s shares. One buffer
    for each format serves all crowds and passes in turn.
    """

    def __init__(self, max_texels: int, marks: PassMarks = NO_MARKS) -> None:
        self._max_texels = max_texels
        self._marks = marks
        self._texels: dict[Bits, TextureBuffer] = {}  # made when first asked for
        self._format = self.keep(StreamBuffer(gl.GL_UNIFORM_BUFFER))

    def upload(self, palettes: NDArray[np.float32], bits: Bits = 32, largest: int | None = None) -> Iterator[slice]:
        """Upload palettes [actor, entry, row, 4] batch by batch; yields the actors that are ready to draw.

        `largest` is the most actors that the caller can take at once. Raises ValueError where one actor's do not fit.
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
        """Give one batch to the shaders."""
        bits: Bits = 32 if texels.dtype == np.float32 else 16
        if bits not in self._texels:
            self._texels[bits] = self.keep(TextureBuffer(gl.GL_RGBA32F if bits == 32 else gl.GL_RGBA16))
        with self._marks.inside(UPLOAD, texels.nbytes):
            self._texels[bits].write(texels)
        self._texels[bits].bind(PALETTE_UNIT)

    @property
    def capacity(self) -> int:
        """Bytes of GPU memory held for texels."""
        return sum(texels.buffer.capacity for texels in self._texels.values())


def encoded(palettes: NDArray[np.float32], bits: Bits) -> tuple[NDArray[np.float32] | NDArray[np.uint16], np.ndarray]:
    """Texels of the palettes' shape, and the block's bytes, [1] of `FORMAT`."""
    block = _plain_block(palettes.shape[1])
    match bits:
        case 32:
            return palettes, block
        case 16:
            return _shortened(palettes, block)
        case _:
            assert_never(bits)


def _shortened(palettes: NDArray[np.float32], block: np.ndarray) -> tuple[NDArray[np.uint16], np.ndarray]:
    """Texels of 16 bits a number, and the block with what they stand for."""
    from ecs_anim.kernels.short_palette import encode  # compiled where a crowd asks for it

    row_count = palettes.shape[2]
    block["span"] = 0
    texels, block["low"][0, :row_count], block["span"][0, :row_count] = encode(palettes)
    return texels, block


def _plain_block(entry_count: int) -> np.ndarray:
    block = np.zeros(1, FORMAT)
    block["entry_count"], block["span"] = entry_count, 1
    return block


def actors_per_batch(entry_count: int, max_texels: int, row_count: int = 3) -> int:
    """How many actors' palettes a texture buffer of `max_texels` texels holds. Raises ValueError for none."""
    count = max_texels // (row_count * entry_count)
    if count < 1:
        raise ValueError(f"a palette of {entry_count} entries does not fit a texture buffer of {max_texels} texels")
    return count


def batches(actor_count: int, batch_size: int) -> Iterator[slice]:
    """Slices that cover all actors, at most `batch_size` each."""
    for start in range(0, actor_count, batch_size):
        yield slice(start, min(start + batch_size, actor_count))
