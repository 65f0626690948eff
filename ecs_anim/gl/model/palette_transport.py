"""Upload of palettes to the GPU in batches of actors.

Each batch overwrites the texture buffer of the previous batch.
"""

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

# std140 layout of the uniform block in shaders/palette.glsl. Shaders use the block to convert texels to the numbers of
# palette entries.
FORMAT = np.dtype([("low", np.float32, (4, 4)), ("span", np.float32, (4, 4)), ("entry_count", np.int32, 4)])


class PaletteFormat(Resource):
    """The uniform block for shaders/palette.glsl, for palettes that the GPU computed. The block states that these
    palettes have 32-bit numbers.
    """

    def __init__(self, entry_count: int) -> None:
        self._buffer = self.keep(Buffer(gl.GL_UNIFORM_BUFFER, _plain_block(entry_count)))

    def bind(self) -> None:
        """Bind the uniform block.

        With the block for 32-bit palettes, shaders use the palette texels without a conversion.
        """
        gl.glBindBufferBase(gl.GL_UNIFORM_BUFFER, PALETTES_BINDING, self._buffer.name)


class PaletteTransport(Resource):
    """Texture buffers for uploaded palettes. Shaders that include shaders/palette.glsl read the texture buffers.

    The buffers contain only the last uploaded batch. The shaders support two formats: 32-bit numbers, and the 16-bit
    fractions of `short_palette`. Each format has one buffer. All crowds and all drawing passes share the buffer of a
    format.
    """

    def __init__(self, max_texels: int, marks: PassMarks = NO_MARKS) -> None:
        self._max_texels = max_texels
        self._marks = marks
        self._texels: dict[Bits, TextureBuffer] = {}  # created at first use
        self._format = self.keep(StreamBuffer(gl.GL_UNIFORM_BUFFER))

    def upload(self, palettes: NDArray[np.float32], bits: Bits = 32, largest: int | None = None) -> Iterator[slice]:
        """Upload palettes [actor, entry, row, 4] in batches.

        After the upload of a batch, yield the range of its actors. `largest` is the largest number of actors in a
        batch. Raises ValueError if the palette of a single actor is too large.
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
        """Upload the palette texels of one batch, and bind the texture buffer for the shaders."""
        bits: Bits = 32 if texels.dtype == np.float32 else 16
        if bits not in self._texels:
            self._texels[bits] = self.keep(TextureBuffer(gl.GL_RGBA32F if bits == 32 else gl.GL_RGBA16))
        with self._marks.inside(UPLOAD, texels.nbytes):
            self._texels[bits].write(texels)
        self._texels[bits].bind(PALETTE_UNIT)

    @property
    def capacity(self) -> int:
        """Return the size of the texture buffers in GPU memory in bytes."""
        return sum(texels.buffer.capacity for texels in self._texels.values())


def encoded(palettes: NDArray[np.float32], bits: Bits) -> tuple[NDArray[np.float32] | NDArray[np.uint16], np.ndarray]:
    """Return `palettes`, encoded as texels. The shape does not change.

    Also return the uniform block as an array [1] with the dtype `FORMAT`.
    """
    block = _plain_block(palettes.shape[1])
    match bits:
        case 32:
            return palettes, block
        case 16:
            return _shortened(palettes, block)
        case _:
            assert_never(bits)


def _shortened(palettes: NDArray[np.float32], block: np.ndarray) -> tuple[NDArray[np.uint16], np.ndarray]:
    """Return `palettes`, encoded with 16 bits per number.

    Also return the uniform block, which contains the offset and the scale of each number.
    """
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
    """Return the number of actors in a batch: the largest number of actors whose palettes fit into `max_texels` texels.

    Raise ValueError if the palette of a single actor does not fit.
    """
    count = max_texels // (row_count * entry_count)
    if count < 1:
        raise ValueError(
            f"the palette of one actor has {entry_count} entries, which do not fit into a texture buffer of"
            f" {max_texels} texels. Use a model with fewer joints."
        )
    return count


def batches(actor_count: int, batch_size: int) -> Iterator[slice]:
    """Divide the actors into batches. A batch is a slice with at most `batch_size` actors."""
    for start in range(0, actor_count, batch_size):
        yield slice(start, min(start + batch_size, actor_count))
