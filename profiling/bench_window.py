"""`python -m ecs_anim.profiling.bench_window`: how many pictures a second a window shows where a processor draws.

A world is stepped and drawn in turn as the governor says and as finely as ever, to the last pixel, without a window.
Medians of both, quartiles of the ratios of pictures beside each other, and how many pictures each step of the ladder
made; then each step alone, in turn with the finest. Fails where the coarsest picture is not the world's.
"""

import json
from contextlib import ExitStack
from time import perf_counter

import click
import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.live_target import LiveTarget
from ecs_anim.profiling.alternated import ratios
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.view.quality import LADDER, Quality

LOST = 12  # of 255, mean difference of the coarsest picture that no world has


class _Window:
    """What a window does for a picture, without one."""

    def __init__(self, world: World, context: Context, drawing: DrawWorld, size: tuple[int, int]) -> None:
        self.world, self.live = world, LiveTarget(context)
        self._context, self._drawing, self._size = context, drawing, size

    def picture(self, quality: Quality) -> float:
        """Seconds of a step and a picture."""
        begin = perf_counter()
        self.world.step(1 / stage_of(self.world).frame_rate)
        self.draw(quality)
        return perf_counter() - begin

    def draw(self, quality: Quality) -> RenderTarget:
        """To the last pixel."""
        target = self.live.of(quality, *self._size)
        self._drawing.draw(self.world, target, quality=quality)
        self._context.finish()
        return target

    def cells(self, quality: Quality) -> np.ndarray:
        """The mean colour of each cell of a grid of the picture, [8, 8, 3]."""
        pixels = self.draw(quality).read_pixels()
        rows = [np.array_split(row, 8, axis=1) for row in np.array_split(pixels, 8)]
        return np.array([[cell.mean(axis=(0, 1)) for cell in row] for row in rows])


@click.command()
@click.argument("scene", default="plaza")
@click.option("--actors", type=int, help="Default: the scene's.")
@click.option("--pictures", default=60, show_default=True, help="Of each of both.")
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(scene: str, actors: int | None, pictures: int, size: tuple[int, int], as_json: bool) -> None:
    """Draw with and without a governor in turn."""
    with ExitStack() as stack:
        context = stack.enter_context(open_headless())
        if not context.capabilities.is_software:
            raise InputError(f"{context.capabilities.renderer}: windows have a governor only where a processor draws")
        renderer = stack.enter_context(Renderer(context))
        made = []
        for _ in range(2):
            world = stack.enter_context(load_scene(scene, actors=actors))
            made.append(_Window(world, context, DrawWorld(renderer), size))
            stack.enter_context(made[-1].live)
        on, off = made
        _require_same(on)
        found = {"scene": scene, "actors": actor_count(on.world), "size": size, **_governed(on, off, pictures)}
        found["ladder"] = [_one_step(on, off, quality) for quality in LADDER]
        found["renderer"] = context.capabilities.renderer
    click.echo(json.dumps(found, indent=None if as_json else 1))


def _require_same(window: _Window) -> None:
    """Draws with each step once, so that all is compiled. Raises RuntimeError where one shows something else."""
    finest, *others = [window.cells(quality) for quality in LADDER]
    for quality, other in zip(LADDER[1:], others, strict=True):
        if np.abs(other - finest).mean() > LOST:
            raise RuntimeError(f"{quality} shows another picture than the finest does")


def _governed(on: _Window, off: _Window, pictures: int) -> dict[str, object]:
    """With the governor and without, in turn."""
    spent, steps = np.zeros((pictures, 2)), []
    for number in range(pictures):
        steps.append(LADDER.index(on.live.quality))
        spent[number, 0] = on.picture(on.live.quality)
        on.live.took(float(spent[number, 0]))
        spent[number, 1] = off.picture(LADDER[0])
    late = spent[pictures // 2 :]
    return {
        "pictures_a_second": dict(zip(("on", "off"), (1 / np.median(late, axis=0)).round(2).tolist(), strict=True)),
        "faster": ratios(late[:, 1], late[:, 0]),
        "pictures_of_each_step": np.bincount(steps, minlength=len(LADDER)).tolist(),
        "pictures_until_it_stays": max((k + 1 for k in range(1, pictures) if steps[k] != steps[k - 1]), default=0),
    }


def _one_step(on: _Window, off: _Window, quality: Quality, rounds: int = 8) -> dict[str, object]:
    """One step of the ladder, in turn with the finest."""
    spent = np.array([(on.picture(quality), off.picture(LADDER[0])) for _ in range(rounds)])
    return {"median_ms": round(1e3 * float(np.median(spent[:, 0])), 1), "of_finest": ratios(spent[:, 0], spent[:, 1])}


if __name__ == "__main__":
    main()
