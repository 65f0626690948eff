"""An OpenGL context without a window, with a renderer and a render target, for comparisons of several worlds."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.pass_timer import NO_MARKS, PassTimer
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import stage_of


@dataclass(frozen=True)
class Canvas:
    """An OpenGL context without a window, with a renderer and a render target."""

    context: Context
    renderer: Renderer
    target: RenderTarget
    timer: PassTimer | None  # measures the time of each pass; None = no measurement
    stack: ExitStack  # closes the worlds and the render targets when the canvas is closed

    @property
    def facts(self) -> dict[str, str]:
        """Return the name of the OpenGL renderer."""
        return {"renderer": self.context.capabilities.renderer}


class Stand:
    """A world with its drawing system. The canvas closes the world."""

    def __init__(self, canvas: Canvas, world: World) -> None:
        self.world, self._canvas = canvas.stack.enter_context(world), canvas
        self.drawing = DrawWorld(canvas.renderer)

    def step(self) -> None:
        """Advance the world by one time step."""
        self.world.step(1 / stage_of(self.world).frame_rate)

    def draw(self) -> None:
        """Draw a picture, and wait until the GPU has finished."""
        self.drawing.draw(self.world, self._canvas.target)
        self._canvas.context.finish()

    def frame(self) -> None:
        """Advance the world by one time step, and draw a picture."""
        self.step()
        self.draw()

    def picture(self) -> NDArray[np.uint8]:
        """Draw a picture, and return its pixels [height, width, 3]."""
        self.draw()
        return self._canvas.target.read_pixels()


@contextmanager
def open_canvas(size: tuple[int, int], samples: int = 4, *, timed: bool = False) -> Iterator[Canvas]:
    """Open a canvas for pictures of the size `size` [pixel]."""
    with ExitStack() as stack:
        context = stack.enter_context(open_headless())
        timer = stack.enter_context(PassTimer(context.capabilities)) if timed else None
        renderer = stack.enter_context(Renderer(context, samples, marks=timer or NO_MARKS))
        yield Canvas(context, renderer, stack.enter_context(renderer.target(*size)), timer, stack)
