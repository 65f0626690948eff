"""What changes from picture to picture on its way to the GPU: places and palettes of actors."""

from collections.abc import Iterator

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer
from ecs_anim.gl.crowd import CrowdDraw
from ecs_anim.gl.palette_transport import PaletteTransport
from ecs_anim.gl.resource import Resource


class CrowdStream(Resource):
    """One buffer of instances and one of palettes, used by all crowds and passes in turn."""

    def __init__(self, max_palette_texels: int) -> None:
        self.instances = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self.palettes = PaletteTransport(max_palette_texels)

    def upload(self, crowd: CrowdDraw) -> Iterator[int]:
        """Upload a crowd batch by batch; yields the number of actors that are ready to draw."""
        for batch in self.palettes.upload(crowd.palettes, crowd.palette_bits):
            self.instances.write(crowd.instances[batch])
            yield batch.stop - batch.start

    def _release(self) -> None:
        self.instances.free()
        self.palettes.free()
