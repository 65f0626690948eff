"""What changes from picture to picture on its way to the GPU: places, palettes, morph weights, textures of actors."""

from collections.abc import Iterator

import numpy as np

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer, TextureBuffer
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.palette_transport import PaletteTransport
from ecs_anim.gl.resource import Resource
from ecs_anim.gl.texture import MORPH_WEIGHTS_UNIT, VARIANTS_UNIT


class CrowdStream(Resource):
    """One buffer of instances, one of palettes, one of morph weights, used by all crowds and passes in turn."""

    def __init__(self, max_palette_texels: int) -> None:
        self.instances = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self.palettes = PaletteTransport(max_palette_texels)
        self._max_texels = max_palette_texels
        self._morphs = TextureBuffer(gl.GL_RG32F)  # made here, as making one unbinds the unit in use
        self._variants = TextureBuffer(gl.GL_R32I)

    def upload(self, crowd: CrowdDraw) -> Iterator[int]:
        """Upload a crowd batch by batch; yields the number of actors that are ready to draw."""
        morphs = crowd.used_morphs
        stride = morphs.shape[1]
        variants = np.zeros(crowd.actor_count, np.int32) if crowd.variants is None else crowd.variants
        largest = self._max_texels // stride if stride else None
        for batch in self.palettes.upload(crowd.palettes, crowd.palette_bits, largest):
            self.instances.write(crowd.instances[batch])
            if stride:
                self._morphs.write(morphs[batch])
                self._morphs.bind(MORPH_WEIGHTS_UNIT)
            if crowd.model.variant_count:
                self._variants.write(variants[batch])
                self._variants.bind(VARIANTS_UNIT)
            yield batch.stop - batch.start

    def _release(self) -> None:
        self.instances.free()
        self.palettes.free()
        self._morphs.free()
        self._variants.free()
