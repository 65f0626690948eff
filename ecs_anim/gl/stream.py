"""What changes from picture to picture on its way to the GPU: places, palettes, morph weights of actors."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer, TextureBuffer
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.instances import Instances
from ecs_anim.gl.model import ModelBuffers
from ecs_anim.gl.palette_transport import PaletteTransport
from ecs_anim.gl.part import Part
from ecs_anim.gl.pass_timer import NO_MARKS, PassMarks
from ecs_anim.gl.resource import Resource
from ecs_anim.gl.texture import CONTACTS_UNIT, MORPH_WEIGHTS_UNIT

Levels = Sequence[tuple[ModelBuffers, NDArray[np.void]]]


class CrowdStream(Resource):
    """One buffer of instances, one of palettes, one of morph weights, used by all crowds and passes in turn."""

    def __init__(self, max_palette_texels: int, marks: PassMarks = NO_MARKS) -> None:
        self.palettes = PaletteTransport(max_palette_texels, marks)
        self.instances = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self._max_texels = max_palette_texels
        self._morphs = TextureBuffer(gl.GL_RG32F)  # made here, as making one unbinds the unit in use
        self._contacts = TextureBuffer()

    def upload(self, crowd: CrowdDraw, levels: Levels) -> Iterator[Part]:
        """Upload a crowd batch by batch, as many actors at a time as palettes fit; yields what is ready to draw."""
        morphs = crowd.used_morphs
        stride = morphs.shape[1]
        largest = self._max_texels // stride if stride else None
        for batch in self.palettes.upload(crowd.palettes, crowd.palette_bits, largest):
            parts = [(model, _within(rows, batch)) for model, rows in levels]
            ranges = self._write([rows for _, rows in parts])
            if stride:
                self._morphs.write(morphs[batch])
                self._morphs.bind(MORPH_WEIGHTS_UNIT)
            for (model, _), instances in zip(parts, ranges, strict=True):
                if instances.count:
                    yield Part(model, instances, crowd.skinning, stride)

    def place(self, model: ModelBuffers, rows: NDArray[np.void], contacts: NDArray[np.float32] | None) -> Part:
        """Upload places without palettes, and the ground [row, 4] below each."""
        if contacts is not None:
            self._contacts.write(np.ascontiguousarray(contacts))
            self._contacts.bind(CONTACTS_UNIT)
        return Part(model, self._write([rows])[0])

    def _write(self, lists: Sequence[NDArray[np.void]]) -> list[Instances]:
        """Upload lists of instances one after the other; returns where each is."""
        self.instances.write(lists[0] if len(lists) == 1 else np.concatenate(lists))
        ends = np.cumsum([len(rows) for rows in lists])
        return [Instances(self.instances.name, len(r), int(end) - len(r)) for r, end in zip(lists, ends, strict=True)]

    def _release(self) -> None:
        self.instances.free()
        self.palettes.free()
        self._morphs.free()
        self._contacts.free()


def _within(rows: NDArray[np.void], batch: slice) -> NDArray[np.void]:
    """The rows of a batch of slots, counted from its first."""
    first, last = np.searchsorted(rows["slot"], (batch.start, batch.stop))
    if batch.start == 0 and last == len(rows):
        return np.ascontiguousarray(rows)
    own = rows[first:last].copy()
    own["slot"] -= batch.start
    return own
