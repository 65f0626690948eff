"""What changes from picture to picture on its way to the GPU: places and palettes of actors."""

from collections.abc import Iterator

from ecs_anim.gl import api as gl
from ecs_anim.gl.buffers import StreamBuffer, TextureBuffer
from ecs_anim.gl.crowd import CrowdDraw, actors_per_batch, batches
from ecs_anim.gl.resource import Resource
from ecs_anim.gl.texture import PALETTE_UNIT


class CrowdStream(Resource):
    """One buffer of instances and one of palettes, used by all crowds and passes in turn."""

    def __init__(self, max_palette_texels: int) -> None:
        self._max_texels = max_palette_texels
        self.instances = StreamBuffer(gl.GL_ARRAY_BUFFER)
        self.palettes = TextureBuffer()

    def upload(self, crowd: CrowdDraw) -> Iterator[int]:
        """Upload a crowd batch by batch; yields the number of actors that are ready to draw."""
        batch_size = actors_per_batch(crowd.palette_count, self._max_texels, crowd.palette_rows)
        for batch in batches(crowd.actor_count, batch_size):
            self.instances.write(crowd.instances[batch])
            self.palettes.write(crowd.palettes[batch])
            self.palettes.bind(PALETTE_UNIT)
            yield batch.stop - batch.start

    def _release(self) -> None:
        self.instances.free()
        self.palettes.free()
