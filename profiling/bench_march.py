"""`python -m ecs_anim.profiling.bench_march`: a whole army against a company drawn by the classic crowd shader.

The scene as it is, with levels of detail and culling, and the same scene with few actors, each drawn by the classic
shader with its finest mesh, in turn; medians, and the median of the ratios within a round.
"""

import json
from contextlib import ExitStack

import click
import numpy as np

from ecs_anim.gl.device.context import open_headless
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.profiling.crowd_options import FLOOR, OPTIONS, with_option
from ecs_anim.profiling.painter import timed_frame
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.queries import actor_count


@click.command()
@click.argument("scene", default="march")
@click.option("--actors", type=int, help="Default: the scene's.")
@click.option("--classic-actors", default=2000, show_default=True)
@click.option("--rounds", default=9, show_default=True)
@click.option("--samples", default=4, show_default=True, help="Of a pixel.")
@click.option("--size", nargs=2, default=(1280, 720), show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(
    scene: str,
    actors: int | None,
    classic_actors: int,
    rounds: int,
    samples: int,
    size: tuple[int, int],
    as_json: bool,
) -> None:
    """Draw both in alternated rounds."""
    file = read_scene(scene)
    (classic,) = [option for option in OPTIONS if option.name == FLOOR]
    with ExitStack() as stack:
        worlds = [
            stack.enter_context(load_scene(file, actors=actors)),
            stack.enter_context(load_scene(with_option(file, classic), actors=classic_actors)),
        ]
        context = stack.enter_context(open_headless())
        renderer = stack.enter_context(Renderer(context, samples))
        target = stack.enter_context(renderer.target(*size))
        stands = [(world, DrawWorld(renderer)) for world in worlds]
        for stand in stands:
            timed_frame(*stand, target, context)
        spent = np.array([[timed_frame(*stand, target, context) for stand in stands] for _ in range(rounds)])
        found = {
            "scene": scene,
            "actors": actor_count(worlds[0]),
            "classic_actors": actor_count(worlds[1]),
            "size": size,
            "samples": samples,
            "renderer": context.capabilities.renderer,
            "frame_ms": float(np.median(spent[:, 0]).round(1)),
            "classic_frame_ms": float(np.median(spent[:, 1]).round(1)),
            "ratio": float(np.median(spent[:, 0] / spent[:, 1]).round(3)),
        }
    click.echo(json.dumps(found, indent=None if as_json else 1))


if __name__ == "__main__":
    main()
