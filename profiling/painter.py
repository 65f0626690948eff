"""Drawing of measured frames. A painter draws each frame, and measures the time of each drawing pass."""

from collections.abc import Iterator
from contextlib import contextmanager

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.pass_timer import PassTimer, Picture
from ecs_anim.profiling.canvas import Canvas, open_canvas
from ecs_anim.systems.drawing import DrawWorld

GATHER = "gather"  # time of the CPU before the first pass


class Painter:
    """A painter draws a world, and waits until the GPU has finished."""

    def __init__(self, canvas: Canvas, timer: PassTimer) -> None:
        self.renderer_name = canvas.context.capabilities.renderer
        self._canvas, self._timer = canvas, timer
        self._drawing = DrawWorld(canvas.renderer)

    @property
    def has_gpu_clock(self) -> bool:
        """Return whether the GPU measures the times of the passes.

        Without a GPU clock, the painter waits after each pass.
        """
        return self._timer.on_gpu

    def paint(self, world: World) -> None:
        """Draw one frame."""
        self._timer.begin(GATHER)
        self._drawing.draw(world, self._canvas.target)
        self._canvas.context.finish()

    def take_pictures(self) -> list[Picture]:
        """Return the pass times of all frames that were drawn since the last call of this method."""
        return self._timer.take()


@contextmanager
def open_painters(size: tuple[int, int], count: int = 1) -> Iterator[list[Painter]]:
    """Open painters without a window for pictures of the size `size` [pixel].

    All painters use the same clock. Therefore, `take_pictures` of each painter returns the pass times of all painters.
    """
    with open_canvas(size, timed=True) as canvas:
        assert canvas.timer is not None
        yield [Painter(canvas, canvas.timer) for _ in range(count)]
