"""Skin palettes in GPU memory. The palette pass writes the palettes. Vertex shaders read the palettes."""

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.texture import TextureObject

ENTRY_BYTES = 48  # bytes of three texels with four floats each


class PosedPalettes(TextureObject):
    """A texture buffer with palettes. Each palette is one row. Each palette entry has three RGBA32F texels.

    If an actor gets no new pose, its palette row does not change.
    """

    def __init__(self, entry_count: int, capabilities: Capabilities) -> None:
        super().__init__(gl.GL_TEXTURE_BUFFER)
        self.entry_count = entry_count
        self.row_count = 0
        texels = capabilities.max_texture_buffer_size
        bytes_ = capabilities.max_storage_bytes if capabilities.has_compute else 16 * texels
        most_entries = min(texels // 3, bytes_ // ENTRY_BYTES)
        self.max_rows = most_entries // max(entry_count, 1)  # limit of this OpenGL implementation
        self.buffer = self.generate("Buffers")
        gl.glBindBuffer(gl.GL_TEXTURE_BUFFER, self.buffer)
        gl.glTexBuffer(gl.GL_TEXTURE_BUFFER, gl.GL_RGBA32F, self.buffer)

    def reserve(self, row_count: int) -> bool:
        """Reserve memory for `row_count` palettes.

        Return True if new memory was allocated. New memory does not contain the old palettes. Raises ValueError if
        `row_count` is above `PosedPalettes.max_rows`.
        """
        if row_count > self.max_rows:
            raise ValueError(
                f"the number of palettes with {self.entry_count} entries must be at most {self.max_rows} with this"
                f" OpenGL (got {row_count}). Use fewer actors."
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
