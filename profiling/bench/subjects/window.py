"""Drawing times for a window with a software renderer, with the quality governor and with each quality level.

Each variant computes a time step and draws a picture. The benchmark fails if the picture with the lowest quality does
not show the same content as the picture with the best quality.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter

import numpy as np

from ecs_anim.gl.window.live_target import LiveTarget
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.canvas import Canvas, Stand, open_canvas
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.queries import actor_count
from ecs_anim.view.quality import LADDER, Quality

LOST = 12  # mean difference, of 255, from which a picture with low quality shows other content
ROUNDS = 30


class Window:
    """A variant that computes a time step and draws a picture for a window, without opening the window."""

    def __init__(self, canvas: Canvas, scene: str, actors: int | None, size: tuple[int, int]) -> None:
        self.stand, self._canvas, self._size = Stand(canvas, load_scene(scene, actors=actors)), canvas, size
        self._live = canvas.stack.enter_context(LiveTarget(canvas.context))
        self.steps: list[int] = []  # index of the quality level of each picture

    def picture(self, quality: Quality) -> None:
        """Compute a time step, draw a picture, and wait until the GPU has finished."""
        self.stand.step()
        target = self._live.of(quality, *self._size)
        self.stand.drawing.draw(self.stand.world, target, quality=quality)
        self._canvas.context.finish()

    def governed(self) -> None:
        """Draw a picture with the quality level that the governor chooses."""
        self.steps.append(LADDER.index(self._live.quality))
        begin = perf_counter()
        self.picture(self._live.quality)
        self._live.took(perf_counter() - begin)

    def cells(self, quality: Quality) -> np.ndarray:
        """Return the mean colours [8, 8, 3] of the cells of a grid that covers the picture."""
        target = self._live.of(quality, *self._size)
        self.stand.drawing.draw(self.stand.world, target, quality=quality)
        rows = [np.array_split(row, 8, axis=1) for row in np.array_split(target.read_pixels(), 8)]
        return np.array([[cell.mean(axis=(0, 1)) for cell in row] for row in rows])


@contextmanager
def case(*, scene: str = "plaza", actors: int | None = None, size: tuple[int, int] = (1280, 720)) -> Iterator[Case]:
    """Yield the benchmark with `scene` in a window of `size` pixels."""
    with open_canvas(size) as canvas:
        if not canvas.context.capabilities.is_software:
            raise InputError(
                f"{canvas.facts['renderer']}: this benchmark needs a software renderer, because the window adapts "
                "its quality only with such a renderer. Draw with the CPU."
            )
        on, off = (Window(canvas, scene, actors, size) for _ in range(2))
        finest, *others = (off.cells(quality) for quality in LADDER)
        for quality, other in zip(LADDER[1:], others, strict=True):
            require(
                np.abs(other - finest).mean() <= LOST,
                f"quality {quality} must show the same picture as the best quality",
            )
        works = {f"ladder {step}": Work(partial(off.picture, quality)) for step, quality in enumerate(LADDER)}
        yield Case(
            works | {"governed": Work(on.governed)},
            facts=lambda: {
                "actors": actor_count(on.stand.world),
                "pictures_of_each_step": np.bincount(on.steps, minlength=len(LADDER)).tolist(),
                "pictures_until_it_stays": int(max(np.flatnonzero(np.diff(on.steps)) + 2, default=0)),
                **canvas.facts,
            },
        )
