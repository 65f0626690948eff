"""`python -m ecs_anim.profiling.bench_palettes`: who makes palettes of a bake fastest, of one clip and of cross-fades.

Compute and transform feedback in turn, medians of rounds. Stops where their palettes differ: then nothing was measured.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from time import perf_counter_ns

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.options import BakeOptions
from ecs_anim.gl.crowds.bake_atlas import BakeAtlas
from ecs_anim.gl.crowds.pose_compute import ComputePoser
from ecs_anim.gl.crowds.pose_feedback import FeedbackPoser
from ecs_anim.gl.crowds.pose_inputs import PoseInputs, PoseLevel
from ecs_anim.gl.crowds.pose_palettes import PosedPalettes
from ecs_anim.gl.device.context import Context, open_headless
from ecs_anim.scenes.rigs import load_model
from ecs_anim.view.instances import BAKED_ACTOR

KINDS = {
    "local f32": BakeOptions(),
    "local u8": BakeOptions("local", "u8"),
    "rotations only": BakeOptions(rotation_only=True),
    "model f32": BakeOptions("model"),
}
FADES = {"one clip": 0.0, "two clips": 0.3}


@click.command()
@click.argument("model", default="mannequin")
@click.option("--actors", default=800, show_default=True)
@click.option("--rounds", default=15, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(model: str, actors: int, rounds: int, as_json: bool) -> None:
    """Pose every kind of bake of MODEL in alternated rounds; milliseconds of each."""
    rig = load_model(model)
    with ExitStack() as stack:
        context = stack.enter_context(open_headless())
        spent = {name: _spent(context, bake_rig(rig, kind), actors, rounds) for name, kind in KINDS.items()}
    found = {"actors": actors, "joints": rig.skeleton.joint_count, "renderer": context.capabilities.renderer, **spent}
    click.echo(json.dumps(found, indent=None if as_json else 1))


def _spent(context: Context, bake: Bake, count: int, rounds: int) -> dict[str, float]:
    """Median milliseconds by poser and number of clips."""
    times: dict[str, list[int]] = {}
    with ExitStack() as stack:
        atlas = stack.enter_context(BakeAtlas(bake, context.capabilities))
        inputs = stack.enter_context(PoseInputs())
        palettes = stack.enter_context(PosedPalettes(atlas.entry_count, context.capabilities))
        posers = [make(atlas) for make in _makers(context)]
        for poser in posers:
            stack.callback(poser.free)
        inputs.write_list(np.repeat(np.arange(count, dtype=np.uint32), 2).reshape(-1, 2))
        palettes.reserve(count)
        for _ in range(rounds):
            for name, fade in FADES.items():
                inputs.write_actors(_actors(bake, count, fade))
                made = []
                for poser in posers:
                    context.finish()
                    begin = perf_counter_ns()
                    poser.pose(inputs, palettes, [PoseLevel(0, count)])
                    context.finish()
                    times.setdefault(f"{type(poser).__name__}, {name}", []).append(perf_counter_ns() - begin)
                    made.append(palettes.read(count))
                _require_alike(made)
    return {name: round(float(np.median(spent)) / 1e6, 2) for name, spent in times.items()}


def _makers(context: Context) -> Iterator[type[ComputePoser] | type[FeedbackPoser]]:
    if context.capabilities.has_compute:
        yield ComputePoser
    yield FeedbackPoser


def _actors(bake: Bake, count: int, fade: float) -> NDArray[np.void]:
    """Each somewhere in clips of its own."""
    rng = np.random.default_rng(1)
    actors = np.zeros(count, BAKED_ACTOR)
    actors["clip"] = rng.integers(0, len(bake.clips), (count, 2))
    actors["phase"] = rng.random((count, 2))
    actors["fade"] = fade
    return actors


def _require_alike(made: list[NDArray[np.float32]]) -> None:
    largest = float(np.abs(made[0]).max())
    if largest == 0 or any(np.abs(other - made[0]).max() > 1e-5 * largest for other in made):
        raise RuntimeError("palettes by compute and by transform feedback must be the same")


if __name__ == "__main__":
    main()
