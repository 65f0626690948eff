"""What changes from picture to picture on its way to the GPU: places, palettes and morph weights of actors."""

from collections.abc import Iterator

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer, TextureBuffer
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.palette_transport import PaletteTransport
from ecs_anim.gl.resource import Resource
from ecs_anim.gl.texture import MORPH_WEIGHTS_UNIT


class CrowdStream(Resource):
    """One buffer of instances, one of palettes, one of morph weights, used by all crowds and passes in turn."""

    def __init__(self, max_palette_texels: int) -> None:
        self.instances = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self.palettes = PaletteTransport(max_palette_texels)
        self._max_texels = max_palette_texels
        self._morphs = TextureBuffer(gl.GL_RG32F)  # made here, as making one unbinds the unit in use

    def upload(self, crowd: CrowdDraw) -> Iterator[int]:
        """Upload a crowd batch by batch; yields the number of actors that are ready to draw."""
        morphs = crowd.used_morphs
        stride = morphs.shape[1]
        largest = self._max_texels // stride if stride else None
        for batch in self.palettes.upload(crowd.palettes, crowd.palette_bits, largest):
            self.instances.write(crowd.instances[batch])
            if stride:
                self._morphs.write(morphs[batch])
                self._morphs.bind(MORPH_WEIGHTS_UNIT)
            yield batch.stop - batch.start

    def _release(self) -> None:
        self.instances.free()
        self.palettes.free()
        self._morphs.free()
