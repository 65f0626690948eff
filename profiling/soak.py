"""`python -m ecs_anim.profiling.soak [SCENE]`: does anything pile up while a scene runs, or is loaded again and again?

Counts OpenGL's objects, the bytes of its buffers, and this process's memory, at the start and the end of many frames,
and of many reloads of the scene into one renderer. Exit code 1 where objects or buffers are more, where memory has
grown by more than allowed, or where OpenGL reports an error.
"""

import gc
import sys
from collections.abc import Callable
from ctypes import c_int
from dataclasses import dataclass, fields
from pathlib import Path

import click

from ecs_anim.ecs.world import World
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of

WARM_UP = 30  # frames, and
WARM_UP_RELOADS = 3  # before counting: caches fill, buffers reach their size
FRAMES_A_RELOAD = 2
NAMES_PAST_LAST = 40_000  # a name this far past the last in use is in use no more: freed ones are not given out again


@dataclass(frozen=True)
class Held:
    """What a process holds."""

    buffers: int
    textures: int
    vertex_arrays: int
    framebuffers: int
    renderbuffers: int
    programs: int
    shaders: int
    buffer_bytes: int
    memory_bytes: int  # of the process, resident; 0 where the system does not tell

    @property
    def objects(self) -> int:
        """Of OpenGL, of all kinds."""
        kinds = (self.buffers, self.textures, self.vertex_arrays, self.framebuffers, self.renderbuffers)
        return sum(kinds) + self.programs + self.shaders


def held() -> Held:
    """Count what the current context and this process hold now."""
    gc.collect()
    gl.glFinish()
    buffers = _names(gl.glIsBuffer)
    return Held(
        len(buffers),
        len(_names(gl.glIsTexture)),
        len(_names(gl.glIsVertexArray)),
        len(_names(gl.glIsFramebuffer)),
        len(_names(gl.glIsRenderbuffer)),
        sum(not _parameter(gl.glGetProgramiv, name, gl.GL_DELETE_STATUS) for name in _names(gl.glIsProgram)),
        sum(not _parameter(gl.glGetShaderiv, name, gl.GL_DELETE_STATUS) for name in _names(gl.glIsShader)),
        sum(map(_buffer_size, buffers)),
        memory_bytes(),
    )


def growth(before: Held, after: Held, memory_allowed: int) -> list[str]:
    """What is more than before, in words; memory only past `memory_allowed` [byte]."""
    grown = []
    for field in fields(Held):
        old, new = getattr(before, field.name), getattr(after, field.name)
        allowed = memory_allowed if field.name == "memory_bytes" else 0
        if new > old + allowed:
            grown.append(f"{field.name} grew from {old:,} to {new:,}")
    return grown


def run(world: World, drawing: DrawWorld, target: RenderTarget, count: int) -> None:
    """Step and draw. Raises RuntimeError for an error of OpenGL."""
    for _ in range(count):
        world.step(1 / stage_of(world).frame_rate)
        drawing.draw(world, target)
    check_errors()


def reload(scene: str, actors: int | None, drawing: DrawWorld, target: RenderTarget) -> None:
    """A world of its own, for a few frames."""
    with load_scene(scene, actors=actors) as world:
        run(world, drawing, target, FRAMES_A_RELOAD)


def check_errors() -> None:
    """Raise RuntimeError where OpenGL has an error to report."""
    error = gl.glGetError()
    if error != gl.GL_NO_ERROR:
        raise RuntimeError(f"OpenGL reports error 0x{error:04x}")


def memory_bytes() -> int:
    """Resident memory of this process; 0 where the system does not tell."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return 0
    import resource

    return int(status.read_text().split()[1]) * resource.getpagesize()


@click.command()
@click.argument("scene", default="throng")
@click.option("--frames", "frame_count", default=1000, show_default=True)
@click.option("--reloads", default=20, show_default=True)
@click.option("--actors", type=int, default=50, show_default=True)
@click.option("--size", nargs=2, default=(256, 144), show_default=True)
@click.option("--memory", default=16.0, show_default=True, metavar="MB", help="Growth of the process that is no leak.")
def main(scene: str, frame_count: int, reloads: int, actors: int, size: tuple[int, int], memory: float) -> None:
    """Run SCENE for long, then reload it many times; exit code 1 where something grew."""
    with open_headless() as context, Renderer(context) as renderer, renderer.target(*size) as target:
        drawing = DrawWorld(renderer)
        grown = _soak_frames(scene, actors, frame_count, drawing, target, memory)
        grown += _soak_reloads(scene, actors, reloads, drawing, target, memory)
        summary = context.capabilities.summary
    click.echo("\n".join([f"no OpenGL error; {summary}", *(f"LEAK: {line}" for line in grown)]))
    sys.exit(1 if grown else 0)


def _soak_frames(
    scene: str, actors: int, count: int, drawing: DrawWorld, target: RenderTarget, memory: float
) -> list[str]:
    with load_scene(scene, actors=actors) as world:
        run(world, drawing, target, WARM_UP)
        before = held()
        for _ in frames_with_progress(count, "soaking"):
            run(world, drawing, target, 1)
        return _told(f"{count:,} frames of {scene}", before, held(), memory)


def _soak_reloads(
    scene: str, actors: int, count: int, drawing: DrawWorld, target: RenderTarget, memory: float
) -> list[str]:
    for _ in range(WARM_UP_RELOADS):
        reload(scene, actors, drawing, target)
    before = held()
    for _ in frames_with_progress(count, "reloading"):
        reload(scene, actors, drawing, target)
    return _told(f"{count:,} reloads of {scene}", before, held(), memory)


def _told(title: str, before: Held, after: Held, memory: float) -> list[str]:
    click.echo(f"{title}\n{'':16}{'start':>12}{'end':>12}")
    for name in ("objects", *(field.name for field in fields(Held))):
        old, new = getattr(before, name), getattr(after, name)
        click.echo(f"{name:16}{old:12,}{new:12,}")
    return [f"{title}: {line}" for line in growth(before, after, int(1e6 * memory))]


def _names(is_one: Callable[[int], object]) -> list[int]:
    """Names in use of one kind; searching ends where many in a row are not."""
    found: list[int] = []
    name = 1
    while name < (found[-1] if found else 0) + NAMES_PAST_LAST:
        if is_one(name):
            found.append(name)
        name += 1
    return found


def _parameter(query: Callable[[int, int, c_int], object], name: int, parameter: int) -> int:
    value = c_int()
    query(name, parameter, value)
    return value.value


def _buffer_size(name: int) -> int:
    value = c_int()
    gl.glBindBuffer(gl.GL_COPY_READ_BUFFER, name)
    gl.glGetBufferParameteriv(gl.GL_COPY_READ_BUFFER, gl.GL_BUFFER_SIZE, value)
    gl.glBindBuffer(gl.GL_COPY_READ_BUFFER, 0)
    return value.value


if __name__ == "__main__":
    main()
