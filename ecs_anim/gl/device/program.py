"""Shader programs. The uniforms of a program are set by name.

The class of pyglet for shader programs supports neither sampler buffers nor transform feedback. The package
`ecs_anim.gl` therefore has a separate class.
"""

import ctypes
from collections.abc import Iterable
from typing import Any

from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.source import COMPUTE_VERSION, Source, load_source

FRAME_BINDING, PALETTES_BINDING, LAMPS_BINDING = (
    8,
    9,
    10,
)  # binding points of uniform blocks; the text drawing of pyglet uses 0
BLOCKS = {"Frame": FRAME_BINDING, "Palettes": PALETTES_BINDING, "Lamps": LAMPS_BINDING}


def defines_of(**flags: bool) -> tuple[str, ...]:
    """Return the names of all flags that are True. These names are preprocessor defines.

    Shader flags are preprocessor defines and not uniforms, because software renderers execute both branches of an `if`
    in a shader.
    """
    return tuple(name for name, on in flags.items() if on)


class ShaderError(Exception):
    """Error for a shader that does not compile or does not link. The message contains the file and the line."""


class Program(Resource):
    """A linked program with a vertex shader and a fragment shader.

    The shader files are in the package `ecs_anim.gl.shaders`. `captured` contains the names of the vertex shader
    outputs that transform feedback records. The outputs of a vertex are next to each other in the record. If `fragment`
    is None, the program only records outputs and draws no pixels.
    """

    def __init__(
        self, vertex: str, fragment: str | None, defines: Iterable[str] = (), captured: tuple[str, ...] = ()
    ) -> None:
        defines = tuple(defines)
        sources = {gl.GL_VERTEX_SHADER: load_source(vertex, defines)}
        if fragment:
            sources[gl.GL_FRAGMENT_SHADER] = load_source(fragment, defines)
        self._take(sources, captured)

    def use(self) -> None:
        """Make this program the current shader program."""
        gl.glUseProgram(self.name)

    def location(self, uniform: str) -> int:
        """Return the location of a uniform in the program. If the linker has removed the uniform because it is unused,
        the location is -1.
        """
        if uniform not in self._locations:
            self._locations[uniform] = gl.glGetUniformLocation(self.name, uniform.encode())
        return self._locations[uniform]

    def set_int(self, uniform: str, *values: int) -> None:
        """Set an int, ivec2, ivec3, ivec4 or sampler uniform. Call `Program.use` before this method."""
        getattr(gl, f"glUniform{len(values)}i")(self.location(uniform), *values)

    def set_float(self, uniform: str, *values: float) -> None:
        """Set a float, vec2, vec3 or vec4 uniform. Call `Program.use` before this method."""
        getattr(gl, f"glUniform{len(values)}f")(self.location(uniform), *values)

    def _take(self, sources: dict[int, Source], captured: tuple[str, ...] = ()) -> None:
        self._locations: dict[str, int] = {}
        self.name = _build(sources, captured)
        self._bind_blocks()

    def _bind_blocks(self) -> None:
        for name, binding in BLOCKS.items():
            index = gl.glGetUniformBlockIndex(self.name, name.encode())
            if index != gl.GL_INVALID_INDEX:
                gl.glUniformBlockBinding(self.name, index, binding)

    def _release(self) -> None:
        gl.glDeleteProgram(self.name)


class ComputeProgram(Program):
    """A linked program with a compute shader.

    The OpenGL context must support compute shaders (`Capabilities.has_compute`).
    """

    def __init__(self, compute: str, defines: Iterable[str] = ()) -> None:
        self._take({gl.GL_COMPUTE_SHADER: load_source(compute, tuple(defines), COMPUTE_VERSION)})


class Programs(Resource):
    """Programs from one set of shader files, with different defines.

    A program is compiled when the renderer first needs it. `samplers` maps the names of sampler uniforms to texture
    units. `Program` describes `captured`.
    """

    def __init__(
        self, vertex: str, fragment: str | None = None, captured: tuple[str, ...] = (), **samplers: int
    ) -> None:
        self._shaders, self._captured, self._samplers = (vertex, fragment), captured, samplers
        self._programs: dict[tuple[str, ...], Program] = {}

    def of(self, defines: tuple[str, ...]) -> Program:
        """Return the program with the defines `defines`. The program becomes the current program."""
        if defines in self._programs:
            self._programs[defines].use()
        else:
            program = self._programs[defines] = self.keep(Program(*self._shaders, defines, self._captured))
            program.use()
            for name, unit in self._samplers.items():
                program.set_int(name, unit)
        return self._programs[defines]


def _build(sources: dict[int, Source], captured: tuple[str, ...]) -> int:
    """Compile and link a program. Return its GL name. If an error occurs, all new GL objects are deleted."""
    program = gl.glCreateProgram()
    shaders: list[int] = []
    try:
        for kind, source in sources.items():
            shaders.append(gl.glCreateShader(kind))
            _compile(shaders[-1], source)
            gl.glAttachShader(program, shaders[-1])
        _capture(program, captured)
        _link(program, " + ".join(source.files[0] for source in sources.values()))
    except ShaderError:
        gl.glDeleteProgram(program)
        raise
    finally:
        for shader in shaders:
            gl.glDeleteShader(shader)
    return int(program)


def _compile(shader: int, source: Source) -> None:
    # This pointer view is used for two reasons: `ctypes.cast` would make reference cycles, and an array of characters
    # would make a new class for each length.
    text = ctypes.POINTER(ctypes.c_char).from_buffer(ctypes.c_char_p(source.text.encode()))
    gl.glShaderSource(shader, 1, ctypes.byref(text), None)
    gl.glCompileShader(shader)
    if not _status(gl.glGetShaderiv, shader, gl.GL_COMPILE_STATUS):
        raise ShaderError(source.explain(_log(gl.glGetShaderiv, gl.glGetShaderInfoLog, shader)))


def _capture(program: int, captured: tuple[str, ...]) -> None:
    if captured:
        names = (ctypes.c_char_p * len(captured))(*(name.encode() for name in captured))
        first = ctypes.POINTER(ctypes.c_char).from_buffer(names)
        gl.glTransformFeedbackVaryings(program, len(captured), ctypes.byref(first), gl.GL_INTERLEAVED_ATTRIBS)


def _link(program: int, title: str) -> None:
    gl.glLinkProgram(program)
    if not _status(gl.glGetProgramiv, program, gl.GL_LINK_STATUS):
        raise ShaderError(f"{title}: {_log(gl.glGetProgramiv, gl.glGetProgramInfoLog, program)}")


def _status(query: Any, name: int, parameter: int) -> int:
    value = ctypes.c_int()
    query(name, parameter, value)
    return value.value


def _log(query: Any, read: Any, name: int) -> str:
    length = max(1, _status(query, name, gl.GL_INFO_LOG_LENGTH))
    text = ctypes.create_string_buffer(length)
    read(name, length, None, text)
    return text.value.decode("utf-8", "replace").strip()
