"""`python -m ecs_anim.profiling.bench_shadows`: what the sun's shadows cost of a picture.

One world, drawn in turn with each kind of shadow, to the last pixel; medians, and medians of the ratios within a round.
Stops where the map's pictures are not darker than those without shadows: then nothing was measured.
"""

import json
from contextlib import ExitStack
from dataclasses import replace
from time import perf_counter_ns
from typing import get_args

import click
import numpy as np

from ecs_anim.components.stage import Stage
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import actor_count, stage_of
from ecs_anim.view.style import Shadows

KINDS = get_args(Shadows)


@click.command()
@click.argument("scene", default="throng")
@click.option("--actors", type=int, help="Default: the scene's.")
@click.option("--rounds", default=12, show_default=True)
@click.option("--samples", default=4, show_default=True, help="Of a pixel.")
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(scene: str, actors: int | None, rounds: int, samples: int, size: tuple[int, int], as_json: bool) -> None:
    """Draw with each kind of shadow in alternated rounds."""
    with ExitStack() as stack:
        world = stack.enter_context(load_scene(scene, actors=actors))
        context = stack.enter_context(open_headless())
        renderer = stack.enter_context(Renderer(context, samples))
        target = stack.enter_context(renderer.target(*size))
        drawing = DrawWorld(renderer)
        _warm_up(world, drawing, target)
        spent = np.array([_round(world, drawing, target, context) for _ in range(rounds)]) / 1e6
        found = {
            "scene": scene,
            "actors": actor_count(world),
            "size": size,
            "samples": samples,
            "renderer": context.capabilities.renderer,
            "frame_ms": dict(zip(KINDS, np.median(spent, axis=0).round(1).tolist(), strict=True)),
            "ratio_to_none": dict(zip(KINDS, np.median(spent / spent[:, -1:], axis=0).round(3).tolist(), strict=True)),
        }
    click.echo(json.dumps(found, indent=None if as_json else 1))


def _warm_up(world: World, drawing: DrawWorld, target: RenderTarget) -> None:
    """Compile everything; raises RuntimeError if there are no shadows to measure."""
    pictures = []
    for kind in ("map", "none"):
        _draw(world, drawing, target, kind)
        pictures.append(target.read_pixels().astype(int))
    if (pictures[1] - pictures[0]).max() < 20:
        raise RuntimeError("the shadow map darkened nothing")


def _round(world: World, drawing: DrawWorld, target: RenderTarget, context: Context) -> list[int]:
    """Nanoseconds of a picture with each kind of shadow, after one step."""
    world.step(1 / stage_of(world).frame_rate)
    spent = []
    for kind in KINDS:
        context.finish()
        begin = perf_counter_ns()
        _draw(world, drawing, target, kind)
        context.finish()
        spent.append(perf_counter_ns() - begin)
    return spent


def _draw(world: World, drawing: DrawWorld, target: RenderTarget, kind: Shadows) -> None:
    stage: Stage = stage_of(world)
    stage.lighting = replace(stage.lighting, shadows=kind)
    drawing.draw(world, target)


if __name__ == "__main__":
    main()
