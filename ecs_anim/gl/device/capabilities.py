"""Capabilities of an OpenGL context. The program queries the capabilities of each context once."""

from ctypes import c_float
from dataclasses import dataclass

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import get_integer

SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swrast", "swiftshader", "software rasterizer", "microsoft basic render")
ANISOTROPY = ("GL_EXT_texture_filter_anisotropic", "GL_ARB_texture_filter_anisotropic")


@dataclass(frozen=True)
class Capabilities:
    """Limits of an OpenGL context, and the names of its version and its renderer."""

    version: tuple[int, int]
    renderer: str
    is_software: bool  # true = the CPU draws (software renderer); its timer queries are not reliable
    max_samples: int
    max_texture_size: int  # [pixel]
    max_array_layers: int
    max_texture_buffer_size: int  # [texel]
    max_anisotropy: float  # 1 = not available
    max_storage_bytes: int = 0  # [byte], largest storage buffer that a shader can read

    @property
    def has_compute(self) -> bool:
        """Return whether the context supports OpenGL 4.3.

        OpenGL 4.3 has compute shaders, storage buffers, indirect dispatches and indirect draw calls for many meshes.
        """
        return self.version >= (4, 3)

    @property
    def live_samples(self) -> int:
        """Return the number of samples per pixel for moving pictures.

        A software renderer uses fewer samples, because the frame rate is more important than smooth edges.
        """
        return 1 if self.is_software else 4

    @property
    def summary(self) -> str:
        """Return a description of the OpenGL context in one line, for logs and reports."""
        return f"OpenGL {self.version[0]}.{self.version[1]}, {self.renderer}"


def query_capabilities() -> Capabilities:
    """Query the capabilities of the current OpenGL context."""
    import pyglet.gl

    info = pyglet.gl.current_context.get_info()
    version = info.get_version()
    return Capabilities(
        version=version,
        renderer=info.get_renderer(),
        is_software=any(name in info.get_renderer().lower() for name in SOFTWARE_RENDERERS),
        max_samples=max(1, min(get_integer(gl.GL_MAX_SAMPLES), get_integer(gl.GL_MAX_COLOR_TEXTURE_SAMPLES))),
        max_texture_size=min(get_integer(gl.GL_MAX_TEXTURE_SIZE), get_integer(gl.GL_MAX_RENDERBUFFER_SIZE)),
        max_array_layers=get_integer(gl.GL_MAX_ARRAY_TEXTURE_LAYERS),
        max_texture_buffer_size=get_integer(gl.GL_MAX_TEXTURE_BUFFER_SIZE),
        max_anisotropy=_max_anisotropy() if any(map(info.have_extension, ANISOTROPY)) else 1.0,
        max_storage_bytes=get_integer(gl.GL_MAX_SHADER_STORAGE_BLOCK_SIZE) if version >= (4, 3) else 0,
    )


def _max_anisotropy() -> float:
    value = c_float(1.0)
    gl.glGetFloatv(0x84FF, value)  # GL_MAX_TEXTURE_MAX_ANISOTROPY
    return float(value.value)
