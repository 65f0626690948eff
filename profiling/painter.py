"""What draws the frames that are measured, and times their passes."""

from collections.abc import Iterator
from contextlib import contextmanager

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.pass_timer import PassTimer, Picture
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.systems.drawing import DrawWorld

GATHER = "gather"  # what the CPU brings together before the first pass


class Painter:
    """Draws a world and waits until it is drawn."""

    def __init__(self, context: Context, renderer: Renderer, target: RenderTarget, timer: PassTimer) -> None:
        self.renderer_name = context.capabilities.renderer
        self._context, self._target, self._timer = context, target, timer
        self._drawing = DrawWorld(renderer)

    @property
    def has_gpu_clock(self) -> bool:
        """Whether passes are timed by the GPU; else, on a software renderer, by waiting for each."""
        return self._timer.on_gpu

    def paint(self, world: World) -> None:
        """One frame, to the last pixel."""
        self._timer.begin(GATHER)
        self._drawing.draw(world, self._target)
        self._context.finish()

    def take_pictures(self) -> list[Picture]:
        """The passes of all frames since the last call."""
        return self._timer.take()


@contextmanager
def open_painter(size: tuple[int, int]) -> Iterator[Painter]:
    """A painter of pictures of `size` [pixel], headless."""
    with open_painters(size, 1) as (painter,):
        yield painter


@contextmanager
def open_painters(size: tuple[int, int], count: int) -> Iterator[list[Painter]]:
    """Painters that share all but what belongs to a world; the pictures of one are those of all, as they were drawn."""
    with (
        open_headless() as context,
        PassTimer(context.capabilities) as timer,
        Renderer(context, marks=timer) as renderer,
        renderer.target(*size) as target,
    ):
        yield [Painter(context, renderer, target, timer) for _ in range(count)]
