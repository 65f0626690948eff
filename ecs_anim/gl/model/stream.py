"""What changes from picture to picture on its way to the GPU: places, palettes, morph weights of actors."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.buffers import StreamBuffer, TextureBuffer
from ecs_anim.gl.device.pass_timer import NO_MARKS, PassMarks
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.texture import CONTACTS_UNIT, MORPH_WEIGHTS_UNIT
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.instances import Instances
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.model.palette_transport import PaletteTransport, actors_per_batch
from ecs_anim.gl.model.part import Part


class CrowdStream(Resource):
    """One buffer of instances, one of palettes, one of morph weights, used by all crowds and passes in turn."""

    def __init__(self, max_palette_texels: int, marks: PassMarks = NO_MARKS) -> None:
        self.palettes = PaletteTransport(max_palette_texels, marks)
        self.instances = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self._max_texels = max_palette_texels
        self._morphs = TextureBuffer(gl.GL_RG32F)  # made here, as making one unbinds the unit in use
        self._contacts = TextureBuffer()

    def upload(self, crowd: CrowdDraw, model: ModelBuffers) -> Iterator[Part]:
        """Upload a crowd batch by batch, as many actors at a time as palettes fit; yields what is ready to draw."""
        morphs = crowd.used_morphs
        stride = morphs.shape[1]
        largest = self._max_texels // stride if stride else None
        for batch in self.palettes.upload(crowd.palettes, crowd.palette_bits, largest):
            self.instances.write(_batch_rows(crowd.everyone, batch))
            if stride:
                self._morphs.write(morphs[batch])
                self._morphs.bind(MORPH_WEIGHTS_UNIT)
            rows = Instances(self.instances.name, batch.stop - batch.start)
            yield Part(model, rows, crowd.skinning, stride, is_fading=crowd.coverage is not None)

    def most_actors(self, crowd: CrowdDraw) -> int:
        """How many actors of a crowd are uploaded at once. Raises ValueError where one actor's palette does not fit."""
        stride = crowd.used_morphs.shape[1]
        fitting = actors_per_batch(crowd.palette_count, self._max_texels, crowd.entry_rows)
        return min(fitting, self._max_texels // stride) if stride else fitting

    def place(self, crowd: CrowdDraw) -> Part:
        """Upload places without palettes, and the ground below each."""
        if crowd.contacts is not None:
            self._contacts.write(crowd.contacts)
            self._contacts.bind(CONTACTS_UNIT)
        self.instances.write(crowd.everyone)
        return Part(crowd.model, Instances(self.instances.name, crowd.actor_count))

    def _release(self) -> None:
        self.instances.free()
        self.palettes.free()
        self._morphs.free()
        self._contacts.free()


def _batch_rows(rows: NDArray[np.void], batch: slice) -> NDArray[np.void]:
    """The rows of a batch, their palette rows counted from its first."""
    if batch.start == 0:
        return rows[batch]
    own = rows[batch].copy()
    own["palette_row"] -= batch.start
    return own
