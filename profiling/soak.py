"""Test for memory leaks: a scene runs for many frames, and is then reloaded many times. Run `python -m
ecs_anim.profiling.soak [SCENE]`.

The test counts the OpenGL objects, the bytes in OpenGL buffers and the memory of this process. The test compares these
counts before and after the frames, and before and after the reloads. All reloads use one renderer. The exit code is 1
if OpenGL reports an error, or if the number of objects or the size of the buffers has grown. The exit code is also 1 if
the memory has grown by more than the limit.
"""

import gc
import sys
from collections import Counter
from collections.abc import Callable
from ctypes import c_int
from functools import partial
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

WARM_UP = 30  # frames before the first count, until the caches are full and the buffers have their final size
WARM_UP_RELOADS = 3  # reloads before the first count, for the same reason
FRAMES_A_RELOAD = 2
NAMES_PAST_LAST = 40_000  # OpenGL names to test after the last used name; OpenGL does not reuse freed names soon


# Types of OpenGL objects with a test such as glIsBuffer. OpenGL can delay the deletion of shaders and programs.
KINDS = ("Buffer", "Texture", "VertexArray", "Framebuffer", "Renderbuffer", "Program", "Shader")
BUFFER_BYTES, MEMORY_BYTES = "bytes of buffers", "bytes of memory"


def held() -> Counter[str]:
    """Return the number of OpenGL objects of each type, the bytes in all OpenGL buffers, and the process's memory."""
    gc.collect()
    gl.glFinish()
    names = {kind: _names(getattr(gl, f"glIs{kind}")) for kind in KINDS}
    for kind in KINDS[-2:]:
        query = getattr(gl, f"glGet{kind}iv")
        names[kind] = [name for name in names[kind] if not _parameter(query, name, gl.GL_DELETE_STATUS)]
    found = Counter({kind: len(own) for kind, own in names.items()})
    found[BUFFER_BYTES] = sum(map(_buffer_size, names["Buffer"]))
    found[MEMORY_BYTES] = memory_bytes()
    return found


def objects(found: Counter[str]) -> int:
    """Return the total number of OpenGL objects in the counts `found`."""
    return sum(found[kind] for kind in KINDS)


def growth(before: Counter[str], after: Counter[str], memory_allowed: int) -> list[str]:
    """Return one line for each count that has grown. The memory may grow by up to `memory_allowed` [byte]."""
    allowed = Counter({MEMORY_BYTES: memory_allowed})
    grown = [kind for kind in after if after[kind] > before[kind] + allowed[kind]]
    return [f"{kind} grew from {before[kind]:,} to {after[kind]:,}" for kind in grown]


def run(world: World, drawing: DrawWorld, target: RenderTarget, count: int) -> None:
    """Compute and draw `count` frames of the world. Raises RuntimeError if OpenGL reports an error."""
    for _ in range(count):
        world.step(1 / stage_of(world).frame_rate)
        drawing.draw(world, target)
    check_errors()


def reload(scene: str, actors: int | None, drawing: DrawWorld, target: RenderTarget) -> None:
    """Load the scene as a new world, compute a few frames and close the world."""
    with load_scene(scene, actors=actors) as world:
        run(world, drawing, target, FRAMES_A_RELOAD)


def check_errors() -> None:
    """Raise RuntimeError if OpenGL reports an error."""
    error = gl.glGetError()
    if error != gl.GL_NO_ERROR:
        raise RuntimeError(f"OpenGL reports error 0x{error:04x}")


def memory_bytes() -> int:
    """Return the resident memory of this process [byte], or 0 if the operating system does not report this memory."""
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
@click.option(
    "--memory",
    default=16.0,
    show_default=True,
    metavar="MB",
    help="Allow the memory of the process to grow by N MB.",
)
def main(scene: str, frame_count: int, reloads: int, actors: int, size: tuple[int, int], memory: float) -> None:
    """Run SCENE for many frames, then reload the scene many times. The exit code is 1 if a count has grown."""
    with open_headless() as context, Renderer(context) as renderer, renderer.target(*size) as target:
        drawing = DrawWorld(renderer)
        with load_scene(scene, actors=actors) as world:
            frame = partial(run, world, drawing, target, 1)
            grown = soak(f"{frame_count:,} frames of {scene}", frame, WARM_UP, frame_count, memory)
        again = partial(reload, scene, actors, drawing, target)
        grown += soak(f"{reloads:,} reloads of {scene}", again, WARM_UP_RELOADS, reloads, memory)
        summary = context.capabilities.summary
    click.echo("\n".join([f"no OpenGL error; {summary}", *(f"LEAK: {line}" for line in grown)]))
    sys.exit(1 if grown else 0)


def soak(title: str, work: Callable[[], None], warmup: int, count: int, memory: float) -> list[str]:
    """Call the function `work` several times: first `warmup` times, then `count` times.

    Print the counts before and after the calls, and return a line for each count that grew.

    `memory` [MB] is the allowed growth of the process's memory.
    """
    for _ in range(warmup):
        work()
    before = held()
    for _ in frames_with_progress(count, title):
        work()
    after = held()
    click.echo(f"{title}\n{'':16}{'start':>12}{'end':>12}")
    for kind in after:
        click.echo(f"{kind:16}{before[kind]:12,}{after[kind]:12,}")
    return [f"{title}: {line}" for line in growth(before, after, int(1e6 * memory))]


def _names(is_one: Callable[[int], object]) -> list[int]:
    """Return the numbers ("names" in OpenGL) of the existing objects of one type.

    The search ends after `NAMES_PAST_LAST` unused names.
    """
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
