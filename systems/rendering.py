"""Functions that draw a picture of a world in one call. The renderers are stored for later calls."""

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
from ecs_anim.systems.overlays import Overlays

SIZE = (1280, 720)  # [pixel]
SAMPLES = 4  # samples per pixel
MOST_KEPT = 4  # largest number of stored renderers; each of them stores the uploaded data of one world


class Renderer(Resource):
    """Renderer of many pictures of one size, without a window.

        with ea.Renderer((640, 360)) as renderer:
            picture = renderer.render(world)

    The method `free`, or the end of the `with` block, frees the memory of the renderer. All renderers use the same
    OpenGL context. Different threads can use a renderer, but not at the same time. Raises the same errors as `render`.
    """

    def __init__(self, size: tuple[int, int] = SIZE, samples: int = SAMPLES) -> None:
        width, height = width_and_height("size", size)
        self.samples = _checked_samples(samples)
        self.context = shared_context()
        with self.context.current():
            self._target = RenderTarget(self.context, width, height, self.samples)
            self._renderer = ContextRenderer(self.context, self.samples)
        self._drawing = DrawWorld(self._renderer)
        self._drawer = CameraDrawer(self._renderer, self._drawing)  # draws pictures for other render targets
        self.context.keep(self)

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the pictures in pixels."""
        return self._target.size

    def resize(self, size: tuple[int, int]) -> None:
        """Change the size of all following pictures.

        If OpenGL cannot draw this size, keep the old size and raise InputError.
        """
        before, now = self.size, width_and_height("size", size)
        if now == before:
            return
        with self._current():
            self._target.free()  # freed first, because the memory can be too small for two targets
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

    def show_overlays(self, overlays: Overlays | None) -> None:
        """Draw overlays over all following pictures. With None, draw no overlays."""
        self._drawing.overlays = overlays

    def forget_pictures(self) -> None:
        """Make the next picture independent of earlier pictures.

        The function `forget_pictures` describes the reason.
        """
        self._drawing.forget_pictures()

    @contextmanager
    def drawer(self) -> Iterator[CameraDrawer]:
        """Yield a drawer for pictures of any size and for label passes.

        Until the end of the `with` block, the OpenGL context belongs to this thread.
        """
        with self._current():
            yield self._drawer

    def _go_back(self, size: tuple[int, int]) -> None:
        """Change the size back to an earlier size. If the memory is too small, free the renderer."""
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


_kept: list[_Kept] = []  # the last renderer in the list is the most recently used
_watched: WeakSet[World] = WeakSet()  # worlds whose event "closed" has a handler
_using = threading.RLock()  # locked during changes of the list, and while a renderer is in use


@checked
def render(
    world: World, size: tuple[int, int] | None = None, camera: Camera | None = None, samples: int = SAMPLES
) -> NDArray[np.uint8]:
    """Return a picture of the world after the last step, [height, width, 3] u8, sRGB, top row first.

    `size` is the width and height in pixels. The default size is the camera's own size, or 1280 x 720. `samples` is the
    number of samples per pixel. More samples give smoother edges. Some OpenGL drivers support only fewer samples.
    `camera` can have these values:

    * None: the world's own camera
    * a dictionary of keys that replace keys in the table [camera] of the scene, such as dict(azimuth_degrees=90.0)
    * the name of a camera in the list [[cameras]] of the scene
    * a `Follow`: a camera at the current position of an actor
    * an `OrbitCamera` or a `PinholeCamera`

    Raises InputError if OpenGL is missing or cannot draw the requested size, or if a camera or a key is unknown. Raises
    ValueError or TypeError if another argument is invalid, and RuntimeError if the world is closed.
    """
    world.require_open()
    size = size_of(world, camera, size)
    with kept_renderer(world, size, samples) as renderer:
        renderer.resize(size)
        return renderer.render(world, camera)


def forget_pictures(world: World) -> None:
    """Make the next picture of a world by `render` or `capture` independent of the world's earlier pictures.

    If the GPU computes the poses of a crowd, its levels of detail and the poses of its far actors depend on the
    previous picture. The effect on the picture is too small to see. However, some bits of the pictures can differ
    between processes. If pictures must be bit-identical, call this function before each picture.
    """
    with _using:
        for kept in _kept:
            if kept.world() is world:
                kept.renderer.forget_pictures()


@contextmanager
def kept_renderer(world: World, size: tuple[int, int], samples: int) -> Iterator[Renderer]:
    """Yield the stored renderer of a world, or a new renderer with the size `size`.

    Until the end of the `with` block, other threads cannot use the renderer.

    Raises InputError if OpenGL is missing. Raises ValueError if `samples` is invalid.
    """
    samples = _checked_samples(samples)
    gl.require_here()
    with _using:
        yield _renderer_of(world, size, samples)


def _renderer_of(world: World, size: tuple[int, int], samples: int) -> Renderer:
    """Return the stored renderer of a world, or a new renderer in place of the least recently used one."""
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
    if gl.is_lost():  # a thread that does not exist in this process can own the lock
        return
    with _using:
        for kept in [kept for kept in _kept if kept.world() is world]:
            _kept.remove(kept)
            kept.renderer.free()


def size_of(world: World, camera: Camera | None, size: tuple[int, int] | None) -> tuple[int, int]:
    """Return the size of the requested picture [pixel].

    If `size` is None, the result is the camera's own size, or 1280 x 720 if the camera has no size.
    """
    return width_and_height("size", size) if size is not None else own_size(world, camera) or SIZE


def _checked_samples(samples: int) -> int:
    count = whole_numbers("samples", samples)
    if count.shape != (1,) or count[0] < 1:
        raise ValueError(f"samples must be a whole number >= 1 (got {samples!r})")
    return int(count[0])
