"""`python -m ecs_anim.profiling.bench_skinning`: what dual quaternions cost against matrices, step by step.

Palettes for a crowd, vertices on the CPU, whole pictures; both methods in turn, round by round, medians. Pictures are
drawn with what OpenGL there is.
"""

from collections.abc import Callable
from time import perf_counter

import click
import numpy as np

from ecs_anim.assets import dual_palette
from ecs_anim.assets.skinning import Method
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.kernels.skinning import skin_actors
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.rigs import load_model
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.skinning import set_skinning

VERTEX_ACTORS = 20  # actors with vertices skinned on the CPU


@click.command()
@click.option("--actors", default=10_000, show_default=True, help="Whose palettes are made.")
@click.option("--drawn", default=200, show_default=True, help="Actors in the pictures.")
@click.option("--rounds", default=11, show_default=True)
@click.option("--no-draw", is_flag=True, help="Leave the pictures out; needs no OpenGL.")
def main(actors: int, drawn: int, rounds: int, no_draw: bool) -> None:
    """Time both methods."""
    click.echo(f"medians of {rounds} alternated rounds, ms{'':18} linear    dual  ratio")
    _steps(actors, rounds)
    _vertices(rounds)
    if not no_draw:
        _pictures(drawn, rounds)


def _steps(actors: int, rounds: int) -> None:
    with _world(actors, "linear") as linear, _world(actors, "dual_quaternion") as dual:
        _line(f"a step of {actors:,} mannequins", rounds, lambda: linear.step(1 / 60), lambda: dual.step(1 / 60))


def _vertices(rounds: int) -> None:
    mesh = load_model("mannequin").level(0)[0]
    with _world(VERTEX_ACTORS, "linear") as world:
        ((entity, (palette,)),) = world.query(Palette)
        linear = palette.matrices
        set_skinning(world, entity, "dual_quaternion")
        dual = palette.matrices
    if not np.allclose(dual_palette.to_matrices(dual), linear, atol=1e-5):
        raise SystemExit("the two palettes are of different poses")
    _line(
        f"{VERTEX_ACTORS * mesh.vertex_count:,} vertices on the CPU",
        rounds,
        lambda: skin_actors(mesh, linear),
        lambda: skin_actors(mesh, dual),
    )


def _pictures(drawn: int, rounds: int) -> None:
    with (
        open_headless() as context,
        Renderer(context) as renderer,
        renderer.target(512, 512) as target,
        _world(drawn, "linear") as linear,
        _world(drawn, "dual_quaternion") as dual,
    ):
        painters = [_painter(context, renderer, target, world) for world in (linear, dual)]
        _line(f"a picture of {drawn}", rounds, *painters)
        click.echo(f"drawn with {context.capabilities.summary}")


def _painter(context: Context, renderer: Renderer, target: RenderTarget, world: World) -> Callable[[], None]:
    drawing = DrawWorld(renderer)

    def paint() -> None:
        drawing.draw(world, target)
        context.finish()

    return paint


def _world(actors: int, method: Method) -> World:
    world = load_scene("throng", actors=actors, threads=1)
    for entity, _ in world.query(Palette):
        set_skinning(world, entity, method)
    world.step(0.5)
    return world


def _line(label: str, rounds: int, linear: Callable[[], object], dual: Callable[[], object]) -> None:
    spent = np.array([[_milliseconds(linear), _milliseconds(dual)] for _ in range(rounds + 1)])[1:]
    medians = np.median(spent, axis=0)
    click.echo(f"{label:40} {medians[0]:14.2f} {medians[1]:7.2f} {medians[1] / medians[0]:6.2f}")


def _milliseconds(work: Callable[[], object]) -> float:
    begin = perf_counter()
    work()
    return 1000 * (perf_counter() - begin)


if __name__ == "__main__":
    main()
