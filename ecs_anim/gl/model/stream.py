"""Upload of data that change with each picture: the positions, palettes and morph weights of actors."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.skinning import Method
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer
from ecs_anim.gl.device.pass_timer import NO_MARKS, PassMarks
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import CONTACTS_UNIT, MORPH_WEIGHTS_UNIT
from ecs_anim.gl.device.texture_buffer import TextureBuffer
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.palette_transport import PaletteTransport, actors_per_batch
from ecs_anim.gl.model.part import Part
from ecs_anim.runtime.short_palette import Bits


@dataclass(frozen=True)
class PosedActors:
    """The data of actors whose palettes the CPU has computed, ready for the upload."""

    rows: NDArray[np.void]  # [actor_count], rows of `INSTANCE`; a palette row is an index in `palettes` and `morphs`
    palettes: NDArray[np.float32]  # [actor_count, palette_count, entry_rows, 4] f32
    palette_bits: Bits  # bits per number for the transfer to the GPU
    morphs: NDArray[np.float32]  # [actor_count, stride, 2] f32; see `used_targets`
    skinning: Method
    is_fading: bool  # whether rows contain a covered fraction


class CrowdStream(Resource):
    """GPU buffers for instance rows, palettes and morph weights.

    All crowds and all drawing passes share the buffers of one `CrowdStream`.
    """

    def __init__(self, max_palette_texels: int, marks: PassMarks = NO_MARKS) -> None:
        self.palettes = self.keep(PaletteTransport(max_palette_texels, marks))
        self.instances = self.keep(StreamBuffer(gl.GL_ARRAY_BUFFER))
        self._max_texels = max_palette_texels
        self._morphs = self.keep(TextureBuffer(gl.GL_RG32F))
        self._contacts = self.keep(TextureBuffer())

    def upload(self, actors: PosedActors, model: ModelBuffers) -> Iterator[Part]:
        """Upload actors in batches. After the upload of a batch, yield the batch as a part to draw.

        The size of the palette buffer limits the number of actors in each batch.
        """
        stride = actors.morphs.shape[1]
        largest = self._max_texels // stride if stride else None
        for batch in self.palettes.upload(actors.palettes, actors.palette_bits, largest):
            self.instances.write(_batch_rows(actors.rows, batch))
            if stride:
                self._morphs.write(actors.morphs[batch])
                self._morphs.bind(MORPH_WEIGHTS_UNIT)
            rows = Instances(self.instances, batch.stop - batch.start)
            yield Part(model, rows, actors.skinning, stride, is_fading=actors.is_fading)

    def most_actors(self, actors: PosedActors) -> int:
        """Return the largest number of actors in a batch.

        Raise ValueError if the palette of a single actor is too large.
        """
        _, palette_count, entry_rows, _ = actors.palettes.shape
        stride = actors.morphs.shape[1]
        fitting = actors_per_batch(palette_count, self._max_texels, entry_rows)
        return min(fitting, self._max_texels // stride) if stride else fitting

    def place(self, rows: NDArray[np.void], contacts: NDArray[np.float32] | None, model: ModelBuffers) -> Part:
        """Upload `INSTANCE` rows and ground contacts, but no palettes. Return the part to draw."""
        if contacts is not None:
            self._contacts.write(contacts)
            self._contacts.bind(CONTACTS_UNIT)
        self.instances.write(rows)
        return Part(model, Instances(self.instances, len(rows)))


def _batch_rows(rows: NDArray[np.void], batch: slice) -> NDArray[np.void]:
    """Return the `INSTANCE` rows of a batch. The first actor of the batch gets palette row 0."""
    if batch.start == 0:
        return rows[batch]
    own = rows[batch].copy()
    own["palette_row"] -= batch.start
    return own
