"""Other ways to carry palettes than the one that ships, to be measured against it by `bench_transport`.

Each is the shipped class with another `send`, and the shaders that read what it sent: `palette.glsl` with another
declaration and another fetch. None of them is used by anything else: docs/decisions/0015-* says what they gain.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device import program, source
from ecs_anim.gl.device.buffers import StreamBuffer, TextureBuffer, address
from ecs_anim.gl.device.capabilities import Capabilities
from ecs_anim.gl.device.resource import delete, generate, get_integer
from ecs_anim.gl.device.texture import PALETTE_UNIT
from ecs_anim.gl.model.palette_transport import PaletteTransport
from ecs_anim.runtime.short_palette import Bits

WIDTH = 4096  # [texel], of a 2D texture and of a uniform block: 65,536 bytes
BINDING = 10  # of uniform and storage blocks
REGIONS = 3  # of a mapped buffer: written, on its way, and read
IMAGE = "uniform sampler2D palettes;"
IMAGE_FETCH = f"texelFetch(palettes, ivec2(texel & {WIDTH - 1}, texel >> {WIDTH.bit_length() - 1}), 0)"
DECLARATION, FETCH = "uniform samplerBuffer palettes;", "texelFetch(palettes, texel)"

Texels = NDArray[np.float32] | NDArray[np.uint16]


class HalfTransport(PaletteTransport):
    """Halves of floats in a texture buffer, converted by numpy."""

    def __init__(self, max_texels: int) -> None:
        super().__init__(max_texels)
        self._halves = TextureBuffer(gl.GL_RGBA16F)

    def send(self, texels: Texels) -> None:
        """Convert and write."""
        self._halves.write(texels.astype(np.float16))
        self._halves.bind(PALETTE_UNIT)

    def _release(self) -> None:
        self._halves.free()
        super()._release()


class BlockTransport(PaletteTransport):
    """A buffer bound as a block of the shader: uniform or storage."""

    def __init__(self, target: int, max_texels: int) -> None:
        super().__init__(max_texels)
        self._block = StreamBuffer(target)
        self._block.reserve(16 * WIDTH)  # a uniform block must be there as a whole

    def send(self, texels: Texels) -> None:
        """Write and bind."""
        self._block.write(texels)
        gl.glBindBufferBase(self._block.target, BINDING, self._block.name)

    def _release(self) -> None:
        self._block.free()
        super()._release()


class ImageTransport(PaletteTransport):
    """A 2D texture of whole rows."""

    def __init__(self, max_texels: int) -> None:
        super().__init__(max_texels)
        self._texture = generate("Textures")
        self._height = 0
        self._type: type | None = None

    def send(self, texels: Texels) -> None:
        """Whole rows at once, then the rest of the last."""
        flat = texels.reshape(-1, 4)
        rows, rest = divmod(len(flat), WIDTH)
        gl.glActiveTexture(gl.GL_TEXTURE0 + PALETTE_UNIT)
        gl.glBindTexture(gl.GL_TEXTURE_2D, self._texture)
        self._reserve(rows + 1, texels.dtype.type)
        kind = gl.GL_FLOAT if texels.dtype == np.float32 else gl.GL_UNSIGNED_SHORT
        for y, width, height in ((0, WIDTH, rows), (rows, rest, 1)):
            if width and height:
                part = address(flat[y * WIDTH :])
                gl.glTexSubImage2D(gl.GL_TEXTURE_2D, 0, 0, y, width, height, gl.GL_RGBA, kind, part)

    def _reserve(self, height: int, dtype: type) -> None:
        if height <= self._height and dtype is self._type:
            return
        self._height, self._type = height, dtype
        inside = gl.GL_RGBA32F if dtype is np.float32 else gl.GL_RGBA16
        gl.glTexImage2D(gl.GL_TEXTURE_2D, 0, inside, WIDTH, height, 0, gl.GL_RGBA, gl.GL_FLOAT, None)
        for parameter in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
            gl.glTexParameteri(gl.GL_TEXTURE_2D, parameter, gl.GL_NEAREST)

    def _release(self) -> None:
        delete("Textures", self._texture)
        super()._release()


class MappedTransport(PaletteTransport):
    """A texture buffer that stays mapped, written a region at a time (OpenGL 4.4).

    Whoever uses it waits for each picture, as the benchmark does: there are no fences here.
    """

    def __init__(self, max_texels: int) -> None:
        super().__init__(max_texels)
        self._name, self._texture = 0, generate("Textures")
        self._size, self._start, self._turn = 0, 0, 0

    def send(self, texels: Texels) -> None:
        """Copy into the next region and show that to the shaders."""
        if texels.nbytes > self._size:
            self._map(-texels.nbytes // 256 * -256)
        self._turn = (self._turn + 1) % REGIONS
        offset = self._turn * self._size
        ctypes.memmove(self._start + offset, address(texels), texels.nbytes)
        gl.glActiveTexture(gl.GL_TEXTURE0 + PALETTE_UNIT)
        gl.glBindTexture(gl.GL_TEXTURE_BUFFER, self._texture)
        gl.glTexBufferRange(gl.GL_TEXTURE_BUFFER, gl.GL_RGBA32F, self._name, offset, self._size)

    def _map(self, size: int) -> None:
        if self._name:
            delete("Buffers", self._name)
        self._name, self._size = generate("Buffers"), size
        gl.glBindBuffer(gl.GL_TEXTURE_BUFFER, self._name)
        flags = gl.GL_MAP_WRITE_BIT | gl.GL_MAP_PERSISTENT_BIT | gl.GL_MAP_COHERENT_BIT
        gl.glBufferStorage(gl.GL_TEXTURE_BUFFER, REGIONS * size, None, flags)
        self._start = int(gl.glMapBufferRange(gl.GL_TEXTURE_BUFFER, 0, REGIONS * size, flags))

    def _release(self) -> None:
        delete("Textures", self._texture)
        if self._name:
            delete("Buffers", self._name)
        super()._release()


@dataclass(frozen=True)
class Route:
    """One way to carry palettes: who sends them, and how shaders read them."""

    name: str
    make: Callable[[int], PaletteTransport]
    max_texels: int  # of a batch
    bits: Bits = 32  # that `PaletteTransport` encodes to
    declaration: str = DECLARATION
    fetch: str = FETCH
    version: str = source.VERSION
    exact: bool = True  # the shader sees the palettes' own numbers

    @contextmanager
    def shaders(self) -> Iterator[None]:
        """Programs that are compiled inside read palettes by this route."""
        read = source.read_shader

        def adapted(name: str) -> str:
            text = read(name)
            if name != "palette.glsl":
                return text
            if DECLARATION not in text or FETCH not in text:
                raise RuntimeError("palette.glsl does not read palettes as this benchmark knows it")
            return text.replace(DECLARATION, self.declaration).replace(FETCH, self.fetch)

        with (
            patch.object(source, "read_shader", adapted),
            patch.object(source, "VERSION", self.version),
            patch.dict(program.BLOCKS, {"Texels": BINDING}),
        ):
            yield


def routes(capabilities: Capabilities) -> list[Route]:
    """What this context can do; the shipped one first."""
    limit = capabilities.max_texture_buffer_size
    image_limit = WIDTH * capabilities.max_texture_size
    found = [
        Route("texture buffer, 32 bits", PaletteTransport, limit),
        Route("texture buffer, 16 bits", PaletteTransport, limit, 16, exact=False),
        Route("texture buffer, halves", HalfTransport, limit, exact=False),
        Route("2D texture, 32 bits", ImageTransport, image_limit, 32, IMAGE, IMAGE_FETCH),
        Route("2D texture, 16 bits", ImageTransport, image_limit, 16, IMAGE, IMAGE_FETCH, exact=False),
        _uniform_route(),
    ]
    if capabilities.version >= (4, 3) and get_integer(gl.GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS):
        found.append(_storage_route(limit))
    if capabilities.version >= (4, 4):
        found.append(Route("mapped texture buffer", MappedTransport, limit))
    return found


def _uniform_route() -> Route:
    size = min(WIDTH, get_integer(gl.GL_MAX_UNIFORM_BLOCK_SIZE) // 16)
    block = f"layout(std140) uniform Texels {{ vec4 texels[{size}]; }};"
    return Route("uniform buffer", partial(BlockTransport, gl.GL_UNIFORM_BUFFER), size, 32, block, "texels[texel]")


def _storage_route(limit: int) -> Route:
    make = partial(BlockTransport, gl.GL_SHADER_STORAGE_BUFFER)
    block = f"layout(std430, binding = {BINDING}) readonly buffer Texels {{ vec4 texels[]; }};"
    return Route("storage buffer", make, limit, 32, block, "texels[texel]", "430 core")
