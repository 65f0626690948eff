"""Measure how fast the bodies of recorded people turn.

Run `python -m ecs_anim.profiling.validation.study_facing [FILES]`.

If the user names no files, JuPedSim simulates crowds of 150 agents. The constants for the headings of bodies were
fitted to the runs in `TUNED`. The runs in `HELD_OUT` test these constants with other areas, widths and seeds. The exit
code is 1 if a file exceeds the limit.
"""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from ecs_anim.profiling.validation.facing_rates import LIMIT, facing_rates
from ecs_anim.profiling.validation.jupedsim_crowds import MODELS, Run, simulate
from ecs_anim.support.terminal import print_line
from ecs_anim.trajectories import ReadOptions

TUNED = tuple(
    Run(place, width, model, seed=1)
    for model, (place, width) in product(
        MODELS, (("bottleneck", 0.8), ("bottleneck", 1.2), ("corner", 3.0), ("counter-flow", 4.0), ("junction", 3.0))
    )
)
HELD_OUT = tuple(
    Run(place, width, model, seed, rate)
    for model, (place, width, seed, rate) in product(
        MODELS,
        (
            ("bottleneck", 0.9, 11, 25.0),
            ("bottleneck", 1.0, 12, 10.0),
            ("bottleneck", 1.6, 13, 50.0),
            ("bottleneck", 2.4, 14, 5.0),
            ("bottleneck", 0.8, 15, 2.0),
            ("corner", 4.0, 16, 20.0),
            ("counter-flow", 5.0, 17, 25.0),
            ("junction", 4.0, 18, 10.0),
        ),
    )
)


@click.command()
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--unit", help="Set the unit of lengths if the files do not state it.")
@click.option(
    "--sample-rate",
    "rate",
    type=float,
    help="Set the number of samples per second if the files do not state this number.",
)
@click.option("--runs", type=click.Choice(["tuned", "held-out", "all"]), default="all", show_default=True)
@click.option(
    "--model", "models", multiple=True, type=click.Choice(list(MODELS)), help="Use only this model. Can be repeated."
)
def main(files: tuple[Path, ...], unit: str | None, rate: float | None, runs: str, models: tuple[str, ...]) -> None:
    """Measure the 95th percentile of the turning rates in each recording."""
    chosen = {"tuned": TUNED, "held-out": HELD_OUT, "all": TUNED + HELD_OUT}[runs]
    own = [run for run in chosen if not models or run.model in models]
    print_line(f"{'recording':<58} {'people':>6} {'seconds':>8} {'roots':>6} {'drawn':>6}  [degrees/s, 95 %]")
    with TemporaryDirectory() as folder:
        found = [_measured(path, ReadOptions(unit, rate)) for path in files or _simulated(own, Path(folder))]
    sys.exit(not all(found))


def _simulated(runs: list[Run], folder: Path) -> Iterator[Path]:
    """Yield the path of the recording of each run. If a model cannot finish a run, print a message and skip the run."""
    for run in runs:
        try:
            path = simulate(run, folder)
        except RuntimeError as error:
            print_line(f"{run.name:<58} {run.model} stops: {error}")
            continue
        yield path
        path.unlink()


def _measured(path: Path, options: ReadOptions) -> bool:
    """Print the turning rates in a recording. Return whether all turning rates are within the limit."""
    rates = facing_rates(path, options)
    told = "" if rates.holds else f"  over {LIMIT:g}"
    print_line(
        f"{path.stem:<58} {rates.people:>6} {rates.person_seconds:>8.0f} {rates.roots:>6.1f} {rates.drawn:>6.1f}{told}"
    )
    return rates.holds


if __name__ == "__main__":
    main()
