"""`python -m ecs_anim.profiling.bench_bake`: what each space and format of a bake costs and loses.

Seconds to bake all clips of a model, milliseconds to load them again, kilobytes on a GPU, and the worst error of any
clip, in millimetres on a body of 1.8 m and in degrees. All six run in turn, round by round; medians are told. First
all at one error target, where each clip has its own rate; then all at one rate, where only the rounding differs.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import click
import numpy as np

from ecs_anim.assets.rig import Rig
from ecs_anim.bake.bake import Bake
from ecs_anim.bake.build import bake_rig
from ecs_anim.bake.file import load_bake, save_bake, to_bytes
from ecs_anim.bake.options import ERROR_MM, FORMATS, SPACES, BakeOptions
from ecs_anim.scenes.rigs import load_model

Spent = tuple[float, float]  # [s] to bake, [s] to load


@click.command()
@click.argument("model", default="mannequin")
@click.option("--rounds", default=3, show_default=True)
@click.option("--error", default=ERROR_MM, show_default=True, help="[mm] of the first table.")
@click.option("--rate", default=30.0, show_default=True, help="[Hz] of the second.")
def main(model: str, rounds: int, error: float, rate: float) -> None:
    """Bake MODEL in every space and format."""
    rig = load_model(model)
    kinds = [(space, number_format) for space in SPACES for number_format in FORMATS]
    click.echo(f"{rig.name}, {len(rig.clips)} clips, at most {error:g} mm, medians of {rounds} rounds")
    _table(rig, [BakeOptions(space, number_format, error_mm=error) for space, number_format in kinds], rounds)
    click.echo(f"the same at {rate:g} rows a second")
    _table(rig, [BakeOptions(space, number_format, rate) for space, number_format in kinds], rounds)


def _table(rig: Rig, every: Sequence[BakeOptions], rounds: int) -> None:
    click.echo(
        f"{'space':>6} {'format':>7} {'rows':>6} {'kB':>8} {'bake s':>8} {'load ms':>8} {'mm':>8} {'degrees':>8}"
    )
    bakes = [bake_rig(rig, options) for options in every]
    with TemporaryDirectory() as folder:
        spent = np.median([[_once(rig, bake, Path(folder)) for bake in bakes] for _ in range(rounds)], axis=0)
    for bake, (made, loaded) in zip(bakes, spent, strict=True):
        options = bake.options
        position = max(clip.error.millimetres(bake.size) for clip in bake.clips)
        degrees = max(clip.error.degrees for clip in bake.clips)
        click.echo(
            f"{options.space:>6} {options.number_format:>7} {len(bake.rows):6} {bake.nbytes / 1000:8.1f}"
            f" {made:8.2f} {1000 * loaded:8.2f} {position:8.3f} {degrees:8.3f}"
        )


def _once(rig: Rig, bake: Bake, folder: Path) -> Spent:
    """One bake and one load. Raises SystemExit where either is not what it was."""
    begin = perf_counter()
    again = bake_rig(rig, bake.options)
    made = perf_counter() - begin
    path = folder / "x.bake"
    save_bake(again, path)
    begin = perf_counter()
    loaded = load_bake(path, rig.skeleton)
    spent = perf_counter() - begin
    if to_bytes(bake) != to_bytes(loaded) or not np.ptp(loaded.decoded(0), axis=0).any():
        raise SystemExit(f"{bake.options}: the bake did not come back as it was, or nothing moves in it")
    return made, spent


if __name__ == "__main__":
    main()
