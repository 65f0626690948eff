"""Pictures of worlds in one call. Later calls use the renderers of earlier calls again."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from weakref import WeakSet, ref

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gl.device import api as gl
from ecs_anim.gl.device.context import shared_context
from ecs_anim.gl.device.resource import Resource
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer as ContextRenderer
from ecs_anim.support.arguments import whole_numbers, width_and_height
from ecs_anim.support.checked import checked
from ecs_anim.support.errors import InputError
from ecs_anim.systems.camera_drawing import CameraDrawer, bends
from ecs_anim.systems.cameras import Camera, camera_of, own_size
from ecs_anim.systems.drawing import DrawWorld

SIZE = (1280, 720)  # [pixel]
SAMPLES = 4  # samples per pixel
MOST_KEPT = 4  # maximum number of kept renderers, each with the uploads of one world


class Renderer(Resource):
    """Draws many pictures of one size, without a window.

        with ea.Renderer((640, 360)) as renderer:
            picture = renderer.render(world)

    `free`, or the end of the block, frees the renderer's memory. All renderers share one OpenGL context. Any thread can
    use a renderer, but only one thread at a time. Raises the errors of `render`.
    """

    def __init__(self, size: tuple[int, int] = SIZE, samples: int = SAMPLES) -> None:
        width, height = width_and_height("size", size)
        self.samples = _checked_samples(samples)
        self.context = shared_context()
        with self.context.current():
            self._target = RenderTarget(self.context, width, height, self.samples)
            self._renderer = ContextRenderer(self.context, self.samples)
        self._drawing = DrawWorld(self._renderer)
        self._drawer = CameraDrawer(self._renderer, self._drawing)  # draws pictures that need other render targets
        self.context.keep(self)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the pictures, in pixels."""
        return self._target.size

    def resize(self, size: tuple[int, int]) -> None:
        """Change the size of the next pictures. If OpenGL rejects the size, keep the old size and raise InputError."""
        before, now = self.size, width_and_height("size", size)
        if now == before:
            return
        with self._current():
            self._target.free()  # freed first, because memory can be too small for two targets
            try:
                self._target = RenderTarget(self.context, *now, self.samples)
            except InputError:
                self._go_back(before)
                raise

    @checked
    def render(self, world: World, camera: Camera | None = None) -> NDArray[np.uint8]:
        """Return a picture of the world after the last step.

        The function `render` describes `camera` and the errors.
        """
        world.require_open()
        seen = camera_of(world, camera)
        with self._current():
            if bends(seen):
                return self._drawer.colors(world, seen, self.size)
            self._drawing.draw(world, self._target, camera=seen)
            return self._target.read_pixels()

    def forget_pictures(self) -> None:
        """Make the next picture independent of earlier pictures, as the function `forget_pictures` does."""
        self._drawing.forget_pictures()

    @contextmanager
    def drawer(self) -> Iterator[CameraDrawer]:
        """Yield a drawer for pictures of any size and for passes.

        Until the block ends, this thread has the OpenGL context.
        """
        with self._current():
            yield self._drawer

    def _go_back(self, size: tuple[int, int]) -> None:
        """Change back to an earlier size. If there is not enough memory, free the renderer."""
        try:
            self._target = RenderTarget(self.context, *size, self.samples)
        except InputError:
            self.free()

    @contextmanager
    def _current(self) -> Iterator[None]:
        if self.freed:
            raise RuntimeError("this renderer is freed. Make another renderer")
        with self.context.current():
            yield

    def _release(self) -> None:
        with self.context.current():
            self._drawing.forget()
            self._drawer.free()
            self._renderer.free()
            self._target.free()


class _Kept(NamedTuple):
    world: ref[World]
    renderer: Renderer


_kept: list[_Kept] = []  # the most recently used renderer is last
_watched: WeakSet[World] = WeakSet()  # worlds with a "closed" handler
_using = threading.RLock()  # locked while the list changes, and while a renderer is in use


@checked
def render(
    world: World, size: tuple[int, int] | None = None, camera: Camera | None = None, samples: int = SAMPLES
) -> NDArray[np.uint8]:
    """Return a picture of the world after the last step, [height, width, 3] u8, sRGB, top row first.

    `size` is width and height in pixels. Default: the camera's own size, or 1280 x 720. `samples` is the number of
    samples per pixel. More samples make smoother edges. OpenGL can support fewer samples. `camera` is one of these:

    * None: the world's own camera
    * keys that replace keys of a scene's [camera], such as {"azimuth_degrees": 90.0}
    * the name of one of the scene's [[cameras]]
    * an `OrbitCamera` or a `PinholeCamera`

    Raises InputError if OpenGL is missing or cannot draw `size`, and for unknown cameras and keys. Raises ValueError or
    TypeError for other invalid arguments, and RuntimeError for a closed world.
    """
    world.require_open()
    size = size_of(world, camera, size)
    with kept_renderer(world, size, samples) as renderer:
        renderer.resize(size)
        return renderer.render(world, camera)


def forget_pictures(world: World) -> None:
    """Make the next `render` or `capture` of a world independent of its earlier pictures.

    Crowds that the GPU poses keep levels of detail, and poses of far actors, from picture to picture. A viewer cannot
    see the difference. However, pictures from several workers can differ in bits. Call this function before each
    picture if the pictures must be bit-identical.
    """
    with _using:
        for kept in _kept:
            if kept.world() is world:
                kept.renderer.forget_pictures()


@contextmanager
def kept_renderer(world: World, size: tuple[int, int], samples: int) -> Iterator[Renderer]:
    """Yield the stored renderer of a world, or a new renderer of this size.

    Until the block ends, other threads cannot use the renderer.

    Raises InputError if OpenGL is missing. Raises ValueError for invalid `samples`.
    """
    samples = _checked_samples(samples)
    gl.require_here()
    with _using:
        yield _renderer_of(world, size, samples)


def _renderer_of(world: World, size: tuple[int, int], samples: int) -> Renderer:
    """Return the stored renderer of a world.

    If there is none, a new renderer replaces the least recently used renderer.
    """
    context = shared_context()
    for kept in _kept:
        renderer = kept.renderer
        if kept.world() is world and renderer.samples == samples and renderer.context is context and not renderer.freed:
            _kept.remove(kept)
            break
    else:
        _free_all_but(MOST_KEPT - 1)
        kept = _Kept(ref(world), Renderer(size, samples))
        if world not in _watched:
            _watched.add(world)
            world.on("closed", _forget)
    _kept.append(kept)
    return kept.renderer


def _free_all_but(count: int) -> None:
    """Free the renderers of worlds that no longer exist. Keep only the `count` most recently used renderers."""
    _kept[:] = [kept for kept in _kept if not _freed_with_world(kept)]
    while len(_kept) > count:
        _kept.pop(0).renderer.free()


def _freed_with_world(kept: _Kept) -> bool:
    if kept.world() is None:
        kept.renderer.free()
    return kept.renderer.freed


def _forget(world: World) -> None:
    """Free the renderers of a world."""
    if gl.is_lost():  # a thread that does not exist in this process can have the lock
        return
    with _using:
        for kept in [kept for kept in _kept if kept.world() is world]:
            _kept.remove(kept)
            kept.renderer.free()


def size_of(world: World, camera: Camera | None, size: tuple[int, int] | None) -> tuple[int, int]:
    """Return the requested picture size. Default: the camera's own size, or 1280 x 720."""
    return width_and_height("size", size) if size is not None else own_size(world, camera) or SIZE


def _checked_samples(samples: int) -> int:
    count = whole_numbers("samples", samples)
    if count.shape != (1,) or count[0] < 1:
        raise ValueError(f"samples must be a whole number >= 1 (got {samples!r})")
    return int(count[0])
