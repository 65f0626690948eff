"""`python -m ecs_anim.profiling.bench_tracks`: what a table of keys is worth against numpy's search.

First the look-up alone, for unevenly keyed tracks, with times in random order (actors of a crowd) and sorted (a
clip that is resampled); then whole clips of the mannequin, with and without tables. Both sides of a line run in turn,
round by round, and must agree; medians are compared.
"""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.key_table import KeyTable
from ecs_anim.scenes.rigs import load_model

Array = NDArray[Any]

KEY_COUNTS = (30, 300, 3000)
TIME_COUNTS = (1, 100, 1000, 10_000, 100_000)


@click.command()
@click.option("--rounds", default=15, show_default=True)
@click.option("--clip", default="walk", show_default=True, help="A clip of the mannequin.")
def main(rounds: int, clip: str) -> None:
    """Time both ways of finding keys."""
    rng = np.random.default_rng(0)
    click.echo(f"finding keys, microseconds, medians of {rounds} alternated rounds")
    click.echo(f"{'keys':>8} {'times':>8} {'order':>8} {'search':>10} {'table':>10} {'gain':>6}")
    for keys in KEY_COUNTS:
        for count in TIME_COUNTS:
            for order in ("random", "sorted"):
                _line(f"{keys:8} {count:8} {order:>8}", *_look_up(rng, keys, count, order == "sorted"), rounds)
    click.echo(f"sampling the mannequin's {clip!r} exactly, microseconds")
    for count in TIME_COUNTS[:-1]:
        _line(f"{'':8} {count:8} {'random':>8}", *_sampling(rng, clip, count), rounds)


def _look_up(
    rng: np.random.Generator, keys: int, count: int, ordered: bool
) -> tuple[Callable[[], Array], Callable[[], Array]]:
    times = (np.cumsum(rng.uniform(0.5, 1.5, keys)) / 30).astype(np.float32)
    at = rng.uniform(times[0] - 0.1, times[-1] + 0.1, count)
    if ordered:
        at.sort()
    table = KeyTable.of(times)
    return lambda: np.maximum(np.searchsorted(times, at, side="right") - 1, 0), lambda: table.key_before(at)


def _sampling(rng: np.random.Generator, name: str, count: int) -> tuple[Callable[[], Array], Callable[[], Array]]:
    clip = load_model("mannequin").clips[name]
    fast = replace(clip, tracks=tuple(track.fast() for track in clip.tracks))
    at = rng.uniform(clip.start, clip.end, count)
    return lambda: clip.sample(at).rotation, lambda: fast.sample(at).rotation


def _line(label: str, search: Callable[[], Array], table: Callable[[], Array], rounds: int) -> None:
    if not np.array_equal(search(), table()):
        raise SystemExit(f"{label}: the table and the search gave different results")
    spent = np.median([[_microseconds(run) for run in (search, table)] for _ in range(rounds)], axis=0)
    click.echo(f"{label} {spent[0]:10.1f} {spent[1]:10.1f} {spent[0] / spent[1]:6.2f}")


def _microseconds(run: Callable[[], Array]) -> float:
    begin = perf_counter()
    run()
    return 1e6 * (perf_counter() - begin)


if __name__ == "__main__":
    main()
