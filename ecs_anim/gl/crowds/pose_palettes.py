"""Skin palettes in GPU memory. The palette pass writes the palettes, and vertex shaders read them."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.texture import TextureObject

ENTRY_BYTES = 48  # bytes of three texels with four floats each


class PosedPalettes(TextureObject):
    """Palette rows in a texture buffer, with three RGBA32F texels for each entry.

    Palette rows of actors that are not posed keep their values.
    """

    def __init__(self, entry_count: int, capabilities: Capabilities) -> None:
        super().__init__(gl.GL_TEXTURE_BUFFER)
        self.entry_count = entry_count
        self.row_count = 0
        texels = capabilities.max_texture_buffer_size
        bytes_ = capabilities.max_storage_bytes if capabilities.has_compute else 16 * texels
        most_entries = min(texels // 3, bytes_ // ENTRY_BYTES)
        self.max_rows = most_entries // max(entry_count, 1)  # limit of this OpenGL
        self.buffer = self.generate("Buffers")
        gl.glBindBuffer(gl.GL_TEXTURE_BUFFER, self.buffer)
        gl.glTexBuffer(gl.GL_TEXTURE_BUFFER, gl.GL_RGBA32F, self.buffer)

    def reserve(self, row_count: int) -> bool:
        """Reserve memory for `row_count` palettes.

        Return True if the memory is new. New memory has no old palettes. Raises ValueError for more than
        `PosedPalettes.max_rows`.
        """
        if row_count > self.max_rows:
            raise ValueError(
                f"there must be at most {self.max_rows} palettes of {self.entry_count} entries with this OpenGL (got"
                f" {row_count})"
            )
        if row_count <= self.row_count:
            return False
        self.row_count = min(max(row_count, 2 * self.row_count), self.max_rows)
        gl.glBindBuffer(gl.GL_TEXTURE_BUFFER, self.buffer)
        gl.glBufferData(gl.GL_TEXTURE_BUFFER, self.nbytes, None, gl.GL_DYNAMIC_COPY)
        return True

    @property
    def nbytes(self) -> int:
        """Return the size of the palettes in GPU memory [byte]."""
        return self.row_count * self.entry_count * ENTRY_BYTES
